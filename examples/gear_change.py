"""A gearbox that shifts up twice: through neutral, and by force, which costs energy as an impact does.

In a gear of the ratio r the motor's torque T speeds the car up as w_out' = r T/(I_out + r^2 I_in). The gear that comes
in meshes as both sides stand, and where w_in is not r w_out an impulse p brings them together, without rebound:

    p = (w_in - r w_out)/(1/I_in + r^2/I_out),    dE = -p (w_in - r w_out)/2

The first change is made so. Before the second the box goes into neutral, and a brake on the input shaft matches the
speeds: nothing is lost in the mesh.
"""

import sharnir as sh

RATIOS = (3.5, 2.0, 1.2)
I_IN, I_OUT, TORQUE = 0.1, 4.0, 40.0  # kg m^2 of motor and car, at the shafts; N m
FORCED, NEUTRAL, SMOOTH, END = 1.0, 2.0, 2.25, 3.5  # s
DT = 0.002


def spun(gear: int, seconds: float) -> float:
    """How much faster the output becomes in a gear, rad/s."""
    ratio = RATIOS[gear - 1]
    return ratio * TORQUE * seconds / (I_OUT + ratio**2 * I_IN)


def experiment() -> sh.Experiment:
    """The scene, what shifts it, and its figures."""
    scene = sh.Scene("gear change", gravity=(0, 0, 0))
    shafts = []
    for name, inertia, place, radius in (("input", I_IN, (0, 0, 0), 0.15), ("output", I_OUT, (0.8, 0, 0), 0.35)):
        body = scene.body(f"{name} wheel", sh.Cylinder(radius, 0.1, mass=2 * inertia / radius**2), position=place)
        shafts.append(scene.joint(name, sh.Revolute(anchor=place), scene.world, body))
    motor, car = shafts
    box = scene.couple("box", sh.Gearbox(RATIOS, gear=1), motor, car)
    first, after = spun(1, FORCED), RATIOS[0] * spun(1, FORCED)
    apart = after - RATIOS[1] * first
    impulse = apart / (1 / I_IN + RATIOS[1] ** 2 / I_OUT)
    second = first + RATIOS[1] * impulse / I_OUT  # after the first change
    third = second + spun(2, NEUTRAL - FORCED)
    slowing = (RATIOS[2] - RATIOS[1]) * third * I_IN / (SMOOTH - NEUTRAL)  # N m: what matches the speeds in neutral

    def shift(sim: sh.Simulation) -> None:
        time = sim.time + 0.5 * DT
        gear = 1 if time < FORCED else 2 if time < NEUTRAL else 0 if time < SMOOTH else 3
        if sim.get(box.gear) != gear:
            sim.set(box.gear, gear)

    def torque(time: float) -> float:
        return slowing if NEUTRAL < time < SMOOTH else TORQUE

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        speed = {joint: run[joint.speed].values for joint in shafts}
        energy = run[scene.kinetic_energy].values
        k, m = round(FORCED / DT), round(SMOOTH / DT)
        turned = run[motor.angle].values  # the impact is in the step from k on: compared are the instants beside it
        lost = energy[k - 1] + TORQUE * (turned[k + 1] - turned[k - 1]) - energy[k + 1]
        left = speed[motor][m] - RATIOS[2] * speed[car][m]
        rate = RATIOS[2] * TORQUE / (I_OUT + RATIOS[2] ** 2 * I_IN)
        return [
            sh.Figure("output before the first change", speed[car][k - 1], "rad/s", spun(1, FORCED - DT), 1e-6),
            sh.Figure("output before neutral", speed[car][round(NEUTRAL / DT)], "rad/s", third, 2e-3 * third),
            sh.Figure("energy lost by force", lost, "J", 0.5 * impulse * apart, 0.02 * impulse * apart),
            sh.Figure("speeds apart in the smooth change", left, "rad/s", 0.0, 0.5),
            sh.Figure("output at the end", speed[car][-1], "rad/s", third + rate * (END - SMOOTH), 5e-3 * third),
        ]

    plots = [(motor.speed, car.speed), (box.gear,)]
    return sh.Experiment(
        scene, time=END, dt=DT, torque={motor: torque}, before_step=shift, plots=plots, figures=figures
    )


if __name__ == "__main__":
    experiment().show()
