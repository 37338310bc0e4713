// Numbers as engineers write them: "50 mm", "18°", "4 kN/m" become SI. A number without a unit is in the field's own.

const TO_SI = {
  mm: [1e-3, "m"], cm: [1e-2, "m"], km: [1e3, "m"], in: [0.0254, "m"],
  "°": [Math.PI / 180, "rad"], deg: [Math.PI / 180, "rad"], turn: [2 * Math.PI, "rad"],
  g: [1e-3, "kg"], t: [1e3, "kg"], "g/cm^3": [1e3, "kg/m^3"],
  ms: [1e-3, "s"], min: [60, "s"],
  kN: [1e3, "N"], "kN/m": [1e3, "N/m"], "N/mm": [1e3, "N/m"], "kN s/m": [1e3, "N s/m"], "kN m": [1e3, "N m"],
  rpm: [Math.PI / 30, "rad/s"], "°/s": [Math.PI / 180, "rad/s"], "deg/s": [Math.PI / 180, "rad/s"],
  "km/h": [1 / 3.6, "m/s"], kHz: [1e3, "Hz"], bar: [1e5, "Pa"], MPa: [1e6, "Pa"], GPa: [1e9, "Pa"], kPa: [1e3, "Pa"],
  "cm^2": [1e-4, "m^2"], "mm^2": [1e-6, "m^2"], l: [1e-3, "m^3"], "l/min": [1e-3 / 60, "m^3/s"],
};

const WRITTEN = /^\s*([-+−]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[-+]?\d+)?)\s*(.*?)\s*$/i;

// The number in the field's own unit; NaN where it is none, or is in a unit of something else.
export function parseNumber(text, unit = "") {
  const found = WRITTEN.exec(text);
  if (!found) return NaN;
  const value = Number(found[1].replace(",", ".").replace("−", "-"));
  const given = found[2].replace("²", "^2").replace("³", "^3");
  const own = unit.split(" or ");
  if (given === "" || own.includes(given)) return value;
  const [factor, si] = TO_SI[given] ?? [NaN, ""];
  return own.includes(si) ? Number((value * factor).toPrecision(15)) : NaN;
}

// As short as it can be read back the same.
export function shownNumber(value) {
  return typeof value === "number" ? String(Number(value.toPrecision(12))) : "";
}

// With so many digits, and without the sign that rounding leaves to nothing.
export function fixed(value, digits) {
  return (Number(value.toFixed(digits)) || 0).toFixed(digits);
}

// A rotation as roll, pitch and yaw in degrees (about x, then y, then z of the world), and back.
export function anglesOf([x, y, z, w]) {
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)));
  const angles = [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(sine),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
  return angles.map((angle) => Number(((angle * 180) / Math.PI).toFixed(6)) || 0);
}

export function rotationOf(degrees) {
  const [[sr, cr], [sp, cp], [sy, cy]] = degrees.map((angle) => {
    const half = (angle * Math.PI) / 360;
    return [Math.sin(half), Math.cos(half)];
  });
  return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy]
    .map((part) => Number(part.toFixed(12)) || 0);
}
