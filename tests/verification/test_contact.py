"""Bodies that touch: sliding, rolling, standing, bouncing."""

from __future__ import annotations

import mechanisms as mech
import numpy as np
import pytest
import touching

import sharnir as sh

G = mech.GRAVITY
SOLVED = 1e-8  # m/s: what is left of a velocity when impulses change by less than epsilon, 1e-10 N s, a sweep


def test_sliding_block(scheme: dict[str, str], dt: float) -> None:
    """v = v0 - mu g t to rounding; it stops after v0^2/(2 mu g), the semi-implicit scheme v0 dt/2 short of it.

    The leapfrog step stops it within a kick, and its velocity at the middle of that is the mean of before and after.
    """
    mu, speed = 0.5, 3.0
    scene = touching.playground(friction=mu)
    scene.ground()
    block = scene.body("block", sh.Box(0.2, 0.2, 0.1, mass=2.0), position=(0, 0, 0.05), velocity=(speed, 0, 0))
    run = sh.Simulation(scene, dt=dt, **scheme).run(0.8)
    x, v = mech.values(run, block.position), mech.values(run, block.velocity)[:, 0]
    expected = np.maximum(speed - mu * G * mech.times(run), 0.0)
    smooth = mech.away_from(run, speed / (mu * G)) | (scheme != mech.LEAPFROG)
    np.testing.assert_allclose(v[smooth], expected[smooth], atol=SOLVED)
    np.testing.assert_allclose(v, expected, atol=mu * G * dt / 2)
    shorter = 0.0 if scheme == mech.LEAPFROG else speed * dt / 2
    assert x[-1, 0] == pytest.approx(speed**2 / (2 * mu * G) - shorter, abs=mu * G * dt**2)
    np.testing.assert_allclose(x[:, 1:], [[0.0, 0.05]] * len(x), atol=1e-9)


def test_block_slides_on_a_steep_slope(scheme: dict[str, str]) -> None:
    """a = g (sin s - mu cos s) above the friction angle."""
    mu, angle = 0.5, 0.48
    scene = touching.slope(angle, mu)
    block = scene.body(
        "block", sh.Box(0.2, 0.2, 0.1, mass=2.0), position=touching.on_slope(angle, 0.05), rotation=touching.tilt(angle)
    )
    run = sh.Simulation(scene, dt=0.01, **scheme).run(1.0)
    v = mech.values(run, block.velocity) @ touching.downhill(angle)
    np.testing.assert_allclose(v, G * (np.sin(angle) - mu * np.cos(angle)) * mech.times(run), atol=SOLVED)


def test_block_holds_on_a_slope_for_ten_minutes(scheme: dict[str, str]) -> None:
    """tan s = 0.98 mu: not a micrometre in 600 s, once the first step has found the impulses."""
    mu = 0.5
    angle = np.arctan(0.98 * mu)
    scene = touching.slope(angle, mu)
    block = scene.body(
        "block", sh.Box(0.2, 0.2, 0.1, mass=2.0), position=touching.on_slope(angle, 0.05), rotation=touching.tilt(angle)
    )
    sim = sh.Simulation(scene, dt=0.02, **scheme)
    sim.step()
    start = sim.get(block.position)
    sim.step(30_000)
    assert np.linalg.norm(sim.get(block.position) - start) < 1e-6
    assert np.linalg.norm(start - touching.on_slope(angle, 0.05)) < 1e-6


LYING = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # a cylinder's axis along y


@pytest.mark.parametrize(
    ("shape", "share"),
    [(sh.Sphere(0.1, mass=2.0), 5 / 7), (sh.Cylinder(0.1, 0.3, mass=2.0, rotation=LYING), 2 / 3)],
    ids=["sphere", "cylinder"],
)
def test_rolling_down_a_slope(scheme: dict[str, str], shape: sh.Shape, share: float) -> None:
    """a = g sin s/(1 + I/(m r^2)): 5/7 and 2/3 of g sin s, and w = v/r; the slope's force is m (a - g)."""
    angle = 0.3
    scene = touching.slope(angle, friction=0.5)
    body = scene.body("body", shape, position=touching.on_slope(angle, 0.1))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(1.0)
    v = mech.values(run, body.velocity) @ touching.downhill(angle)
    np.testing.assert_allclose(v, share * G * np.sin(angle) * mech.times(run), atol=SOLVED)
    np.testing.assert_allclose(mech.values(run, body.angular_velocity)[:, 1], v / 0.1, atol=SOLVED / 0.1)
    force = 2.0 * (share * G * np.sin(angle) * touching.downhill(angle) + [0.0, 0.0, G])  # N
    settled = mech.values(run, body.contact_force)[10:]
    np.testing.assert_allclose(settled, np.tile(force, (len(settled), 1)), atol=2.0 * SOLVED / 0.01)


def test_sphere_that_slips_down_a_slope(scheme: dict[str, str]) -> None:
    """tan s > 7/2 mu: a = g (sin s - mu cos s), and the spin grows with 5/2 mu g cos s/r."""
    mu, angle = 0.1, 0.6
    scene = touching.slope(angle, mu)
    ball = scene.body("ball", sh.Sphere(0.1, mass=2.0), position=touching.on_slope(angle, 0.1))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(1.0)
    t = mech.times(run)
    v = mech.values(run, ball.velocity) @ touching.downhill(angle)
    np.testing.assert_allclose(v, G * (np.sin(angle) - mu * np.cos(angle)) * t, atol=SOLVED)
    np.testing.assert_allclose(
        mech.values(run, ball.angular_velocity)[:, 1], 2.5 * mu * G * np.cos(angle) * t / 0.1, atol=1e-8
    )


def test_friction_is_a_cone(scheme: dict[str, str]) -> None:
    """Sliding askew to the axes: mu g against the velocity, not a pyramid's sqrt(2) mu g, and the path is straight."""
    mu, speed = 0.4, np.array([2.0, 1.5])
    scene = touching.playground(friction=mu)
    scene.ground()
    block = scene.body("block", sh.Box(0.2, 0.2, 0.1, mass=2.0), position=(0, 0, 0.05), velocity=(*speed, 0))
    run = sh.Simulation(scene, dt=0.01, **scheme).run(0.5)
    expected = speed * (1 - mu * G * mech.times(run) / np.linalg.norm(speed))[:, None]
    np.testing.assert_allclose(mech.values(run, block.velocity)[:, :2], expected, atol=SOLVED)


def test_bouncing_ball(scheme: dict[str, str]) -> None:
    """Peaks h_n = e^2 h_(n-1). The speed of an impact is known to g dt: at 2 ms below 1 % of the first four."""
    scene = touching.playground()
    scene.ground()
    ball = scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0, 0, 1.05), contact=touching.BOUNCY)
    run = sh.Simulation(scene, dt=0.002, **scheme).run(2.5)
    height = mech.values(run, ball.position)[:, 2] - 0.05
    assert height.min() > -1e-9
    tops = np.concatenate([[1.0], touching.peaks(height)])
    restitution = np.sqrt(tops[1:] / tops[:-1])
    np.testing.assert_allclose(restitution[:4], touching.RESTITUTION, rtol=0.01)


def test_slow_impacts_do_not_bounce(scheme: dict[str, str]) -> None:
    """Below the threshold of 0.1 m/s: a ball dropped from 0.4 mm (0.089 m/s) stays down."""
    scene = touching.playground()
    scene.ground()
    ball = scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0, 0, 0.0504), contact=touching.BOUNCY)
    run = sh.Simulation(scene, dt=0.001, **scheme).run(0.1)
    assert mech.values(run, ball.velocity)[:, 2].max() < 1e-9
    assert mech.values(run, ball.position)[-1, 2] == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("moving", [1, 2, 3])
def test_newtons_cradle(scheme: dict[str, str], moving: int) -> None:
    """Five equal elastic balls in a row: as many leave as came, with the same speed, and the others stand still."""
    dt = 0.01
    scene = touching.playground(gravity=0.0)
    balls = []
    for i in range(5):
        comes = i < moving
        balls.append(
            scene.body(
                f"ball{i}",
                sh.Sphere(0.05, mass=1.0),
                position=(0.1 * i - 0.3 * comes, 0, 0),
                velocity=(1.0 * comes, 0, 0),
                contact=touching.ELASTIC,
            )
        )
    run = sh.Simulation(scene, dt=dt, **scheme).run(1.0)
    speeds = [mech.values(run, ball.velocity)[-1, 0] for ball in balls]
    np.testing.assert_allclose(speeds, [0.0] * (5 - moving) + [1.0] * moving, atol=1e-9)
    np.testing.assert_allclose(mech.values(run, scene.momentum), [[moving, 0, 0]] * 101, atol=1e-9)
    np.testing.assert_allclose(mech.values(run, scene.kinetic_energy)[-1], moving / 2, atol=1e-9)
    # the impact is at 0.3 s, known to a step: those that leave are ahead by at most v dt
    for i, ball in enumerate(balls):
        assert mech.values(run, ball.position)[-1, 0] == pytest.approx(
            0.1 * i + 0.7 * (i >= 5 - moving), abs=1.0 * dt + 1e-9
        )


def test_oblique_impact(scheme: dict[str, str]) -> None:
    """Two smooth balls, 1 and 3 kg: along the line of centres u' = -e u, across it nothing changes."""
    scene = touching.playground(gravity=0.0)
    place = 0.205 * np.array([0.8, 0.6, 0.0])
    normal = np.array([np.sqrt(0.2**2 - place[1] ** 2), place[1], 0.0]) / 0.2  # when they touch, 3 ms later
    heavy = scene.body("heavy", sh.Sphere(0.1, mass=3.0), contact=touching.BOUNCY)
    light = scene.body(
        "light", sh.Sphere(0.1, mass=1.0), position=place, velocity=(-2.0, 0, 0), contact=touching.BOUNCY
    )
    run = sh.Simulation(scene, dt=0.01, **scheme).run(0.1)
    before, after = np.array([-2.0, 0, 0]), mech.values(run, light.velocity)[-1]
    struck = mech.values(run, heavy.velocity)[-1]
    # the normal is turned to first order: off by (v dt)/(distance of the centres), squared
    impulse = (1 + touching.RESTITUTION) * (before @ normal) / (1 + 1 / 3)
    np.testing.assert_allclose(struck, impulse / 3.0 * normal, atol=1e-3)
    np.testing.assert_allclose(after, before - impulse * normal, atol=1e-3)
    np.testing.assert_allclose(mech.values(run, scene.momentum)[-1], before, atol=1e-12)


def test_momentum_in_free_collisions(scheme: dict[str, str]) -> None:
    """Everything thrown together, rubbing and bouncing: the linear momentum stays."""
    scene = touching.playground(gravity=0.0)
    shapes = [
        sh.Sphere(0.1, mass=1.0),
        sh.Box(0.2, 0.15, 0.1, mass=2.0),
        sh.Cylinder(0.1, 0.2, mass=1.5),
        sh.Capsule(0.05, 0.2, mass=0.5),
        sh.Wheel(0.1, 0.06, mass=0.7),
        sh.Box(0.1, 0.1, 0.1, mass=0.3),
    ]
    generator = np.random.default_rng(5)
    for i, shape in enumerate(shapes):
        place = generator.normal(size=3)
        place *= 0.5 / np.linalg.norm(place)
        scene.body(
            f"body{i}",
            shape,
            position=place,
            velocity=-4.0 * place,
            angular_velocity=5.0 * generator.normal(size=3),
            contact=touching.BOUNCY if i % 2 else True,
        )
    run = sh.Simulation(scene, dt=0.005, **scheme).run(0.6)
    momentum = mech.values(run, scene.momentum)
    np.testing.assert_allclose(momentum, [momentum[0]] * len(momentum), atol=1e-11)
    speeds = [mech.values(run, body.velocity) for body in scene.bodies.values() if body.properties is not None]
    assert sum(np.linalg.norm(v[-1] - v[0]) > 0.1 for v in speeds) >= 5  # they did meet


def test_angular_momentum_of_rubbing_balls(scheme: dict[str, str]) -> None:
    """Two rough balls, one of them spinning, meet off the centre: angular momentum moves from spin to orbit, and stays.

    Contact acts before it is reached and in one point, so both balls feel opposite impulses on one line.
    """
    scene = touching.playground(gravity=0.0, friction=0.8)
    scene.body("still", sh.Sphere(0.1, mass=3.0), contact=True)
    scene.body(
        "spinning",
        sh.Sphere(0.1, mass=1.0),
        position=(0.5, 0.08, 0),
        velocity=(-2.0, 0, 0),
        angular_velocity=(10.0, -20.0, 30.0),
        contact=True,
    )
    run = sh.Simulation(scene, dt=0.01, **scheme).run(0.5)
    momentum, spin = mech.values(run, scene.momentum), mech.values(run, scene.angular_momentum)
    np.testing.assert_allclose(momentum, [momentum[0]] * len(momentum), atol=1e-12)
    np.testing.assert_allclose(spin, [spin[0]] * len(spin), atol=1e-10)
    energy = mech.values(run, scene.kinetic_energy)
    assert np.diff(energy).max() < 1e-9
    assert energy[-1] < 0.9 * energy[0]


def test_stack_of_ten_boxes(scheme: dict[str, str]) -> None:
    """It stands for a minute. The impulses are found in the first seconds; after that nothing moves."""
    count, size = 10, 0.2
    scene = touching.playground()
    scene.ground()
    for i in range(count):
        scene.body(f"box{i}", sh.Box(size, size, size, mass=1.0), position=(0, 0, size * (i + 0.5)))
    sim = sh.Simulation(scene, dt=0.01, **scheme)
    boxes = [body for name, body in scene.bodies.items() if name.startswith("box")]
    start = np.array([body.spec.position for body in boxes])

    def places() -> np.ndarray:
        return np.array([sim.get(body.position) for body in boxes])

    sim.step(round(10.0 / sim.dt))
    settled = places()
    assert np.abs(settled - start)[:, :2].max() < 0.1 * size
    assert np.abs(settled - start)[:, 2].max() < 1e-6
    sim.step(round(50.0 / sim.dt))
    assert np.abs(places() - settled).max() < 1e-6
    for body in boxes:
        assert np.abs(sim.get(body.rotation)[:2]).max() < 1e-6


def test_compliant_contact_line_by_line(euler: dict[str, str]) -> None:
    """v' = (v + dt (-g - k x/m))/(1 + dt (c + dt k)/m): the spring's own recursion, to rounding."""
    k, c, dt = touching.STIFFNESS, 10.0, 0.001
    scene = touching.playground(damping=c)
    scene.ground(material="soft")
    ball = scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0, 0, 0.049), contact=touching.SMOOTH)
    run = sh.Simulation(scene, dt=dt, **euler).run(0.5)
    height = mech.values(run, ball.position)[:, 2] - 0.05
    position, speed = -0.001, 0.0
    for now in height[1:]:
        speed = (speed + dt * (-G - k * position)) / (1 + dt * (c + dt * k))
        position += dt * speed
        assert now == pytest.approx(position, abs=1e-12)


def test_compliant_contact_rests_and_swings(scheme: dict[str, str]) -> None:
    """It rests at -m g/k, and swings about it with w = sqrt(k/m) as it would on a spring."""
    k, dt = touching.STIFFNESS, 0.001
    scene = touching.playground()
    scene.ground(material="soft")
    depth, w = G / k, np.sqrt(k)
    ball = scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0, 0, 0.05 - 1.5 * depth), contact=touching.SMOOTH)
    run = sh.Simulation(scene, dt=dt, **scheme).run(1.0)
    x, t = mech.values(run, ball.position)[:, 2] - 0.05 + depth, mech.times(run)
    crossings = t[:-1][np.diff(np.sign(x)) != 0] + dt / 2
    # implicit Euler damps with w dt/2 and turns by atan(w dt) a step instead of w dt
    period = 2 * np.mean(np.diff(crossings))
    assert period == pytest.approx(2 * np.pi / w, rel=(w * dt) ** 2 / 3 + dt / 0.1)
    sim = sh.Simulation(scene, dt=0.02, **scheme)
    sim.step(3000)
    assert sim.get(ball.position)[2] - 0.05 == pytest.approx(-depth, abs=1e-9)


class TestNoTunnelling:
    """5 cm across, 100 m/s, a plate of 1 cm, dt = 10 ms: a metre a step, from twenty distances."""

    WORLDS = 20

    def run(self, scheme: dict[str, str], shape: sh.Shape, plate_mass: float | None) -> tuple[sh.Simulation, sh.Scene]:
        scene = touching.playground(gravity=0.0)
        plate = sh.Box(0.01, 1.0, 1.0, mass=plate_mass)
        scene.body("plate", plate, fixed=plate_mass is None, contact=True)
        bullet = scene.body("bullet", shape, velocity=(100.0, 0, 0), contact=True)
        sim = sh.Simulation(scene, dt=0.01, worlds=self.WORLDS, **scheme)
        starts = np.zeros((self.WORLDS, 3))
        starts[:, 0] = -2.0 - np.arange(self.WORLDS) / self.WORLDS
        sim.set(bullet.position, starts)
        return sim, scene

    def test_ball_stops_at_a_plate(self, scheme: dict[str, str]) -> None:
        """Its middle 0.025 m in front of the surface at -0.005 m, at rest."""
        sim, scene = self.run(scheme, sh.Sphere(0.025, mass=1.0), None)
        bullet = scene.bodies["bullet"]
        for _ in range(6):
            sim.step()
            assert sim.get(bullet.position)[:, 0].max() < -0.03 + 1e-9
        np.testing.assert_allclose(sim.get(bullet.position)[:, 0], -0.03, atol=1e-9)
        np.testing.assert_allclose(sim.get(bullet.velocity), 0.0, atol=1e-9)

    def test_box_does_not_pass_a_plate(self, scheme: dict[str, str]) -> None:
        """A flat face on four points: fifty sweeps share a blow of 100 N s among them to 1e-6 of it, 1e-4 m/s."""
        sim, scene = self.run(scheme, sh.Box(0.05, 0.05, 0.05, mass=1.0), None)
        bullet = scene.bodies["bullet"]
        for _ in range(20):
            sim.step()
            assert sim.get(bullet.position)[:, 0].max() < -0.03 + 1e-5

    def test_free_plate(self, scheme: dict[str, str]) -> None:
        """A plate of 3 kg is taken along: m v = (m + M) v', both at 25 m/s, the ball still in front."""
        sim, scene = self.run(scheme, sh.Sphere(0.025, mass=1.0), 3.0)
        bullet, plate = scene.bodies["bullet"], scene.bodies["plate"]
        sim.step(10)
        np.testing.assert_allclose(sim.get(bullet.velocity)[:, 0], 25.0, atol=1e-9)
        np.testing.assert_allclose(sim.get(plate.velocity)[:, 0], 25.0, atol=1e-9)
        assert (sim.get(plate.position) - sim.get(bullet.position))[:, 0].min() > 0.03 - 1e-9


def test_rolling_coin(scheme: dict[str, str]) -> None:
    """A thin disc that rolls on its edge about a centre at rest (Euler's disc): W^2 = 4 g/(r sin a).

    The contact is at rest and so is the centre: the spin lies along the diameter between them, w = W sin a. Its
    angular momentum m r^2/4 w turns with W against the moment of the weight, m r^2/4 w W cos a = m g r cos a.
    """
    r, edge, lean, mass, dt = 0.1, 1e-4, np.pi / 6, 0.1, 1e-4
    turning = 2 * np.sqrt(G / (r * np.sin(lean)))
    axis = np.array([np.sin(lean), 0.0, np.cos(lean)])
    height = (r - edge) * np.sin(lean) + edge
    scene = touching.playground(friction=1.0)
    scene.ground()
    coin = scene.body(
        "coin",
        sh.Wheel(r, 2 * edge, edge),
        mass=mass,
        inertia=(mass * r * r / 4, mass * r * r / 4, mass * r * r / 2),
        position=(0, 0, height),
        rotation=touching.tilt(lean),
        angular_velocity=turning * (np.array([0, 0, 1]) - axis[2] * axis),
    )
    run = sh.Simulation(scene, dt=dt, **scheme).run(2 * np.pi / turning)
    x, y, z, w = mech.values(run, coin.rotation).T
    azimuth = np.unwrap(np.arctan2(2 * (y * z - w * x), 2 * (x * z + w * y)))
    # first order in the turn of a step: W dt = 2.8e-3; the edge is round, which is as much as 1e-3 of the radius
    tolerance = turning * dt + 2 * edge / r
    assert azimuth[-1] / mech.times(run)[-1] == pytest.approx(turning, rel=tolerance)
    place = mech.values(run, coin.position)
    assert np.abs(place[:, 2] / height - 1).max() < 2 * tolerance
    assert np.abs(place[:, :2]).max() < 2 * tolerance * r


def test_spinning_ball_slows_down_linearly(scheme: dict[str, str]) -> None:
    """A ball that spins on the spot about the normal: I w' = -rho m g, with rho the spinning friction (m)."""
    rho, radius, spin = 0.004, 0.1, 20.0
    scene = touching.playground(spinning=rho)
    scene.ground(material="clinging")
    ball = scene.body("ball", sh.Sphere(radius, mass=2.0), position=(0, 0, radius), angular_velocity=(0, 0, spin))
    run = sh.Simulation(scene, dt=0.005, **scheme).run(2.5)
    slowing = rho * G / (0.4 * radius**2)
    w, t = mech.values(run, ball.angular_velocity)[:, 2], mech.times(run)
    smooth = mech.away_from(run, spin / slowing) | (scheme != mech.LEAPFROG)
    np.testing.assert_allclose(w[smooth], np.maximum(spin - slowing * t, 0.0)[smooth], atol=SOLVED / radius)
    np.testing.assert_allclose(w, np.maximum(spin - slowing * t, 0.0), atol=slowing * 0.005 / 2)


def test_rolling_friction_stops_a_ball(scheme: dict[str, str]) -> None:
    """A ball that rolls: v' = -5/7 rho g/r, with rho the rolling friction (m); it stops for good."""
    rho, radius, speed = 0.004, 0.1, 0.5
    scene = touching.playground(rolling=rho)
    scene.ground(material="clinging")
    ball = scene.body(
        "ball",
        sh.Sphere(radius, mass=2.0),
        position=(0, 0, radius),
        velocity=(speed, 0, 0),
        angular_velocity=(0, speed / radius, 0),
    )
    run = sh.Simulation(scene, dt=0.005, **scheme).run(2.5)
    v, t = mech.values(run, ball.velocity)[:, 0], mech.times(run)
    slowing = 5 / 7 * rho * G / radius
    smooth = mech.away_from(run, speed / slowing) | (scheme != mech.LEAPFROG)
    np.testing.assert_allclose(v[smooth], np.maximum(speed - slowing * t, 0.0)[smooth], atol=SOLVED / radius)
    np.testing.assert_allclose(v, np.maximum(speed - slowing * t, 0.0), atol=slowing * 0.005 / 2)


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_angular_momentum_of_rough_balls_that_bounce(scheme: dict[str, str], dt: float) -> None:
    """Two balls meet within a step, off the centre, and rub: they are struck in one point, where they are then."""
    scene = touching.playground(gravity=0.0)
    scene.material("lively", sh.Material(friction=0.5, restitution=0.5))
    for i in (0, 1):
        scene.body(
            f"ball{i}",
            sh.Sphere(0.2 - 0.05 * i, mass=1.0 + i),
            position=(0.7 * i, 0.1 * i, 0.0),
            velocity=(3.0 - 6.0 * i, 0, 0),
            angular_velocity=(1.0, 2.0, 10.0),
            contact=sh.Contact(material="lively"),
        )
    run = sh.Simulation(scene, dt=dt, **scheme).run(0.3)
    momentum, energy = mech.values(run, scene.angular_momentum), mech.values(run, scene.kinetic_energy)
    assert energy[-1] < 0.9 * energy[0]  # they did meet
    # at the frame before the impact the velocities are the means of before and after it, as recorded
    np.testing.assert_allclose(momentum[-10:], [momentum[0]] * 10, atol=1e-9)


@pytest.mark.parametrize("dt", [0.01, 0.005])
def test_an_elastic_ball_bounces_for_ever(dt: float) -> None:
    """It comes back to where it was let go: an impact in the middle of a step has the speed of that instant."""
    scene = touching.playground()
    scene.ground()
    scene.body("ball", sh.Sphere(0.05, mass=1.0), position=(0, 0, 1.0), contact=touching.ELASTIC)
    energy = mech.values(sh.Simulation(scene, dt=dt).run(10.0), scene.energy)
    away = np.abs(energy / energy[0] - 1) < 1e-6
    assert away.mean() > 0.9  # all but the frames next to an impact, whose velocity is the mean of both sides of it
    assert away[-100:].any()
