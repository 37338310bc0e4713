"""Study files: a study written as YAML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ..errors import SceneError
from ..experiment import Experiment
from ..files import text as texts
from ..files.typed import Misfit, to_typed
from ..scene.values import Description, Plain
from .study import Study

FindExperiment = Callable[[str], tuple[str, Experiment]]
Pairs = tuple[tuple[float, float], ...]
CHOSEN = ("samples", "design", "seed", "time", "dt", "every", "settings")  # what a file and a study call by one name


class StudyFile(Description, frozen=True):
    """A study as a file holds it; all but ``scene``, ``vary`` and ``measure`` may be left out.

    ``scene`` is an example or a file, relative to the study's folder. ``inputs`` are by word and name: a number, or
    pairs of a time (s) and the value from then on. ``time`` and ``dt`` are in s.
    """

    study: Literal[1]
    scene: str
    vary: dict[str, str | float | tuple[float, ...]]
    measure: tuple[str, ...]
    samples: int | None = None
    design: str = "random"
    seed: int = 0
    time: float | None = None
    dt: float | None = None
    every: int = 1
    inputs: dict[str, dict[str, float | Pairs]] = msgspec.field(default_factory=dict)
    settings: dict[str, str | float | int | bool] = msgspec.field(default_factory=dict)


def is_study_file(path: Path) -> bool:
    """Whether a YAML file holds a study, not a scene."""
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return False
    return any(line.startswith("study:") for line in path.read_text(encoding="utf-8", errors="replace").splitlines())


def load_study(path: Path, find: FindExperiment) -> Study:
    """The study of a file; ``find`` turns the name of its scene into an experiment."""
    text = path.read_text(encoding="utf-8")
    try:
        content: StudyFile = to_typed(StudyFile, texts.parse_yaml(text))
    except texts.TextError as error:
        raise SceneError(f"{path}{'' if error.line is None else f', line {error.line}'}: {error}") from None
    except Misfit as misfit:
        where = ".".join(map(str, misfit.where))
        raise SceneError(
            f"{path}, line {texts.line_of(text, misfit.at)}: {where}{': ' if where else ''}{misfit}"
        ) from None
    beside = path.parent / content.scene
    _, experiment = find(str(beside) if beside.is_file() else content.scene)
    chosen: Plain = {name: getattr(content, name) for name in CHOSEN}
    return Study(experiment, content.vary, content.measure, **chosen | with_held(content.inputs))


def with_held(inputs: Mapping[str, Plain]) -> dict[str, Plain]:
    """Inputs with functions of time for the pairs among them."""
    return {
        word: {name: held(value) if isinstance(value, (tuple, list)) else value for name, value in given.items()}
        for word, given in inputs.items()
    }


def held(pairs: ArrayLike) -> Callable[[float], float]:
    """A function of time (s) that holds each value until the next pair's time; zero before the first."""
    times, values = np.array(pairs, float).T
    if (np.diff(times) <= 0).any():
        raise SceneError(f"the times of an input are {times.tolist()}; give them in order")
    return lambda t: float(values[np.searchsorted(times, t, side="right") - 1]) if t >= times[0] else 0.0
