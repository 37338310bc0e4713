"""Numbers of a scene by their names: ``door.mass``, ``hinge.friction``, ``strut.spring.stiffness``, ``gravity.z``.

A name is a part of the scene and a way into its description, as the scene file has it. What stands between may be left
out where no other number answers to the same words: ``axle.stall_torque`` is ``joints.axle.drive.drive.stall_torque``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import get_args, get_type_hints

import msgspec

from ..errors import SceneError, nearest
from ..files import scene_content, scene_of
from ..scene.body import Body
from ..scene.elements.friction_laws import Coulomb, Dahl
from ..scene.joint import Joint
from ..scene.quantity import XYZW, Quantity
from ..scene.ray import Ray
from ..scene.rope import Rope
from ..scene.scene import Scene
from ..scene.values import Content, Description

Path = tuple[str | int, ...]
PARTS = ("bodies", "joints", "couplings", "ropes", "terrain", "materials", "rays", "sensors")
SHORT = {"friction": ("level", "coefficient"), "spring": ("stiffness",)}  # what is meant by the element alone

Owner = Joint | Body | Rope | Ray | Scene


@dataclass(frozen=True)
class Address:
    """Where a number of a scene lies: the ``name`` it was given by, and the ``paths`` into the scene's description.

    A name with ``*`` stands for the same number of several parts, which are all set alike. Friction by its name alone
    (``hinge.friction``) carries the static level along, in the ratio that it has (``keeps_ratio``).
    """

    name: str
    paths: tuple[Path, ...]
    keeps_ratio: bool = False

    def unit(self, scene: Scene) -> str:
        """The unit of the number, where it is known."""
        settable = self.quantities(scene)
        return settable[0][0].unit if settable else ""

    def quantities(self, scene: Scene) -> list[tuple[Quantity, int | None]]:
        """The quantities, and their components, by which every world can have its own number; none if it cannot."""
        found = [_settable(scene, path, self.keeps_ratio) for path in self.paths]
        return [] if None in found else [one for one in found if one is not None]


def _settable(scene: Scene, path: Path, keeps_ratio: bool) -> tuple[Quantity, int | None] | None:
    """The quantity that a running simulation can have in every world.

    What it sets must be what the description would have made: a friction level that carries a static one along is not
    the level of a description in which the static one stays.
    """
    kind, *rest = path
    if kind == "gravity":
        return scene.gravity_vector, int(rest[0])
    if kind == "bodies" and rest[1:] == ["mass"] and scene.bodies[str(rest[0])].spec.inertia is None:
        return scene.bodies[str(rest[0])].mass, None
    if kind != "joints" or len(rest) < 3:
        return None
    joint = scene.joints[str(rest[0])]
    if rest[1] == "friction" and rest[-1] == "level":
        axes = str(rest[2]) if len(rest) == 4 else next(iter(joint.friction))
        law = joint.friction[axes]
        alone = len(joint.friction) == 1 or len(rest) == 4
        follows = keeps_ratio or isinstance(law, Dahl) or (isinstance(law, Coulomb) and law.static is None)
        return (joint.friction_level(axes), None) if follows and alone else None
    if rest[1] == "limits" and len(joint.type.coordinates) == 1 and len(rest) == 3:
        return (joint.lower() if rest[2] == 0 else joint.upper()), None
    return None


def find(scene: Scene, name: str) -> Address:
    """The number of a scene that a name means, or an error that tells the nearest."""
    known = numbers_of(scene)
    wanted = name.split(".")
    ways = _ways(wanted)
    exact = [path for path in known if any(_alike(_words(path), w) for way in ways for w in (way, *_full(way)))]
    found = exact or [path for path in known if any(_fits(_words(path), way) for way in ways)]
    owners = {path[:2] for path in found}
    if found and (len(found) == 1 or ("*" in name and len(owners) == len(found))):
        return Address(name, tuple(found), wanted[-1] == "friction" and found[0][-1] == "level")
    shorter = sorted({".".join(_words(path)[1:] if path[0] in PARTS else _words(path)) for path in known})
    if not found:
        raise SceneError(f"the scene has no number '{name}'{_nearest(name, shorter)}")
    meant = ", ".join(".".join(_words(path)) for path in found[:6])
    raise SceneError(f"'{name}' may be {meant}; say which")


def _full(way: list[str]) -> list[list[str]]:
    return [[kind, *way] for kind in PARTS]


def _alike(words: list[str], wanted: list[str]) -> bool:
    return len(words) == len(wanted) and all(fnmatchcase(*pair) for pair in zip(words, wanted, strict=True))


def _ways(wanted: list[str]) -> list[list[str]]:
    """The words as they are, and with the number that an element alone stands for."""
    return [wanted, *([*wanted, main] for main in SHORT.get(wanted[-1], ()))]


def _fits(words: list[str], wanted: list[str]) -> bool:
    """Whether the wanted words are the item, the end, and in order some of those between."""
    words = words[1:] if words[0] in PARTS and wanted[0] not in PARTS else words
    if not fnmatchcase(words[0], wanted[0]) or words[-1] != wanted[-1]:
        return False
    rest = iter(words[1:])
    return all(word in rest for word in wanted[1:])


def _words(path: Path) -> list[str]:
    """A path in words: components of vectors by their letters, the ends of limits by theirs."""
    words = [str(step) for step in path]
    if len(path) > 1 and path[-2] == "limits":
        words[-1] = ("lower", "upper")[int(path[-1])]
    elif isinstance(path[-1], int) and path[-2] not in ("inertia",):
        words[-1] = XYZW[path[-1]] if path[-1] < 4 else str(path[-1])
    return words


def _nearest(name: str, known: list[str]) -> str:
    own = [text for text in known if text.split(".")[0] == name.split(".")[0]]
    return nearest(name, own or known) if len(own or known) < 40 or "did you mean" in nearest(name, known) else ""


def numbers_of(scene: Scene) -> list[Path]:
    """The paths of all numbers of a scene, those that have a default included."""
    content = scene_content(scene)
    paths: list[Path] = [("gravity", i) for i in range(3)]
    for kind in PARTS:
        for name, spec in getattr(content, kind).items():
            paths += [(kind, name, *path) for path in _numbers(spec)]
    return paths


def _numbers(value: object) -> Iterator[Path]:
    if isinstance(value, Description):
        for name in value.__struct_fields__:
            given = getattr(value, name)
            if given is None and name in _may_be_numbers(type(value)):
                yield (name,)
            for path in _numbers(given):
                yield (name, *path)
    elif isinstance(value, dict):
        for name, item in value.items():
            for path in _numbers(item):
                yield (name, *path)
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            for path in _numbers(item):
                yield (i, *path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield ()


@cache
def _may_be_numbers(kind: type) -> frozenset[str]:
    """The fields of a description that are None and could be a number."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if float in get_args(hint))


def value_of(scene: Scene, address: Address) -> float | None:
    """The number as the scene has it; None where its description leaves it open."""
    path = address.paths[0]
    value = _at(scene_content(scene), path)
    if value is None and path[0] == "bodies" and path[2] == "mass":
        properties = scene.bodies[str(path[1])].properties
        return None if properties is None else float(properties.mass)
    return None if value is None else float(value)


def _at(value: Content, path: Path) -> Content:
    """What lies at a path; None where there is nothing."""
    for step in path:
        value = getattr(value, str(step), None) if isinstance(value, Description) else value[step]
    return value


def with_numbers(scene: Scene, numbers: dict[Address, float]) -> Scene:
    """The same scene with other numbers; SceneError where one of them cannot be."""
    content: Content = scene_content(scene)
    for address, value in numbers.items():
        for path in address.paths:
            content = (_scaled if address.keeps_ratio else _replaced)(content, path, float(value))
    made = scene_of(content)
    made.diagram = scene.diagram  # it may hold functions, which no description does
    return made


def _scaled(content: object, path: Path, level: float) -> Content:
    """A friction level with its static one in the same ratio; never is the static one below it, not even meanwhile."""
    before, beside = _at(content, path), (*path[:-1], "static")
    static = _at(content, beside)
    if not static or not before:
        return _replaced(content, path, level)
    both = [(path, level), (beside, max(static * level / before, level))]
    for place, number in both if level < before else reversed(both):
        content = _replaced(content, place, number)
    return content


def _replaced(value: Content, path: Path, number: float) -> object:
    if not path:
        return number
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return value | {step: _replaced(value[str(step)], rest, number)}
    if isinstance(value, tuple):
        return tuple(_replaced(item, rest, number) if i == step else item for i, item in enumerate(value))
    return msgspec.structs.replace(value, **{str(step): _replaced(getattr(value, str(step)), rest, number)})


def quantity_named(scene: Scene, text: str) -> tuple[Quantity, str | None]:
    """A signal of a scene by its name, and its component: ``hinge.angle``, ``door.position.z``, ``energy``."""
    head, *rest = text.split(".")
    owner: Owner | None = (
        scene.joints.get(head) or scene.bodies.get(head) or scene.ropes.get(head) or scene.rays.get(head)
    )
    if head in scene.sensors:
        return _of_sensor(scene, head, rest, text)
    if owner is None:
        owner, rest = scene, [head, *rest]
    found = _quantity(owner, rest) if rest else None
    if found is None:
        known = [*scene.joints, *scene.bodies, *scene.ropes, *scene.rays] if owner is scene else _signals(owner)
        asked = head if owner is scene else ".".join(rest)
        raise SceneError(f"there is no signal '{text}'{nearest(asked, known)}")
    quantity, left = found
    if quantity.components and left not in [[name] for name in (*quantity.components, "norm")]:
        raise SceneError(f"'{text}' is a vector; add {', '.join(f'.{name}' for name in quantity.components)} or .norm")
    if not quantity.components and left:
        raise SceneError(f"'{text}': '{quantity.label}' is a number and has no '{left[0]}'; leave it out")
    return quantity, left[0] if left else None


def _of_sensor(scene: Scene, name: str, words: list[str], text: str) -> tuple[Quantity, str | None]:
    """What a sensor reads, and the component."""
    quantity = scene.sensors[name].reading(words[0] if words else None)
    if quantity.components and words[1:] not in [[part] for part in (*quantity.components, "norm")]:
        raise SceneError(f"'{text}' is a vector; add {', '.join(f'.{part}' for part in quantity.components)} or .norm")
    return quantity, words[1] if words[1:] else None


def _quantity(owner: Owner, words: list[str]) -> tuple[Quantity, list[str]] | None:
    """A quantity of a joint, a body, a rope or the scene, and the words that are left."""
    coordinates = {found.name for found in owner.type.coordinates} if isinstance(owner, Joint) else set()
    if isinstance(owner, Joint) and words[0] in coordinates:
        if words[1:2] in (["rate"], ["speed"]):
            return owner.rate(words[0]), words[2:]
        return owner.coordinate(words[0]), words[1:]
    found = getattr(owner, words[0], None) if words[0] in _signals(owner) else None
    if callable(found):
        named = words[1:2] if words[1:2] and words[1] in coordinates else []
        return found(*named), words[1 + len(named) :]
    return None if found is None else (found, words[1:])


def _signals(owner: Owner) -> list[str]:
    """The names of what is a quantity, or a method that returns one."""
    names = []
    members = {name: member for kind in reversed(type(owner).__mro__) for name, member in vars(kind).items()}
    for name, member in members.items():
        function = getattr(member, "fget", member)
        if name != "quantity" and getattr(function, "__annotations__", {}).get("return") == "Quantity":
            names.append(name)
    coordinates = owner.type.coordinates if isinstance(owner, Joint) else ()
    return [*(found.name for found in coordinates), *names]
