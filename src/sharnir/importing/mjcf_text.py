"""The text of an MJCF and of all it includes: what is refused before MuJoCo reads it, and what a scene takes of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .report import ImportReport, Matters
from .robot_files import Places
from .tree import MOST_LINKS
from .xml import MOST_ELEMENTS, Node, account, parse

MOST_INCLUDES = 200
MOST_MADE = 10**9  # counting ends there
SOFT = ("flexcomp", "composite")
MOST_CELLS = {  # of what MuJoCo makes by numbers alone, whatever the size of the file
    "hfield": (("nrow", "ncol"), 4096**2),
    "texture": (("width", "height"), 8192**2),
    "flexcomp": (("count",), 100_000),
    "composite": (("count",), 100_000),
}
FILES = {"mesh": "meshdir", "texture": "texturedir", "hfield": "assetdir", "skin": "assetdir", "flexcomp": "meshdir"}
FACES = tuple(f"file{side}" for side in ("right", "left", "up", "down", "front", "back"))

# What of each element is in the compiled model, and so in the scene. "*": everything.
TAKEN: dict[str, str] = {
    "mujoco": "model",
    "mujocoinclude": "*",
    "include": "*",
    "compiler": "*",
    "default": "*",
    "option": "gravity",
    "worldbody": "*",
    "body": "name pos quat euler axisangle xyaxes zaxis childclass mocap",
    "frame": "*",
    "replicate": "*",
    "inertial": "*",
    "freejoint": "name",
    "joint": "name class type pos axis range limited damping frictionloss armature stiffness springref springdamper "
    "ref joint1 joint2 polycoef active",
    "geom": "name class type pos quat euler axisangle xyaxes zaxis fromto size mass density friction condim contype "
    "conaffinity rgba material mesh hfield group fitscale shellinertia",
    "asset": "*",
    "mesh": "name class file vertex normal texcoord face refpos refquat scale inertia",
    "hfield": "*",
    "material": "name class rgba texture texuniform roughness metallic emission",
    "texture": "name class file type gridsize gridlayout " + " ".join(FACES),
    "equality": "*",
    "connect": "name class body1 body2 anchor active site1 site2",
    "weld": "name class body1 body2 relpose anchor active site1 site2",
    "actuator": "*",
    "motor": "name class joint jointinparent tendon ctrlrange ctrllimited gear forcerange forcelimited",
    "position": "name class joint jointinparent tendon ctrlrange ctrllimited gear kp kv forcerange forcelimited "
    "inheritrange",
    "velocity": "name class joint jointinparent tendon ctrlrange ctrllimited gear kv forcerange forcelimited",
    "general": "name class joint jointinparent tendon ctrlrange ctrllimited gear gaintype biastype gainprm biasprm "
    "forcerange forcelimited dyntype",
    "contact": "",
    "exclude": "*",
    "size": "",
    "flag": "*",
    "tendon": "*",
    "fixed": "name class limited range stiffness damping frictionloss springlength armature",
    "spatial": "name class limited range stiffness damping springlength",
    "sensor": "*",
    "camera": "name class mode pos quat euler axisangle xyaxes zaxis fovy",
    "keyframe": "*",
    "key": "name qpos",
}
LOOKS: tuple[str, Matters] = ("is of MuJoCo's own picture", "looks")
KNOWN: dict[str, tuple[str, Matters]] = {
    "visual": LOOKS,
    "statistic": ("is of MuJoCo's own picture", "nothing"),
    "light": LOOKS,
    "skin": ("skins are not drawn", "looks"),
    "site": ("names a place, for sensors, tendons and loops", "nothing"),
    "deformable": ("soft bodies are not simulated", "motion"),
    "composite": ("what it makes is taken as bodies; soft parts are not", "motion"),
    "flexcomp": ("soft bodies are not simulated", "motion"),
    "extension": ("is code of another simulator", "motion"),
    "plugin": ("is code of another simulator", "motion"),
    "key.qvel": ("a keyframe gives the posture, at rest", "motion"),
    "key.act": ("a keyframe gives the posture alone", "nothing"),
    "key.ctrl": ("a keyframe gives the posture alone", "nothing"),
    "key.mpos": ("a keyframe gives the posture alone", "nothing"),
    "key.mquat": ("a keyframe gives the posture alone", "nothing"),
    "key.time": ("a keyframe gives the posture alone", "nothing"),
    "pulley": ("tendons over pulleys are not simulated", "motion"),
    "custom": ("is data of the file's author", "nothing"),
    "pair": ("bodies and their masks decide what touches", "contact"),
    "muscle": ("muscles are not simulated", "motion"),
    "cylinder": ("has no counterpart", "motion"),
    "damper": ("has no counterpart", "motion"),
    "intvelocity": ("has no counterpart", "motion"),
    "adhesion": ("has no counterpart", "motion"),
    "motor.site": ("acts on a site", "motion"),
    "general.site": ("acts on a site", "motion"),
    "general.body": ("acts on a body", "motion"),
    "option.density": ("there is no medium", "motion"),
    "option.viscosity": ("there is no medium", "motion"),
    "option.wind": ("there is no medium", "motion"),
    "option.magnetic": ("there is no magnetic field", "sensing"),
    "option.timestep": ("the step is the simulation's", "nothing"),
    ".noise": ("MuJoCo adds none either", "nothing"),
    ".user": ("is data of the file's author", "nothing"),
    ".group": ("sorts what MuJoCo shows", "nothing"),
    ".margin": ("contacts and limits act where they are met", "contact"),
    ".gap": ("contacts act where they are met", "contact"),
    "geom.priority": ("the larger friction of two holds", "contact"),
    "geom.solmix": ("the larger friction of two holds", "contact"),
    "geom.fluidshape": ("there is no medium", "motion"),
    "geom.fluidcoef": ("there is no medium", "motion"),
    "joint.actuatorfrcrange": ("bounds the sum of several actuators", "motion"),
    "joint.actuatorgravcomp": ("gravity acts on every body", "motion"),
    "body.gravcomp": ("gravity acts on every body", "motion"),
    "body.sleep": ("bodies do not sleep", "nothing"),
    "weld.torquescale": ("welds are exact here", "nothing"),
    "weld.relpose": ("welds are exact here", "nothing"),
    "general.dynprm": ("the actuator acts at once", "motion"),
    "general.actdim": ("the actuator acts at once", "motion"),
    "material.texrepeat": ("textures are laid on as they are", "looks"),
    "material.reflectance": LOOKS,
    "material.shininess": LOOKS,
    "material.specular": LOOKS,
}


PARTS = ("joint", "site", "geom", "pulley")  # of tendons
USERS = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
MORE: dict[str, tuple[str, Matters]] = {}
for _name in ["solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"]:
    MORE[f".{_name}"] = ("softens MuJoCo's solver; joints, limits and contacts are exact here", "motion")
for _name in [
    "integrator",
    "solver",
    "iterations",
    "tolerance",
    "cone",
    "jacobian",
    "impratio",
    "noslip_iterations",
    "noslip_tolerance",
    "ccd_iterations",
    "ls_iterations",
    "ls_tolerance",
    "sdf_iterations",
    "sdf_initpoints",
    "apirate",
    "mpr_iterations",
    "o_margin",
]:
    MORE[f"option.{_name}"] = ("is a setting of MuJoCo's solver", "nothing")
for _name in ("njmax", "nconmax", "nstack", "memory", "nkey", *(f"nuser_{what}" for what in USERS)):
    MORE[f"size.{_name}"] = ("is room for MuJoCo's own arrays", "nothing")
PATTERN = ("builtin", "rgb1", "rgb2", "width", "height", "mark", "markrgb", "random")
for _name in PATTERN:
    MORE[f"texture.{_name}"] = ("patterns that MuJoCo makes itself are not drawn", "looks")


def checked_text(root: Node, places: Places, report: ImportReport) -> tuple[list[Node], list[Path]]:
    """The document and all it includes, and the folders of its assets.

    What leads in a circle or out of the robot's folders is refused.
    """
    documents: list[Node] = []
    waiting = [(root, 1)]
    folders = {"meshdir": "", "texturedir": "", "assetdir": ""}
    made: Counter[str] = Counter()
    while waiting:
        document, times = waiting.pop()
        documents.append(document)
        if len(documents) > MOST_INCLUDES:
            raise root.fail(f"includes more than {MOST_INCLUDES} files; one of them includes itself")
        for node, repeated in _repeated(document, times):
            _count(node, repeated, made)
            if node.tag == "compiler":
                folders |= {name: node.attributes[name] for name in folders if name in node.attributes}
            if node.tag == "include":
                waiting.append((_included(node, places, report), repeated))
    for document in documents:
        for node in document.walk():
            _check_cells(node)
            if node.tag in FILES:
                _check_files(node, places, folders)
    return documents, [places.robot.parent / folder for folder in ("", *folders.values())]


def _repeated(root: Node, times: int) -> Iterator[tuple[Node, int]]:
    """Every element of a document that is there so many times, and how often MuJoCo makes it."""
    stack = [(root, times)]
    while stack:
        node, times = stack.pop()
        yield node, times
        if node.tag == "replicate":
            times = min(times * int(max(1.0, node.number("count", 1.0))), MOST_MADE)
        stack += [(child, times) for child in node.children]


def _count(node: Node, times: int, made: Counter[str]) -> None:
    """Count what MuJoCo makes in all, with what it repeats; too much is refused before it begins."""
    made["elements"] += times
    if node.tag == "body":
        made["bodies"] += times
    if node.tag in SOFT:
        _check_cells(node)
        made["points"] += int(min(times * _cells(node), MOST_MADE))
    for what, most in (("bodies", MOST_LINKS), ("elements", MOST_ELEMENTS), ("points", MOST_CELLS["flexcomp"][1])):
        if made[what] > most:
            kind = "points of soft bodies" if what == "points" else what
            raise node.fail(
                f"makes more than {most} {kind} in all, with those that are repeated; at most {most} are read"
            )


def _included(node: Node, places: Places, report: ImportReport) -> Node:
    name = node.need("file")
    for folder in (places.robot.parent, Path(node.file).parent):
        try:
            file = places.find(name, f"{node.file}, {node.where}", folder)
        except FileNotFoundError:
            continue
        if file == Path(node.file).resolve():
            raise node.fail(f"'{name}' includes itself")
        return parse(file, report)
    raise node.fail(f"there is no file '{name}' to include")


def _cells(node: Node) -> float:
    """How many cells an element makes by its numbers."""
    names, _ = MOST_CELLS.get(node.tag, ((), 0))
    texts = [text for name in names for text in node.attributes.get(name, "").split()]
    return math.prod(max(1.0, node.parsed(text, names[0])) for text in texts)


def _check_cells(node: Node) -> None:
    """Numbers that would make MuJoCo take all of the memory are refused before it reads them."""
    names, most = MOST_CELLS.get(node.tag, ((), 0))
    if _cells(node) > most > 0:
        raise node.fail(f"{' '.join(names)} make {_cells(node):.3g} cells; at most {most} are read")


def _check_files(node: Node, places: Places, folders: dict[str, str]) -> None:
    """The files of an asset must lie in the robot's folders and not be too large; missing ones MuJoCo names."""
    for attribute in ("file", *FACES):
        name = node.attributes.get(attribute, "").strip()
        if name:
            folder = places.robot.parent / (folders[FILES[node.tag]] or folders["assetdir"])
            try:
                places.find(name, f"{node.file}, {node.where}", folder)
            except FileNotFoundError:
                continue


def account_for(document: Node, report: ImportReport) -> None:
    """Tell of every element and attribute whether the scene has it."""
    for node in document.walk():
        taken = TAKEN.get(node.tag)
        parent = node.parent.tag if node.parent is not None else ""
        if parent in ("fixed", "spatial") and node.tag in PARTS:
            taken = "*"  # what the tendon makes of it is told by the tendon itself
        if parent == "sensor":
            taken = " ".join(name for name in node.attributes if name != "noise")  # its fate it tells itself
        if taken is None or parent == "visual":
            continue
        node.taken = True
        node.read.update(node.attributes if taken == "*" else taken.split())
        for name in node.attributes:
            if name.startswith("sol"):
                node.read.discard(name)
    account(document, report, KNOWN | MORE)
