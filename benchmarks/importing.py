"""Robots of public wheels, imported: how many load, and how well they agree with the engines they were made for.

``python -m benchmarks.importing`` counts every URDF and MJCF of the wheels that are installed (pybullet,
example-robot-data, dm-control, gymnasium-robotics, mujoco-warp), and every SDF, loads each here and in its own engine,
and compares poses, mass matrix and bias forces at random states with Pinocchio (URDF) and MuJoCo (MJCF). ``--run``
simulates each for 2 s as well, ``--rivals`` counts what Pinocchio, MuJoCo and Bullet load, each file in a process by
itself.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh
from sharnir import spatial
from sharnir.analysis.machine import Bodies, Machine
from sharnir.importing import Options, load_robot
from sharnir.spatial import Array, Pose

STATES = 20
LEAST = 1e-3  # m: torques below the weight of the robot on this arm count as none
MOST_FREEDOMS = 80  # beyond it a comparison takes minutes
MOST_BODIES = 500  # likewise
NUMBERED = 3  # of pybullet's thousand objects of one link these are loaded


@dataclass
class Tried:
    """What became of one file: whether it and its own engine load, and the largest relative differences."""

    file: str
    loads: bool = False
    theirs: bool = False
    why: str = ""
    losses: int = 0
    differences: dict[str, float] = field(default_factory=dict)
    run: str = ""
    rivals: dict[str, bool] = field(default_factory=dict)


# --- where the robots are ---------------------------------------------------------------------------------------------


def wheels() -> dict[str, tuple[Path, list[Path]]]:
    """The folders of the wheels that are installed, with the robots in them."""
    found: dict[str, tuple[Path, list[Path]]] = {}
    for name, module in (("pybullet", "pybullet_data"), ("example-robot-data", "example_robot_data")):
        folder = _folder(module)
        if folder is not None:
            files = [file for file in sorted(folder.rglob("*.urdf")) if not _numbered(file)]
            found[name] = (folder, files)
            found[f"{name}, SDF"] = (folder, sorted(folder.rglob("*.sdf")))
    for name in ("dm_control", "gymnasium_robotics", "mujoco_warp"):
        folder = _folder(name)
        if folder is not None:
            found[name] = (folder, sorted(folder.rglob("*.xml")))
    return found


def _folder(module: str) -> Path | None:
    if module == "example_robot_data":  # its robots lie apart from its modules
        try:
            files = metadata.files("example-robot-data") or []
        except metadata.PackageNotFoundError:
            return None
        robot = next(file for file in files if file.suffix == ".urdf")
        folders = [folder for folder in Path(str(robot.locate())).resolve().parents if folder.name == "robots"]
        return folders[-1]
    spec = importlib.util.find_spec(module)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _numbered(file: Path) -> bool:
    return "random_urdfs" in file.parts and int(file.parent.name) >= NUMBERED


# --- the same robot at any posture ------------------------------------------------------------------------------------


def posed(scene: sh.Scene, coordinates: dict[str, Any], free: dict[str, Pose] | None = None) -> dict[str, Pose]:
    """Where the bodies are with joints at coordinates (rad, m, or a quaternion), by a walk down the tree."""
    poses = {"world": Pose(np.zeros(3), spatial.IDENTITY)}
    poses |= {name: body.pose for name, body in scene.bodies.items()} | (free or {})
    for joint in scene.joints.values():
        value = coordinates.get(joint.name)
        if value is None:
            continue
        if np.ndim(value) == 1:
            inner = joint.frame_b.rotation
            turn = spatial.multiply(spatial.multiply(spatial.conjugate(inner), value), inner)
            motion = Pose(np.zeros(3), turn)
        elif isinstance(joint.type, sh.Prismatic):
            motion = Pose(np.array([0.0, 0.0, value]), spatial.IDENTITY)
        else:
            motion = Pose(np.zeros(3), spatial.about((0, 0, 1), value))
        poses[joint.b.name] = poses[joint.a.name] @ joint.frame_a @ motion @ joint.frame_b.inverse()
    return poses


def equations(
    scene: sh.Scene, machine: Machine, poses: dict[str, Pose], rates: dict[str, float], weightless: set[str]
) -> tuple[Array, Array]:
    """Mass matrix and bias forces, in the order of the machine's labels."""
    moving = machine.mechanism.bodies
    placed = [poses[body.name] for body in moving]
    properties = [body.properties for body in moving]
    none = np.zeros((1, len(moving), 3))
    still = Bodies(
        x=np.array([[pose.point(p.center) for pose, p in zip(placed, properties, strict=True)]]),
        rotation=np.array([[spatial.matrix(pose.rotation) for pose in placed]]),
        v=none,
        w=none,
        mass=np.array([[0.0 if body.name in weightless else body.properties.mass for body in moving]]),
        inertia=np.array([[body.properties.inertia * (body.name not in weightless) for body in moving]]),
        gravity=np.array([scene.gravity]),
    )
    u = np.array([rates[label] for label in machine.labels])
    velocity = (machine.span(still)[0] @ u).reshape(1, -1, 6)
    bodies = Bodies(**(vars(still) | {"v": velocity[..., :3], "w": velocity[..., 3:]}))
    motors = np.array([[_rotor(scene, label) for label in machine.rows.labels]])
    standing = machine.standing(bodies, motors)
    return standing.mass_matrix[0], standing.bias[0]


def _rotor(scene: sh.Scene, label: str) -> float:
    """The inertia of a motor behind its gear, on a coordinate."""
    joint, _, axis = label.partition(".")
    drive = scene.joints[joint].drives.get(axis)
    motor = drive if drive is None or isinstance(drive, sh.DcDrive) else drive.drive
    return 0.0 if motor is None else motor.ratio**2 * motor.stall_torque * motor.time_constant / motor.idle_speed


def worst(ours: Array, theirs: Array, least: float = 0.0) -> float:
    """The largest difference, by the largest number, or by the ``least`` that counts where all of them are about 0."""
    size = max(float(np.max(np.abs(theirs), initial=0.0)), least)
    return float(np.max(np.abs(np.asarray(ours) - theirs), initial=0.0)) / (size or 1.0)


def turned_by(a: Array, b: Array) -> float:
    """The angle between two rotations, rad."""
    return 2.0 * float(np.linalg.norm(spatial.multiply(spatial.conjugate(a), b)[:3]))


# --- URDF beside Pinocchio --------------------------------------------------------------------------------------------


def pinocchio_model(file: Path) -> Any:
    """Pinocchio's model, its base fixed."""
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(file))


def beside_pinocchio(file: Path, scene: sh.Scene, states: int = STATES) -> dict[str, float]:
    """The largest relative differences of inertias, poses (m, rad), mass matrix, bias and forward dynamics.

    Inertias that were repaired are given to Pinocchio, which takes those of the file; all others must agree.
    """
    import pinocchio

    model = pinocchio_model(file)
    if model.nv == 0:
        return {}
    if model.nv > MOST_FREEDOMS:
        raise Skipped(f"{model.nv} freedoms")
    scene = load_robot(file, Options(motors=False))
    names = {i: model.names[i] for i in range(1, model.njoints)}
    joints = {i: scene.joints[name.replace(".", "_")] for i, name in names.items()}
    repaired = {entry.what.split("'")[1] for entry in scene.report.of("repaired") if "'" in entry.what}
    found = dict.fromkeys(("inertia", "pose", "mass matrix", "bias", "forward dynamics"), 0.0)
    for i, joint in joints.items():
        mass, center, inertia = joint.b.properties
        theirs = model.inertias[i]
        if joint.b.name in repaired:
            model.inertias[i] = pinocchio.Inertia(mass, center, inertia)
            continue
        for ours, other in ((mass, theirs.mass), (center, theirs.lever), (inertia, theirs.inertia)):
            found["inertia"] = max(found["inertia"], worst(np.asarray(ours), np.asarray(other)))
    data = model.createData()
    least = LEAST * 9.81 * sum(inertia.mass for inertia in model.inertias)
    random = np.random.default_rng(1)
    labels = [f"{joints[i].name}.{joints[i].type.coordinates[0].name}" for i in names]
    machine = Machine(scene, labels)
    order = [machine.labels.index(label) for label in labels]
    for _ in range(states):
        q, v = random.uniform(-1.5, 1.5, model.nv), random.uniform(-2.0, 2.0, model.nv)
        at = pinocchio.integrate(model, pinocchio.neutral(model), q)
        pinocchio.forwardKinematics(model, data, at)
        poses = posed(scene, {joints[i].name: q[model.joints[i].idx_v] for i in names})
        for i, joint in joints.items():
            there = data.oMi[i]
            apart = np.abs(poses[joint.b.name].position - there.translation).max()
            angle = turned_by(spatial.from_matrix(there.rotation), poses[joint.b.name].rotation)
            found["pose"] = max(found["pose"], float(apart), angle)
        rates = {label: v[model.joints[i].idx_v] for i, label in zip(names, labels, strict=True)}
        matrix, bias = equations(scene, machine, poses, rates, set())
        places = [model.joints[i].idx_v for i in names]
        theirs_matrix = pinocchio.crba(model, data, at)
        theirs_matrix = np.triu(theirs_matrix) + np.triu(theirs_matrix, 1).T
        theirs_bias = pinocchio.nonLinearEffects(model, data, at, v)
        ours = matrix[np.ix_(order, order)]
        found["mass matrix"] = max(found["mass matrix"], worst(ours, theirs_matrix[np.ix_(places, places)]))
        found["bias"] = max(found["bias"], worst(bias[order], theirs_bias[places], least))
        pushed = pinocchio.aba(model, data, at, v, np.zeros(model.nv))[places]
        found["forward dynamics"] = max(
            found["forward dynamics"], worst(np.linalg.solve(ours, -bias[order]), pushed, 1.0)
        )
    return found


class Skipped(Exception):
    """A comparison that was not made, and why."""


# --- MJCF beside MuJoCo -----------------------------------------------------------------------------------------------


def mujoco_model(file: Path) -> Any:
    """MuJoCo's model."""
    import mujoco

    mujoco.set_mju_user_warning(lambda _: None)
    return mujoco.MjModel.from_xml_path(str(file))


def beside_mujoco(file: Path, scene: sh.Scene, states: int = STATES) -> dict[str, float]:
    """The largest relative differences of poses (m, rad), and of mass matrix and bias where all joints are hinges and
    slides. Links that carry one joint of several weigh nothing in the comparison, as in MuJoCo."""
    import mujoco

    model = mujoco_model(file)
    if model.nv == 0:
        return {}
    if model.nbody > MOST_BODIES:
        raise Skipped(f"{model.nbody} bodies")
    data = mujoco.MjData(model)
    least = LEAST * 9.81 * float(np.sum(model.body_mass))
    random = np.random.default_rng(1)
    names = {j: (model.joint(j).name or f"joint {j}").replace(".", "_") for j in range(model.njnt)}
    real = {
        i: (model.body(i).name or f"body {i}").replace(".", "_")
        for i in range(1, model.nbody)
        if (model.body(i).name or f"body {i}").replace(".", "_") in scene.bodies
    }
    weightless = {name for name in scene.bodies if name not in real.values()}
    weightless |= {name for i, name in real.items() if _massless(model, i)}
    simple = all(kind in (2, 3) for kind in model.jnt_type) and model.nv <= MOST_FREEDOMS and not _repaired(scene)
    found = {"pose": 0.0} | ({"mass matrix": 0.0, "bias": 0.0} if simple else {})
    machine = Machine(_tree_alone(scene, names)) if simple else None
    for _ in range(states):
        coordinates, free = _random_state(model, data, random, names)
        mujoco.mj_forward(model, data)
        poses = posed(scene, coordinates, free)
        for i, name in real.items():
            apart = np.abs(poses[name].position - data.xpos[i]).max()
            found["pose"] = max(
                found["pose"], float(apart), turned_by(np.roll(data.xquat[i], -1), poses[name].rotation)
            )
        if machine is not None:
            labels = [f"{names[j]}.{scene.joints[names[j]].type.coordinates[0].name}" for j in range(model.njnt)]
            rates = dict(zip(labels, data.qvel, strict=True))
            matrix, bias = equations(scene, machine, poses, rates, weightless)
            order = [machine.labels.index(label) for label in labels]
            theirs = np.zeros((model.nv, model.nv))
            mujoco.mj_fullM(model, theirs, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, theirs)
            found["mass matrix"] = max(found["mass matrix"], worst(matrix[np.ix_(order, order)], theirs))
            found["bias"] = max(found["bias"], worst(bias[order], data.qfrc_bias, least))
    return found


def _massless(model: Any, body: int) -> bool:
    return model.body_mass[body] <= 0.0


def _repaired(scene: sh.Scene) -> bool:
    return any(entry.what.startswith("inertia of") for entry in scene.report.of("repaired"))


def _tree_alone(scene: sh.Scene, names: dict[int, str]) -> sh.Scene:
    """The scene without loops, couplings and spools of tendons, which MuJoCo's mass matrix knows nothing of."""
    tree = scene.as_it_is()
    tree.couplings = {}
    for name, joint in scene.joints.items():
        if name not in names.values():
            del tree.joints[name]
            if name == joint.b.name:  # the spool of a tendon, which nothing else holds
                tree.bodies.pop(name, None)
    return tree


def _random_state(model: Any, data: Any, random: Any, names: dict[int, str]) -> tuple[dict[str, Any], dict[str, Pose]]:
    coordinates: dict[str, Any] = {}
    free: dict[str, Pose] = {}
    data.qvel[:] = random.uniform(-2.0, 2.0, model.nv)
    for j, name in names.items():
        at, kind = model.jnt_qposadr[j], model.jnt_type[j]
        if kind >= 2:
            data.qpos[at] = model.qpos0[at] + random.uniform(-1.5, 1.5)
            coordinates[name] = float(data.qpos[at])
            continue
        turn = random.standard_normal(4)
        turn /= np.linalg.norm(turn)
        if kind == 1:
            data.qpos[at : at + 4] = turn
            coordinates[name] = np.roll(turn, -1)
            continue
        data.qpos[at : at + 3] = random.uniform(-1.0, 1.0, 3)
        data.qpos[at + 3 : at + 7] = turn
        body = model.body(int(model.jnt_bodyid[j])).name or f"body {model.jnt_bodyid[j]}"
        free[body.replace(".", "_")] = Pose(data.qpos[at : at + 3].copy(), np.roll(turn, -1))
    return coordinates, free


# --- all of them ------------------------------------------------------------------------------------------------------


def tried(file: Path, folder: Path, run: bool, rivals: bool = False) -> Tried:
    """One file, here and in its own engine."""
    result = Tried(str(file.relative_to(folder)))
    if rivals:
        result.rivals = elsewhere(file)
    is_urdf = file.suffix in (".urdf", ".sdf")
    theirs: Callable[[Path], Any] = _own_engine if is_urdf else mujoco_model
    compared = beside_pinocchio if file.suffix == ".urdf" else beside_mujoco
    try:
        theirs(file)
        result.theirs = True
    except Exception as error:
        result.why = " ".join(str(error).split())[:200]
    try:
        scene = load_robot(file, Options(search=(folder,)))
        result.loads, result.losses = True, len(scene.report.entries)
    except sh.SceneError as error:
        result.why = str(error)
        return result
    try:
        if file.suffix == ".sdf":
            raise Skipped("SDF")
        result.differences = compared(file, scene)
    except Skipped as error:
        result.why = f"not compared: {error}"
    except Exception as error:
        result.why = f"not compared: {type(error).__name__}: {' '.join(str(error).split())[:160]}"
    if run:
        result.run = _two_seconds(scene)
    return result


RIVALS = ("Pinocchio", "MuJoCo", "Bullet")
PATIENCE = 60.0  # s that a rival has for a file


def elsewhere(file: Path) -> dict[str, bool]:
    """Which rivals load a file; each tries in a process of its own, as some of them end it."""
    for module in ("pinocchio", "mujoco", "pybullet"):  # once, not in every process
        importlib.import_module(module)
    return {name: _survives(lambda name=name: _load_in(name, file)) for name in RIVALS}


def _load_in(rival: str, file: Path) -> None:
    kind = file.suffix
    if rival == "MuJoCo":
        if kind == ".sdf":
            raise ValueError("MuJoCo reads no SDF")
        mujoco_model(file)
    elif rival == "Pinocchio":
        import pinocchio

        readers = {".urdf": "buildModelFromUrdf", ".xml": "buildModelFromMJCF", ".sdf": "buildModelFromSdf"}
        getattr(pinocchio, readers[kind])(str(file))
    else:
        import pybullet

        pybullet.connect(pybullet.DIRECT)
        pybullet.setAdditionalSearchPath(str(file.parent))
        {".urdf": pybullet.loadURDF, ".xml": pybullet.loadMJCF, ".sdf": pybullet.loadSDF}[kind](str(file))


def _survives(work: Callable[[], Any]) -> bool:
    """Whether work ends well in a process of its own."""
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a device
            for stream in (1, 2):
                os.dup2(nothing.fileno(), stream)
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _own_engine(file: Path) -> None:
    """Bullet for its own robots, Pinocchio for the others."""
    if "pybullet_data" not in file.parts:
        _load_in("Pinocchio", file)
        return
    import pybullet

    if not pybullet.isConnected():
        pybullet.connect(pybullet.DIRECT)
    (pybullet.loadSDF if file.suffix == ".sdf" else pybullet.loadURDF)(str(file))


def _two_seconds(scene: sh.Scene) -> str:
    if all(body.spec.fixed for body in scene.bodies.values()):
        return "nothing moves"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sim = sh.Simulation(scene, dt=0.002)
            sim.step(1000)
    except (sh.SceneError, sh.SimulationFault) as error:
        return " ".join(str(error).split())[:200]
    return "ran"


def measure(run: bool, only: str, rivals: bool = False) -> Iterator[tuple[str, Tried]]:
    """Every robot of every wheel, one after the other."""
    for name, (folder, files) in wheels().items():
        for file in files:
            if only in str(file):
                yield name, tried(file, folder, run, rivals)


def table(results: dict[str, list[Tried]]) -> str:
    """The counts as a table of the documentation."""
    lines = [
        "| wheel | files | Sharnir loads | its own engine | of these Sharnir | Pinocchio | MuJoCo | Bullet "
        "| run for 2 s | compared | within 1e-9 | worst pose | worst mass matrix | worst bias |",
        "|" + "---|" * 14,
    ]
    for wheel, found in results.items():
        theirs = [one for one in found if one.theirs]
        compared = [one for one in found if one.differences]
        near = [one for one in compared if max(one.differences.values()) < 1e-9]
        cells = [wheel, len(found), sum(one.loads for one in found), len(theirs), sum(one.loads for one in theirs)]
        cells += [sum(one.rivals[name] for one in found) if found and found[0].rivals else "" for name in RIVALS]
        cells += [sum(one.run in ("ran", "nothing moves") for one in found), len(compared), len(near)]
        for what in ("pose", "mass matrix", "bias"):
            cells.append(f"{max((one.differences.get(what, 0.0) for one in compared), default=0.0):.1e}")
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, and what was refused."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.importing", description=__doc__)
    parser.add_argument("--run", action="store_true", help="simulate each robot for 2 s")
    parser.add_argument("--rivals", action="store_true", help="count what Pinocchio, MuJoCo and Bullet load")
    parser.add_argument("--only", default="", help="a part of the path of the robots to try")
    parser.add_argument("--out", type=Path, default=Path("out/importing.json"))
    arguments = parser.parse_args()
    results: dict[str, list[Tried]] = {}
    for wheel, one in measure(arguments.run, arguments.only, arguments.rivals):
        results.setdefault(wheel, []).append(one)
        largest = max(one.differences.values(), default=0.0)
        told = "loads" if one.loads else "refused" if not one.theirs else "REFUSED"
        print(f"{told:8} {largest:8.1e} {one.run:6} {one.file} {one.why}", flush=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps({name: list(map(asdict, found)) for name, found in results.items()}, indent=1))
    print(table(results))


if __name__ == "__main__":
    main()
