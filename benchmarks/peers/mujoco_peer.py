"""A Sharnir scene in MuJoCo.

The scene's joints that span it as a tree become MuJoCo joints (no error by construction); the others close loops and
become equality constraints, which are soft. What MuJoCo has no counterpart for is refused by name. A ball joint's
``frictionloss`` bounds each of its three axes by itself, where Coulomb friction bounds the length of the vector.
A scene with terrain is translated with its contacts: boxes and spheres on planes, friction alone of the materials.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.spatial import Array

from ..contender import BodyStates, NotInstalled, NotTranslatable, moving_bodies, path_by_blocks

_HINGE, _SLIDE, _BALL = "hinge", "slide", "ball"

# MuJoCo joints of a tree joint, from parent to child: type, axis of the joint's frame, name of the friction
_TREE_JOINTS: dict[type, tuple[tuple[str, int, str], ...]] = {
    sh.Revolute: ((_HINGE, 2, "angle"),),
    sh.Prismatic: ((_SLIDE, 2, "displacement"),),
    sh.Spherical: ((_BALL, 2, "rotation"),),
    sh.Fixed: (),
    sh.Cylindrical: ((_SLIDE, 2, "displacement"), (_HINGE, 2, "angle")),
    sh.Planar: ((_SLIDE, 0, "slide"), (_SLIDE, 1, "slide"), (_HINGE, 2, "angle")),
}
_CLOSING_JOINTS = (sh.Revolute, sh.Spherical, sh.Fixed)


class _Branch(NamedTuple):
    """A body hung on its parent; no joint: it floats freely."""

    body: sh.Body
    parent: sh.Body
    joint: sh.Joint | None


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
        branches = {branch.joint.name: branch for branch in _spanning_tree(self._scene)[0] if branch.joint is not None}
        for name, torque in self._efforts.items():
            if name not in branches:
                raise NotTranslatable(f"a torque on joint '{name}', which closes a loop")
            towards_b = branches[name].body is self._scene.joints[name].b
            self.data.qfrc_applied[self.model.joint(f"{name} 0").dofadr[0]] = torque if towards_b else -torque

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
    branches, loops = _spanning_tree(scene)
    root = ElementTree.Element("mujoco", model=scene.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true")
    settings = ElementTree.SubElement(root, "option", {"gravity": _text(scene.gravity), **option})
    if not scene.terrains:
        ElementTree.SubElement(settings, "flag", contact="disable")
    elements = {scene.world.name: ElementTree.SubElement(root, "worldbody")}
    for branch in branches:
        elements[branch.body.name] = _add_body(elements[branch.parent.name], branch)
    if scene.terrains:
        ElementTree.SubElement(root, "size", memory="1G")
        _add_geoms(scene, elements, contact)
    tendons = ElementTree.SubElement(root, "tendon")
    for joint in _struts(scene):
        _add_spring(elements, tendons, joint)
    equality = ElementTree.SubElement(root, "equality")
    for joint in loops:
        _add_closing(equality, joint, closing)
    return ElementTree.tostring(root, encoding="unicode")


def _struts(scene: sh.Scene) -> list[sh.Joint]:
    return [joint for joint in scene.joints.values() if isinstance(joint.type, sh.Strut)]


def _spanning_tree(scene: sh.Scene) -> tuple[list[_Branch], list[sh.Joint]]:
    """Bodies in an order in which parents come first, and the joints that are left to close loops."""
    joints = [joint for joint in scene.joints.values() if not isinstance(joint.type, sh.Strut)]
    for joint in joints:
        if type(joint.type) not in _TREE_JOINTS:
            raise NotTranslatable(f"{joint!r} has no counterpart in MuJoCo's joints")
        if joint.ranges or joint.springs or joint.drives:
            raise NotTranslatable(f"{joint!r} has limits, a spring or a drive, which are not translated")
    group = {name: name for name in [scene.world.name, *scene.bodies]}
    tree: list[sh.Joint] = []
    loops: list[sh.Joint] = []
    # joints that cannot close a loop must be in the tree, so they choose first
    for joint in sorted(joints, key=lambda joint: isinstance(joint.type, _CLOSING_JOINTS)):
        first, second = group[joint.a.name], group[joint.b.name]
        if first == second:
            loops.append(joint)
            continue
        tree.append(joint)
        group = {name: first if label == second else label for name, label in group.items()}
    for joint in loops:
        if not isinstance(joint.type, _CLOSING_JOINTS):
            raise NotTranslatable(f"{joint!r} closes a loop, which MuJoCo cannot do with this type")
    return _hang(scene, tree), loops


def _hang(scene: sh.Scene, tree: list[sh.Joint]) -> list[_Branch]:
    neighbours: dict[str, list[tuple[sh.Body, sh.Joint]]] = {name: [] for name in [scene.world.name, *scene.bodies]}
    for joint in tree:
        neighbours[joint.a.name].append((joint.b, joint))
        neighbours[joint.b.name].append((joint.a, joint))
    branches: list[_Branch] = []
    reached = {scene.world.name}
    for root in [scene.world, *scene.bodies.values()]:
        if root.name not in reached:
            reached.add(root.name)
            branches.append(_Branch(root, scene.world, None))
        elif root is not scene.world:
            continue
        queue = deque([root])
        while queue:
            parent = queue.popleft()
            for body, joint in neighbours[parent.name]:
                if body.name not in reached:
                    reached.add(body.name)
                    branches.append(_Branch(body, parent, joint))
                    queue.append(body)
    return branches


def _add_body(parent: ElementTree.Element, branch: _Branch) -> ElementTree.Element:
    body = branch.body
    place = branch.parent.pose.inverse() @ body.pose
    element = ElementTree.SubElement(
        parent, "body", name=body.name, pos=_text(place.position), quat=_text(np.roll(place.rotation, 1))
    )
    if body.properties is None:
        return element
    mass, center, inertia = body.properties
    full = (inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    ElementTree.SubElement(element, "inertial", pos=_text(center), mass=repr(mass), fullinertia=_text(full))
    if branch.joint is None:
        ElementTree.SubElement(element, "freejoint", name=f"{body.name} free")
        return element
    frame = _frame_on(branch.joint, body)
    axes = spatial.matrix(frame.rotation)
    for i, (kind, axis, friction) in enumerate(_TREE_JOINTS[type(branch.joint.type)]):
        attributes = {"name": f"{branch.joint.name} {i}", "type": kind, "pos": _text(frame.position)}
        if kind != _BALL:
            attributes["axis"] = _text(axes[:, axis])
        if friction in branch.joint.friction:
            law = branch.joint.friction[friction]
            if not isinstance(law, sh.Coulomb) or law.load is not None:
                raise NotTranslatable(f"{branch.joint!r} has friction that MuJoCo's frictionloss cannot express")
            attributes["frictionloss"] = repr(law.level)
        ElementTree.SubElement(element, "joint", attributes)
    return element


def _add_geoms(scene: sh.Scene, elements: dict[str, ElementTree.Element], contact: dict[str, str]) -> None:
    """What collides; MuJoCo takes the larger friction of two geoms, so the scene must have one material."""
    if len(scene.materials.names) > 1:
        raise NotTranslatable("contacts of several materials")
    rubs = {"condim": "3", "friction": _text((scene.materials.between("default", "default").friction, 0, 0))} | contact
    for terrain in scene.terrains.values():
        if not isinstance(terrain.spec.surface, sh.Plane):
            raise NotTranslatable(f"{terrain!r} is not a plane")
        place = {"pos": _text(terrain.spec.position), "quat": _text(np.roll(terrain.spec.rotation, 1))}
        ElementTree.SubElement(elements[scene.world.name], "geom", {"type": "plane", "size": "50 50 1"} | place | rubs)
    for body in scene.bodies.values():
        for shape in body.spec.shapes:
            place = {"pos": _text(shape.position), "quat": _text(np.roll(shape.rotation, 1)), "mass": "0"}
            ElementTree.SubElement(elements[body.name], "geom", _geom(shape) | place | rubs)


def _geom(shape: sh.Shape) -> dict[str, str]:
    if isinstance(shape, sh.Box):
        return {"type": "box", "size": _text((shape.x / 2, shape.y / 2, shape.z / 2))}
    if isinstance(shape, sh.Sphere):
        return {"type": "sphere", "size": _text((shape.radius,))}
    raise NotTranslatable(f"contact of {shape!r}")


def _add_spring(elements: dict[str, ElementTree.Element], tendons: ElementTree.Element, joint: sh.Joint) -> None:
    """A coil spring as a spatial tendon between two sites."""
    for spring in joint.springs.values():
        if spring.side != "both" or spring.table is not None or spring.preload != 0.0 or spring.rest is None:
            raise NotTranslatable(f"{joint!r} carries a spring that is not linear")
        tendon = ElementTree.SubElement(
            tendons,
            "spatial",
            name=joint.name,
            stiffness=repr(spring.stiffness),
            damping=repr(spring.damping),
            springlength=repr(spring.rest),
        )
        for end, body, frame in (("a", joint.a, joint.frame_a), ("b", joint.b, joint.frame_b)):
            site = f"{joint.name} {end}"
            ElementTree.SubElement(elements[body.name], "site", name=site, pos=_text(frame.position))
            ElementTree.SubElement(tendon, "site", site=site)


def _add_closing(equality: ElementTree.Element, joint: sh.Joint, closing: dict[str, str]) -> None:
    """A ball as one shared point, a hinge as two on its axis, a weld as a weld; friction has no place in them."""
    if joint.friction:
        raise NotTranslatable(f"{joint!r} closes a loop and has friction, which MuJoCo's constraints cannot carry")
    moving = joint.b if joint.b.properties is not None else joint.a
    other = joint.a if moving is joint.b else joint.b
    bodies = {"body1": moving.name, "body2": other.name}
    frame = _frame_on(joint, moving)
    if isinstance(joint.type, sh.Fixed):
        ElementTree.SubElement(equality, "weld", bodies | closing)
        return
    along = spatial.rotate(frame.rotation, (0.0, 0.0, 0.5))
    points = (
        [frame.position] if isinstance(joint.type, sh.Spherical) else [frame.position - along, frame.position + along]
    )
    for point in points:
        ElementTree.SubElement(equality, "connect", {**bodies, "anchor": _text(point), **closing})


def _set_velocities(mujoco: Any, model: Any, data: Any, scene: sh.Scene) -> None:
    """The joint rates that give the bodies their velocities at the start."""
    for branch in _spanning_tree(scene)[0]:
        body, parent, joint = branch
        spin = np.array(body.spec.angular_velocity)
        turn = spatial.conjugate(body.pose.rotation)
        if body.properties is None:
            continue
        if joint is None:
            place = int(model.joint(f"{body.name} free").dofadr[0])
            data.qvel[place : place + 3] = body.spec.velocity
            data.qvel[place + 3 : place + 6] = spatial.rotate(turn, spin)
            continue
        frame = body.pose @ _frame_on(joint, body)
        axes = spatial.matrix(frame.rotation)
        relative_spin = spin - np.array(parent.spec.angular_velocity)
        relative_velocity = _point_velocity(body, frame.position) - _point_velocity(parent, frame.position)
        for i, (kind, axis, _) in enumerate(_TREE_JOINTS[type(joint.type)]):
            place = int(model.joint(f"{joint.name} {i}").dofadr[0])
            if kind == _BALL:
                data.qvel[place : place + 3] = spatial.rotate(turn, relative_spin)
            else:
                data.qvel[place] = axes[:, axis] @ (relative_spin if kind == _HINGE else relative_velocity)
    mujoco.mj_forward(model, data)


def _quiet(message: str) -> None:
    """Takes MuJoCo's warnings."""


def _point_velocity(body: sh.Body, point: Array) -> Array:
    return np.array(body.spec.velocity) + np.cross(body.spec.angular_velocity, point - body.pose.position)


def _frame_on(joint: sh.Joint, body: sh.Body) -> spatial.Pose:
    return joint.frame_b if body is joint.b else joint.frame_a


def _text(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
