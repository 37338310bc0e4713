"""Servos that an importer makes are stable with the inertia that a motor feels while all other joints are free."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sh
from sharnir.importing.felt import Held, felt, twists
from sharnir.scene.shape import MassProperties
from sharnir.watching.servos import unstable

ROD = (
    '<link name="{}"><inertial><origin xyz="0 0 -0.5"/><mass value="{}"/>'
    '<inertia ixx="{}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
HINGE = (
    '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 {3}"/>'
    '<axis xyz="0 1 0"/><limit effort="{4}" velocity="5"/></joint>'
)


def body(mass: float, x: float, inertia: float) -> MassProperties:
    return MassProperties(mass, np.array([x, 0.0, 0.0]), inertia * np.eye(3))


def hinge(parent: int, child: int, x: float) -> Held:
    return Held(parent, child, twists("revolute", np.array([0.0, 0.0, 1.0]), np.array([x, 0.0, 0.0])))


def test_two_free_bodies_turn_against_each_other() -> None:
    """Pinned at the centres of mass of both, they feel 1/(1/I + 1/J); a body on what stands feels I + m r^2."""
    together = [body(2.0, 0.0, 3.0), body(5.0, 0.0, 6.0)]
    assert felt(together, [hinge(0, 1, 0.0)]) == pytest.approx([2.0])
    assert felt([None, body(5.0, 0.4, 6.0)], [hinge(0, 1, 0.0)]) == pytest.approx([6.0 + 5.0 * 0.16], rel=1e-5)
    slide = Held(0, 1, twists("prismatic", np.array([1.0, 0.0, 0.0]), np.zeros(3)))
    assert felt(together, [slide]) == pytest.approx([2.0 * 5.0 / 7.0])  # the reduced mass


def test_a_double_pendulum_feels_what_its_mass_matrix_says() -> None:
    """Drawn straight: rods of unit mass and length, M = [[8/3, 5/6], [5/6, 1/3]] over the two hinges; 1/(M^-1)_ii."""
    rods = [None, body(1.0, 0.5, 1 / 12), body(1.0, 1.5, 1 / 12)]
    matrix = np.array([[8 / 3, 5 / 6], [5 / 6, 1 / 3]])
    expected = 1.0 / np.diag(np.linalg.inv(matrix))
    assert felt(rods, [hinge(0, 1, 0.0), hinge(1, 2, 1.0)]) == pytest.approx(expected, rel=1e-5)


def test_a_free_joint_lets_nothing_through() -> None:
    loose = Held(0, 1, twists("floating", np.array([1.0, 0.0, 0.0]), np.zeros(3)))
    bodies = [body(1.0, 0.0, 1.0), body(1.0, 0.0, 3.0), body(1.0, 0.0, 6.0)]
    assert felt(bodies, [loose, hinge(1, 2, 0.0)])[1] == pytest.approx(2.0)


def test_servos_of_a_heavy_limb_on_a_light_one_are_stable(tmp_path) -> None:
    """The motor between them turns the light one: with the limb's own inertia its servo was unstable."""
    links = '<link name="base"/>' + ROD.format("light", 0.1, 0.01, 0.01, 0.001) + ROD.format("limb", 5, 0.4, 0.4, 0.01)
    joints = HINGE.format("shoulder", "base", "light", 0, 0.1) + HINGE.format("elbow", "light", "limb", -1, 200)
    (tmp_path / "robot.urdf").write_text(f'<robot name="r">{links}{joints}</robot>')
    scene = sh.Scene.load(tmp_path / "robot.urdf")
    assert isinstance(scene.joints["elbow"].drives["angle"], sh.SpeedServo)
    assert list(unstable(scene, 0.005)) == []
