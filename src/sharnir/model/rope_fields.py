"""The arrays of ropes, as rows of the tables in ``fields.py``: name, items, type, note and whether each world has one.

Items: "rope"; "rope_node", where element i lies between nodes i and i + 1 and the last place of a rope is empty;
"clamp", an element held in direction; "port", where a rope meets a body that moves, or another rope; "slide", an eyelet
or the drum of a winch.
"""

from __future__ import annotations

Row = tuple[str, str, str, str, bool]

MODEL: tuple[Row, ...] = (
    ("rope_start", "rope", "int", "its first node", False),
    ("rope_end", "rope", "int", "one past its last node", False),
    ("rope_line", "rope", "real", "kg/m", False),
    ("rope_radius", "rope", "real", "m", False),
    ("rope_stiffness", "rope", "vec3", "N m^2: bending twice, twist", False),
    ("rope_damping", "rope", "real", "s, Kelvin-Voigt", False),
    ("rope_strength", "rope", "real", "N at which an element parts; inf: never", False),
    ("rope_rest", "rope_node", "vec3", "1/m, curvature without load between elements i and i + 1", False),
    ("rope_pinned", "rope_node", "int", "1: the node is tied to something that cannot move", False),
    ("clamp_rope", "clamp", "int", "rope of the clamp", False),
    ("clamp_element", "clamp", "int", "element held", False),
    ("clamp_body", "clamp", "int", "body that holds it", False),
    ("clamp_turn", "clamp", "quat", "the direction held, in the body's axes", False),
    ("clamp_rest", "clamp", "vec3", "1/m, curvature without load", False),
    ("clamp_port", "clamp", "int", "its port, or -1: the body cannot move", False),
    ("port_kind", "port", "int", "0: a point of a body, 1: a clamp, 2: a node of another rope, 3: a drum", False),
    ("port_rope", "port", "int", "rope", False),
    ("port_node", "port", "int", "node, or element of a clamp", False),
    ("port_body", "port", "int", "body", False),
    (
        "port_anchor",
        "port",
        "vec3",
        "m from the body's centre of mass, body's axes; of a drum: axis times radius",
        False,
    ),
    ("port_drum", "port", "int", "body of the drum, which turns in port_body", False),
    ("port_slide", "port", "int", "the slide that says which node it is, or -1", False),
    ("port_other", "port", "int", "node of the other rope", False),
    ("port_other_rope", "port", "int", "the other rope", False),
    ("slide_rope", "slide", "int", "rope of an eyelet or winch", False),
    ("slide_winch", "slide", "int", "1: a winch, at the first node", False),
    ("slide_fixed", "slide", "int", "1: its body cannot move", False),
    ("slide_friction", "slide", "real", "capstan's coefficient", False),
    ("slide_length", "slide", "real", "m, usual length of the elements", False),
)

STATE: tuple[Row, ...] = (
    ("rope_position", "rope_node", "vec3", "m", True),
    ("rope_velocity", "rope_node", "vec3", "m/s", True),
    ("rope_rotation", "rope_node", "quat", "element axes to world axes; z along the rope", True),
    ("rope_spin", "rope_node", "vec3", "rad/s, world axes", True),
    ("rope_length", "rope_node", "real", "m, of the element", True),
    ("rope_first", "rope", "int", "first node that is not on a drum", True),
    ("rope_parted", "rope_node", "int", "1: the element is broken", True),
    ("slide_node", "slide", "int", "node that is at the eyelet or drum now", True),
    ("slide_speed", "slide", "real", "m/s of the rope through it, towards the rope's end", True),
)

MEMORY: tuple[Row, ...] = (
    ("rope_pull", "rope_node", "vec3", "N s of the element on node i; solver", True),
    ("slide_slips", "slide", "int", "0: friction holds the rope; slide", True),
    ("slide_drag", "slide", "real", "N s of friction on the rope in the next step; slide", True),
    ("rope_tension", "rope_node", "real", "N of the element; move", True),
    ("port_impulse", "port", "vec3", "N s or N m s on the rope; solver", True),
)

WORK: tuple[Row, ...] = (
    ("rope_axis", "rope_node", "vec3", "unit vector along the element; prepare", True),
    ("rope_inverse", "rope_node", "sym33", "1/kg of the node; prepare", True),
    ("rope_inertia", "rope_node", "sym33", "kg m^2 of the element, with geometric stiffness and clamps; prepare", True),
    ("rope_bend", "rope_node", "sym33", "kg m^2, implicit bending between elements i and i + 1; prepare", True),
    ("rope_free", "rope_node", "vec3", "m/s of the node without the rope's tension; prepare", True),
    ("rope_torque", "rope_node", "vec3", "N m s on the element, with its own momentum; prepare", True),
    ("rope_pivot", "rope_node", "sym33", "inverse of the element's pivot; factor", True),
    ("rope_hold", "rope_node", "sym33", "inverse of the length row's pivot; factor", True),
    ("rope_arm", "rope_node", "mat33", "coupling of the length row with its own element; factor", True),
    ("rope_cross", "rope_node", "mat33", "coupling of the length row with the next element; factor", True),
    ("rope_gap", "rope_node", "vec3", "right-hand side of the length row; solver", True),
    ("rope_twirl", "rope_node", "vec3", "right-hand side of the element; solver", True),
    ("rope_impulse", "rope_node", "vec3", "N s on node i, against node i + 1; solver", True),
    ("rope_turning", "rope_node", "vec3", "rad/s, solution for the element; solver", True),
    ("rope_moving", "rope_node", "vec3", "m/s of the node; solver", True),
    ("rope_spinning", "rope_node", "vec3", "rad/s of the element; solver", True),
    ("rope_full", "rope_node", "sym33", "kg m^2, inertia with the pseudo-impulses' stiffness; close", True),
    ("rope_gap_kept", "port_rope_node", "vec3", "copy of rope_gap; close", True),
    ("rope_twirl_kept", "port_rope_node", "vec3", "copy of rope_twirl; close", True),
    ("rope_push", "rope_node", "vec3", "m/s, pseudo-velocity; close", True),
    ("rope_push_spin", "rope_node", "vec3", "rad/s, pseudo-velocity; close", True),
    ("rope_slip", "slide_rope_node", "real", "1/kg of what runs through the node; prepare", True),
    ("rope_feed", "slide_rope_node", "real", "m/s through the node without the rope's tension; prepare", True),
    ("slide_fed", "slide", "real", "m that ran through in this step; slide", True),
    ("slide_before", "slide", "real", "m/s before this step; slide", True),
    ("rope_start_position", "drift_rope_node", "vec3", "m; second-order step", True),
    ("rope_start_rotation", "drift_rope_node", "quat", "second-order step", True),
    ("port_arm", "port", "vec3", "m from the body's centre to the port; prepare", True),
    ("port_softness", "port", "sym33", "1/kg or 1/(kg m^2) of the tie itself; prepare", True),
    ("port_source", "port", "vec3", "N m s of a clamp at rest; prepare", True),
    ("port_motion", "port", "vec3", "m/s or rad/s of the rope's side; solver", True),
    ("port_change", "port", "vec3", "right-hand side, then change of the impulse; solver", True),
    ("port_rope_side", "port_pair", "mat33", "answer of the ropes at port p to an impulse at q; prepare", True),
    ("port_body_side", "port_pair", "mat33", "answer of the bodies; prepare", True),
    ("port_push", "port", "vec3", "N s, pseudo-impulse on the rope; close", True),
    ("port_matrix", "port_pair", "mat33", "answer of both sides, then its factors; prepare", True),
)

SETTINGS = {"ropes": "int", "clamps": "int", "ports": "int", "slides": "int"}
