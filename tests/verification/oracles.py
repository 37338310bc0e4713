"""Random trees of joints, the same ones in Sharnir, Pinocchio and MuJoCo."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

import sharnir as sh
from sharnir import spatial
from sharnir.scene.joint_coordinates import coordinate_axis
from sharnir.scene.joints import CoordinateKind

TYPES = ("revolute", "prismatic", "cylindrical", "planar", "universal", "spherical")
# every type as a chain of the joints that Pinocchio and MuJoCo have, in the axes of the joint's frame
CHAINS = {
    "revolute": ("rz",),
    "prismatic": ("pz",),
    "cylindrical": ("rz", "pz"),
    "planar": ("px", "py", "rz"),
    "universal": ("rx", "ry"),
    "spherical": ("ball",),
}
PIN = {
    "rx": pin.JointModelRX,
    "ry": pin.JointModelRY,
    "rz": pin.JointModelRZ,
    "px": pin.JointModelPX,
    "py": pin.JointModelPY,
    "pz": pin.JointModelPZ,
    "ball": pin.JointModelSpherical,
}


def se3(pose: spatial.Pose) -> pin.SE3:
    return pin.SE3(spatial.matrix(pose.rotation), np.asarray(pose.position, float))


@dataclass
class Tree:
    """One mechanism in two engines; ``last`` is Pinocchio's joint that carries a body."""

    scene: sh.Scene
    model: pin.Model
    kinds: list[str]
    joints: list[sh.Joint]
    last: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)


def random_frame(random: np.random.Generator, size: float = 0.6) -> sh.Frame:
    return sh.Frame(
        position=tuple(size * random.normal(size=3)),
        axis=tuple(random.normal(size=3)),
        reference=tuple(random.normal(size=3)),
    )


def random_inertia(random: np.random.Generator, mass: float) -> tuple[float, ...]:
    turn = spatial.matrix(spatial.from_vector(random.normal(size=3)))
    x, y, z = 0.3 * random.uniform(0.3, 1.0, size=3) ** 2
    tensor = turn @ np.diag(mass * np.array([y + z, x + z, x + y])) @ turn.T
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def random_tree(seed: int, count: int, types: tuple[str, ...] = TYPES, floating: bool = False) -> Tree:
    """A tree of ``count`` joints; with ``floating`` its first body hangs on nothing."""
    random = np.random.default_rng(seed)
    scene = sh.Scene(f"tree {seed}", gravity=tuple(random.normal(size=3) * 5.0))
    tree = Tree(scene, pin.Model(), [], [])
    tree.model.gravity = pin.Motion(np.array(scene.gravity), np.zeros(3))
    frames = {"world": spatial.Pose(np.zeros(3), spatial.IDENTITY)}  # joint frame that carries a body, in the body
    tree.last["world"] = 0
    if floating:
        body = _body(scene, "base", random, frames["world"])
        joint = tree.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
        _weigh(tree.model, joint, body, pin.SE3.Identity())
        frames["base"], tree.last["base"] = frames["world"], joint
    path = ["base" if floating else "world"]
    for i in range(count):
        kind = str(random.choice(types))
        parent = str(random.choice(path[-3:]))  # branches leave from the last ones, depth first as Pinocchio wants it
        path = path[: path.index(parent) + 1]
        frame_a, frame_b = random_frame(random), random_frame(random, 0.3)
        base = scene.world.pose if parent == "world" else scene.bodies[parent].pose
        body = _body(scene, f"body{i}", random, base @ frame_a.pose("a") @ frame_b.pose("b").inverse())
        described = getattr(sh, kind.capitalize())(frame_a=frame_a, frame_b=frame_b)
        joint = scene.joint(f"joint{i}", described, scene.world if parent == "world" else parent, body)
        placement = se3(frames[parent]).inverse() * se3(joint.frame_a)
        at = tree.last[parent]
        for k, part in enumerate(CHAINS[kind]):
            at = tree.model.addJoint(at, PIN[part](), placement, f"{joint.name}.{k}")
            tree.first.setdefault(joint.name, at)
            placement = pin.SE3.Identity()
        _weigh(tree.model, at, body, se3(joint.frame_b.inverse()))
        frames[body.name], tree.last[body.name] = joint.frame_b, at
        path.append(body.name)
        tree.kinds.append(kind)
        tree.joints.append(joint)
    return tree


def _body(scene: sh.Scene, name: str, random: np.random.Generator, pose: spatial.Pose) -> sh.Body:
    mass = float(10 ** random.uniform(-1, 1))
    return scene.body(
        name,
        mass=mass,
        inertia=random_inertia(random, mass),
        center_of_mass=tuple(0.2 * random.normal(size=3)),
        position=pose.position,
        rotation=pose.rotation,
    )


def _weigh(model: pin.Model, joint: int, body: sh.Body, placement: pin.SE3) -> None:
    mass, center, inertia = body.properties  # type: ignore[misc]
    model.appendBodyToJoint(joint, pin.Inertia(mass, center, inertia), placement)


def put(tree: Tree, sim: sh.Simulation, data: pin.Data, q: Any, v: Any) -> None:
    """Bring the bodies of a simulation where Pinocchio has them, and give them its velocities."""
    pin.forwardKinematics(tree.model, data, q, v)
    for name, body in tree.scene.bodies.items():
        joint = tree.last[name]
        carrier = next((j for j in tree.joints if j.b.name == name), None)
        local = pin.SE3.Identity() if carrier is None else se3(carrier.frame_b.inverse())
        placed = data.oMi[joint] * local
        motion = local.actInv(data.v[joint])  # of the body's frame, in its own axes
        sim.set(body.position, placed.translation)
        sim.set(body.rotation, pin.Quaternion(placed.rotation).coeffs())
        sim.set(body.angular_velocity, placed.rotation @ motion.angular)
        sim.set(body.velocity, placed.rotation @ motion.linear)


def rates_map(tree: Tree, data: pin.Data, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T and T' u of v = T u: Pinocchio's velocities by Sharnir's rates.

    They differ for balls (Pinocchio has the spin in b's axes) and free bodies (velocities in their own axes).
    """
    size = tree.model.nv
    back, back_rate = np.eye(size), np.zeros(size)
    for kind, joint in zip(tree.kinds, tree.joints, strict=True):
        if kind == "spherical":
            i = tree.model.joints[tree.last[joint.b.name]].idx_v
            placed = tree.model.jointPlacements[tree.last[joint.b.name]].rotation  # of the joint's frame on a
            turn = pin.Quaternion(placed.T @ data.liMi[tree.last[joint.b.name]].rotation).coeffs()
            back[i : i + 3, i : i + 3], back_rate[i : i + 3] = _ball(turn, v[i : i + 3])
    if "base" in tree.scene.bodies:
        turn = data.oMi[tree.last["base"]].rotation
        back[:3, :3] = back[3:6, 3:6] = turn.T
        back_rate[:3] = -np.cross(v[3:6], v[:3])  # d/dt (R^T) v_world
    return back, back_rate


def _ball(turn: np.ndarray, spin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """T and T' u of a ball whose b frame is turned by ``turn`` and spins in its own axes."""

    def rows(time: float) -> np.ndarray:
        q = spatial.multiply(turn, spatial.from_vector(spin * time))
        a, b = spatial.Pose(np.zeros(3), spatial.IDENTITY), spatial.Pose(np.zeros(3), q)
        kinds = (CoordinateKind.TWIST, CoordinateKind.SWING_X, CoordinateKind.SWING_Y)
        return np.stack([coordinate_axis(kind, a, b) for kind in kinds]) @ spatial.matrix(q)

    pace = 1e-3
    slope = (8.0 * (rows(pace) - rows(-pace)) - (rows(2 * pace) - rows(-2 * pace))) / (12.0 * pace)
    back = np.linalg.inv(rows(0.0))
    return back, -back @ slope @ spin


def mujoco_of(tree: Tree) -> mujoco.MjModel:
    """The same tree as MuJoCo's model, for types without balls."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = np.array(tree.scene.gravity)
    spec.option.timestep = 1e-3
    bodies = {"world": spec.worldbody}
    for kind, joint in zip(tree.kinds, tree.joints, strict=True):
        zero = joint.frame_a @ joint.frame_b.inverse()  # b in a when all coordinates are zero
        body = bodies[joint.a.name].add_body(name=joint.b.name, pos=zero.position, quat=np.roll(zero.rotation, 1))
        for k, part in enumerate(CHAINS[kind]):
            axis = spatial.rotate(joint.frame_b.rotation, np.eye(3)["xyz".index(part[1])])
            slides = part[0] == "p"
            body.add_joint(
                name=f"{joint.name}.{k}",
                type=mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE,
                axis=axis,
                pos=joint.frame_b.position,
            )
        mass, center, inertia = joint.b.properties  # type: ignore[misc]
        entries = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        body.mass, body.ipos, body.fullinertia, body.explicitinertial = mass, center, entries, True
        bodies[joint.b.name] = body
    return spec.compile()
