"""A Sharnir scene in MuJoCo, as the package itself writes it (``scene.save("robot.xml")``).

Joints that span the scene as a tree become MuJoCo's (no error by construction); the others close loops and become
equality constraints, which are soft. A scene of which something would be lost is refused by name. A ball joint's
``frictionloss`` bounds each of its three axes by itself, where Coulomb friction bounds the length of the vector.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.importing.report import ImportReport
from sharnir.importing.write_mjcf import AXES, document, joint_names, tree_of
from sharnir.spatial import Array

from ..contender import BodyStates, NotInstalled, NotTranslatable, moving_bodies, path_by_blocks

SET_APART = "velocity"  # of bodies at the start, which a file of MuJoCo has not: it is set in the running simulation


class MujocoRun:
    """A scene in MuJoCo; solver "Newton", "CG" or "PGS", integrator "Euler", "implicitfast", "implicit" or "RK4".

    ``solref`` and ``solimp`` set the stiffness of loop-closing constraints; None leaves MuJoCo's defaults.
    ``efforts`` (N m) are constant torques by joint. ``contact`` are attributes of the geoms of a scene with terrain.
    """

    name = "MuJoCo"

    def __init__(
        self,
        scene: sh.Scene,
        dt: float,
        iterations: int = 100,
        solver: str = "Newton",
        integrator: str = "Euler",
        jacobian: str = "auto",
        solref: str | None = None,
        solimp: str | None = None,
        efforts: dict[str, float] | None = None,
        contact: dict[str, str] | None = None,
        cone: str = "elliptic",
    ) -> None:
        try:
            import mujoco
        except ImportError:
            raise NotInstalled("mujoco") from None
        self._mujoco: Any = mujoco
        mujoco.set_mju_user_warning(_quiet)  # they would go to a log file; path() raises instead
        self._scene = scene
        option = {"timestep": repr(dt), "iterations": str(iterations), "solver": solver, "integrator": integrator}
        option |= {"jacobian": jacobian, "cone": cone}
        closing = {key: value for key, value in (("solref", solref), ("solimp", solimp)) if value is not None}
        self.model: Any = mujoco.MjModel.from_xml_string(mjcf(scene, option, closing, contact or {}))
        self.data: Any = mujoco.MjData(self.model)
        self._efforts = efforts or {}
        self.restart()
        self.settings = f"{solver}, {integrator}, {jacobian} Jacobian, at most {iterations} iterations"
        self.settings += f", {cone} cone {contact or ''}".rstrip() if scene.terrains else ", no contacts"
        self._ids = [self.model.body(body.name).id for body in moving_bodies(scene)]

    def restart(self) -> None:
        """Back to the start of the scene."""
        self._mujoco.mj_resetData(self.model, self.data)
        _set_velocities(self._mujoco, self.model, self.data, self._scene)
        held = {branch.joint.name for branch in tree_of(self._scene)[0] if branch.joint is not None}
        for name, torque in self._efforts.items():
            if name not in held:
                raise NotTranslatable(f"a torque on joint '{name}', which closes a loop")
            first = joint_names(self._scene.joints[name])[0]
            self.data.qfrc_applied[self.model.joint(first).dofadr[0]] = torque

    def path(self, steps: int, samples: int) -> Array:
        """The centres of mass at evenly spaced instants."""
        centers = path_by_blocks(self, steps, samples)
        if any(warning.number for warning in self.data.warning):
            raise RuntimeError(f"MuJoCo ({self.settings}) became unstable")
        return centers

    def step(self, count: int) -> None:
        """Make ``count`` steps in one call."""
        self._mujoco.mj_step(self.model, self.data, count)

    def step_one_by_one(self, count: int) -> None:
        """Make ``count`` steps, one call each."""
        step, model, data = self._mujoco.mj_step, self.model, self.data
        for _ in range(count):
            step(model, data)

    def states(self) -> BodyStates:
        """Where the bodies are; positions are brought up to date first, as MuJoCo leaves them one step behind."""
        mujoco, model, data = self._mujoco, self.model, self.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        twists = np.empty((len(self._ids), 6))
        for row, body in zip(twists, self._ids, strict=True):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, row, 0)
        rotation = np.roll(data.xquat[self._ids], -1, axis=1)
        return BodyStates(data.xipos[self._ids].copy(), rotation, twists[:, 3:], twists[:, :3])


def mjcf(scene: sh.Scene, option: dict[str, str], closing: dict[str, str], contact: dict[str, str]) -> str:
    """The scene as MuJoCo's XML; ``closing`` are attributes of the loop-closing constraints, ``contact`` of geoms."""
    report = ImportReport(scene.name)
    root = document(scene, report, Path.cwd())
    for lost in report.of("ignored"):
        if lost.what != SET_APART and lost.matters in ("motion", "contact"):
            raise NotTranslatable(f"{lost.where}: {lost.what}: {lost.why}")
    if len(scene.materials.names) > 1:  # of two MuJoCo takes the larger friction
        raise NotTranslatable("contacts of several materials")
    settings = root.find("option")
    assert settings is not None
    settings.attrib |= option
    if scene.terrains:
        ElementTree.SubElement(root, "size", memory="1G")
    else:
        ElementTree.SubElement(settings, "flag", contact="disable")
    for equality in root.findall("equality/*"):
        equality.attrib |= closing
    for geom in root.iter("geom"):
        geom.attrib |= contact
    return ElementTree.tostring(root, encoding="unicode")


def _set_velocities(mujoco: Any, model: Any, data: Any, scene: sh.Scene) -> None:
    """The joint rates that give the bodies their velocities at the start."""
    for body, parent, joint in tree_of(scene)[0]:
        spin = np.array(body.spec.angular_velocity)
        turn = spatial.conjugate(body.pose.rotation)
        if body.properties is None:
            continue
        if joint is None:
            place = int(model.joint(f"{body.name} free").dofadr[0])
            data.qvel[place : place + 3] = body.spec.velocity
            data.qvel[place + 3 : place + 6] = spatial.rotate(turn, spin)
            continue
        at = (body.pose @ (joint.frame_b if body is joint.b else joint.frame_a)).position
        relative_spin = spin - np.array(parent.spec.angular_velocity)
        relative_velocity = _point_velocity(body, at) - _point_velocity(parent, at)
        for (kind, *_), name in zip(AXES[type(joint.type)], joint_names(joint), strict=True):
            place = int(model.joint(name).dofadr[0])
            axis = spatial.rotate(body.pose.rotation, model.joint(name).axis)
            if kind == "ball":
                data.qvel[place : place + 3] = spatial.rotate(turn, relative_spin)
            else:
                data.qvel[place] = axis @ (relative_spin if kind == "hinge" else relative_velocity)
    mujoco.mj_forward(model, data)


def _quiet(message: str) -> None:
    """Takes MuJoCo's warnings."""


def _point_velocity(body: sh.Body, point: Array) -> Array:
    return np.array(body.spec.velocity) + np.cross(body.spec.angular_velocity, point - body.pose.position)
