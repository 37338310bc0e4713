"""Every array of a simulation: its name, items, type, unit and the stage that writes it.

Arrays are indexed [item, world]; those of the model that no world may change are indexed [item]. A struct per table is
handed to the kernels, so a kernel takes five arguments whatever the number of arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..device import load_warp
from ..errors import SceneError
from .precision import Precision


@dataclass(frozen=True)
class Field:
    """One array: what it runs over (None: one value per world), its element type and what it holds."""

    name: str
    items: str | None
    type: str
    note: str
    per_world: bool = True


def _shared(name: str, items: str, type_: str, note: str) -> Field:
    return Field(name, items, type_, note, per_world=False)


# Read by the kernels, never written while stepping.
MODEL = (
    Field("inv_mass", "body", "real", "1/kg; 0 for the world and fixed bodies"),
    Field("inertia", "body", "mat33", "kg m^2 about the centre of mass, body axes"),
    Field("inv_inertia", "body", "mat33", "1/(kg m^2), body axes; 0 for fixed bodies"),
    Field("gravity", None, "vec3", "m/s^2"),
    _shared("joint_a", "joint", "int", "body a"),
    _shared("joint_b", "joint", "int", "body b"),
    _shared("anchor_a", "joint", "vec3", "m from a's centre of mass, a's axes"),
    _shared("anchor_b", "joint", "vec3", "m from b's centre of mass, b's axes"),
    _shared("turn_a", "joint", "quat", "joint frame in a's axes"),
    _shared("turn_b", "joint", "quat", "joint frame in b's axes"),
    _shared("linear_lock", "joint", "int", "bits x=1, y=2, z=4: locked translations"),
    _shared("angular_lock", "joint", "int", "bits: locked rotations"),
    _shared("basis", "joint", "int", "scene.joints.Basis"),
    _shared("length", "joint", "real", "m, of a radial lock"),
    _shared("limit_start", "joint", "int", "first of the joint's limits"),
    _shared("limit_end", "joint", "int", "one past the last"),
    _shared("friction_start", "joint", "int", "first of the joint's frictions"),
    _shared("friction_end", "joint", "int", "one past the last"),
    _shared("coordinate_joint", "coordinate", "int", "joint of the coordinate"),
    _shared("coordinate_kind", "coordinate", "int", "scene.joints.Kind"),
    _shared("twist_joint", "twist", "int", "joint whose turns are counted"),
    _shared("limit_joint", "limit", "int", "joint of the limit"),
    _shared("limit_kind", "limit", "int", "scene.joints.Kind of its coordinate"),
    _shared("limit_linear", "limit", "int", "1: a length, 0: an angle"),
    _shared("limit_twist", "limit", "int", "its place among the twists, or -1"),
    Field("lower", "limit", "real", "rad or m; -inf when open"),
    Field("upper", "limit", "real", "rad or m; +inf when open"),
    _shared("friction_joint", "friction", "int", "joint of the friction"),
    _shared("friction_linear", "friction", "int", "1: sliding, 0: turning"),
    _shared("friction_axes", "friction", "int", "bits: the free axes it acts on"),
    _shared("friction_single", "friction", "int", "1: one axis, 0: several under one bound"),
    _shared("friction_law", "friction", "int", "0 true Coulomb, 1 the impulse clamp of paper 000, 2 bristles"),
    _shared("friction_speed", "friction", "real", "Stribeck speed, m/s or rad/s; 0: none"),
    _shared("friction_stiffness", "friction", "real", "of the bristles, N/m or N m/rad; with a load 1/m"),
    _shared("friction_damping", "friction", "real", "of the bristles, N s/m or N m s/rad; with a load s/m"),
    _shared("friction_load", "friction", "int", "which part of the reaction presses, see rows/friction.py"),
    _shared("friction_radius", "friction", "real", "m of pin or ball; 1 without a load and for sliding axes"),
    _shared("friction_preload", "friction", "real", "N"),
    Field("dynamic_level", "friction", "real", "N or N m; with a load a coefficient"),
    Field("static_level", "friction", "real", "N or N m; with a load a coefficient"),
    # springs, viscous friction and drives, see rows/soft.py
    _shared("soft_start", "joint", "int", "first of the joint's soft rows"),
    _shared("soft_end", "joint", "int", "one past the last"),
    _shared("soft_joint", "soft", "int", "joint of the soft row"),
    _shared("soft_kind", "soft", "int", "scene.joints.Kind of its coordinate, or -1: an axis of the angular basis"),
    _shared("soft_linear", "soft", "int", "1: a length, 0: an angle"),
    _shared("soft_column", "soft", "int", "its column in the joint's basis"),
    _shared("soft_twist", "soft", "int", "its place among the twists, or -1"),
    _shared("viscous", "soft", "real", "N s/m or N m s/rad"),
    _shared("viscous_load", "soft", "real", "the same per N of the joint's reaction"),
    _shared("has_spring", "soft", "int", "1: it has one"),
    _shared("spring_k", "soft", "real", "N/m or N m/rad"),
    _shared("spring_c", "soft", "real", "N s/m or N m s/rad"),
    _shared("spring_rest", "soft", "real", "m or rad"),
    _shared("spring_preload", "soft", "real", "N or N m"),
    _shared("spring_side", "soft", "int", "0 both, 1 push, 2 pull"),
    _shared("table_start", "soft", "int", "first point of the spring's table"),
    _shared("table_end", "soft", "int", "one past the last"),
    _shared("table_x", "table", "real", "deflection, m or rad"),
    _shared("table_f", "table", "real", "force, N or N m"),
    _shared("drive_kind", "soft", "int", "0 none, 1 plain, 2 speed servo, 3 position servo"),
    _shared("drive_stall", "soft", "real", "N m of the motor"),
    _shared("drive_idle", "soft", "real", "rad/s of the motor"),
    _shared("drive_inertia", "soft", "real", "kg m^2 of the motor"),
    _shared("drive_ratio", "soft", "real", "motor speed over the coordinate's rate"),
    _shared("drive_efficiency", "soft", "real", "of the gear"),
    _shared("drive_locks", "soft", "int", "1: the load cannot turn the motor"),
    _shared("servo_gain", "soft", "real", "voltage per error"),
    _shared("servo_damping", "soft", "real", "voltage per rate"),
    _shared("servo_integral", "soft", "real", "voltage per error and second"),
    # the direct solver's program, see ordering.py
    _shared("body_node", "direct_body", "int", "linear node of a body, -1 if it cannot move; the angular one follows"),
    _shared("joint_node_l", "direct_joint", "int", "node of the locked translations, or -1"),
    _shared("closes_loop", "direct_joint", "int", "1: the joint that closes a loop"),
    _shared("joint_node_a", "direct_joint", "int", "node of the locked rotations, or -1"),
    _shared(
        "joint_block", "direct_coupling", "int", "six blocks a joint: l-a.l, l-a.a, l-b.l, l-b.a, a-a.a, a-b.a; or -1"
    ),
    _shared("edge_start", "node_end", "int", "first edge of a node"),
    _shared("edge_node", "edge", "int", "node an edge leads to"),
    _shared("edge_block", "edge", "int", "block of the edge"),
    _shared("update_start", "node_end", "int", "first update of a node"),
    _shared("update_block", "update", "int", "block updated"),
    _shared("fill_block", "fill", "int", "block that starts as zero"),
)

# What a step changes: the whole mechanical state. `remember` writes twist; `integrate` the rest.
STATE = (
    Field("position", "body", "vec3", "m, centre of mass"),
    Field("rotation", "body", "quat", "body axes to world axes"),
    Field("velocity", "body", "vec3", "m/s, centre of mass"),
    Field("spin", "body", "vec3", "rad/s, world axes"),
    Field("twist", "twist", "real", "rad, turns counted"),
)

# Set by the user between steps, constant during one.
CONTROL = (
    Field("force", "body", "vec3", "N at the centre of mass, world axes"),
    Field("torque", "body", "vec3", "N m, world axes"),
    Field("effort", "coordinate", "real", "N or N m on a free coordinate"),
    Field("drive_input", "soft", "real", "voltage of a drive, -1 to 1, or target of a servo"),
)

# Carried from step to step to warm-start the solver; part of a snapshot. Written by the solver.
MEMORY = (
    Field("lock_impulse", "joint", "vec3", "N s on b at its anchor, world axes"),
    Field("lock_angular", "angular", "vec3", "N m s on b, world axes"),
    Field("low_impulse", "limit", "real", "N s or N m s of the lower bound, >= 0"),
    Field("high_impulse", "limit", "real", "of the upper bound, >= 0"),
    Field("friction_impulse", "friction", "vec3", "N s or N m s on b, world axes"),
    Field("sticking", "friction", "int", "1 if it held in the last step"),
    Field("bristle", "friction_law", "vec3", "mean bend of the bristles, m or rad, world axes"),
    Field("soft_impulse", "soft", "real", "N s or N m s of springs, dampers and drives on the coordinate"),
    Field("servo_sum", "soft", "real", "integral of a servo's error"),
)

# Scratch, made anew in every step by the stage named.
WORK = (
    Field("velocity", "body", "vec3", "m/s; forces, solver"),
    Field("spin", "body", "vec3", "rad/s; forces, solver"),
    Field("push", "body", "vec3", "m/s, pseudo-velocity; solver"),
    Field("push_spin", "body", "vec3", "rad/s, pseudo-velocity; solver"),
    Field("inv_inertia", "body", "sym33", "1/(kg m^2), world axes; forces"),
    Field("arm_a", "joint", "vec3", "m from a's centre to b's anchor; prepare"),
    Field("arm_b", "joint", "vec3", "m from b's centre to b's anchor; prepare"),
    Field("gap", "joint", "vec3", "m, error of the locked translations; prepare"),
    Field("tilt", "angular", "vec3", "rad, error of the locked rotations; prepare"),
    Field("mass_ll", "joint", "sym33", "kg, effective mass of the locked block: force from velocity; prepare"),
    Field("mass_al", "angular", "mat33", "kg m: torque from velocity; prepare"),
    Field("mass_aa", "angular", "sym33", "kg m^2: torque from spin; prepare"),
    Field("limit_axis", "limit", "vec3", "world direction of the coordinate; prepare"),
    Field("limit_mass", "limit", "real", "kg or kg m^2; prepare"),
    Field("low_gap", "limit", "real", "rad or m left to the lower bound; prepare"),
    Field("high_gap", "limit", "real", "rad or m left to the upper bound; prepare"),
    Field("low_push", "limit", "real", "pseudo-impulse of the lower bound; solver"),
    Field("high_push", "limit", "real", "pseudo-impulse of the upper bound; solver"),
    Field("friction_axis", "friction_law", "vec3", "world axis of a friction on one axis; prepare"),
    Field("friction_ratio", "friction_law", "real", "friction over normal force in the last visit; solver"),
    Field("soft_axis", "soft", "vec3", "world direction of the coordinate; prepare"),
    Field("soft_inverse_mass", "soft", "real", "1/kg or 1/(kg m^2) along it; prepare"),
    Field("soft_y", "soft", "real", "impulse per rate, kg or kg m^2; prepare"),
    Field("soft_source", "soft", "real", "impulse at rate zero; prepare"),
    Field("voltage", "soft", "real", "what the drive was given; prepare"),
    Field("friction_mass", "friction", "sym33", "kg or kg m^2: sticking impulse from velocity; prepare"),
    Field("friction_bound", "friction", "real", "N s or N m s; prepare"),
    # the direct solver's matrix and right-hand sides
    Field("inertia", "direct_body", "sym33", "kg m^2, world axes, with geometric stiffness; forces, stiffen"),
    Field("rows_l", "direct_partial", "mat33", "rows: the locked and soft translations, zero if free; prepare"),
    Field("rows_a", "direct_angular", "mat33", "rows: the locked and soft rotations; prepare"),
    Field("softness_l", "direct_joint", "real", "1/kg, compliance that keeps redundant rows regular; prepare"),
    Field("softness_a", "direct_joint", "real", "1/(kg m^2), likewise; prepare"),
    Field("pivot", "node", "sym33", "the matrix's diagonal, then its inverse; assemble, factor"),
    Field("block", "block", "mat33", "the matrix below the diagonal, then its factor; assemble, factor"),
    Field("solution", "node", "vec3", "right-hand side, then velocity changes and impulses; solver"),
    Field("push_solution", "node", "vec3", "the same for pseudo-velocities; solver"),
    # the second-order step: where it started, and the impulses of its first half
    Field("start_position", "drift_body", "vec3", "m; drift"),
    Field("start_rotation", "drift_body", "quat", "drift"),
    # the fourth-order step: how fast it started, and its accelerations
    Field("smooth", None, "int", "1 if this step was Runge and Kutta's; begin"),
    Field("start_velocity", "rk4_body", "vec3", "m/s; begin"),
    Field("start_spin", "rk4_body", "vec3", "rad/s; begin"),
    Field("size", "rk4_body", "real", "length of the rotation in the middle before it is made a unit; stages"),
    Field("first_pull", "rk4_body", "vec3", "m/s^2, acceleration at the start; stages"),
    Field("first_bend", "rk4_body", "quat", "1/s^2, second derivative of the rotation; stages"),
    Field("middle_pull", "rk4_body", "vec3", "m/s^2, the sum of the two in the middle; stages"),
    Field("middle_bend", "rk4_body", "quat", "1/s^2, likewise; stages"),
    Field("half_lock", "drift_joint", "vec3", "N s; first half kick"),
    Field("half_angular", "drift_angular", "vec3", "N m s; first half kick"),
    Field("half_low", "drift_limit", "real", "N s or N m s; first half kick"),
    Field("half_high", "drift_limit", "real", "N s or N m s; first half kick"),
    Field("press", "drift_friction", "vec3", "N s, the joint's reaction as the kick began; prepare"),
    Field("half_soft", "drift_soft", "real", "N s or N m s; first half kick"),
    Field("half_friction", "drift_friction", "vec3", "N s or N m s; first half kick"),
)

# What every step reports, one value per world.
REPORT = (
    Field("step", None, "int", "steps done"),
    Field("iterations", None, "int", "of the last step"),
    Field("residual", None, "real", "largest change of an impulse in the last iteration, N s or N m s"),
    Field("joint_error", None, "real", "worst error of a locked axis when the step began, m or rad"),
    Field("done", None, "int", "1 once the iterations of this step have converged"),
    Field("fault", None, "int", "0, or why the world stopped: 1 not finite, 2 runaway"),
    Field("fault_body", None, "int", "the body it was seen on"),
)

SETTINGS = {
    "dt": "real",
    "erp": "real",
    "epsilon": "real",
    "top_speed": "real",
    "iterations": "int",
    "stabilisations": "int",
    "warm_start": "int",
    "bodies": "int",
    "joints": "int",
    "coordinates": "int",
    "twists": "int",
    "limits": "int",
    "frictions": "int",
    "softs": "int",
    "nodes": "int",
    "fills": "int",
}

TABLES = {"model": MODEL, "state": STATE, "control": CONTROL, "memory": MEMORY, "work": WORK, "report": REPORT}


def element_type(precision: Precision, name: str) -> Any:
    """The Warp type of an array element by its name in the tables."""
    return int if name == "int" else getattr(precision, name)


@cache
def structs(precision: Precision) -> SimpleNamespace:
    """The Warp structs of all tables, and ``settings``, in a precision."""
    wp = load_warp()

    def struct(name: str, annotations: dict[str, Any]) -> Any:
        return wp.struct(type(name, (), {"__annotations__": annotations, "__module__": __name__}))

    made = {}
    for table, fields in TABLES.items():
        annotations = {}
        for field in fields:
            dims = 1 if field.items is None or not field.per_world else 2
            annotations[field.name] = wp.array(dtype=element_type(precision, field.type), ndim=dims)
        made[table] = struct(f"{table.capitalize()}_{precision.name}", annotations)
    scalars = {name: element_type(precision, kind) for name, kind in SETTINGS.items()}
    made["settings"] = struct(f"Settings_{precision.name}", scalars)
    return SimpleNamespace(**made)


def allocate(table: str, precision: Precision, counts: dict[str, int], worlds: int, device: str) -> Any:
    """A struct of zeroed arrays for a table.

    On the GPU neighbouring worlds are neighbours in memory, so that the threads of a warp read one line together; on
    the CPU a world's items are neighbours, so that a thread stays in its own cache lines. The kernels index
    [item, world] either way: the CPU arrays are transposed views.
    """
    wp = load_warp()
    filled = getattr(structs(precision), table)()
    for field in TABLES[table]:
        dtype = element_type(precision, field.type)
        if field.items is None:
            array = wp.zeros(worlds, dtype=dtype, device=device)
        elif not field.per_world:
            array = wp.zeros(counts[field.items], dtype=dtype, device=device)
        elif device == "cpu":
            array = wp.zeros((worlds, counts[field.items]), dtype=dtype, device=device).transpose((1, 0))
        else:
            array = wp.zeros((counts[field.items], worlds), dtype=dtype, device=device)
        setattr(filled, field.name, array)
    return filled


def write(array: Any, values: Any) -> None:
    """Copy numbers into a device array, repeating them along the worlds where there is one of them only."""
    if array.size == 0:
        return
    if array.device.is_cpu:
        array.numpy()[...] = values
    else:
        array.assign(np.broadcast_to(values, array.numpy().shape))


def write_row(array: Any, place: int, values: Any) -> None:
    """Copy numbers into one item of a device array, for all worlds or one by one."""
    if array.device.is_cpu:
        array.numpy()[place] = values
    else:
        write(array[place], values)


def check_shape(what: str, values: Any, parts: tuple[str, ...], worlds: int) -> None:
    """Refuse values that are neither one (number, or vector of ``parts``) for all worlds nor a row for each of them."""
    shape = np.shape(values)
    one = (len(parts),) if parts else ()
    if shape in (one, (worlds, *one)):
        return
    single = f"{len(parts)} numbers ({', '.join(parts)})" if parts else "one number"
    many = f", or an array of shape {(worlds, *one)} for the {worlds} worlds" if worlds > 1 else ""
    raise SceneError(f"{what} is given values of shape {shape}; give {single}{many}")


def read(array: Any) -> Any:
    """The numbers of a device array, copied to a numpy array."""
    return np.array(array.numpy())
