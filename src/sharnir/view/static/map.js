// Map: a run seen from above. Paths of bodies, zones to be reached, obstacles, and what happened where.

import { svg } from "./charts.js";
import { seconds } from "./texts.js";

const MOST_POINTS = 1500; // of a path
const MARGIN = 0.6; // m about everything
const COLORS = ["#2f86ad", "#b8741a", "#3f8d4d", "#a34e70"];

// The way of a body over the run, from above.
function way(playback, body) {
  const { count } = playback.about;
  const stride = Math.max(1, Math.ceil(count / MOST_POINTS));
  const points = [];
  for (let i = 0; i < count; i += stride) {
    const { poses } = playback.at(i);
    points.push([poses[7 * body], poses[7 * body + 1]]);
  }
  return points;
}

// What a fixed body covers of the ground; upright but for a turn about the vertical, which is what obstacles are.
function footprint({ name, position, rotation, shapes }) {
  const [x, y, z, w] = rotation;
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  const [px, py] = position;
  return shapes.filter((shape) => shape.kind !== "mesh").map((shape) => {
    const attributes = { class: "map-obstacle", "data-name": name };
    if (shape.kind !== "box") return svg("circle", { ...attributes, cx: px, cy: -py, r: shape.size[0] });
    const [a, b] = shape.size;
    const turn = `translate(${px} ${-py}) rotate(${(-yaw * 180) / Math.PI})`;
    return svg("rect", { ...attributes, x: -a / 2, y: -b / 2, width: a, height: b, transform: turn });
  });
}

// A map with y upwards; marks are { time, kind, text }, zones { name, at, radius, state }.
export class Map2D {
  constructor(playback, world, { bodies, zones, marks }, seek) {
    this.playback = playback;
    this.bodies = bodies.map((name) => world.bodies.findIndex((body) => body.name === name));
    const ways = this.bodies.map((body) => way(playback, body));
    const reach = [...ways.flat(), ...zones.flatMap(({ at: [x, y], radius: r }) => [[x - r, y - r], [x + r, y + r]])];
    const [xs, ys] = [reach.map(([x]) => x), reach.map(([, y]) => -y)];
    const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - MARGIN];
    const [wide, high] = [Math.max(...xs) + MARGIN - left, Math.max(...ys) + MARGIN - top];
    this.unit = Math.max(wide, high) / 100; // a hundredth of the picture, m
    this.element = svg("svg", { class: "map", viewBox: `${left} ${top} ${wide} ${high}`, role: "img" });
    this.addGrid(left, top, wide, high);
    const inside = ({ position: [x, y] }) => x > left && x < left + wide && -y > top && -y < top + high;
    this.element.append(...world.bodies.filter((body) => body.fixed && inside(body)).flatMap(footprint));
    zones.forEach((zone, i) => this.addZone(zone, i % 2 === 1));
    ways.forEach((points, i) => {
      const line = points.map(([x, y]) => `${x},${-y}`).join(" ");
      this.element.append(svg("polyline", { class: "map-way", points: line, stroke: COLORS[i % COLORS.length], "stroke-width": 0.6 * this.unit }));
    });
    for (const mark of marks) this.addMark(mark, seek);
    this.here = this.bodies.map((_, i) => svg("circle", { class: "map-here", r: 1.3 * this.unit, fill: COLORS[i % COLORS.length], "stroke-width": 0.4 * this.unit }));
    this.element.append(...this.here);
    this.draw();
  }

  addGrid(left, top, wide, high) {
    const attributes = { class: "map-grid", "stroke-width": 0.15 * this.unit };
    const step = [1, 5, 10, 50, 100].find((each) => Math.max(wide, high) / each < 40) ?? 1000; // m
    const first = (edge) => step * Math.ceil(edge / step);
    for (let x = first(left); x < left + wide; x += step) this.element.append(svg("line", { ...attributes, x1: x, x2: x, y1: top, y2: top + high }));
    for (let y = first(top); y < top + high; y += step) this.element.append(svg("line", { ...attributes, x1: left, x2: left + wide, y1: y, y2: y }));
  }

  // Names of neighbours are above and below by turns.
  addZone({ name, at: [x, y], radius, state }, below) {
    const circle = svg("circle", { class: "map-zone", "data-state": state, cx: x, cy: -y, r: radius, "stroke-width": 0.4 * this.unit });
    const text = svg("text", { class: "map-name", x, y: below ? -y + radius + 3.6 * this.unit : -y - radius - this.unit, "font-size": 3.4 * this.unit, "text-anchor": "middle" }, name);
    this.element.append(circle, text);
  }

  addMark({ time, kind, text }, seek) {
    const index = Math.min(Math.round(time / this.playback.about.every), this.playback.about.count - 1);
    const { poses } = this.playback.at(index);
    const body = this.bodies[0];
    const dot = svg("circle", { class: `map-mark ${kind}`, cx: poses[7 * body], cy: -poses[7 * body + 1], r: 1.1 * this.unit }, svg("title", {}, `${seconds(time, 1)}: ${text}`));
    dot.addEventListener("click", () => seek(time));
    this.element.append(dot);
  }

  draw() {
    const { poses } = this.playback.frame;
    this.here.forEach((dot, i) => {
      dot.setAttribute("cx", poses[7 * this.bodies[i]]);
      dot.setAttribute("cy", -poses[7 * this.bodies[i] + 1]);
    });
  }
}
