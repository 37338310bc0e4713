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
from ..scene.values import shown
from . import rope_fields
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


def _fields(rows: tuple[rope_fields.Row, ...]) -> tuple[Field, ...]:
    return tuple(Field(*row) for row in rows)


# Read by the kernels, never written while stepping.
MODEL = (
    Field("inv_mass", "body", "real", "1/kg; 0 for the world and fixed bodies"),
    Field("inertia", "body", "mat33", "kg m^2 about the centre of mass, body axes"),
    Field("inv_inertia", "body", "mat33", "1/(kg m^2), body axes; 0 for fixed bodies"),
    Field("gravity", None, "vec3", "m/s^2"),
    _shared("felt_spin", "body", "mat33", "body axes: the part of a spin that moves anything, see dynamics/watch.py"),
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
    _shared("gear_start", "joint", "int", "first of those that are gears of drives, after the dry ones"),
    _shared("loss_start", "joint", "int", "first of those that are losses of couplings, after the gears"),
    _shared("friction_end", "joint", "int", "one past the last"),
    _shared("coordinate_joint", "coordinate", "int", "joint of the coordinate"),
    _shared("coordinate_kind", "coordinate", "int", "scene.joints.Kind"),
    _shared("twist_joint", "twist", "int", "joint whose turns are counted"),
    _shared("twist_kind", "twist", "int", "of which of its angles"),
    _shared("limit_joint", "limit", "int", "joint of the limit"),
    _shared("limit_kind", "limit", "int", "scene.joints.Kind of its coordinate"),
    _shared("limit_linear", "limit", "int", "1: a length, 0: an angle"),
    _shared("limit_twist", "limit", "int", "its place among the twists, or -1"),
    Field("lower", "limit", "real", "rad or m; -inf when open"),
    Field("upper", "limit", "real", "rad or m; +inf when open"),
    _shared("friction_joint", "friction", "int", "joint of the friction"),
    _shared("friction_linear", "friction", "int", "1: sliding, 0: turning"),
    _shared("friction_axes", "friction", "int", "bits: the free axes it acts on"),
    _shared("friction_soft", "friction", "int", "soft row of the drive whose gear it is, or -1"),
    _shared("friction_coupling", "friction", "int", "coupling whose loss it is, or -1"),
    _shared("friction_single", "friction", "int", "1: one axis, 0: several under one bound"),
    _shared("friction_law", "friction", "int", "0 true Coulomb, 1 the impulse clamp of [000], 2 bristles"),
    Field("friction_speed", "friction", "real", "Stribeck speed, m/s or rad/s; 0: none"),
    Field("friction_stiffness", "friction", "real", "of the bristles, N/m or N m/rad; with a load 1/m"),
    Field("friction_damping", "friction", "real", "of the bristles, N s/m or N m s/rad; with a load s/m"),
    _shared("friction_load", "friction", "int", "which part of the reaction presses, see rows/friction.py"),
    Field("friction_radius", "friction", "real", "m of pin or ball; 1 without a load and for sliding axes"),
    Field("friction_preload", "friction", "real", "N"),
    Field("dynamic_level", "friction", "real", "N or N m; with a load a coefficient"),
    Field("static_level", "friction", "real", "N or N m; with a load a coefficient"),
    # springs, viscous friction and drives, see rows/soft.py
    _shared("soft_start", "joint", "int", "first of the joint's soft rows"),
    _shared("soft_end", "joint", "int", "one past the last"),
    _shared("soft_joint", "soft", "int", "joint of the soft row"),
    _shared("soft_share", "soft", "real", "of its inverse mass, what is left with all that it carries, see carried.py"),
    _shared("soft_kind", "soft", "int", "scene.joints.Kind of its coordinate, or -1: an axis of the angular basis"),
    _shared("soft_linear", "soft", "int", "1: a length, 0: an angle"),
    _shared("soft_column", "soft", "int", "its column in the joint's basis"),
    _shared("soft_twist", "soft", "int", "its place among the twists, or -1"),
    Field("viscous", "soft", "real", "N s/m or N m s/rad"),
    Field("viscous_load", "soft", "real", "the same per N of the joint's reaction"),
    _shared("has_spring", "soft", "int", "1: it has one"),
    Field("spring_k", "soft", "real", "N/m or N m/rad"),
    Field("spring_c", "soft", "real", "N s/m or N m s/rad"),
    Field("spring_rest", "soft", "real", "m or rad"),
    Field("spring_preload", "soft", "real", "N or N m"),
    _shared("spring_side", "soft", "int", "0 both, 1 push, 2 pull"),
    _shared("table_start", "soft", "int", "first point of the spring's table"),
    _shared("table_end", "soft", "int", "one past the last"),
    _shared("table_x", "table", "real", "deflection, m or rad"),
    _shared("table_f", "table", "real", "force, N or N m"),
    _shared("drive_kind", "soft", "int", "0 none, 1 plain, 2 speed servo, 3 position servo"),
    Field("drive_stall", "soft", "real", "N m of the motor"),
    Field("drive_idle", "soft", "real", "rad/s of the motor"),
    Field("drive_inertia", "soft", "real", "kg m^2 of the motor"),
    Field("drive_ratio", "soft", "real", "motor speed over the coordinate's rate"),
    Field("drive_efficiency", "soft", "real", "of the gear"),
    _shared("drive_locks", "soft", "int", "1: the load cannot turn the motor"),
    Field("servo_gain", "soft", "real", "voltage per error"),
    Field("servo_damping", "soft", "real", "voltage per rate"),
    Field("servo_integral", "soft", "real", "voltage per error and second"),
    Field("servo_feed", "soft", "real", "voltage per rate of the target"),
    # actuators, see dynamics/rows/actuator.py
    _shared("soft_actuator", "soft", "int", "actuator of the soft row, or -1"),
    _shared("actuator_kind", "actuator", "int", "model.actuators: IDEAL and so on"),
    _shared("actuator_first", "actuator", "int", "first of its numbers"),
    Field("actuator_number", "actuator_number", "real", "in SI units, by the places in model.actuators"),
    # couplings, see dynamics/rows/coupling.py
    _shared("coupling_start", "coupling", "int", "first of its terms"),
    _shared("coupling_end", "coupling", "int", "one past the last"),
    _shared("coupling_moves", "coupling", "int", "1: it follows a motion that is prescribed"),
    Field("coupling_offset", "coupling", "real", "rad or m, what the sum of its terms is kept at"),
    Field("coupling_driving", "coupling", "real", "friction over effort while its first coordinate drives"),
    Field("coupling_driven", "coupling", "real", "the same while it is driven; 1 and more locks"),
    Field("coupling_gap", "coupling", "real", "rad or m by which the sum of its terms may be off, either way"),
    _shared("coupling_give", "coupling", "real", "share of its inverse mass by which it gives way, see couplings.py"),
    _shared("term_joint", "term", "int", "joint of the term's coordinate"),
    _shared("term_kind", "term", "int", "scene.joints.Kind of its coordinate"),
    _shared("term_linear", "term", "int", "1: a length, 0: an angle"),
    _shared("term_twist", "term", "int", "its place among the twists, or -1"),
    Field("term_factor", "term", "real", "factor of the coordinate in the sum"),
    _shared("coupling_node", "direct_gear", "int", "node of the coupling"),
    _shared("term_block", "direct_term", "int", "four blocks a term: with a's and b's linear and angular nodes, or -1"),
    # the direct solver's program, see ordering.py
    _shared("body_node", "direct_body", "int", "linear node of a body, -1 if it cannot move; the angular one follows"),
    _shared("joint_node_l", "direct_joint", "int", "node of the locked translations, or -1"),
    _shared("closes_loop", "direct_joint", "int", "1: the joint that closes a loop"),
    _shared("is_redundant", "direct_joint", "int", "1: it does, and some of its rows are implied by others"),
    _shared("joint_node_a", "direct_joint", "int", "node of the locked rotations, or -1"),
    _shared(
        "joint_block", "direct_coupling", "int", "six blocks a joint: l-a.l, l-a.a, l-b.l, l-b.a, a-a.a, a-b.a; or -1"
    ),
    _shared("edge_start", "node_end", "int", "first edge of a node"),
    _shared("edge_node", "edge", "int", "node an edge leads to; its block has the edge's number"),
    _shared("update_block", "update", "int", "block updated, in the order of the elimination"),
    _shared("fill_block", "fill", "int", "block that starts as zero"),
    # which nodes the impulses of limits, friction and contacts reach, see dynamics/solvers/reach.py
    _shared("reach_linear", "reach_joint", "int", "first of the nodes that forces at the joint reach"),
    _shared("reach_angular", "reach_joint", "int", "first of the nodes that torques at the joint reach"),
    _shared("reach_end", "reach_joint", "int", "one past the last of them"),
    _shared("joint_path", "joint_path", "int", "those nodes"),
    _shared("path_start", "path_body", "int", "first of the nodes that impulses on a body reach"),
    _shared("path_end", "path_body", "int", "one past the last; none for bodies without joints"),
    _shared("path_node", "body_path", "int", "those nodes"),
    _shared("shape_tyre", "shape", "int", "its tyre, or -1"),
    _shared("tyre_stiffness", "tyre", "real", "N/m, vertical"),
    _shared("tyre_damping", "tyre", "real", "N s/m, vertical"),
    _shared("tyre_longitudinal", "tyre", "real", "slip stiffness over the load"),
    _shared("tyre_lateral", "tyre", "real", "cornering stiffness over the load, 1/rad"),
    _shared("tyre_relaxation", "tyre", "real", "m"),
    _shared("tyre_grip", "tyre", "real", "lateral friction over longitudinal"),
    _shared("tyre_rolling", "tyre", "real", "m, arm of the rolling resistance"),
    _shared("shape_belt", "shape", "int", "the belt that moves its surface, or -1"),
    _shared("belt_joint", "belt", "int", "joint of the sprocket"),
    _shared("belt_radius", "belt", "real", "m, of the sprocket"),
    _shared("swept", "swept", "int", "the shapes that are not terrain"),
    _shared("terrain", "terrain", "int", "the shapes that are"),
    # shapes that can touch, see contacts.py
    _shared("shape_body", "shape", "int", "body that carries it; 0, the world, for terrain"),
    _shared("shape_kind", "shape", "int", "model.contacts: SPHERE and so on"),
    _shared(
        "shape_size",
        "shape",
        "vec3",
        "m: sphere (radius, -, -), capsule and cylinder (radius, half length, -), box half edges, wheel (radius less "
        "rounding, rounding, half of the flat tread), height field (spacing of rows and of columns, greatest height)",
    ),
    _shared("shape_place", "shape", "vec3", "m from the body's centre of mass, body's axes"),
    _shared("shape_turn", "shape", "quat", "shape's frame in the body's axes"),
    _shared("shape_radius", "shape", "real", "m, of a ball about shape_place that holds it; inf for a plane"),
    _shared("shape_material", "shape", "int", "its place among the materials"),
    _shared("shape_groups", "shape", "int", "bits: the groups it is in"),
    _shared("shape_ignores", "shape", "int", "bits: the groups it passes through"),
    _shared("excluded", "exclusion", "int", "shape_a * shapes + shape_b of neighbours in a joint, ascending"),
    Field("pair_friction", "material_pair", "real", "at material_a * materials + material_b"),
    Field("pair_restitution", "material_pair", "real", ""),
    Field("pair_rolling", "material_pair", "real", "m"),
    Field("pair_spinning", "material_pair", "real", "m"),
    Field("pair_stiffness", "material_pair", "real", "N/m; inf when rigid"),
    Field("pair_damping", "material_pair", "real", "N s/m"),
    Field("pair_threshold", "material_pair", "real", "m/s, below which nothing bounces"),
    _shared("hull_start", "shape", "int", "first of its vertices"),
    _shared("hull_end", "shape", "int", "one past the last"),
    _shared("hull_vertex", "hull_vertex", "vec3", "m, shape's frame"),
    _shared("hull_face_start", "shape", "int", "first of its faces"),
    _shared("hull_face_end", "shape", "int", "one past the last"),
    _shared("face_normal", "hull_face", "vec3", "unit, outward, shape's frame"),
    _shared("face_corner_start", "hull_face", "int", "first of its corners"),
    _shared("face_corner_end", "hull_face", "int", "one past the last"),
    _shared("face_corner", "hull_corner", "int", "vertex of a corner, counterclockwise seen from outside"),
    # terrain, see grounds.py
    _shared("height_start", "shape", "int", "first of its heights"),
    _shared("height_rows", "shape", "int", "along x"),
    _shared("height_columns", "shape", "int", "along y"),
    _shared("height", "height", "real", "m, row by row"),
    _shared("shape_mesh", "shape", "id", "of the wp.Mesh that finds its triangles, 0 without"),
    _shared("triangle_start", "shape", "int", "first of its triangles"),
    _shared("triangle", "triangle_index", "int", "six vertices a triangle: a, b, c, and those across ab, bc, ca or -1"),
    _shared("mesh_vertex", "mesh_vertex", "vec3", "m, shape's frame"),
    _shared("ring_start", "mesh_vertex_end", "int", "first of the vertices that a vertex has edges to"),
    _shared("ring", "ring", "int", "vertex at the other end of an edge"),
    # distance sensors
    _shared("ray_body", "ray", "int", "body that carries it"),
    _shared("ray_place", "ray", "vec3", "m from the body's centre of mass, body's axes"),
    _shared("ray_direction", "ray", "vec3", "unit, body's axes"),
    _shared("ray_reach", "ray", "real", "m"),
    *_fields(rope_fields.MODEL),
)

# What of the model may be set between steps, and belongs to a snapshot: each world has its own, but for the ropes'.
PARAMETERS = (*(field.name for field in MODEL if field.per_world), "rope_strength")

# What a step changes: the whole mechanical state. `remember` writes twist; `integrate` the rest.
STATE = (
    Field("position", "body", "vec3", "m, centre of mass"),
    Field("rotation", "body", "quat", "body axes to world axes"),
    Field("velocity", "body", "vec3", "m/s, centre of mass"),
    Field("spin", "body", "vec3", "rad/s, world axes"),
    Field("twist", "twist", "real", "rad, turns counted"),
    *_fields(rope_fields.STATE),
)

# Set by the user between steps, constant during one.
CONTROL = (
    Field("force", "body", "vec3", "N at the centre of mass, world axes"),
    Field("torque", "body", "vec3", "N m, world axes"),
    Field("effort", "coordinate", "real", "N or N m on a free coordinate"),
    Field("drive_input", "soft", "real", "voltage of a drive, -1 to 1, or target of a servo"),
    Field("command", "actuator", "real", "of an actuator: N, N m, an opening or an excitation"),
    Field("coupling_target", "coupling", "real", "rad or m, added to what the coupling keeps by the end of the step"),
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
    Field("friction_ratio", "friction_law", "real", "friction over normal force in the last visit"),
    Field("soft_impulse", "soft", "real", "N s or N m s of springs, dampers and drives on the coordinate"),
    Field("servo_sum", "soft", "real", "integral of a servo's error"),
    Field("actuator_a", "actuator", "real", "Pa beside the start (chamber a), K or activation of an actuator"),
    Field("actuator_b", "actuator", "real", "Pa beside the start, of chamber b"),
    Field("actuator_effort", "actuator", "real", "N or N m, the mean over the last kick"),
    Field("coupling_impulse", "coupling", "real", "N s or N m s on a coordinate of factor 1"),
    Field("coupling_effort", "coupling", "real", "N or N m, the mean over the last kick"),
    Field("coupling_loss", "coupling", "real", "N or N m on its first coordinate, likewise"),
    Field("coupling_side", "coupling", "int", "1 or -1: the flank that touches where there is play, 0: none"),
    Field("opening_left", "joint", "vec2", "m and rad: the most gap and tilt that steps should have left"),
    Field("contact_impulse", "contact", "vec3", "N s on b, world axes"),
    Field("contact_spin", "contact_roll", "vec3", "N m s of rolling and spinning friction on b, world axes"),
    Field("contact_bend", "contact_tyre", "vec3", "m, bend of a tyre's bristles, world axes"),
    # reactions of the joints and, of the leapfrog step, what it carries on, see dynamics/integrators/
    Field("reaction", "joint", "vec3", "N on b at its anchor when the last step began, world axes"),
    Field("reaction_torque", "angular", "vec3", "N m on b, likewise"),
    Field("reaction_now", "joint", "vec3", "N, the reaction brought to the end of the step"),
    Field("reaction_torque_now", "angular", "vec3", "N m, likewise"),
    Field("kick", None, "real", "s, the interval of the last kick; 0 before the first"),
    Field("mid_velocity", "leap_body", "vec3", "m/s in the middle of the last step"),
    Field("mid_spin", "leap_body", "vec3", "rad/s, of the momentum in the middle of the last step"),
    Field("start_velocity", "leap_body", "vec3", "m/s when the last step began, now that its kick is known"),
    Field("start_spin", "leap_body", "vec3", "rad/s, likewise"),
    Field("kick_velocity", "leap_body", "vec3", "m/s by which the last whole kick changed the velocity"),
    Field("kick_spin", "leap_body", "vec3", "rad/s, likewise"),
    Field("kick_change", "leap_body", "vec3", "m/s by which that kick differed from the one before"),
    Field("kick_spin_change", "leap_body", "vec3", "rad/s, likewise"),
    Field("led_spin", "led_body", "vec3", "rad/s by which leading onto the joints changed the spin in the last step"),
    Field("stiffened", "led_body", "sym33", "kg m^2 that geometric stiffness added last; stiffen"),
    Field("stiffness_mark", "led_body", "int", "whether that counts in the next step; stiffen"),
    Field("last_force", "leap_body", "vec3", "N, input of the last step"),
    Field("last_torque", "leap_body", "vec3", "N m, input of the last step"),
    Field("last_effort", "leap_coordinate", "real", "N or N m, input of the last step"),
    Field("last_input", "soft", "real", "of a drive, input of the last step"),
    Field("last_command", "leap_actuator", "real", "of an actuator, command of the last step"),
    Field("kept_count", None, "int", "contacts of the last step"),
    Field("kept_a", "contact", "int", "their shapes a"),
    Field("kept_b", "contact", "int", "their shapes b"),
    Field("kept_place", "contact", "vec3", "m, their points as seen from the body that moves"),
    *_fields(rope_fields.MEMORY),
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
    Field("friction_axis", "friction_law", "vec3", "world axis of a friction on one axis, or across its two; prepare"),
    Field("loss_seen", "friction_law", "vec3", "N s, N s, 1: friction and effort of a coupling's last visit; solver"),
    Field("soft_axis", "soft", "vec3", "world direction of the coordinate; prepare"),
    Field("soft_inverse_mass", "soft", "real", "1/kg or 1/(kg m^2) along it; prepare"),
    Field("soft_y", "soft", "real", "impulse per rate, kg or kg m^2; prepare"),
    Field("soft_source", "soft", "real", "impulse at rate zero; prepare"),
    Field("gear_rate", "soft", "real", "rate of the joint at which the motor runs by itself; prepare"),
    Field("gear_loss", "soft", "real", "impulse per rate that the gear adds, see gear.py; prepare"),
    Field("voltage", "soft", "real", "what the drive was given; prepare"),
    Field("command", "actuator", "real", "what the actuator was given; prepare"),
    Field("actuator_y", "actuator", "real", "its part of soft_y, without its rotor; prepare"),
    Field("actuator_source", "actuator", "real", "its part of soft_source, likewise; prepare"),
    Field("friction_mass", "friction", "sym33", "kg or kg m^2: sticking impulse from velocity; prepare"),
    Field("friction_bound", "friction", "real", "N s or N m s; of a gear its inverse mass; prepare"),
    Field("term_axis", "term", "vec3", "world direction of the coordinate times its factor; prepare"),
    Field("coupling_error", "coupling", "real", "rad or m, the sum of its terms less what it keeps; prepare"),
    Field("coupling_ease", "coupling", "real", "1/kg or 1/(kg m^2), inverse mass of its bodies by themselves; prepare"),
    Field("coupling_bias", "coupling", "real", "rad/s or m/s that close it; prepare, solver"),
    Field("coupling_bias_impulse", "coupling", "real", "N s that the bias takes, apart from the warm start; solver"),
    # the direct solver's matrix and right-hand sides
    Field("inertia", "direct_body", "sym33", "kg m^2, world axes, with geometric stiffness; forces, stiffen"),
    Field(
        "following",
        "direct_body",
        "vec3",
        "kg m^2 rad/s, the part of it that turns with the pulls, times their rates; stiffen",
    ),
    Field("stiffening", "direct_body", "sym33", "kg m^2 that geometric stiffness adds; stiffen"),
    Field("rows_l", "row_partial", "mat33", "rows: the locked and soft translations, zero if free; prepare"),
    Field("rows_a", "row_angular", "mat33", "rows: the locked and soft rotations; prepare"),
    Field("softness_l", "direct_joint", "real", "1/kg, compliance of a joint that closes a loop; prepare"),
    Field("softness_a", "direct_joint", "real", "1/(kg m^2), likewise; prepare"),
    Field("pivot", "node", "sym33", "the matrix's diagonal, then its inverse; assemble, factor"),
    Field("block", "block", "mat33", "the matrix below the diagonal, then its factor; assemble, factor"),
    Field("solution", "node", "vec3", "right-hand side, then velocity changes and impulses; solver"),
    Field("push_solution", "node", "vec3", "the same for pseudo-velocities; solver"),
    Field("reach", "reach", "mat33", "what unit impulses leave at a node on their way; prepare"),
    Field("reach_node", "reach", "int", "that node; prepare"),
    Field("reach_mass_l", "reach_joint", "sym33", "1/kg, slip from an impulse, every joint reacting; prepare"),
    Field("reach_mass_a", "reach_joint", "sym33", "1/(kg m^2), relative spin likewise; prepare"),
    Field("spread", "reach_scratch", "mat33", "the same while it is found; prepare"),
    Field("reach_used", None, "int", "entries of reach in use; prepare"),
    # broad phase
    Field("box_low", "shape", "vec3", "m, corner of a box that holds the shape throughout the step; find_contacts"),
    Field("box_high", "shape", "vec3", "m, the opposite corner; find_contacts"),
    Field("sweep_order", "swept", "int", "shapes along the axis of the sweep; find_contacts"),
    Field("near_count", None, "int", "pairs of shapes that are near each other; find_contacts"),
    Field("near_a", "near", "int", "shape a of such a pair; find_contacts"),
    Field("near_b", "near", "int", "shape b; find_contacts"),
    Field("sweep_ready", None, "int", "1 once the order holds every shape; find_contacts"),
    # contacts
    Field("kept_first", "shape", "int", "one of the kept contacts of shape a, or -1; keep_contacts"),
    Field("kept_next", "contact", "int", "the next one, or -1; keep_contacts"),
    Field("contact_place", "contact", "vec3", "m, the point as seen from the body that moves; keep_contacts"),
    Field("contact_start", "contact", "vec3", "N s of the last step; keep_contacts"),
    Field("contact_body_a", "contact", "int", "body of shape a; prepare"),
    Field("contact_body_b", "contact", "int", "body of shape b; prepare"),
    Field("contact_arm_a", "contact", "vec3", "m from a's centre of mass to the point; prepare"),
    Field("contact_arm_b", "contact", "vec3", "m from b's centre of mass to the point; prepare"),
    Field("contact_tangent", "contact", "vec3", "first tangent; the second is normal x tangent; prepare"),
    Field("contact_mass", "contact", "sym33", "1/kg, velocity from an impulse in the contact's frame; prepare"),
    Field("contact_pair", "contact", "int", "pair of materials; prepare"),
    Field("contact_y", "contact", "real", "kg, impulse per velocity of a compliant contact, 0 if rigid; prepare"),
    Field(
        "contact_source", "contact", "real", "its impulse at velocity zero, N s; rigid: least velocity, m/s; prepare"
    ),
    Field("contact_reach", "contact_reach", "int", "first of its entries in reach; prepare"),
    Field("contact_reach_end", "contact_reach", "int", "one past the last; prepare"),
    Field("contact_blow", "contact_blow", "vec3", "N s of an impact, world axes; solver"),
    Field("contact_push", "contact", "real", "pseudo-impulse; solver"),
    Field("contact_step", "contact", "vec3", "N s, change of the impulse in the last sweep; solver"),
    Field("contact_search", "contact", "vec3", "N s, direction of the sweeps so far; solver"),
    Field("contact_squares", None, "vec2", "(N s)^2, sum of squared changes in the last two sweeps; solver"),
    Field("contact_shares", "contact", "int", "1: it takes part in sharing a load; share_loads"),
    Field("contact_share", "contact", "vec3", "N s, m/s, m/s: its even share, residual, direction; share_loads"),
    Field("contact_answer", "contact", "vec2", "m/s along the normal: as it is, and by the directions; share_loads"),
    Field("contact_force", "contact", "vec3", "N on b, world axes; finish"),
    Field("contact_slip", "contact", "vec3", "m/s of b against a, world axes; finish"),
    Field("contact_start_spin", "contact_roll", "vec3", "N m s of the last step; keep_contacts"),
    Field("contact_start_bend", "contact_tyre", "vec3", "m at the end of the last step; keep_contacts"),
    Field("roll_mass", "contact_roll", "sym33", "1/(kg m^2), spin from an angular impulse, contact's frame; prepare"),
    Field("roll_arms", "contact_roll", "vec2", "m, of rolling and of spinning friction; prepare"),
    Field("roll_reach", "roll_reach", "int", "first of its entries in reach; prepare"),
    Field("roll_reach_end", "roll_reach", "int", "one past the last; prepare"),
    Field("tyre_rate", "contact_tyre", "real", "1/s, rolling speed over the relaxation length; prepare"),
    Field("tyre_stretch", "contact_tyre", "real", "bend over that at which everything slides; prepare, solver"),
    Field("contact_sprocket", "contact_belt", "int", "joint of the sprocket that moves a side, or -1; prepare"),
    Field("contact_axle", "contact_belt", "vec3", "its axis; prepare"),
    Field("contact_belt", "contact_belt", "vec3", "m, velocity per rate of the sprocket; prepare"),
    Field("touch_force", "touch_body", "vec3", "N, all contacts of a body; finish"),
    # rows that lead onto the joints to second order, see dynamics/bias.py
    Field("kick", None, "real", "s, the interval over which forces act in this step; begin"),
    Field("is_led", None, "int", "1 once the bias is found; solver"),
    Field("spin_ahead", "led_body", "vec3", "rad/s, mean spin in the drift as far as it is known; solver"),
    Field("spin_gain", "led_body", "vec3", "rad/s, of which the momentum is constant in the drift; solver"),
    Field(
        "jolted",
        "leap_body",
        "int",
        "1: friction on it has begun or ceased to hold in this step, 2: begun, to what is fixed; finish",
    ),
    Field("turning", "led_body", "vec2", "how it turns in the drift, see bias.py; solver"),
    Field("bias", "led_joint", "vec3", "m/s, half a step of J' V of the translations, world axes; solver"),
    Field("bow", "led_joint", "vec3", "m/s, the bias without the part that closes a gap; solver"),
    Field("bow_spin", "led_angular", "vec3", "rad/s, likewise; solver"),
    Field("bias_spin", "led_angular", "vec3", "rad/s, of the rotations; solver"),
    Field("bias_impulse", "led_joint", "vec3", "N s that the bias takes, apart from the warm start; solver"),
    Field("bias_angular", "led_angular", "vec3", "N m s, likewise; solver"),
    Field("soft_bias", "led_soft", "real", "share of the bias that a soft row feels; prepare"),
    # the fourth-order step: how fast it started, and its accelerations
    Field("smooth", None, "int", "1 if this step was of fourth order; begin, with a budget"),
    Field("start_position", "rk4_body", "vec3", "m; begin"),
    Field("start_rotation", "rk4_body", "quat", "begin"),
    Field("start_velocity", "rk4_body", "vec3", "m/s; begin"),
    Field("start_spin", "rk4_body", "vec3", "rad/s; begin"),
    Field("size", "rk4_body", "real", "length of the rotation in the middle before it is made a unit; stages"),
    Field("first_pull", "rk4_body", "vec3", "m/s^2, acceleration at the start; stages"),
    Field("first_bend", "rk4_body", "quat", "1/s^2, second derivative of the rotation; stages"),
    Field("middle_pull", "rk4_body", "vec3", "m/s^2, the sum of the two in the middle; stages"),
    Field("middle_bend", "rk4_body", "quat", "1/s^2, likewise; stages"),
    Field("start_reaction", "rk4_joint", "vec3", "N, reaction at the start; stages"),
    Field("start_reaction_torque", "rk4_angular", "vec3", "N m, likewise; stages"),
    # points where shapes touch or are about to; collide
    Field("ray_distance", "ray", "real", "m, of the distance sensors; sense"),
    Field("contact_count", None, "int", "points in the list"),
    Field("contact_a", "contact", "int", "shape a"),
    Field("contact_b", "contact", "int", "shape b"),
    Field("contact_normal", "contact", "vec3", "unit, from a to b"),
    Field("contact_point", "contact", "vec3", "m, midway between the two surfaces"),
    Field("contact_gap", "contact", "real", "m between the surfaces, negative where they overlap"),
    Field("contact_feature", "contact", "int", "which corner, edge or triangle; the same from step to step"),
    *_fields(rope_fields.WORK),
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
    Field("contacts_lost", None, "int", "points that found no room in the list, in the last step"),
    Field("noticed", None, "int", "bits of what the host should warn of, see dynamics/watch.py"),
    Field("largest_turn", None, "real", "rad, of a body in one step since the start"),
    Field("turned_body", None, "int", "the body it was"),
    Field("opening", None, "real", "m or rad, of the joint that was open furthest beyond what a step should leave"),
    Field("opening_allowed", None, "real", "m or rad, what it should have left"),
    Field("opened_joint", None, "int", "the joint it was, if by its gap; -1 - joint, if by its tilt"),
    Field("fall_backs", None, "int", "steps since the start that another integrator had to make"),
)

# What controllers and displays read while a simulation runs, see dynamics/measure.py. Written by `measure`, on demand.
READING = (
    _shared("center", "body", "vec3", "m, the centre of mass in the body's frame; constant"),
    _shared("turns", "coordinate", "int", "its place among the twists, or -1; constant"),
    Field("coordinate", "coordinate", "real", "rad or m"),
    Field("rate", "coordinate", "real", "rad/s or m/s"),
    Field("origin", "body", "vec3", "m, the origin of the body's frame"),
    Field("origin_velocity", "body", "vec3", "m/s, of that origin"),
)

# What sensors read, see dynamics/sensing.py. The step does not know of it.
SENSING = (
    _shared("kind", "sense", "int", "scene.sensors.Kind of the reading"),
    _shared("item", "sense", "int", "body, joint or coordinate"),
    _shared("twist", "sense", "int", "the coordinate's place among the twists, or -1"),
    _shared("place", "sense", "vec3", "m from the body's centre of mass, body's axes"),
    _shared("turn", "sense", "quat", "sensor's frame in the body's axes"),
    _shared("factor", "sense", "real", "what the reading is multiplied by"),
    _shared("resolution", "sense", "real", "of an encoder; 0: none"),
    _shared("size", "sense", "real", "m, radius of a pad or reach of a beam"),
    _shared("every", "sense", "int", "steps from sample to sample"),
    _shared("delay", "sense", "int", "steps until a sample is read"),
    _shared("slots", "sense", "int", "samples that are kept"),
    _shared("first_slot", "sense", "int", "the first of them"),
    _shared("white", "sense", "real", "standard deviation of a sample's white noise"),
    _shared("walk", "sense", "real", "standard deviation by which the bias changes from sample to sample"),
    _shared("bias", "sense", "real", "constant"),
    _shared("spread", "sense", "real", "standard deviation of what is drawn at the start"),
    _shared("key", "sense", "int", "seed of the sensor"),
    _shared("stream", "sense", "int", "which random numbers are the reading's, by its name"),
    Field("seed", None, "int", "seed of the world"),
    Field("taken", "sense", "int", "samples taken"),
    Field("distance", "sense", "real", "m, of a beam"),
    Field("change", "sense", "vec3", "m/s, of an accelerometer's body: kick_change of the step before"),
    Field("change_spin", "sense", "vec3", "rad/s, likewise"),
    Field("wander", "sense", "vec3", "the bias now"),
    Field("sample", "slot", "vec3", "samples on their way"),
    Field("reading", "reading", "real", "what single numbers read"),
    Field("beam", "beam", "real", "m, what beams of lidars read"),
    Field("vector", "vector_reading", "vec3", "what vectors read"),
)

# What of it changes, and belongs to a snapshot
SENSED = tuple(field.name for field in SENSING if field.per_world)

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
    "redundant": "int",
    "coordinates": "int",
    "twists": "int",
    "limits": "int",
    "frictions": "int",
    "softs": "int",
    "couplings": "int",
    "nodes": "int",
    "fills": "int",
    "shapes": "int",
    "exclusions": "int",
    "materials": "int",
    "contacts": "int",
    "swept": "int",
    "near_room": "int",
    "terrains": "int",
    "joint_paths": "int",
    "reach_room": "int",
    **rope_fields.SETTINGS,
}

TABLES = {
    "model": MODEL,
    "state": STATE,
    "control": CONTROL,
    "memory": MEMORY,
    "work": WORK,
    "report": REPORT,
    "reading": READING,
    "sensing": SENSING,
}


def element_type(precision: Precision, name: str) -> Any:
    """The Warp type of an array element by its name in the tables."""
    if name == "id":
        return load_warp().uint64
    return int if name == "int" else getattr(precision, name)


@cache
def struct_values(precision: Precision) -> SimpleNamespace:
    """The Warp structs of all tables, and ``settings``, in a precision: what kernels take."""
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


@cache
def references(precision: Precision) -> SimpleNamespace:
    """The same by reference, for device functions that are too large to be inlined where they are called.

    A table is kilobytes of array descriptors: by value a call that is not inlined copies them.
    """
    wp = load_warp()
    return SimpleNamespace(**{table: wp.ref[made] for table, made in vars(struct_values(precision)).items()})


def structs(precision: Precision) -> SimpleNamespace:
    """The same as most device functions take them: by value on the CPU, by reference on a GPU.

    On the CPU by value is the fastest: once a function is inlined every access is direct, and no store can change a
    descriptor. A GPU's compiler does not see through the copies.
    """
    return references(precision) if precision.by_reference else struct_values(precision)


def hand_over(filled: Any, in_memory: bool, device: str) -> Any:
    """A filled struct as the step's kernels take it: itself, or an array of one that lies on the device."""
    wp = load_warp()
    return wp.array([filled], dtype=filled._cls, device=device) if in_memory else filled


def allocate(table: str, precision: Precision, counts: dict[str, int], worlds: int, device: str) -> Any:
    """A struct of zeroed arrays for a table.

    On the GPU neighbouring worlds are neighbours in memory, so that the threads of a warp read one line together; on
    the CPU a world's items are neighbours, so that a thread stays in its own cache lines. The kernels index
    [item, world] either way: the CPU arrays are transposed views.
    """
    wp = load_warp()
    filled = getattr(struct_values(precision), table)()
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


def write_worlds(array: Any, worlds: Any, values: Any) -> None:
    """Copy numbers into a device array for the worlds of a mask only; the last axis but those of vectors is theirs."""
    if array.size == 0:
        return
    if worlds.all():
        write(array, values)
        return
    host = array.numpy()  # on the CPU the array itself
    index = (slice(None),) * (array.ndim - 1) + (np.flatnonzero(worlds),)
    host[index] = np.broadcast_to(values, host.shape)[index]
    if not array.device.is_cpu:
        write(array, host)


def write_row(array: Any, place: int, values: Any) -> None:
    """Copy numbers into one item of a device array, for all worlds or one by one."""
    if array.device.is_cpu:
        array.numpy()[place] = values
    else:
        write(array[place], values)


def checked_values(what: str, values: Any, parts: tuple[str, ...], worlds: int) -> Any:
    """Finite numbers: one (or a vector of ``parts``) for all worlds, or a row for each of them."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "bifu":
            raise TypeError
        given = given.astype(float)
    except (TypeError, ValueError):
        raise SceneError(f"{what} is given {shown(values)}; give numbers") from None
    one = (len(parts),) if parts else ()
    if given.shape in (one, (worlds, *one)):
        if not np.isfinite(given).all():
            raise SceneError(f"{what} is given {shown(values)}; give finite numbers")
        return given
    single = f"{len(parts)} numbers ({', '.join(parts)})" if parts else "one number"
    many = f", or an array of shape {(worlds, *one)} for the {worlds} worlds" if worlds > 1 else ""
    raise SceneError(f"{what} is given values of shape {given.shape}; give {single}{many}")


def read(array: Any) -> Any:
    """The numbers of a device array, copied to a numpy array."""
    return np.array(array.numpy())
