"""The plan of a study: everything that a worker needs to simulate its points, as plain data."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..errors import SceneError, nearest
from ..experiment import Experiment
from ..files import scene_of_text, scene_text
from ..scene.body import Body
from ..scene.joint import Joint
from ..scene.quantity import Quantity
from ..scene.scene import Scene
from ..scene.values import Plain, shown
from ..simulation.inputs import Input, InputsOf, wants_simulation
from ..spatial import Array
from .address import Address, find
from .measures import Measure, parse_measure

WORDS = ("torque", "force", "voltage", "target", "command", "motion")
Factory = Callable[..., Any]  # makes a scene or an experiment from arguments that vary
Settings = Mapping[str, object]  # of Simulation, by name


@dataclass(frozen=True)
class Drive:
    """An input: the ``word`` of ``Simulation.run``, the coordinate or body it acts on, and its values step by step.

    ``values`` is a number (in the unit of the word, N m or N), a vector, or one of them for every step.
    """

    word: str
    item: str
    on_body: bool
    values: Any
    per_step: bool = False


@dataclass(frozen=True)
class Plan:
    """A study as data: the scene or what makes it, the names that vary, inputs, duration and measures.

    ``scene`` is the text of a scene file; ``factory`` a function that makes one from numbers, by ``arguments``.
    ``time`` and ``dt`` are in s; every ``every``-th step is looked at.
    """

    scene: str
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    drives: tuple[Drive, ...]
    time: float
    dt: float
    every: int = 1
    settings: Plain = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    factory: Factory | None = None

    @property
    def steps(self) -> int:
        """The number of steps of a run."""
        return round(self.time / self.dt)

    @property
    def instants(self) -> Array:
        """The times (s) at which signals are looked at."""
        return np.arange(0, self.steps + 1, self.every) * self.dt

    def as_text(self) -> str:
        """The plan as JSON, which two plans that mean the same share."""
        plain = asdict(self) | {"factory": source_of(self.factory)}
        return json.dumps(plain, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else str(value)


def source_of(factory: Factory | None) -> str | None:
    """What tells two functions apart: their text, or their names where it cannot be had."""
    if factory is None:
        return None
    try:
        return inspect.getsource(factory)
    except (OSError, TypeError):
        return f"{factory.__module__}.{getattr(factory, '__qualname__', factory)}"


def make_plan(
    what: object,
    names: tuple[str, ...],
    measures: tuple[str | Measure, ...],
    *,
    time: float | None = None,
    dt: float | None = None,
    every: int = 1,
    inputs: Mapping[str, InputsOf] | None = None,
    settings: Settings | None = None,
) -> Plan:
    """The plan for a scene, an experiment, or a function that makes one of them from the numbers that vary."""
    factory = what if callable(what) and not isinstance(what, (Scene, Experiment)) else None
    arguments = _arguments(factory, names) if factory else ()
    experiment = as_experiment(factory() if factory else what, time)
    driven: Plain = {word: {**getattr(experiment, word), **(inputs or {}).get(word, {})} for word in WORDS}
    experiment = Experiment(
        experiment.scene,
        time=experiment.time if time is None else float(time),
        dt=experiment.dt if dt is None else float(dt),
        settings=experiment.settings | dict(settings or {}),
        **driven,
    )
    if not (experiment.time > 0 and experiment.dt > 0 and math.isfinite(experiment.time / experiment.dt)):
        raise SceneError(
            f"a study of {experiment.time} s in steps of {experiment.dt} s cannot be run; give both above zero"
        )
    wrong = set(inputs or {}) - set(WORDS)
    if wrong:
        raise SceneError(f"there are no inputs '{min(wrong)}'{nearest(min(wrong), WORDS)}")
    parsed = tuple(parse_measure(measure, experiment.scene) for measure in measures)
    if not parsed:
        raise SceneError("the study measures nothing; give a measure such as 'hinge.angle final'")
    if len({measure.name for measure in parsed}) != len(parsed):
        raise SceneError("a measure stands twice; leave one of them out")
    plan = Plan(
        scene="" if factory else scene_text(experiment.scene),
        names=names,
        measures=parsed,
        drives=() if factory else drives_of(experiment),
        time=float(experiment.time),
        dt=float(experiment.dt),
        every=every,
        settings=dict(experiment.settings),
        arguments=arguments,
        factory=factory,
    )
    for name in names:
        if name not in arguments:
            address_of(plan, experiment.scene, name)
    return plan


def _arguments(factory: Factory, names: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the names are arguments of the function; all of its arguments need a default."""
    given = inspect.signature(factory).parameters
    open_ones = [name for name, parameter in given.items() if parameter.default is parameter.empty]
    if open_ones:
        raise SceneError(
            f"the function {factory.__name__} has no default for '{open_ones[0]}'; give it one, to check the study with"
        )
    for name in names:
        if "." not in name and name not in given:
            raise SceneError(f"the function {factory.__name__} takes no '{name}'{nearest(name, given)}")
    return tuple(name for name in names if name in given)


def as_experiment(what: object, time: float | None = None) -> Experiment:
    """A scene or an experiment as an experiment."""
    if isinstance(what, Experiment):
        if what.before_step is not None:
            raise SceneError(
                f"the experiment '{what.scene.name}' calls a function before every step, which a study cannot; "
                "make it a diagram of the scene"
            )
        return what
    if isinstance(what, Scene):
        if time is None:
            raise SceneError(f"the study of scene '{what.name}' has no duration; give time= (s)")
        return Experiment(what, time=time)
    raise SceneError(f"a study is of {shown(what)}; give a scene, an experiment, or a function that makes one")


def address_of(plan: Plan, scene: Scene, name: str) -> Address | Drive:
    """What a name that varies means: a number of the scene, or an input that is constant."""
    word, _, item = name.partition(".")
    if word in WORDS and word not in scene.bodies and word not in scene.joints:
        return _drive(scene, word, item, 0.0, 1)
    return find(scene, name)


def drives_of(experiment: Experiment) -> tuple[Drive, ...]:
    """The inputs of an experiment as data: functions of time are taken where a run does, in the middle of a step."""
    steps = round(experiment.time / experiment.dt)
    middles = (np.arange(steps) + 0.5) * experiment.dt
    found = []
    for word in WORDS:
        times = middles + 0.5 * experiment.dt if word == "motion" else middles  # where it is by the end of the step
        for key, value in getattr(experiment, word).items():
            values = value
            if callable(value) and wants_simulation(value):
                raise SceneError(
                    f"{word} of {shown(key)} is a function of time and the simulation, which a study cannot follow; "
                    "make it a diagram of the scene"
                )
            if callable(value):  # a column of a log knows all of its times at once
                values = value.at(times) if hasattr(value, "at") else np.array([value(t) for t in times], float)
            found.append(_drive(experiment.scene, word, key, values, len(times) if callable(value) else 0))
    return tuple(found)


def _drive(scene: Scene, word: str, key: object, values: Input, steps: int) -> Drive:
    if isinstance(key, str):
        key = key_of(scene, word, key)
    if word == "motion" and (not isinstance(key, (Joint, Quantity)) or getattr(key, "variable", "") == "rate"):
        raise SceneError(f"motion: {shown(key)} is no input of a study; prescribe where a joint's coordinate is")
    if isinstance(key, Body):
        return Drive(word, key.name, True, values, steps > 1)
    quantity = driven(key, word) if isinstance(key, Joint) else key
    if not isinstance(quantity, Quantity) or quantity.item is None:
        raise SceneError(f"{word}: {shown(key)} cannot be driven; give a joint, a body or their names")
    return Drive(word, quantity.item, False, np.asarray(values, float) if steps > 1 else values, steps > 1)


def driven(joint: Joint, word: str, axis: str | None = None) -> Quantity:
    """What an input of this ``word`` acts on, at the coordinate ``axis`` of a joint."""
    own = {"torque": joint.effort, "force": joint.effort, "voltage": joint.voltage, "target": joint.target}
    return (own | {"command": joint.command, "motion": joint.coordinate})[word](axis)


def key_of(scene: Scene, word: str, text: str) -> Body | Joint | Quantity:
    """A joint, one of its coordinates, or a body by name."""
    name, _, axis = text.partition(".")
    if name in scene.joints:
        return driven(scene.joints[name], word, axis or None)
    if name in scene.bodies and word in ("torque", "force"):
        return scene.bodies[name]
    raise SceneError(f"{word}: there is no joint or body '{name}'{nearest(name, [*scene.joints, *scene.bodies])}")


def scene_and_drives(plan: Plan, arguments: Mapping[str, float]) -> tuple[Scene, tuple[Drive, ...]]:
    """The scene of a plan and its inputs, made with the arguments where a function makes it."""
    if plan.factory is None:
        return scene_of_text(plan.scene), plan.drives
    made = as_experiment(plan.factory(**arguments), plan.time)
    again = Experiment(made.scene, time=plan.time, dt=plan.dt, **{word: getattr(made, word) for word in WORDS})
    return again.scene, drives_of(again)
