"""The arrays of the direct solver: its elimination program, and the nodes that impulses reach through it."""

from __future__ import annotations

import numpy as np

from ..scene.mobility import redundant_joints
from ..scene.scene import Scene
from .catch_rows import catches_of
from .contacts import POINTS_PER_SHAPE
from .features import Features
from .field import Columns, Field, Fields, shared
from .layout import coordinates_of, friction_rows_of
from .ordering import Link, Program, elimination_program
from .softs import softs_of

# Items of the direct solver and the model field that has one entry for each; all empty for the other solver.
DIRECT_COUNTS = {
    "direct_body": "body_node",
    "direct_joint": "joint_node_l",
    "direct_coupling": "joint_block",
    "node_end": "edge_start",
    "edge": "edge_node",
    "update": "update_block",
    "fill": "fill_block",
    "reach_joint": "reach_end",
    "joint_path": "joint_path",
    "path_body": "path_end",
    "body_path": "path_node",
    "direct_gear": "coupling_node",
    "direct_term": "term_block",
}

# The arrays of the direct solver: its program (ordering.py), which nodes the impulses of limits, friction and contacts
# reach (dynamics/solvers/reach.py), its matrix and right-hand sides.
FIELDS: Fields = {
    "model": (
        shared("coupling_node", "direct_gear", "int", "node of the coupling"),
        shared(
            "term_block", "direct_term", "int", "four blocks a term or -1: with the linear and angular nodes of a and b"
        ),
        shared("body_node", "direct_body", "int", "linear node of a body or -1; the angular one follows"),
        shared("joint_node_l", "direct_joint", "int", "node of the locked translations, or -1"),
        shared("closes_loop", "direct_joint", "int", "1: the joint that closes a loop"),
        shared("is_redundant", "direct_joint", "int", "1: it does, and some of its rows are implied by others"),
        shared("joint_node_a", "direct_joint", "int", "node of the locked rotations, or -1"),
        shared(
            "joint_block",
            "direct_coupling",
            "int",
            "six blocks a joint or -1: l-a.l, l-a.a, l-b.l, l-b.a, a-a.a, a-b.a",
        ),
        shared("edge_start", "node_end", "int", "first edge of a node"),
        shared("edge_node", "edge", "int", "node an edge leads to; its block has the edge's number"),
        shared("update_block", "update", "int", "block updated, in the order of the elimination"),
        shared("fill_block", "fill", "int", "block that starts as zero"),
        # which nodes the impulses of limits, friction and contacts reach, see dynamics/solvers/reach.py
        shared("reach_linear", "reach_joint", "int", "first of the nodes that forces at the joint reach"),
        shared("reach_angular", "reach_joint", "int", "first of the nodes that torques at the joint reach"),
        shared("reach_end", "reach_joint", "int", "one past the last of them"),
        shared("joint_path", "joint_path", "int", "those nodes"),
        shared("path_start", "path_body", "int", "first of the nodes that impulses on a body reach"),
        shared("path_end", "path_body", "int", "one past the last; none for bodies without joints"),
        shared("path_node", "body_path", "int", "those nodes"),
    ),
    "work": (
        Field("inertia", "direct_body", "sym33", "kg m^2, world axes, with geometric stiffness; forces, stiffen"),
        Field(
            "following",
            "direct_body",
            "vec3",
            "kg m^2 rad/s, its part that follows the pulls, times their rates; stiffen",
        ),
        Field("stiffening", "direct_body", "sym33", "kg m^2 that geometric stiffness adds; stiffen"),
        Field("rows_l", "row_partial", "mat33", "rows: the locked and soft translations, zero if free; prepare"),
        Field("rows_a", "row_angular", "mat33", "rows: the locked and soft rotations; prepare"),
        Field("softness_l", "direct_joint", "real", "1/kg, compliance of a joint that closes a loop; prepare"),
        Field("softness_a", "direct_joint", "real", "1/(kg m^2), likewise; prepare"),
        Field("closing_energy", "direct_joint", "real", "J in its compliance, at the end of the step; finish"),
        Field("pivot", "node", "sym33", "the matrix's diagonal, then its inverse; assemble, factor"),
        Field("block", "block", "mat33", "the matrix below the diagonal, then its factor; assemble, factor"),
        Field("solution", "node", "vec3", "right-hand side, then velocity changes and impulses; solver"),
        Field("push_solution", "node", "vec3", "the same for pseudo-velocities; solver"),
        Field("reach", "reach", "mat33", "what unit impulses leave at a node on their way; prepare"),
        Field("reach_node", "reach", "int", "that node; prepare"),
        Field("reach_mass_l", "reach_joint", "sym33", "1/kg, slip from an impulse, every joint reacting; prepare"),
        Field("reach_mass_a", "reach_joint", "sym33", "1/(kg m^2), relative spin likewise; prepare"),
        Field("spread", "reach_scratch", "mat33", "the same while it is found; prepare"),
        Field("is_spread", "reach_scratch", "int", "1: the node is on the path of the row that spread is of; prepare"),
        Field("held", "held_friction", "int", "0: it sticks in the matrix, 1: slides, 2: free; prepare, solver"),
        Field("held_basis", "held_friction", "mat33", "columns: its axes in the world, zero for others; prepare"),
        Field("held_slope", "held_friction", "real", "1/kg or 1/(kg m^2), s of u = -s p as it slides; prepare, solver"),
        Field("is_settled", None, "int", "1: nothing in solution that velocities do not know yet; solver"),
        Field("is_pushed", None, "int", "1: there may be something in push_solution; solver"),
        Field("reach_used", None, "int", "entries of reach in use; prepare"),
    ),
}


def direct_arrays(scene: Scene, features: Features) -> dict[str, list[int]]:
    """The elimination program of the direct solver; on the device body 0 is the world."""
    if not features.direct:
        names = [*DIRECT_COUNTS.values(), "joint_node_a", "closes_loop", "is_redundant"]
        names += ["reach_linear", "reach_angular", "path_start", "coupling_node", "term_block"]
        return {name: [] for name in names}
    place = {name: i for i, name in enumerate(["world", *scene.bodies])}
    joints = list(scene.joints.values())
    joined = {body.name for joint in joints for body in (joint.a, joint.b)}
    moves = [False] + [
        body.properties is not None and (body.name in joined or not features.contacts)
        for body in scene.bodies.values()  # contacts strike a body without joints by itself: a pile needs no matrix
    ]
    ends = [tuple(place[body.name] if body.properties is not None else None for body in (j.a, j.b)) for j in joints]
    soft = {(row.joint.name, row.linear) for row in softs_of(scene)}
    if features.held:
        soft |= {(row.joint.name, row.axes.is_linear) for row in friction_rows_of(scene)}
    links = [
        Link(
            a,
            b,
            any(joint.type.locked_translations) or (joint.name, True) in soft,
            any(joint.type.locked_rotations) or (joint.name, False) in soft,
        )
        for joint, (a, b) in zip(joints, ends, strict=True)
    ]
    geared = _gear_links(scene, ends)
    program = elimination_program(moves, [*links, *geared])
    redundant = set(scene.joints) if geared else redundant_joints(scene) if any(program.closes_loop) else set()
    couplings = []
    for i, link in enumerate(links):
        linear, angular = program.nodes.joint_linear[i], program.nodes.joint_angular[i]
        body_nodes = [
            (-1, -1) if e is None else (program.nodes.body_linear[e], program.nodes.body_angular[e])
            for e in (link.a, link.b)
        ]
        for body_linear, body_angular in body_nodes:
            couplings += [program.block_of(linear, body_linear), program.block_of(linear, body_angular)]
        couplings += [program.block_of(angular, body_angular) for _, body_angular in body_nodes]
    gear_nodes, blocks = _gear_blocks(scene, program, ends, len(joints))
    return {
        "body_node": program.nodes.body_linear,
        "joint_node_l": program.nodes.joint_linear[: len(joints)],
        "joint_node_a": program.nodes.joint_angular[: len(joints)],
        "closes_loop": [int(closes) for closes in program.closes_loop[: len(joints)]],
        "is_redundant": [
            int(closes and name in redundant)
            for name, closes in zip(scene.joints, program.closes_loop[: len(joints)], strict=True)
        ],
        "joint_block": couplings,
        "edge_start": program.edge_start,
        "edge_node": program.edge_node,
        "update_block": program.update_block,
        "fill_block": program.fill + sorted({block for block in blocks if block >= 0}),  # gears add to theirs
        "coupling_node": gear_nodes,
        "term_block": blocks,
        **_joint_paths(scene, program, links),
        **_body_paths(program),
    }


Ends = list[tuple[int | None, ...]]


def _gear_links(scene: Scene, ends: Ends) -> list[Link]:
    """Couplings as the ordering sees them."""
    place = {name: i for i, name in enumerate(scene.joints)}
    links = []
    for coupling in scene.couplings.values():
        a, b, *more = (body for joint, _ in coupling.terms for body in ends[place[joint.name]])
        linear = any(free.kind.is_linear for _, free in coupling.terms)
        links.append(Link(a, b, linear, not linear, tuple(more)))
    return links


def _gear_blocks(scene: Scene, program: Program, ends: Ends, joints: int) -> tuple[list[int], list[int]]:
    """The node of each coupling, and four blocks for each of its terms."""
    place = {name: i for i, name in enumerate(scene.joints)}
    nodes, blocks = [], []
    for i, coupling in enumerate(scene.couplings.values()):
        node = max(program.nodes.joint_linear[joints + i], program.nodes.joint_angular[joints + i])
        nodes.append(node)
        for joint, free in coupling.terms:
            for body in ends[place[joint.name]]:
                linear, angular = (
                    (-1, -1) if body is None else (program.nodes.body_linear[body], program.nodes.body_angular[body])
                )
                blocks += [
                    program.block_of(node, linear) if free.kind.is_linear else -1,
                    program.block_of(node, angular),
                ]
    return nodes, blocks


# Limits and friction know the whole mechanism where the average path of a joint is no longer; by measurement.
LONGEST_PATH = 24
CONTACTS_PER_BODY = 16  # room for the paths of contacts, on average over the bodies in joints


def knows_all(features: Features, model: Columns) -> bool:
    """Whether limits, friction and contacts know what they do to the whole mechanism (dynamics/solvers/reach.py)."""
    if not features.direct:
        return False
    return features.contacts or 0 < len(model["joint_path"]) <= LONGEST_PATH * len(model["reach_end"])


def solves_friction(scene: Scene, features: Features, model: Columns) -> bool:
    """Whether dry friction is solved in the matrix (dynamics/rows/held.py).

    It is in trees with long paths, where every friction has a bound of its own and axes that carry nothing else.
    """
    if not features.direct or features.reach or not model["friction_joint"] or any(model["closes_loop"]):
        return False
    if any(model["friction_law"]) or any(model["friction_load"]) or scene.couplings or scene.ropes or catches_of(scene):
        return False
    soft = {(row.joint.name, row.linear) for row in softs_of(scene)}
    return not any((row.joint.name, row.axes.is_linear) in soft for row in friction_rows_of(scene))


def reach_counts(features: Features, model: Columns) -> dict[str, int]:
    """The number of items for it."""
    if not features.reach:
        return {"reach": 0, "reach_scratch": 0, "contact_reach": 0}
    contacts = CONTACTS_PER_BODY * len(model["path_node"]) if features.contacts else 0
    if features.rolling:
        contacts *= 2
    return {
        "reach": len(model["joint_path"]) + contacts,
        "reach_scratch": max(len(model["edge_start"]) - 1, 0),
        "contact_reach": len(model["shape_body"]) * POINTS_PER_SHAPE,
    }


def _joint_paths(scene: Scene, program: Program, links: list[Link]) -> dict[str, list[int]]:
    """The nodes that impulses on the free axes of each joint reach; none for axes without bounded rows."""
    linear = {row.joint.name for row in friction_rows_of(scene) if row.axes.is_linear}
    angular = {row.joint.name for row in friction_rows_of(scene) if not row.axes.is_linear}
    for _, joint, coordinate in coordinates_of(scene):
        if coordinate.name in joint.ranges or coordinate.name in joint.catches:
            (linear if coordinate.kind.is_linear else angular).add(joint.name)
    starts: dict[str, list[int]] = {"reach_linear": [], "reach_angular": [], "reach_end": []}
    nodes: list[int] = []
    for name, link in zip(scene.joints, links, strict=True):
        ends = [body for body in (link.a, link.b) if body is not None]
        turned = [program.nodes.body_angular[body] for body in ends]
        moved = [program.nodes.body_linear[body] for body in ends] + turned
        starts["reach_linear"].append(len(nodes))
        nodes += program.path_from(moved) if name in linear else []
        starts["reach_angular"].append(len(nodes))
        nodes += program.path_from(turned) if name in angular else []
        starts["reach_end"].append(len(nodes))
    return starts | {"joint_path": nodes}


def _body_paths(program: Program) -> dict[str, list[int]]:
    """The nodes that impulses on each body reach; none for a body without joints."""
    paths = [
        program.path_from([linear, angular])
        for linear, angular in zip(program.nodes.body_linear, program.nodes.body_angular, strict=True)
    ]
    ends = np.cumsum([0] + [len(path) for path in paths]).tolist()
    return {"path_start": ends[:-1], "path_end": ends[1:], "path_node": [node for path in paths for node in path]}
