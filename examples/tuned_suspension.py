"""Two cars over a half-round bump: one as it was built, one with dampers that `sharnir optimise` chose for it.

The bump is that of the example `bump`. Asked for the least pitching (root mean square of the pitch rate in 2.5 s) with
a body that rises by no more than 30 mm, CMA-ES found softer dampers in front than behind:

    sharnir optimise bump --vary "car_front_*_coil.damping=500:8000" --vary "car_rear_*_coil.damping=500:8000" \\
        --minimise "car_chassis.angular_velocity.y rms" --subject-to "car_chassis.position.z max < 0.03" \\
        --time 2.5 --evaluations 120 --save tuned.yaml --report tuned.html
"""

import msgspec
import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.assemblies.robots import four_wheel_car

SPEED, HEIGHT, BUMP, LANE = 5.0, 0.05, 5.0, 2.0  # m/s, m, m along the road, m to the side
IDLE = 30.0  # m/s at full voltage
FOUND = {"front": 1195.6, "rear": 1647.7}  # N s/m, of each damper


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("tuned suspension")
    scene.material("asphalt", sh.Material(friction=0.9))
    scene.ground("asphalt")
    across = spatial.about((1.0, 0.0, 0.0), np.pi / 2)
    scene.body("bump", sh.Capsule(HEIGHT, 3.0 + 2 * LANE), position=(BUMP, 0, 0), rotation=across, fixed=True)
    built, tuned = (
        four_wheel_car(scene, name, position=(0, side, 0), speed=SPEED).vehicle
        for name, side in (("built", LANE), ("tuned", -LANE))
    )
    for name, damping in FOUND.items():
        for side in ("left", "right"):
            coil = scene.joints[f"tuned_{name}_{side}_coil"]
            coil.describe(msgspec.structs.replace(coil.spec, spring=softened(coil.spec.spring, damping)))

    def pitch_rates(run: sh.Trajectory) -> list[np.ndarray]:
        return [run[car.chassis.angular_velocity].values[:, 1] for car in (built, tuned)]

    def charts(run: sh.Trajectory) -> list[sh.Chart]:
        courses = zip(("as built", "as tuned"), pitch_rates(run), strict=True)
        curves = {name: (run.time, course) for name, course in courses}
        return [sh.Chart("pitching", "a half-round bump at 18 km/h", "pitch rate, rad/s", curves)]

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        pitching = [rms(course) for course in pitch_rates(run)]
        peaks = [np.abs(course).max() for course in pitch_rates(run)]
        rises = [np.ptp(run[car.chassis.position].values[:, 2]) for car in (built, tuned)]
        return [
            sh.Figure("pitch rate as built", pitching[0], "rad/s", expected=0.0399, tolerance=0.001),
            sh.Figure("pitch rate as tuned", pitching[1], "rad/s", expected=0.0366, tolerance=0.001),
            sh.Figure("tuned over built", pitching[1] / pitching[0], "1", at_least=0.1, at_most=0.95),
            sh.Figure("its peak, tuned over built", peaks[1] / peaks[0], "1", at_least=0.1, at_most=0.85),
            sh.Figure("body rises by, as tuned", 1e3 * rises[1], "mm", at_least=1.0, at_most=30.0),
        ]

    drives = [corner.spin.voltage() for car in (built, tuned) for corner in car.axles["rear"].corners]
    return sh.Experiment(
        scene,
        time=2.5,
        dt=0.005,
        voltage=dict.fromkeys(drives, SPEED / IDLE),
        settings={"iterations": 30},
        charts=charts,
        figures=figures,
    )


def softened(spring: sh.Spring, damping: float) -> sh.Spring:
    """The same spring with another damper, N s/m."""
    return msgspec.structs.replace(spring, damping=damping)


def rms(values: np.ndarray) -> float:
    """The root mean square."""
    return float(np.sqrt(np.mean(values**2)))


if __name__ == "__main__":
    experiment().show()
