"""URDF, the format of ROS, with the extensions of Gazebo, Bullet and Drake that map to a scene."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from .. import spatial
from ..errors import SceneError, nearest
from ..scene.materials import Material
from ..scene.shape import MassProperties
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Sphere
from ..scene.values import Plain, Vec3
from ..spatial import Pose
from .gazebo_sensors import read_sensor
from .looks import Paint, mesh_shape, touched_shapes
from .motors import IDLE
from .report import ImportReport, Matters
from .robot_files import Places
from .tree import NOWHERE, Connection, Coupling, Kind, Link, Tree, from_rpy
from .xml import Node, account

KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
    "planar": "planar",
    "spherical": "spherical",  # of Bullet
    "ball": "spherical",  # of Drake
}

# Why some things are left out, by the tag or by ``tag.attribute``.
KNOWN: dict[str, tuple[str, Matters]] = {
    "calibration": ("is for the encoders of the real robot", "nothing"),
    "safety_controller": ("narrows the limits of a joint that has none", "nothing"),
    "safety_controller.k_position": ("is of the real robot's controller", "nothing"),
    "safety_controller.k_velocity": ("is of the real robot's controller", "nothing"),
    "hardwareInterface": ("names an interface of ROS", "nothing"),
    "command_interface": ("names an interface of ROS", "nothing"),
    "state_interface": ("names an interface of ROS", "nothing"),
    "param": ("is for drivers of the real robot", "nothing"),
    "plugin": ("is code of another simulator", "motion"),
    "sensor": ("names no link and no joint of the robot", "sensing"),
    "contact_cfm": ("softens Bullet's solver; contacts are rigid here", "contact"),
    "contact_erp": ("softens Bullet's solver; contacts are rigid here", "contact"),
    "inertia_scaling": ("slows Bullet's rotations down; inertia is taken as it is", "nothing"),
    "friction_anchor": ("is Bullet's way to let friction stick, which it does here", "nothing"),
    "verbose": ("is not of a body", "nothing"),
    "self_collision_checking": ("self_collision of the import decides", "contact"),
    "frame": ("names a frame", "nothing"),
    "hardware": ("is for drivers of the real robot", "nothing"),
    ".velocity": ("has no effort beside it, so there is no motor", "nothing"),
    "limit.effort": ("the joint cannot move", "nothing"),
    "limit.lower": ("a continuous joint has no limits", "nothing"),
    "limit.upper": ("a continuous joint has no limits", "nothing"),
    ".name": ("names a part of a link", "nothing"),
    "deformable": ("soft bodies are not simulated", "motion"),
    "drake:joint": ("belongs to Drake", "motion"),
    ".xmlns:xacro": ("names a format", "nothing"),
    ".xmlns:controller": ("names a format", "nothing"),
    ".xmlns:interface": ("names a format", "nothing"),
    ".xmlns:sensor": ("names a format", "nothing"),
    "joint_properties": ("belongs to the real robot's controllers", "nothing"),
    "robot.version": ("is the version of the format", "nothing"),
}
GAZEBO: dict[str, tuple[str, Matters]] = {
    "mu2": ("friction is the same in all directions here: that of mu1", "contact"),
    "kp": ("contacts are rigid here", "contact"),
    "kd": ("contacts are rigid here", "contact"),
    "minDepth": ("is a setting of Gazebo's contact solver", "nothing"),
    "maxVel": ("is a setting of Gazebo's contact solver", "nothing"),
    "maxContacts": ("is a setting of Gazebo's contact solver", "nothing"),
    "fdir1": ("friction is the same in all directions here", "contact"),
    "material": ("is a script of Gazebo; colours are those of the visuals", "looks"),
    "selfCollide": ("self_collision of the import decides", "contact"),
    "turnGravityOff": ("gravity acts on every body", "motion"),
    "gravity": ("gravity acts on every body", "motion"),
    "implicitSpringDamper": ("dampers are always implicit here", "nothing"),
    "provideFeedback": ("reactions are always there", "nothing"),
    "disableFixedJointLumping": ("welded links are one body here", "nothing"),
    "preserveFixedJoint": ("welded links are one body here", "nothing"),
    "dampingFactor": ("slows bodies of Gazebo down without a physical cause", "motion"),
    "static": ("base of the import decides", "motion"),
    "plugin": ("is code of another simulator", "motion"),
    "sensor": ("names no link and no joint of the robot", "sensing"),
    "joint": ("is of an SDF; give the robot as one, and joints close loops", "motion"),
    "link": ("is of an SDF; give the robot as one", "motion"),
    "pose": ("places the robot, and no part of it", "motion"),
    "initialJointPosition": ("names no hinge or slide of the robot", "motion"),
    "velocity_decay": ("slows bodies of Gazebo down without a physical cause", "motion"),
    "laserRetro": ("is of Gazebo's own sensors", "sensing"),
    "stopCfm": ("limits are rigid here", "motion"),
    "stopErp": ("limits are rigid here", "motion"),
    "stopKp": ("limits are rigid here", "motion"),
    "stopKd": ("limits are rigid here", "motion"),
    "fudgeFactor": ("is a setting of ODE", "nothing"),
    "cfmDamping": ("dampers are always implicit here", "nothing"),
}


TRANSMITTED = ("mechanicalReduction", "drake:gear_ratio", "drake:rotor_inertia")
ENDLESS = 200.0 * math.pi  # rad or m: limits further apart bound nothing
OPTENV = re.compile(r"\$\(optenv \S+ ?([^)]*)\)")


def read_urdf(root: Node, places: Places, report: ImportReport, decompose: bool = False) -> Tree:
    """The tree of a URDF document; with ``decompose`` meshes touch as convex pieces."""
    if root.tag != "robot":
        raise root.fail(f"is <{root.tag}>; a URDF begins with <robot>")
    _substitute(root)
    tree = _Reader(root, places, report, decompose).tree()
    account(root, report, KNOWN)
    return tree


def _substitute(root: Node) -> None:
    """$(optenv NAME default) of ROS as its default: the environment is not read."""
    for node in root.walk():
        for name, text in node.attributes.items():
            if "$(" in text:
                node.attributes[name] = OPTENV.sub(lambda found: found[1], text)


class _Reader:
    def __init__(self, root: Node, places: Places, report: ImportReport, decompose: bool) -> None:
        self.root, self.places, self.report, self.decompose = root, places, report, decompose
        self.materials: dict[str, Node] = {}  # by name; a link may wear what a later one defines
        self.paints: dict[Node, Paint] = {}

    def tree(self) -> Tree:
        name = self.root.get("name") or Path(self.root.file).stem
        for node in self.root.walk():
            if node.tag == "material" and {"color", "texture"} & {child.tag for child in node.children}:
                self.materials.setdefault(node.attributes.get("name", ""), node)
        for node in self.root.all("material"):
            self._paint(node)
        tree = Tree(name, "")
        for node in self.root.all("link"):
            link = self._link(node)
            if link.name in tree.links:
                raise node.fail(f"there is a link '{link.name}' already; give each its own name")
            tree.links[link.name] = link
        if not tree.links:
            raise self.root.fail("has no links; a robot has at least one")
        for node in self.root.all("joint"):
            joint = self._joint(node, tree)
            if joint.name in tree.joints:
                raise node.fail(f"there is a joint '{joint.name}' already; give each its own name")
            tree.joints[joint.name] = joint
        self._check_mimics(tree)
        for node in self.root.all("transmission"):
            self._transmission(node, tree)
        for node in self.root.all("ros2_control"):
            self._control(node, tree)
        for node in self.root.all("gazebo"):
            self._gazebo(node, tree)
        children = {joint.child for joint in tree.joints.values()}
        roots = [name for name in tree.links if name not in children]
        if len(roots) != 1:
            named = ", ".join(f"'{name}'" for name in roots[:4]) or "none: its joints go round in a circle"
            raise self.root.fail(f"has {len(roots)} links that hang on nothing ({named}); a robot has one")
        tree.root = roots[0]
        return tree

    # --- links ------------------------------------------------------------------------------------------------------

    def _link(self, node: Node) -> Link:
        link = Link(node.need("name"), node.where)
        inertial = node.child("inertial")
        if inertial is not None:
            link.mass = self._mass(inertial)
        for visual in node.all("visual"):
            link.shapes += self._shapes(visual, seen=True)
        link.bare = not link.shapes
        for collision in node.all("collision"):
            link.shapes += self._shapes(collision, seen=False)
        contact = node.child("contact")
        if contact is not None:
            link.material = _bullet_material(contact)
        return link

    def _mass(self, node: Node) -> MassProperties | None:
        pose = _origin(node)
        mass_node, inertia_node = node.child("mass"), node.child("inertia")
        mass = 0.0 if mass_node is None else mass_node.number("value", 0.0)
        if mass < 0.0:
            self.report.repair(node.where, "mass", f"is {mass:g} kg; now 0")
            mass = 0.0
        matrix = np.zeros((3, 3))
        if inertia_node is not None:
            for i, j, name in (
                (0, 0, "ixx"),
                (1, 1, "iyy"),
                (2, 2, "izz"),
                (0, 1, "ixy"),
                (0, 2, "ixz"),
                (1, 2, "iyz"),
            ):
                matrix[i, j] = matrix[j, i] = inertia_node.number(name, 0.0)
        if mass <= 0.0 and not np.any(matrix):
            return None
        return MassProperties(mass, np.zeros(3), matrix).placed(pose)

    def _shapes(self, node: Node, seen: bool) -> list[AnyShape]:
        """The shapes of a visual or a collision; what cannot be shown or touched with is named."""
        geometry = node.child("geometry")
        paint = Paint()
        for material in node.all("material"):
            paint = self._paint(material)
            if seen and paint == Paint():
                self.report.ignore(material.where, "<material>", f"there is no '{material.get('name')}'", "looks")
        pose = _origin(node)
        if geometry is None:
            self.report.ignore(node.where, f"<{node.tag}>", "has no geometry", "looks" if seen else "contact")
            return []
        place: Plain = {"position": _vec(pose.position), "rotation": tuple(pose.rotation.tolist())}
        look: Plain = {"collides": not seen, "visible": seen} | (paint.fields() if seen else {})
        try:
            return self._geometry(node, geometry, seen, place | look)
        except (SceneError, FileNotFoundError) as error:
            if isinstance(error, SceneError) and "outside of the robot's folder" in str(error):
                raise
            why = f"there is no file '{error}'" if isinstance(error, FileNotFoundError) else str(error)
            self.report.ignore(node.where, f"<{node.tag}>", why, "looks" if seen else "contact")
            return []

    def _geometry(self, node: Node, geometry: Node, seen: bool, given: Plain) -> list[AnyShape]:
        if (box := geometry.child("box")) is not None:
            x, y, z = box.numbers("size", 3, (0.0, 0.0, 0.0))
            return [_checked(Box(x=x, y=y, z=z, **given), box)]
        if (ball := geometry.child("sphere")) is not None:
            return [_checked(Sphere(radius=ball.number("radius", 0.0), **given), ball)]
        for tag, kind in (("cylinder", Cylinder), ("capsule", Capsule)):
            if (round_ := geometry.child(tag)) is not None:
                radius, length = round_.number("radius", 0.0), round_.number("length", 0.0)
                return [_checked(kind(radius=radius, length=length, **given), round_)]
        if (mesh := geometry.child("mesh")) is not None:
            scale = mesh.numbers("scale", 3, (1.0, 1.0, 1.0))
            file = self.places.find(mesh.need("filename"), f"{mesh.file}, {mesh.where}")
            if seen:
                return [mesh_shape(file, scale, given)]
            return [*touched_shapes(file, scale, given, self.report, node.where, self.decompose)]
        known = next((child.tag for child in geometry.children), "nothing")
        if known == "plane":
            geometry.take()
            self.report.ignore(node.where, "<plane>", "ground is added with scene.ground()", "contact")
            return []
        raise SceneError(f"its geometry is <{known}>, which is not read")

    def _paint(self, node: Node) -> Paint:
        """A material: defined here, or by its name elsewhere."""
        name = node.get("name")
        color, texture = node.child("color"), node.child("texture")
        if color is None and texture is None:
            return self._paint(self.materials[name]) if name and name in self.materials else Paint()
        if node in self.paints:
            return self.paints[node]
        rgba = (0.8, 0.8, 0.8, 1.0) if color is None else color.numbers("rgba", 4, (0.8, 0.8, 0.8, 1.0))
        paint = Paint.of(rgba)
        if texture is not None and texture.has("filename"):
            try:
                found = self.places.picture(texture.get("filename"), f"{node.file}, {node.where}")
                paint = Paint(paint.color, str(found))
            except FileNotFoundError as error:
                self.report.ignore(node.where, "<texture>", f"there is no file '{error}'", "looks")
        self.paints[node] = paint
        return paint

    # --- joints -----------------------------------------------------------------------------------------------------

    def _joint(self, node: Node, tree: Tree) -> Connection:
        kind = node.need("type")
        if kind not in KINDS:
            raise node.fail(f"its type is '{kind[:40]}'{nearest(kind, KINDS)}")
        ends = {}
        for tag in ("parent", "child"):
            end = node.child(tag)
            if end is None:
                raise node.fail(f"has no {tag}; give <{tag} link=.../>")
            ends[tag] = end.need("link")
            if ends[tag] not in tree.links:
                raise node.fail(f"its {tag} is '{ends[tag][:60]}', which is no link{nearest(ends[tag], tree.links)}")
        joint = Connection(node.need("name"), KINDS[kind], ends["parent"], ends["child"], node.where, _origin(node))
        if joint.kind in ("fixed", "floating"):
            for tag in ("axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"):
                for child in node.all(tag):
                    child.leave(self.report, f"a {kind} joint has no coordinate", "nothing")
            return joint
        joint.axis = self._axis(node)
        self._limits(node, joint, kind)
        dynamics = node.child("dynamics")
        if dynamics is not None and joint.kind == "planar":
            dynamics.leave(self.report, "a planar joint has no law of friction in this format", "motion")
        elif dynamics is not None:
            joint.damping = self._not_negative(dynamics, "damping")
            joint.friction = self._not_negative(dynamics, "friction")
        self._mimic(node, joint, tree)
        return joint

    def _axis(self, node: Node) -> spatial.Array:
        axis = node.child("axis")
        given = np.array((1.0, 0.0, 0.0) if axis is None else axis.numbers("xyz", 3, (1.0, 0.0, 0.0)))
        length = float(np.linalg.norm(given))
        if length < 1e-9:
            self.report.repair(node.where, "axis", "is (0, 0, 0); now (1, 0, 0)")
            return np.array([1.0, 0.0, 0.0])
        return given / length

    def _limits(self, node: Node, joint: Connection, kind: str) -> None:
        limit = node.child("limit")
        if limit is not None and not joint.has_coordinate:
            limit.leave(self.report, f"a {kind} joint has several coordinates", "motion")
            return
        bounded = kind in ("revolute", "prismatic")
        if limit is None:
            if bounded:
                self.report.repair(node.where, "limit", f"is missing on a {kind} joint; now it moves freely")
            return
        effort = self._not_negative(limit, "effort")
        if effort > IDLE:
            joint.effort, joint.velocity = effort, self._not_negative(limit, "velocity")
        elif limit.has("effort"):
            self.report.ignore(limit.where, "limit effort", f"is {effort:g}, so the joint has no motor", "motion")
        if not bounded:
            return
        low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if low > high:
            self.report.repair(limit.where, "limit", f"runs from {low:g} to {high:g}; now from {high:g} to {low:g}")
            low, high = high, low
        if high - low > ENDLESS:
            self.report.repair(limit.where, "limit", f"from {low:g} to {high:g} bounds nothing; now none", "nothing")
            return
        joint.low, joint.high = low, high
        self._safety(node, joint)

    def _safety(self, node: Node, joint: Connection) -> None:
        """Soft limits, which bound what is asked for; without room between them there are none."""
        safety = node.child("safety_controller")
        if safety is None or joint.low is None or joint.high is None:
            return
        low, high = (safety.number(f"soft_{side}_limit", 0.0) for side in ("lower", "upper"))
        if max(low, joint.low) < min(high, joint.high):
            joint.reach = (max(low, joint.low), min(high, joint.high))
        elif safety.has("soft_lower_limit") or safety.has("soft_upper_limit"):
            why = f"from {low:g} to {high:g} leave no room within the limits; left out"
            self.report.repair(safety.where, "soft limits", why)

    def _not_negative(self, node: Node, name: str) -> float:
        value = node.number(name, 0.0)
        if value < 0.0:
            self.report.repair(node.where, name, f"is {value:g}; now 0")
            return 0.0
        return value

    def _mimic(self, node: Node, joint: Connection, tree: Tree) -> None:
        mimic = node.child("mimic")
        if mimic is None:
            return
        multiplier, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        tree.couplings.append(Coupling.mimic(joint.name, mimic.need("joint"), multiplier, offset, mimic.where))

    def _check_mimics(self, tree: Tree) -> None:
        """Every joint that follows another one must lead to one that follows none."""
        for coupling in list(tree.couplings):
            (leader,) = coupling.leaders or [coupling.follower]
            if leader not in tree.joints:
                tree.couplings.remove(coupling)
                hint = nearest(leader, tree.joints)
                why = f"there is no joint '{leader[:60]}'{hint if 'did you' in hint else ''}"
                self.report.ignore(coupling.where, "<mimic>", why, "motion")
        following = {coupling.follower: coupling for coupling in tree.couplings}
        for coupling in tree.couplings:
            at, count = coupling, 0
            while not at.leaders or at.leaders[0] in following:
                count += 1
                if count > len(following) or not at.leaders:
                    raise SceneError(
                        f"{self.root.file}, {coupling.where}: joint '{coupling.follower}' mimics "
                        f"'{(at.leaders or [at.follower])[0]}', which leads back to itself; one joint must lead"
                    )
                at = following[at.leaders[0]]

    # --- extensions -------------------------------------------------------------------------------------------------

    def _transmission(self, node: Node, tree: Tree) -> None:
        """The gear and the rotor of a motor; effort and velocity of a limit are those at the joint already."""
        named = node.child("joint")
        joint = None if named is None else tree.joints.get(named.get("name"))
        if joint is None or not joint.has_coordinate:
            node.leave(self.report, "names no hinge or slide of the robot", "nothing")
            return
        given: dict[str, float] = {}
        for child in (child for holder in (named, *node.all("actuator")) if holder for child in holder.children):
            if child.tag not in TRANSMITTED:
                continue
            text = child.get("value") or child.content()
            if any(letter.isdigit() for letter in text):
                child.taken = True
                given[child.tag] = abs(child.parsed(text, child.tag))
            else:  # a variable that nobody has put a number for
                child.leave(self.report, f"'{text[:40]}' is no number; left out", "motion")
        joint.ratio = given.get("mechanicalReduction", given.get("drake:gear_ratio", 0.0)) or 1.0
        joint.armature = given.get("drake:rotor_inertia", 0.0) * joint.ratio**2  # as the joint feels it

    def _control(self, node: Node, tree: Tree) -> None:
        """Where joints start, as the description of the controllers says."""
        for one in node.all("joint"):
            joint = tree.joints.get(one.get("name"))
            for interface in one.all("state_interface"):
                for param in interface.all("param"):
                    if (
                        interface.get("name") == "position"
                        and param.get("name") == "initial_value"
                        and joint is not None
                    ):
                        joint.start = param.parsed(param.content(), "initial_value")

    def _gazebo(self, node: Node, tree: Tree) -> None:
        name = node.get("reference")
        link, joint = tree.links.get(name), tree.joints.get(name)
        friction = stiffness = rest = None
        for child in node.children:
            if child.tag in ("mu1", "mu") and link is not None:
                child.taken = True
                friction = max(0.0, child.parsed(child.get("value") or child.content(), child.tag))
            elif child.tag == "sensor" and (link is not None or joint is not None):
                self._sensor(child, name, tree)
            elif child.tag == "pose" and not name:
                child.taken = True
                x, y, z, *turn = child.split(child.content(), "pose", 6)
                tree.place = Pose(np.array([x, y, z]), from_rpy(*turn))
            elif child.tag == "initialJointPosition" and joint is not None and joint.has_coordinate:
                child.taken = True
                joint.start = child.parsed(child.content(), child.tag)
            elif child.tag == "springStiffness" and joint is not None:
                child.taken = True
                stiffness = max(0.0, child.parsed(child.content(), child.tag))
            elif child.tag == "springReference" and joint is not None:
                child.taken = True
                rest = child.parsed(child.content(), child.tag)
            else:
                child.leave(self.report, *GAZEBO.get(child.tag, ("Sharnir does not know this element", "nothing")))
        if link is not None and friction is not None:
            link.material = Material(friction=friction)
        if joint is not None and stiffness is not None:
            joint.stiffness, joint.rest = stiffness, rest or 0.0

    def _sensor(self, node: Node, name: str, tree: Tree) -> None:
        """A sensor of Gazebo on a link or a joint; a weld that it measures stays a joint."""
        node.taken = True
        joint = tree.joints.get(name) if name not in tree.links else None
        sense = read_sensor(node, name, joint is not None, self.report)
        if sense is not None:
            tree.senses.append(sense)
            if joint is not None:
                joint.kept = True


def _bullet_material(node: Node) -> Material | None:
    """The surface that Bullet's <contact> describes."""
    names = {
        "lateral_friction": "friction",
        "rolling_friction": "rolling_friction",
        "spinning_friction": "spinning_friction",
        "restitution": "restitution",
        "stiffness": "stiffness",
        "damping": "damping",
    }
    given: dict[str, float] = {}
    for tag, field in names.items():
        child = node.child(tag)
        if child is not None:
            given[field] = max(0.0, child.number("value", 0.0))
    if given.get("stiffness", 0.0) <= 0.0:
        given.pop("stiffness", None)
        given.pop("damping", None)
    return Material(**given) if given else None


def _checked(shape: AnyShape, node: Node) -> AnyShape:
    """A shape whose sizes a scene accepts; what has none is refused here, with its place in the file."""
    return shape.checked(node.where)  # type: ignore[return-value]


def _origin(node: Node) -> Pose:
    origin = node.child("origin")
    if origin is None:
        return NOWHERE
    position = np.array(origin.numbers("xyz", 3, (0.0, 0.0, 0.0)))
    roll, pitch, yaw = origin.numbers("rpy", 3, (0.0, 0.0, 0.0))
    return Pose(position, from_rpy(roll, pitch, yaw))


def _vec(values: spatial.Array) -> Vec3:
    x, y, z = values.tolist()
    return (x, y, z)
