"""The angle of a pendulum by an inertial measurement unit: what the gyro drifts by, the accelerometer takes back.

The unit sits on the axis, where nothing accelerates: the accelerometer feels gravity alone, and a = atan2(f_x, f_z) is
the angle, with white noise of density N/g. The gyro's rate w has a bias b. The complementary filter

    angle' = w + (a - angle)/T

is off by b T, and by a noise of N/(g sqrt(2 T)); the gyro alone by b t after t seconds.
"""

import numpy as np

import sharnir as sh

DENSITY, BIAS = 0.01, 0.02  # of the accelerometer, m/s^2/sqrt(Hz); of the gyro, rad/s
RATE, FILTER = 200.0, 1.0  # Hz; s, the filter's time constant
GYRO = 1e-4  # rad/s/sqrt(Hz)


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("tilt sensor")
    rod = scene.body("rod", sh.Box(0.05, 0.05, 0.6, mass=2.0), position=(0, 0, -0.3))
    pin = scene.joint("pin", sh.Revolute(axis=(0, 1, 0)), scene.world, rod, friction=sh.Viscous(0.01), initial=0.8)
    unit = sh.Imu(
        position=(0, 0, 0.3),
        accelerometer=sh.Noise(density=DENSITY),
        gyro=sh.Noise(density=GYRO, bias=BIAS),
        rate=RATE,
    )
    imu = scene.sensor("imu", unit, rod)

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        felt, rate = run[imu.reading("acceleration")].values, run[imu.reading("angular_velocity")].values[:, 1]
        angle, dt = run[pin.angle].values, 1 / RATE
        tilt = np.arctan2(-felt[:, 0], felt[:, 2])
        gyro = angle[0] + np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * dt)])
        error = np.zeros(len(angle))
        for k in range(1, len(angle)):
            onward = angle[k - 1] + error[k - 1] + 0.5 * (rate[k] + rate[k - 1]) * dt
            error[k] = onward + (tilt[k] - onward) * dt / FILTER - angle[k]
        late, time = error[len(error) // 4 :], run.time[-1]
        noise = DENSITY / 9.81 / np.sqrt(2 * FILTER)
        return [
            sh.Figure("gyro alone", gyro[-1] - angle[-1], "rad", BIAS * time, 5 * GYRO * np.sqrt(time)),
            sh.Figure("both, mean error", late.mean(), "rad", BIAS * FILTER, 0.02 * BIAS * FILTER),
            sh.Figure("both, noise", late.std(), "rad", noise, 0.5 * noise),
            sh.Figure("accelerometer alone, noise", (tilt - angle).std(), "rad", DENSITY * np.sqrt(RATE) / 9.81, 1e-3),
        ]

    plots = [(pin.angle,), (imu.reading("angular_velocity"),), (imu.reading("acceleration"),)]
    return sh.Experiment(scene, time=40.0, dt=1 / RATE, plots=plots, figures=figures)


if __name__ == "__main__":
    experiment().show()
