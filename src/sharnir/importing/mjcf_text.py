"""The text of an MJCF and of all it includes: what is refused before MuJoCo reads it, and what a scene takes of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
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

ACTUATOR = "name class joint jointinparent tendon ctrlrange ctrllimited gear forcerange forcelimited armature damping"
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
    "freejoint": "name align",
    "joint": "name class type pos axis range limited damping frictionloss armature stiffness springref springdamper "
    "ref joint1 joint2 polycoef active",
    "geom": "name class type pos quat euler axisangle xyaxes zaxis fromto size mass density friction condim contype "
    "conaffinity rgba material mesh hfield group fitscale shellinertia",
    "asset": "*",
    "model": "*",
    "attach": "*",
    "mesh": "name class file vertex normal texcoord face refpos refquat scale inertia builtin "
    "params content_type material",
    "hfield": "*",
    "material": "name class rgba texture texuniform roughness metallic emission",
    "texture": "name class file type gridsize gridlayout content_type colorspace nchannel " + " ".join(FACES),
    "equality": "*",
    "connect": "name class body1 body2 anchor active site1 site2",
    "weld": "name class body1 body2 relpose anchor active site1 site2",
    "actuator": "*",
    "motor": ACTUATOR,
    "position": f"{ACTUATOR} kp kv dampratio inheritrange",
    "velocity": f"{ACTUATOR} kv",
    "general": f"{ACTUATOR} gaintype biastype gainprm biasprm dyntype inheritrange",
    "contact": "",
    "exclude": "*",
    "size": "",
    "flag": "*",
    "tendon": "*",
    "fixed": "name class limited range stiffness damping frictionloss springlength armature",
    "spatial": "name class limited range stiffness damping frictionloss springlength armature",
    "sensor": "*",
    "camera": "name class mode pos quat euler axisangle xyaxes zaxis fovy focal focalpixel sensorsize target",
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
    "dcmotor": ("has no counterpart", "motion"),
    "pid": ("has no counterpart", "motion"),
    "orientation": ("has no counterpart", "motion"),
    "lengthrange": ("is for muscles", "nothing"),
    "flexstrain": ("couples soft bodies", "motion"),
    ".site": ("acts on a site", "motion"),
    ".refsite": ("acts on a site", "motion"),
    ".slidersite": ("has no counterpart", "motion"),
    ".cranksite": ("has no counterpart", "motion"),
    ".cranklength": ("has no counterpart", "motion"),
    ".lengthrange": ("is for muscles", "nothing"),
    ".timeconst": ("the actuator acts at once", "motion"),
    ".delay": ("there is none", "motion"),
    ".actearly": ("the actuator acts at once", "nothing"),
    ".nsample": ("there is no delay", "nothing"),
    ".interp": ("there is no delay", "nothing"),
    ".springyield": ("springs do not yield", "motion"),
    ".actuatorfrcrange": ("bounds the sum of several actuators", "motion"),
    ".actuatorfrclimited": ("bounds the sum of several actuators", "motion"),
    "general.body": ("acts on a body", "motion"),
    "option.density": ("there is no medium", "motion"),
    "option.viscosity": ("there is no medium", "motion"),
    "option.wind": ("there is no medium", "motion"),
    "option.magnetic": ("there is no magnetic field", "sensing"),
    "option.actuatorgroupdisable": ("all actuators are there", "motion"),
    "option.o_friction": ("every geom keeps its own friction", "contact"),
    "option.timestep": ("the step is the simulation's", "nothing"),
    ".noise": ("MuJoCo adds none either", "nothing"),
    "sensor/.cutoff": ("readings have no bounds", "sensing"),
    "sensor/.delay": ("is read at every step, at once", "sensing"),
    "sensor/.interval": ("is read at every step, at once", "sensing"),
    ".user": ("is data of the file's author", "nothing"),
    ".group": ("sorts what MuJoCo shows", "nothing"),
    ".margin": ("contacts and limits act where they are met", "contact"),
    ".gap": ("contacts act where they are met", "contact"),
    "geom.priority": ("the larger friction of two holds", "contact"),
    "geom.solmix": ("the larger friction of two holds", "contact"),
    "geom.adhesion": ("nothing sticks to a geom", "contact"),
    "geom.surfacevel": ("surfaces move with their body; see Belt", "contact"),
    "geom.fluidshape": ("there is no medium", "motion"),
    "geom.fluidcoef": ("there is no medium", "motion"),
    "joint.actuatorgravcomp": ("gravity acts on every body", "motion"),
    "body.gravcomp": ("gravity acts on every body", "motion"),
    "body.sleep": ("bodies do not sleep", "nothing"),
    "weld.torquescale": ("welds are exact here", "nothing"),
    "weld.relpose": ("welds are exact here", "nothing"),
    "general.dynprm": ("the actuator acts at once", "motion"),
    "general.actdim": ("the actuator acts at once", "motion"),
    "layer": ("one picture lies on a material", "looks"),
    "mesh.maxhullvert": ("the whole hull is touched", "contact"),
    "mesh.smoothnormal": LOOKS,
    "geom.castshadow": LOOKS,
    "camera.principal": ("the picture's middle is ahead", "looks"),
    "camera.principalpixel": ("the picture's middle is ahead", "looks"),
    "camera.projection": ("cameras have a perspective", "looks"),
    "camera.ipd": LOOKS,
    "camera.resolution": ("whoever asks for a picture gives its size", "nothing"),
    "camera.output": ("whoever asks for a picture says of what", "nothing"),
    "texture.hflip": ("pictures are laid on as they are", "looks"),
    "texture.vflip": ("pictures are laid on as they are", "looks"),
    "texture.embed": ("is of MuJoCo's own file", "nothing"),
    "spatial.width": ("tendons are drawn as lines", "looks"),
    "spatial.rgba": ("tendons are drawn as lines", "looks"),
    "spatial.material": ("tendons are drawn as lines", "looks"),
    "key.plastic": ("a keyframe gives the posture alone", "nothing"),
    "material.texrepeat": ("textures are laid on as they are", "looks"),
    "material.reflectance": LOOKS,
    "material.shininess": LOOKS,
    "material.specular": LOOKS,
}


SENSED = ("noise", "cutoff", "delay", "interval", "interp", "nsample", "user")  # of sensors, and not taken
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
    "o_solref",
    "o_solimp",
    "ccd_tolerance",
    "sleep_tolerance",
]:
    MORE[f"option.{_name}"] = ("is a setting of MuJoCo's solver", "nothing")
for _name in ("njmax", "nconmax", "nstack", "memory", "nkey", "nuserdata", *(f"nuser_{what}" for what in USERS)):
    MORE[f"size.{_name}"] = ("is room for MuJoCo's own arrays", "nothing")
PATTERN = ("builtin", "rgb1", "rgb2", "width", "height", "mark", "markrgb", "random")
for _name in PATTERN:
    MORE[f"texture.{_name}"] = ("patterns that MuJoCo makes itself are not drawn", "looks")


def checked_text(root: Node, places: Places, report: ImportReport) -> tuple[list[Node], list[Path]]:
    """The document and all it includes, and the folders of its assets.

    What leads in a circle or out of the robot's folders is refused.
    """
    read = _Documents(root, places, report).read
    for document in read:
        for node in document.root.walk():
            _check_cells(node)
            if node.tag in FILES:
                _check_files(node, places, document)
    folders = [document.folder / name for document in read for name in ("", *document.folders.values())]
    return [document.root for document in read], list(dict.fromkeys(folders))


@dataclass
class _Document:
    """A file, or one that it includes: the folder that its names are relative to, and the folders of its assets."""

    root: Node
    folder: Path
    folders: dict[str, str] = field(default_factory=lambda: {"meshdir": "", "texturedir": "", "assetdir": ""})

    def name_folders(self, compiler: Node) -> None:
        """What the compiler of the file says of them; all that it includes shares it."""
        self.folders.update({name: compiler.attributes[name] for name in self.folders if name in compiler.attributes})


class _Documents:
    """All files that a robot is made of, in ``read``; what MuJoCo would make of them in all is counted on the way."""

    def __init__(self, root: Node, places: Places, report: ImportReport) -> None:
        self.places, self.report = places, report
        self.made: Counter[str] = Counter()
        self.models: dict[str, _Document] = {}  # other robots, of which parts are attached, by name
        self.attached: list[tuple[Node, int]] = []
        self.read = [_Document(root, places.robot.parent)]
        waiting, opened = [(self.read[0], 1)], 0
        while waiting:
            opened += 1
            if opened > MOST_INCLUDES:
                raise root.fail(f"includes more than {MOST_INCLUDES} files; one of them includes itself")
            document, times = waiting.pop()
            waiting += self._inside(document, times)
            while self.attached and not waiting:  # where all models are known
                node, times = self.attached.pop()
                model = self.models.get(node.attributes.get("model", ""))
                waiting += [] if model is None else [(model, times)]

    def _inside(self, document: _Document, times: int) -> Iterator[tuple[_Document, int]]:
        """The files that a document which is there so many times includes, and how often each is there."""
        for node, repeated in _repeated(document.root, times):
            _count(node, repeated, self.made)
            if node.tag == "compiler":
                document.name_folders(node)
            elif node.tag == "attach":
                self.attached.append((node, repeated))
            elif node.tag == "include":
                part = _included(node, document.folder, self.places, self.report)
                self.read.append(_Document(part, document.folder, document.folders))
                yield self.read[-1], repeated
            elif node.tag == "model" and "file" in node.attributes and times:
                root = _included(node, document.folder, self.places, self.report)
                self.read.append(_Document(root, Path(root.file).parent))
                self.models[node.attributes.get("name") or root.attributes.get("model", "")] = self.read[-1]
                yield self.read[-1], 0  # until a part of it is attached


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


def _included(node: Node, home: Path, places: Places, report: ImportReport) -> Node:
    name = node.need("file")
    for folder in (home, Path(node.file).parent):
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


def _check_files(node: Node, places: Places, document: _Document) -> None:
    """The files of an asset must lie in the robot's folders and not be too large; missing ones MuJoCo names."""
    for attribute in ("file", *FACES):
        name = node.attributes.get(attribute, "").strip()
        if name:
            folder = document.folder / (document.folders[FILES[node.tag]] or document.folders["assetdir"])
            try:
                find = places.picture if node.tag in ("texture", "hfield") else places.find
                find(name, f"{node.file}, {node.where}", folder)
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
            taken = " ".join(name for name in node.attributes if name not in SENSED)  # its fate it tells itself
            if node.tag == "rangefinder":
                taken += " cutoff"
        if taken is None or parent == "visual":
            continue
        node.taken = True
        node.read.update(node.attributes if taken == "*" else taken.split())
        for name in node.attributes:
            if name.startswith("sol"):
                node.read.discard(name)
    account(document, report, KNOWN | MORE, "motion")  # MuJoCo takes nothing that it does not know
