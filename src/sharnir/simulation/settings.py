"""The settings of a simulation: checked when they come in, and as the kernels get them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..device import Table
from ..errors import SceneError, nearest
from ..model.fields import COUNTS, struct_values
from ..model.integrator import INTEGRATORS as SCHEMES
from ..model.precision import PRECISIONS, Precision
from ..scene.scene import Scene
from ..scene.values import not_negative, number, positive, shown, whole

SOLVERS = ("direct", "sequential-impulses")
INTEGRATORS = tuple(SCHEMES)
EPSILON = 1e-10  # N s or N m s in machines of kilograms


@dataclass(frozen=True)
class Settings:
    """How a scene is simulated, as :class:`Simulation` explains it."""

    dt: float
    worlds: int
    solver: str
    integrator: str
    iterations: int
    epsilon: float | None
    erp: float
    stabilisation_iterations: int | None
    warm_start: bool
    budget: float | None
    precision: str
    device: str
    threads: int | None
    top_speed: float

    def check(self, scene: object) -> None:
        """Refuse what is not a scene, and settings that no simulation can be made with."""
        if not isinstance(scene, Scene):
            raise SceneError(f"Simulation: the scene is {shown(scene)}; give a sh.Scene")
        check_named("solver", self.solver, SOLVERS)
        check_named("integrator", self.integrator, INTEGRATORS)
        check_named("precision", self.precision, PRECISIONS)
        if not isinstance(self.device, str):
            raise SceneError(f"device is {shown(self.device)}; give 'cpu' or 'cuda'")
        if scene.ropes and not SCHEMES[self.integrator].moves_ropes:
            raise SceneError(
                f"integrator '{self.integrator}' moves no ropes; the scene has {len(scene.ropes)}: leave integrator out"
            )
        if SCHEMES[self.integrator].fourth_order and self.solver != "direct":
            raise SceneError(
                f"integrator '{self.integrator}' needs the accelerations of the direct solver; "
                f"solver is '{self.solver}'"
            )
        moved = [name for name, body in scene.bodies.items() if body.spec.moved]
        if moved and self.integrator == "position-verlet":
            raise SceneError(
                f"integrator '{self.integrator}' ends its steps in the middle of a drift, where '{moved[0]}' cannot "
                "lead; take 'leapfrog'"
            )
        positive(self.dt, "dt (s)")
        whole(self.worlds, "worlds", 1)
        whole(self.iterations, "iterations", 1)
        if self.threads is not None:
            whole(self.threads, "threads", 1)
        if self.stabilisation_iterations is not None:
            whole(self.stabilisation_iterations, "stabilisation_iterations", 0)
        if not 0.0 <= number(self.erp, "erp") <= 1.0:
            raise SceneError(f"erp is {self.erp}; it is a share between 0 and 1")
        if self.epsilon is not None:
            not_negative(self.epsilon, "epsilon (N s)")
        positive(self.top_speed, "top_speed (m/s, rad/s)")
        if self.budget is not None:
            positive(self.budget, "budget (s)")
        if not isinstance(self.warm_start, bool):
            raise SceneError(f"warm_start is {shown(self.warm_start)}; give True or False")

    def on_device(self, precision: Precision, counts: dict[str, int], scene: Scene) -> Table:
        """The struct of scalars that every kernel gets: the settings, and how many there are of everything."""
        made = struct_values(precision).settings()
        made.dt, made.erp, made.top_speed = float(self.dt), self.erp, self.top_speed
        made.epsilon = EPSILON * lightness(scene) if self.epsilon is None else self.epsilon
        made.iterations, made.warm_start = self.iterations, int(self.warm_start)
        half, given = (self.iterations + 1) // 2, self.stabilisation_iterations
        made.stabilisations = half if given is None else given
        made.block_chunks, made.input_chunks = counts["block_chunk"], counts["input_chunk"]
        made.materials = math.isqrt(counts["material_pair"])
        for name, item in COUNTS.items():
            setattr(made, name, counts[item])
        return made


def lightness(scene: Scene) -> float:
    """The mass of the heaviest body over 1 kg, at most 1: impulses of a machine of milligrams are as much smaller."""
    return min(1.0, max((b.properties.mass for b in scene.bodies.values() if b.properties is not None), default=1.0))


def check_named(what: str, name: object, known: tuple[str, ...]) -> None:
    """Refuse a name that is not one of the known ones."""
    if not isinstance(name, str) or name not in known:
        raise SceneError(f"{what} {shown(name)} is unknown{nearest(str(name), known)}")
