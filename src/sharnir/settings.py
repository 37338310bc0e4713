"""The settings of a simulation: checked when they come in, and as the kernels get them."""

from __future__ import annotations

import math
import os
from typing import Any

from .errors import SceneError, nearest
from .model.fields import struct_values
from .model.integrator import INTEGRATORS as SCHEMES
from .model.precision import PRECISIONS, Precision
from .scene.scene import Scene
from .scene.values import not_negative, number, positive, shown, whole

SOLVERS = ("direct", "sequential-impulses")
INTEGRATORS = tuple(SCHEMES)
KERNELS = ("special", "general")
EPSILON = 1e-10  # N s or N m s in machines of kilograms


def check_settings(scene: Any, dt: Any, solver: Any, integrator: Any, others: dict[str, Any]) -> None:
    """Validate the settings of a simulation; ``others`` are the remaining ones by name."""
    if not isinstance(scene, Scene):
        raise SceneError(f"Simulation: the scene is {shown(scene)}; give a sh.Scene")
    check_named("solver", solver, SOLVERS)
    check_named("integrator", integrator, INTEGRATORS)
    check_named("precision", others["precision"], PRECISIONS)
    if not isinstance(others["device"], str):
        raise SceneError(f"device is {shown(others['device'])}; give 'cpu' or 'cuda'")
    if scene.ropes and not SCHEMES[integrator].moves_ropes:
        raise SceneError(
            f"integrator '{integrator}' moves no ropes; the scene has {len(scene.ropes)}: leave integrator out"
        )
    if SCHEMES[integrator].fourth_order and solver != "direct":
        raise SceneError(
            f"integrator '{integrator}' needs the accelerations of the direct solver; solver is '{solver}'"
        )
    positive(dt, "dt (s)")
    for name in ("worlds", "iterations"):
        whole(others[name], name, 1)
    if others["threads"] is not None:
        whole(others["threads"], "threads", 1)
    if others["stabilisation_iterations"] is not None:
        whole(others["stabilisation_iterations"], "stabilisation_iterations", 0)
    if not 0.0 <= number(others["erp"], "erp") <= 1.0:
        raise SceneError(f"erp is {others['erp']}; it is a share between 0 and 1")
    not_negative(others["epsilon"], "epsilon (N s)")
    positive(others["top_speed"], "top_speed (m/s, rad/s)")
    if others["budget"] is not None:
        positive(others["budget"], "budget (s)")
    if not isinstance(others["warm_start"], bool):
        raise SceneError(f"warm_start is {shown(others['warm_start'])}; give True or False")


def lightness(scene: Scene) -> float:
    """The mass of the heaviest body over 1 kg, at most 1: impulses of a machine of milligrams are as much smaller."""
    return min(1.0, max((b.properties.mass for b in scene.bodies.values() if b.properties is not None), default=1.0))


def wants_general_kernels() -> bool:
    """Whether kernels are to be shared by scenes, as ``SHARNIR_KERNELS=general`` asks for.

    They know every joint, element and shape: slower than what is made for one scene, but compiled once for all.
    """
    wanted = os.environ.get("SHARNIR_KERNELS", "special")
    check_named("SHARNIR_KERNELS", wanted, KERNELS)
    return wanted == "general"


def device_settings(precision: Precision, counts: dict[str, int], dt: float, others: dict[str, Any]) -> Any:
    """The struct of scalars that every kernel gets: the settings, and how many there are of everything."""
    made = struct_values(precision).settings()
    made.dt, made.erp, made.epsilon, made.top_speed = dt, others["erp"], others["epsilon"], others["top_speed"]
    made.iterations, made.warm_start = others["iterations"], int(others["warm_start"])
    half, given = (others["iterations"] + 1) // 2, others["stabilisation_iterations"]
    made.stabilisations = half if given is None else given
    made.bodies, made.joints, made.redundant = counts["body"], counts["joint"], counts["redundant"]
    made.coordinates, made.twists = counts["coordinate"], counts["twist"]
    made.limits, made.frictions, made.softs = counts["limit"], counts["friction"], counts["soft"]
    made.couplings = counts["coupling"]
    made.nodes, made.fills = counts["node"], counts["fill"]
    made.shapes, made.exclusions = counts["shape"], counts["exclusion"]
    made.materials, made.contacts = math.isqrt(counts["material_pair"]), counts["contact"]
    made.swept, made.terrains, made.near_room = counts["swept"], counts["terrain"], counts["near"]
    made.joint_paths, made.reach_room = counts["joint_path"], counts["reach"]
    made.ropes, made.clamps, made.ports = counts["rope"], counts["clamp"], counts["port"]
    made.slides, made.skips, made.buckets = counts["slide"], counts["skip"], counts["bucket"]
    made.rubs = counts["rub"]
    return made


def check_named(what: str, name: Any, known: tuple[str, ...]) -> None:
    """Refuse a name that is not one of the known ones."""
    if not isinstance(name, str) or name not in known:
        raise SceneError(f"{what} {shown(name)} is unknown{nearest(str(name), known)}")
