"""Scene files: a scene written as YAML or JSON, and read back the same to the bit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from ..control.defaults import default_diagram
from ..control.diagram import Diagram
from ..control.faults import AnyFault, checked_effects
from ..control.panel import Panel
from ..control.scenario import Scenario
from ..control.spec import DiagramSpec
from ..errors import SceneError
from ..scene.body import BodySpec
from ..scene.camera import CameraSpec
from ..scene.couplings import CouplingSpec
from ..scene.joint import JointSpec
from ..scene.materials import Material, MaterialPair
from ..scene.ray import RaySpec
from ..scene.rope import RopeSpec
from ..scene.ruler import RulerSpec
from ..scene.scene import STANDARD_GRAVITY, Scene
from ..scene.sensors import SensorSpec
from ..scene.sky import Sky
from ..scene.surfaces import TerrainSpec
from ..scene.values import Description, Vec3, file_path, shown, warning_names
from . import text as texts
from .typed import Misfit, to_plain, to_typed


class SceneFile(Description, frozen=True):
    """A scene as a file holds it. SI units, right-handed, z up, quaternions (x, y, z, w), angles in rad.

    ``sharnir`` is the version of the format; ``gravity`` is in m/s^2; ``materials``, ``terrain``, ``bodies``,
    ``joints``, ``couplings``, ``sensors`` and ``ropes`` are by name. Files of meshes and height maps are named relative
    to the folder of the scene file. ``sky`` is the light it is seen in; ``diagram`` controls the scene, ``panel`` is
    its console, ``faults`` are what an instructor may let happen, ``scenarios`` what an operator may be asked to do;
    ``ignored_warnings`` are names of warnings that no simulation of the scene gives.
    """

    sharnir: Literal[1]
    name: str = "scene"
    gravity: Vec3 = STANDARD_GRAVITY
    materials: dict[str, Material] = msgspec.field(default_factory=dict)
    material_pairs: tuple[MaterialPair, ...] = ()
    terrain: dict[str, TerrainSpec] = msgspec.field(default_factory=dict)
    bodies: dict[str, BodySpec] = msgspec.field(default_factory=dict)
    joints: dict[str, JointSpec] = msgspec.field(default_factory=dict)
    couplings: dict[str, CouplingSpec] = msgspec.field(default_factory=dict)
    rays: dict[str, RaySpec] = msgspec.field(default_factory=dict)
    cameras: dict[str, CameraSpec] = msgspec.field(default_factory=dict)
    rulers: dict[str, RulerSpec] = msgspec.field(default_factory=dict)
    sensors: dict[str, SensorSpec] = msgspec.field(default_factory=dict)
    ropes: dict[str, RopeSpec] = msgspec.field(default_factory=dict)
    sky: Sky | None = None
    diagram: DiagramSpec | None = None
    panel: Panel | None = None
    faults: dict[str, AnyFault] = msgspec.field(default_factory=dict)
    scenarios: dict[str, Scenario] = msgspec.field(default_factory=dict)
    ignored_warnings: tuple[str, ...] = ()


Made = TypeVar("Made")


def save_scene(scene: Scene, path: str | Path) -> Path:
    """Write a scene to a YAML or JSON file, by the ending of its name, and return its path.

    Meshes are not copied: their files are named relative to the scene file, so the two move together.
    """
    path = file_path(path, "Scene.save: the file")
    is_json = _is_json(path)
    folder = path.absolute().parent
    plain = to_plain(content_of(scene, lambda file: beside(folder, file)))
    text = texts.write_json(plain) if is_json else _comments(scene) + texts.write_yaml(plain)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except UnicodeEncodeError as error:
        raise SceneError(
            f"{path}: a name holds {error.object[error.start]!r}, which a file cannot; rename it"
        ) from None
    except OSError as error:
        raise SceneError(f"{path} cannot be written: {error.strerror}; check the folder and its permissions") from None
    return path


def _comments(scene: Scene) -> str:
    """What became of the robot's file that a scene was read from, at the head of its own."""
    lines = () if scene.report is None else scene.report.lines()
    return "".join(f"# {' '.join(line.split())}\n" for line in lines)


def scene_text(scene: Scene) -> str:
    """A scene as the text of a JSON file, on one line; files of meshes are named as the scene has them."""
    return msgspec.json.encode(scene_content(scene)).decode()


def scene_content(scene: Scene) -> SceneFile:
    """All that describes a scene; files of meshes are named as the scene has them."""
    return content_of(scene, str)


def scene_of(content: SceneFile) -> Scene:
    """The scene of its description; SceneError where it describes none."""
    try:
        return _build(content, str)
    except Misfit as misfit:
        raise SceneError(str(misfit)) from None


def scene_of_text(text: str) -> Scene:
    """The scene that ``scene_text`` wrote; it is parsed, never executed."""
    try:
        return _build(to_typed(SceneFile, texts.parse_json(text)), str)
    except (texts.TextError, Misfit) as error:
        raise SceneError(f"the text of a scene cannot be read: {error}") from None


def content_of(scene: Scene, renamed: Callable[[str], str]) -> SceneFile:
    """What a file says of a scene, the files that it names called as ``renamed`` tells."""
    return SceneFile(
        sharnir=1,
        name=scene.name,
        gravity=scene.gravity,
        materials=scene.materials.named,
        material_pairs=scene.materials.pairs,
        terrain={name: placed_terrain(terrain.spec, renamed) for name, terrain in scene.terrains.items()},
        bodies={name: placed_body(body.spec, renamed) for name, body in scene.bodies.items()},
        joints={name: joint.spec for name, joint in scene.joints.items()},
        couplings={name: coupling.spec for name, coupling in scene.couplings.items()},
        rays={name: ray.spec for name, ray in scene.rays.items()},
        cameras={name: camera.spec for name, camera in scene.cameras.items()},
        rulers={name: ruler.spec for name, ruler in scene.rulers.items()},
        sensors={name: sensor.spec for name, sensor in scene.sensors.items()},
        ropes={name: placed_rope(rope.spec, renamed) for name, rope in scene.ropes.items()},
        sky=scene.sky,
        diagram=None if scene.diagram is None else scene.diagram.spec,
        panel=scene.panel,
        faults=scene.faults,
        scenarios=scene.scenarios,
        ignored_warnings=tuple(scene.ignored_warnings),
    )


def load_scene(path: str | Path) -> Scene:
    """Read a scene from a YAML or JSON file; every error names the file, the place in it and the remedy."""
    path = file_path(path, "Scene.load: the file")
    return read_typed(path, lambda data: _scene(data, path.parent))


def read_typed(path: Path, typed: Callable[[object], Made]) -> Made:
    """What a YAML or JSON file holds, made by ``typed`` of its plain data, which raises ``Misfit`` where it does not
    fit."""
    text = _read(path)
    try:
        return typed(texts.parse_json(text) if _is_json(path) else texts.parse_yaml(text))
    except texts.TextError as error:
        raise SceneError(f"{_place(path, error.line)} {error}") from None
    except Misfit as misfit:
        where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in misfit.where).lstrip(".")
        place = _place(path, texts.line_of(text, misfit.at))
        raise SceneError(f"{place}: {where}{': ' if where else ''}{misfit}") from None
    except RecursionError:
        raise SceneError(f"{path}: is nested too deeply") from None


def _scene(data: object, folder: Path) -> Scene:
    if data is None:
        raise Misfit((), "the file is empty; give sharnir, bodies and joints")
    if isinstance(data, dict) and data.get("sharnir", 1) != 1:
        raise Misfit(("sharnir",), f"is {shown(data['sharnir'])}; this version of Sharnir reads format 1")
    return _build(to_typed(SceneFile, data), lambda file: os.path.normpath(folder / file))


def _build(content: SceneFile, placed: Callable[[str], str]) -> Scene:
    """The scene that a file describes; ``placed`` tells where the files lie that it names."""
    try:
        scene = Scene(content.name, content.gravity)
    except SceneError as error:
        raise Misfit((), str(error), ("gravity",)) from None
    for part, add in adders(scene, placed).items():
        for name, spec in getattr(content, part).items():
            with _at(part, name):
                add(name, spec)
    for i, pair in enumerate(content.material_pairs):
        with _at("material_pairs", i):
            scene.material_pair(*pair.between, pair.material)
    scene.sky = content.sky
    with _at("ignored_warnings"):
        scene.ignored_warnings = warning_names("ignored_warnings", content.ignored_warnings)
    _add_control(scene, content)
    return scene


def adders(scene: Scene, placed: Callable[[str], str]) -> dict[str, Callable[[str, Any], object]]:
    """What adds each part of a file to a scene, in an order in which everything is there that is referred to."""
    return {
        "materials": scene.material,
        "terrain": lambda name, spec: scene.add_terrain(name, placed_terrain(spec, placed)),
        "bodies": lambda name, spec: scene.add_body(name, placed_body(spec, placed)),
        "joints": scene.add_joint,
        "couplings": scene.add_coupling,
        "rays": scene.add_ray,
        "cameras": scene.add_camera,
        "rulers": scene.add_ruler,
        "sensors": scene.add_sensor,
        "ropes": lambda name, spec: scene.add_rope(name, placed_rope(spec, placed)),
    }


@contextmanager
def _at(*place: str | int) -> Iterator[None]:
    """Whatever the scene refuses is shown at its place in the file."""
    try:
        yield
    except SceneError as error:
        raise Misfit((), str(error), place) from None


def _add_control(scene: Scene, content: SceneFile) -> None:
    """The diagram, the panel, the faults and the scenarios, checked against the scene."""
    if content.diagram is not None:
        scene.diagram = Diagram.of(content.diagram, content.name)
        with _at("diagram"):
            scene.diagram.check(scene)
    if content.panel is not None:
        scene.panel = content.panel
        with _at("panel"):
            scene.panel.check(scene.diagram or default_diagram(scene), scene)
    for name, fault in content.faults.items():
        with _at("faults", name):
            checked_effects(name, fault, scene)
        scene.faults[name] = fault
    for name, scenario in content.scenarios.items():
        with _at("scenarios", name):
            scenario.check(scene)
        scene.scenarios[name] = scenario


Thing = TypeVar("Thing", bound=Description)  # a shape, a surface or a skin


def placed_body(spec: BodySpec, renamed: Callable[[str], str]) -> BodySpec:
    """A body with the names of its files changed."""
    return msgspec.structs.replace(spec, shapes=tuple(_with_file(shape, renamed) for shape in spec.shapes))


def placed_terrain(spec: TerrainSpec, renamed: Callable[[str], str]) -> TerrainSpec:
    """A terrain with the name of its file changed."""
    return msgspec.structs.replace(spec, surface=_with_file(spec.surface, renamed))


def placed_rope(spec: RopeSpec, renamed: Callable[[str], str]) -> RopeSpec:
    """A rope with the names of its skin's files changed."""
    return spec if spec.skin is None else msgspec.structs.replace(spec, skin=_with_file(spec.skin, renamed))


def _with_file(shape: Thing, renamed: Callable[[str], str]) -> Thing:
    """A shape with the names of its files changed, where it has any."""
    named = {name: getattr(shape, name, None) for name in ("file", "texture")}
    changed = {name: renamed(file) for name, file in named.items() if file is not None}
    return msgspec.structs.replace(shape, **changed) if changed else shape


def beside(folder: Path, file: str) -> str:
    """A file's name relative to a folder, where there is one (on Windows another drive has none)."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:
        return file


def _is_json(path: Path) -> bool:
    ending = path.suffix.lower()
    if ending not in (".yaml", ".yml", ".json"):
        raise SceneError(f"{path}: its name ends in '{ending}'; scene files end in .yaml, .yml or .json")
    return ending == ".json"


def _read(path: Path) -> str:
    _is_json(path)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SceneError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise SceneError(f"{path} cannot be read: {error.strerror}; check the path") from None


def _place(path: Path, line: int | None) -> str:
    return f"{path}" if line is None else f"{path}, line {line}"
