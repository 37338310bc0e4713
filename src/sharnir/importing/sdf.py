"""SDF, the format of Gazebo: models, nested and included ones, and worlds of them.

A world is a scene whose models are parts of it under their names, as ``scene.add`` makes them. A model that is not
``static`` and hangs on nothing is free to move, as in Gazebo.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import spatial
from ..errors import nearest
from ..scene.compose import include
from ..scene.joints import Fixed, Frame, Prismatic, Revolute, Spherical
from ..scene.materials import Material
from ..scene.scene import STANDARD_GRAVITY, WORLD, Scene
from ..scene.shape import MassProperties
from ..scene.surfaces import Plane, TerrainSpec
from ..scene.values import Plain
from ..spatial import Array, Pose
from .build import build
from .gazebo_sensors import read_sensor
from .motors import IDLE
from .options import Options
from .report import ImportReport, Matters
from .robot_files import Places
from .sdf_frames import MODEL, Frames
from .sdf_geometry import Geometry, put, vector
from .stretching import UPRIGHT
from .tree import NOWHERE, Connection, Coupling, Kind, Link, Loop, Tree
from .xml import Node, account, parse

KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "spherical",
    "universal": "revolute",
    "revolute2": "revolute",
    "screw": "revolute",
}
TWO_AXES = ("universal", "revolute2")
ENDLESS = 1e3  # rad or m: limits beyond it bound nothing; the format has 1e16 for none
MODEL_FRAME_BEFORE = 1.5  # versions whose axes are in the model's frame
MOST_INCLUDES = 200
SIMULATORS: tuple[str, Matters] = ("is code of another simulator", "motion")
SOLVER: tuple[str, Matters] = ("is a setting of Gazebo's solvers", "nothing")
PICTURE: tuple[str, Matters] = ("is of Gazebo's own picture", "looks")
KNOWN: dict[str, tuple[str, Matters]] = {
    "plugin": SIMULATORS,
    "physics": SOLVER,
    "ode": SOLVER,
    "scene": PICTURE,
    "light": PICTURE,
    "gui": PICTURE,
    "script": ("is a script of Gazebo; colours are those of diffuse", "looks"),
    "ambient": PICTURE,
    "specular": PICTURE,
    "emissive": PICTURE,
    "shader": PICTURE,
    "lighting": PICTURE,
    "cast_shadows": PICTURE,
    "meta": PICTURE,
    "self_collide": ("self_collision of the import decides", "contact"),
    "gravity": ("gravity acts on every body", "motion"),
    "enable_wind": ("there is no medium", "motion"),
    "wind": ("there is no medium", "motion"),
    "magnetic_field": ("there is no magnetic field", "sensing"),
    "atmosphere": ("there is no medium", "motion"),
    "audio_source": ("there is no sound", "nothing"),
    "spherical_coordinates": ("the world is flat", "nothing"),
    "state": ("the scene starts as its models stand", "motion"),
    "velocity_decay": ("slows bodies of Gazebo down without a physical cause", "motion"),
    "contact": ("contacts are rigid here", "contact"),
    "torsional": ("is a setting of Gazebo's contact solver", "contact"),
    "bounce": ("bodies of one material bounce alike; see Material", "contact"),
    "threshold": ("bodies of one material bounce alike; see Material", "contact"),
    "mu2": ("friction is the same in all directions here: that of mu", "contact"),
    "fdir1": ("friction is the same in all directions here", "contact"),
    "bullet": ("is a setting of another solver", "contact"),
    "stiffness": ("limits are rigid here", "motion"),
    "dissipation": ("limits are rigid here", "motion"),
    "max_contacts": SOLVER,
    "laser_retro": ("is of Gazebo's own sensors", "sensing"),
    "allow_auto_disable": ("bodies do not sleep", "nothing"),
    "kinematic": ("moves by forces", "motion"),
    "submesh": ("the whole mesh is shown", "looks"),
    "projector": PICTURE,
    "particle_emitter": PICTURE,
    "battery": ("is data of the file's author", "nothing"),
    "author": ("is data of the file's author", "nothing"),
    "description": ("is data of the file's author", "nothing"),
    "gripper": ("bodies are held by contact", "motion"),
    "actor": ("actors are not simulated", "motion"),
    "road": ("roads are not simulated", "contact"),
    "population": ("populations are not simulated", "motion"),
    "layer": PICTURE,
    ".concave": ("meshes touch as they are imported: as hulls or pieces", "contact"),
    ".merge": ("what is included keeps the name of its model", "nothing"),
    ".name": ("names a part of a link", "nothing"),
}


def read_sdf(root: Node, places: Places, report: ImportReport, options: Options) -> Scene:
    """The scene of an SDF document: of one model, or of a world of them."""
    version = root.number("version", 1.9)
    reader = _Reader(places, report, options, version)
    world = root.child("world")
    if world is None:
        models = list(root.all("model"))
        if len(models) != 1:
            raise root.fail(f"has {len(models)} models and no world; give one, or a world of several")
        scene = build(reader.tree(models[0], reader.frames(root)), report, options)
    else:
        scene = _world(world, reader, report, options)
    for document in (root, *reader.documents):
        account(document, report, KNOWN, "motion")
    return scene


def _world(node: Node, reader: _Reader, report: ImportReport, options: Options) -> Scene:
    gravity = node.child("gravity")
    down = STANDARD_GRAVITY
    if gravity is not None:
        x, y, z = spatial.rotate(UPRIGHT[options.up or "z"], vector(gravity)).tolist()
        down = (x, y, z)
    scene = Scene(node.get("name") or "world", down)
    frames = reader.frames(node)
    for model in reader.models(node):
        tree = reader.tree(model, frames)
        include(scene, build(tree, report, options), _part_name(tree.name, scene), (0, 0, 0), (0, 0, 0, 1), None)
    if not scene.bodies and not scene.terrains:
        raise node.fail("has no model; a world has at least one")
    for joint in node.all("joint"):
        joint.leave(report, "joints between models of a world are not read", "motion")
    return scene


def _part_name(name: str, scene: Scene) -> str:
    known = {body.partition("/")[0] for body in [*scene.bodies, *scene.terrains]}
    free, count = name, 1
    while free in known:
        count += 1
        free = f"{name} {count}"
    return free


class _At(NamedTuple):
    """Where a joint is: its frame in the world and on its child, its model in the world, and the names in it."""

    joint: Pose
    on_child: Pose
    model: Pose
    frames: Frames
    prefix: str


class _Reader:
    def __init__(self, places: Places, report: ImportReport, options: Options, version: float) -> None:
        self.places, self.report, self.version = places, report, version
        self.geometry = Geometry(places, report, options.decompose)
        self.includes = 0
        self.documents: list[Node] = []  # of included files
        self.known_models: dict[Node, list[Node]] = {}
        self.known_frames: dict[Node, Frames] = {}

    def tree(self, node: Node, around: Frames) -> Tree:
        """The tree of a model, whose links that hang on nothing are free, or fixed if the model is static."""
        name = node.get("name") or "model"
        tree = Tree(name.replace(".", "_"), WORLD)
        tree.links[WORLD] = Link(WORLD, node.where)
        static = _flag(node.child("static"))
        poses: dict[str, Pose] = {WORLD: NOWHERE}
        self._model(node, "", around.at(node), tree, poses)
        hung = {joint.child for joint in tree.joints.values()}
        for link in [one for one in tree.links.values() if one.name != WORLD and one.name not in hung]:
            kind: Kind = "fixed" if static else "floating"
            base = Connection(f"{link.name} base", kind, WORLD, link.name, link.where, poses[link.name])
            tree.joints[base.name] = base
        return tree

    def frames(self, node: Node) -> Frames:
        """All frames of a model or a world, those of the models in it among them."""
        if node in self.known_frames:
            return self.known_frames[node]
        frames = self.known_frames[node] = Frames()
        if node.tag == "world":
            frames.raw[WORLD], frames.known[WORLD] = (None, NOWHERE, ""), NOWHERE
        links = list(node.all("link"))
        for link in links:
            frames.add(link.need("name"), link, MODEL)
        for frame in node.all("frame"):
            frames.add(frame.need("name"), frame, frame.get("attached_to") or MODEL)
        inside = [(inner.get("name") or "model", inner) for inner in self.models(node)]
        for name, inner in inside:
            frames.place(name, inner, self.frames(inner))
        for joint in node.all("joint") if node.tag == "model" else ():
            frames.add(joint.need("name"), joint, _text(joint, "child"))
        first = [link.need("name") for link in links] or [f"{name}::{MODEL}" for name, _ in inside]
        frames.attached[MODEL] = node.get("canonical_link") or next(iter(first), MODEL)
        return frames

    def models(self, node: Node) -> list[Node]:
        """The models in a model or a world, those of other files among them."""
        if node not in self.known_models:
            self.known_models[node] = [*node.all("model"), *self._included(node)]
        return self.known_models[node]

    def _model(self, node: Node, prefix: str, place: Pose, tree: Tree, poses: dict[str, Pose]) -> None:
        """Links and joints of a model into the tree, under a prefix; ``poses`` are the links' in the world."""
        frames = self.frames(node)
        links, joints = list(node.all("link")), list(node.all("joint"))
        for inner in self.models(node):
            self._model(inner, f"{prefix}{inner.need('name')}::", place @ frames.at(inner), tree, poses)
        gears = [joint for joint in joints if joint.need("type") == "gearbox"]
        for link in links:
            name = prefix + link.need("name")
            pose = place @ frames.of(link.need("name"), link)
            if name == WORLD:
                self.report.repair(link.where, "link 'world'", "is the world itself")
                tree.links[WORLD].shapes += self._link(link, name, pose, tree, frames).shapes
                poses[WORLD] = pose
                continue
            if name in tree.links:
                raise link.fail(f"there is a link '{name[:60]}' already; give each its own name")
            tree.links[name] = self._link(link, name, pose, tree, frames)
            poses[name] = pose
        for joint in joints:
            if joint not in gears:
                self._joint(joint, prefix, place, frames, tree, poses)
        for gear in gears:
            self._gear(gear, prefix, place @ frames.of(gear.need("name"), gear), place, frames, tree, poses)

    def _included(self, node: Node) -> list[Node]:
        """The models of other files; those that are not there are named."""
        found = []
        for one in node.all("include"):
            self.includes += 1
            if self.includes > MOST_INCLUDES:
                raise one.fail(f"is beyond {MOST_INCLUDES} includes; one of them includes itself")
            uri = _text(one, "uri")
            file = self._model_file(uri, one)
            if file is None:
                one.leave(self.report, f"there is no model '{uri[:200]}' in the robot's folders or in search", "motion")
                continue
            document = parse(file, self.report)
            model = document.child("model")
            if model is None:
                one.leave(self.report, f"'{uri[:200]}' holds no model", "motion")
                continue
            for tag in ("name", "pose", "static"):
                given = one.child(tag)
                if given is not None and tag == "name":
                    model.attributes["name"] = given.content()
                elif given is not None:
                    model.children = [child for child in model.children if child.tag != tag] + [given]
            self.documents.append(document)
            found.append(model)
        return found

    def _model_file(self, uri: str, node: Node) -> Path | None:
        names = [uri] if Path(uri).suffix in (".sdf", ".world") else [f"{uri}/model.sdf", uri]
        for name in names:
            try:
                return self.places.find(name, f"{node.file}, {node.where}", node.file.parent)
            except FileNotFoundError:
                continue
        return None

    # --- links ------------------------------------------------------------------------------------------------------

    def _link(self, node: Node, name: str, pose: Pose, tree: Tree, frames: Frames) -> Link:
        link, own = Link(name, node.where), node.need("name")
        inertial = node.child("inertial")
        if inertial is None and name != WORLD:
            link.mass = MassProperties(1.0, np.zeros(3), np.eye(3))
            self.report.repair(
                node.where, "inertial", "is not given; now 1 kg and 1 kg m^2, as the format has it", "nothing"
            )
        elif inertial is not None:
            link.mass = self._mass(inertial, frames.on(own, inertial))
        for visual in node.all("visual"):
            link.shapes += self.geometry.shapes(visual, frames.on(own, visual), seen=True)
        link.bare = not link.shapes
        for collision in node.all("collision"):
            at = frames.on(own, collision)
            plane = self.geometry.plane(collision, at)
            if plane is not None:
                self._terrain(tree, name, pose @ plane, collision)
                continue
            link.shapes += self.geometry.shapes(collision, at, seen=False)
            link.material = link.material or self.geometry.surface(collision)
        self._sensors(node, name, tree, frames)
        return link

    def _sensors(self, node: Node, name: str, tree: Tree, frames: Frames) -> None:
        """The sensors of a link or a joint."""
        for one in node.all("sensor"):
            pose = frames.on(node.need("name"), one)
            sense = read_sensor(one, name, node.tag == "joint", self.report, pose)
            tree.senses += [] if sense is None else [sense]

    def _terrain(self, tree: Tree, name: str, pose: Pose, node: Node) -> None:
        at: Plain = {"position": put(pose.position), "rotation": tuple(pose.rotation.tolist())}
        material = self.geometry.surface(node) or Material()
        free, count = name.replace(".", "_"), 1
        while free in tree.terrains:
            count += 1
            free = f"{name} {count}"
        tree.terrains[free] = (TerrainSpec(surface=Plane(), **at), material)

    def _mass(self, node: Node, pose: Pose) -> MassProperties | None:
        mass = _number(node, "mass", 1.0)
        if mass < 0.0:
            self.report.repair(node.where, "mass", f"is {mass:g} kg; now 0")
            mass = 0.0
        matrix = np.eye(3)  # what the format takes where nothing is given
        inertia = node.child("inertia")
        if inertia is not None:
            for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"):
                i, j = ("xyz".index(letter) for letter in name[1:])
                matrix[i, j] = matrix[j, i] = _number(inertia, name, float(i == j))
        return MassProperties(mass, np.zeros(3), matrix).placed(pose) if mass > 0.0 else None

    # --- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, node: Node, prefix: str, place: Pose, frames: Frames, tree: Tree, poses: dict[str, Pose]) -> None:
        word = node.need("type")
        if word not in KINDS:
            raise node.fail(f"its type is '{word[:40]}', which is not read{nearest(word, KINDS)}")
        ends = [_end(node, tag, prefix, frames, tree) for tag in ("parent", "child")]
        parent, child = ends
        if child == WORLD or parent == child:
            raise node.fail(f"its child is '{child}'; give two links of which the second can move")
        joint = Connection(prefix + node.need("name"), KINDS[word], parent, child, node.where)
        joint.pose = poses[parent].inverse() @ poses[child]
        pose = place @ frames.of(node.need("name"), node)
        at = _At(pose, poses[child].inverse() @ pose, place, frames, prefix)
        joint.anchor = at.on_child.position
        self._sensors(node, joint.name, tree, frames)
        joint.kept = any(sense.on == joint.name for sense in tree.senses)
        if any(one.child == child for one in tree.joints.values()):
            self._close(node, joint, poses[parent].inverse() @ pose, at, tree)
            return
        if joint.has_coordinate:
            self._axis(node.child("axis"), joint, at, tree)
        for axis in () if joint.has_coordinate else node.all("axis"):
            carries = {"dynamics", "mimic"} & {child.tag for child in axis.children}
            axis.leave(self.report, f"a {word} joint has none", "motion" if carries else "nothing")
        if word in TWO_AXES:
            self._second(node, joint, at, tree)
        elif word == "screw":
            self._thread(node, joint, tree)
        else:
            tree.joints[joint.name] = joint

    def _axis(self, node: Node | None, joint: Connection, at: _At, tree: Tree) -> None:
        if node is None:
            joint.axis = spatial.rotate(at.on_child.rotation, (0.0, 0.0, 1.0))
            return
        joint.axis = spatial.rotate(at.on_child.rotation, self._direction(node, at))
        self._limits(node, joint)
        self._mimic(node, joint, at.prefix, tree)

    def _direction(self, node: Node, at: _At) -> Array:
        """The direction of an axis in the joint's frame."""
        xyz = node.child("xyz")
        if xyz is None:
            return np.array([0.0, 0.0, 1.0])
        given = np.array(vector(xyz))
        if np.linalg.norm(given) < 1e-9:
            self.report.repair(node.where, "axis", "is (0, 0, 0); now (0, 0, 1)")
            return np.array([0.0, 0.0, 1.0])
        back = spatial.conjugate(at.joint.rotation)
        if name := xyz.get("expressed_in"):
            given = spatial.rotate(spatial.multiply(at.model.rotation, at.frames.of(name, node).rotation), given)
            given = spatial.rotate(back, given)
        elif _flag(node.child("use_parent_model_frame")) or self.version < MODEL_FRAME_BEFORE:
            given = spatial.rotate(back, spatial.rotate(at.model.rotation, given))
        return np.asarray(given / np.linalg.norm(given))

    def _limits(self, node: Node, joint: Connection) -> None:
        limit, dynamics = node.child("limit"), node.child("dynamics")
        if limit is not None:
            low, high = _end_of(limit, "lower", -math.inf), _end_of(limit, "upper", math.inf)
            if low > high:
                self.report.repair(limit.where, "limit", f"runs from {low:g} to {high:g}; swapped")
                low, high = high, low
            joint.low = low if low > -ENDLESS else None
            joint.high = high if high < ENDLESS else None
            effort, velocity = _end_of(limit, "effort", -1.0), _end_of(limit, "velocity", -1.0)
            joint.effort, joint.velocity = (value if IDLE < value < 1e12 else 0.0 for value in (effort, velocity))
        if dynamics is not None:
            joint.damping = max(0.0, _number(dynamics, "damping", 0.0))
            joint.friction = max(0.0, _number(dynamics, "friction", 0.0))
            joint.stiffness = max(0.0, _number(dynamics, "spring_stiffness", 0.0))
            joint.rest = _number(dynamics, "spring_reference", 0.0)

    def _mimic(self, node: Node, joint: Connection, prefix: str, tree: Tree) -> None:
        """follower = multiplier (leader - reference) + offset."""
        mimic = node.child("mimic")
        if mimic is None:
            return
        leader = prefix + mimic.need("joint")
        mimic.get("axis")
        multiplier = _number(mimic, "multiplier", 1.0)
        offset = _number(mimic, "offset", 0.0) - multiplier * _number(mimic, "reference", 0.0)
        tree.couplings.append(Coupling.mimic(joint.name, leader, multiplier, offset, mimic.where))

    def _second(self, node: Node, first: Connection, at: _At, tree: Tree) -> None:
        """Two axes: a link between them that weighs nothing."""
        between = f"{first.name} between"
        tree.links[between] = Link(between, node.where, light=True)
        second = Connection(f"{first.name} 2", "revolute", between, first.child, node.where, anchor=first.anchor)
        self._axis(node.child("axis2"), second, at, tree)
        first.child = between
        tree.joints[first.name], tree.joints[second.name] = first, second

    def _gear(
        self, node: Node, prefix: str, pose: Pose, place: Pose, frames: Frames, tree: Tree, poses: dict[str, Pose]
    ) -> None:
        """A gearbox is no joint but ties two: theta_2 = -ratio theta_1, of the child and of the parent about the body
        that both hang on, about the gear's two axes."""
        reference = prefix + _text(node, "gearbox_reference_body")
        at = _At(pose, NOWHERE, place, frames, prefix)
        angles = []
        for tag, axis in (("parent", "axis"), ("child", "axis2")):
            link = _end(node, tag, prefix, frames, tree)
            joint = next((one for one in tree.joints.values() if {one.parent, one.child} == {reference, link}), None)
            if joint is None or joint.kind != "revolute":
                node.leave(self.report, f"'{link}' is in no hinge of '{reference}'", "motion")
                return
            given = node.child(axis)
            along = spatial.rotate(pose.rotation, (0.0, 0.0, 1.0) if given is None else self._direction(given, at))
            turned = float(along @ spatial.rotate(poses[joint.child].rotation, joint.axis))
            angles.append((joint.name, math.copysign(1.0, turned if joint.child == link else -turned)))
        (leader, first), (follower, second) = angles
        multiplier = -_number(node, "gearbox_ratio", 1.0) * first * second
        tree.couplings.append(Coupling.mimic(follower, leader, multiplier, 0.0, node.where))

    def _thread(self, node: Node, turning: Connection, tree: Tree) -> None:
        """A screw: it turns, and slides by so much (m) in a turn."""
        lead = _number(node, "screw_thread_pitch", 0.0)
        pitch = _number(node, "thread_pitch", 0.0)
        if lead == 0.0 and pitch != 0.0:
            lead = -2.0 * math.pi / pitch  # rad/m, and the other hand
        if lead == 0.0:
            raise node.fail("has no screw_thread_pitch; give the metres that it moves in a turn")
        between = f"{turning.name} between"
        tree.links[between] = Link(between, node.where, light=True)
        sliding = Connection(f"{turning.name} slide", "prismatic", between, turning.child, node.where)
        sliding.axis = turning.axis
        turning.child = between
        tree.joints[turning.name], tree.joints[sliding.name] = turning, sliding
        by_angle = lead / (2.0 * math.pi)
        tree.couplings.append(Coupling.mimic(sliding.name, turning.name, by_angle, 0.0, node.where))

    def _close(self, node: Node, joint: Connection, on_parent: Pose, at: _At, tree: Tree) -> None:
        """A joint to a link that hangs on another one already closes a loop; it carries no limits and no motor."""
        types: Plain = {"revolute": Revolute, "prismatic": Prismatic, "fixed": Fixed, "spherical": Spherical}
        if node.need("type") in (*TWO_AXES, "screw"):
            raise node.fail("closes a loop, which only hinges, slides, balls and welds may")
        axis, turn = node.child("axis"), np.array(spatial.IDENTITY)
        if axis is not None:
            turn = spatial.frame_rotation(self._direction(axis, at))
            for tag in ("limit", "dynamics"):
                for child in axis.all(tag):
                    child.leave(self.report, f"'{joint.name}' closes a loop and carries nothing", "motion")
        frame_a, frame_b = (Frame.at(on @ Pose(np.zeros(3), turn)) for on in (on_parent, at.on_child))
        made = types[joint.kind](frame_a=frame_a, frame_b=frame_b)
        tree.loops.append(Loop(joint.name, made, joint.parent, joint.child, node.where))


def _end(node: Node, tag: str, prefix: str, frames: Frames, tree: Tree) -> str:
    """The link of a joint's end, which may be a frame or a model that moves with it."""
    name = _text(node, tag)
    if name == WORLD:
        return WORLD
    link = prefix + frames.link_of(name, node)
    if link not in tree.links:
        raise node.fail(f"its {tag} is '{name[:60]}', which is no link{nearest(name, tree.links)}")
    return link


def _text(node: Node, tag: str) -> str:
    child = node.child(tag)
    if child is None:
        raise node.fail(f"has no <{tag}>; give one")
    return child.content() or child.get("link")


def _number(node: Node, tag: str, default: float) -> float:
    child = node.child(tag)
    return default if child is None else child.parsed(child.content(), tag)


def _end_of(limit: Node, tag: str, default: float) -> float:
    """A number of a limit, which may be infinite."""
    child = limit.child(tag)
    text = "" if child is None else child.content()
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return -math.inf if text.startswith("-") else math.inf
    return _number(limit, tag, default)


def _flag(node: Node | None) -> bool:
    return node is not None and node.content().lower() in ("1", "true")
