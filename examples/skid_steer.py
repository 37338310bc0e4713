"""A four-wheeled vehicle steered like a tank from a joystick; try `sharnir drive skid_steer`.

Two drives to a side. The diagram adds what the operator wants ahead and sideways, softens it with a ramp of a second,
and cuts the voltage while the brake is on. For the first four seconds the clock drives, unless the switch is turned
off: straight ahead, then on the spot. With F the friction of an axle, M_s and w_idle those of its motor, r the gear, R
the wheel, m the whole mass, I the inertia of a wheel and rotor about the axle and c = r^2 M_s/w_idle the drag:

    v = R (w_idle/r) (1 - F/(r M_s))        the speed that is reached
    x = v (t - 1/2 - T)                     the way, T = (4 I + m R^2)/(4 c) being the lag of the motors
"""

import numpy as np

import sharnir as sh
from sharnir.control import AxisBinding, Group, KeyBinding, Panel
from sharnir.control.panel import GaugeWidget, JoystickWidget, LampWidget, PlotWidget, SwitchWidget

MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)
RADIUS, WIDTH, TRACK, BASE = 0.15, 0.10, 0.6, 0.7  # m
SIDES = {"left": 1, "right": -1}
RAMP = 1.0  # of the full voltage in a second
BEARING = 0.2  # N m
TURNS_AT, ENDS_AT = 2.0, 4.0  # s, of what the clock does


def vehicle() -> tuple[sh.Scene, dict[str, sh.Joint]]:
    """A chassis on four driven wheels on level ground."""
    scene = sh.Scene("skid steer")
    scene.ground()
    hull = sh.Box(1.0, 0.4, 0.2, mass=60.0, color="#c08a4b")
    mast = sh.Cylinder(0.03, 0.4, mass=2.0, position=(0.3, 0, 0.3), color="#59636b")
    camera = sh.Box(0.14, 0.1, 0.08, mass=1.0, position=(0.34, 0, 0.52), color="#2f363b")
    chassis = scene.body("chassis", hull, mast, camera, position=(0, 0, RADIUS + 0.08))
    axles = {}
    for side, sign in SIDES.items():
        for end, place in (("front", 1), ("rear", -1)):
            at = (place * BASE / 2, sign * TRACK / 2, RADIUS)
            turned = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # the wheel's own axis is z
            shape = sh.Wheel(RADIUS, WIDTH, mass=3.0, rotation=turned, color="#3c444a")
            wheel = scene.body(f"{side} {end} wheel", shape, position=at)
            hinge = sh.Revolute(axis=(0, 1, 0), anchor=at)
            name = f"{side} {end}"
            axles[name] = scene.joint(name, hinge, chassis, wheel, drive=MOTOR, friction=sh.Coulomb(BEARING))
    return scene, axles


def console(axles: dict[str, sh.Joint], chassis: sh.Body) -> sh.Diagram:
    """What the operator does, as voltages of the two sides."""
    d = sh.Diagram("skid steer", period=0.01)
    clock = d.time()
    nobody = d.input("automatic", initial=True, note="the clock drives for four seconds") & (clock < ENDS_AT)
    forward = d.input("forward", range=(-1, 1))
    turn = d.input("turn", range=(-1, 1), note="to the right is positive")
    brake = d.input("brake", initial=False)
    ahead = d.sel(nobody, forward, d.sel(clock < TURNS_AT, 0.0, 1.0))
    sideways = d.sel(nobody, turn, d.sel(clock < TURNS_AT, 1.0, 0.0))
    speed_x, speed_y = (d.signal(chassis.velocity, axis, name=f"v{axis}") for axis in "xy")
    speed = d.sqrt(speed_x * speed_x + speed_y * speed_y, name="ground speed")
    for side, sign in SIDES.items():
        wanted = d.limit(-1.0, ahead + sign * sideways, 1.0)
        voltage = d.rate_limit(d.sel(brake, wanted, 0.0), rise=RAMP, fall=RAMP, name=f"{side} voltage")
        for end in ("front", "rear"):
            d.drive(axles[f"{side} {end}"], voltage)
            d.brake(axles[f"{side} {end}"], d.to_real(brake), level=15.0, name=f"{side} {end} brake")
        d.gauge(f"{side} side", voltage, range=(-1, 1))
    d.gauge("speed", speed, range=(0, 1.2))
    d.lamp("moving", speed > 0.02)
    d.lamp("braked", brake, color="red")
    return d


STICK = JoystickWidget(x="turn", y="forward", label="Joystick")
SWITCHES = (SwitchWidget(input="brake", label="Brake"), SwitchWidget(input="automatic", label="Automatic"))
GAUGES = tuple(GaugeWidget(value=name) for name in ("left side", "speed", "right side"))
LAMPS = (LampWidget(value="moving"), LampWidget(value="braked", color="red"))
PLOT = PlotWidget(signals=("speed", "left side", "right side"))
KEYS = {
    "ArrowUp": ("forward", 1.0),
    "ArrowDown": ("forward", -1.0),
    "ArrowRight": ("turn", 1.0),
    "ArrowLeft": ("turn", -1.0),
    "Space": ("brake", 1.0),
}
PANEL = Panel(
    title="Skid steer",
    groups=(Group(title="Drive", widgets=(STICK, *SWITCHES)), Group(title="State", widgets=(*GAUGES, *LAMPS, PLOT))),
    keys=tuple(KeyBinding(key=key, input=name, value=value) for key, (name, value) in KEYS.items()),
    axes=(AxisBinding(axis=1, input="forward", invert=True), AxisBinding(axis=0, input="turn")),
)


def experiment() -> sh.Experiment:
    """The vehicle, and its figures while it goes straight."""
    scene, axles = vehicle()
    chassis = scene.bodies["chassis"]
    scene.diagram, scene.panel = console(axles, chassis), PANEL

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        now = int(np.searchsorted(run.time, TURNS_AT - 1e-9))
        masses = {name: body.properties for name, body in scene.bodies.items() if body.properties is not None}
        mass = sum(properties.mass for properties in masses.values())
        drag = MOTOR.ratio**2 * MOTOR.stall_torque / MOTOR.idle_speed
        wheel = masses["left front wheel"].inertia[1, 1] + drag * MOTOR.time_constant  # with the rotor
        lag = (4 * wheel + mass * RADIUS**2) / (4 * drag)
        speed = RADIUS * MOTOR.idle_speed / MOTOR.ratio * (1 - BEARING / (MOTOR.ratio * MOTOR.stall_torque))
        way = speed * (TURNS_AT - 0.5 / RAMP - lag)
        position, velocity = run[chassis.position].values, run[chassis.velocity].values
        return [
            sh.Figure("speed straight ahead", float(velocity[now, 0]), "m/s", speed, 1e-3),
            sh.Figure("way after two seconds", float(position[now, 0]), "m", way, 0.01),
            sh.Figure("sideways by then", float(np.abs(position[: now + 1, 1]).max()), "m", 0.0, 1e-3),
        ]

    plots = [(chassis.velocity, axles["left front"].voltage(), axles["right front"].voltage())]
    return sh.Experiment(scene, time=ENDS_AT, dt=0.005, plots=plots, figures=figures)


if __name__ == "__main__":
    experiment().show()
