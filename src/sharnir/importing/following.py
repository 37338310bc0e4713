"""Joints that mimic others: couplings of a robot sorted, their limits and starts made to agree.

A coupling keeps the sum of c_i q_i at an offset; its first joint follows the others. All limits are put on the joints
that lead, since two stops on one motion would say the same twice, and followers start where their leaders put them. The
length of a strut may lead, too; it carries nothing, and its follower starts where the file says.
"""

from __future__ import annotations

from graphlib import TopologicalSorter

import msgspec

from ..errors import SceneError
from ..scene.couplings import AnyCoupling, Mimic, Prescribed, WeightedSum
from ..scene.joint_coordinates import start_value
from ..scene.scene import Scene
from .report import ImportReport
from .tree import Connection, Coupling, Tree

ROUNDING = 1e-6  # rad or m: starts that disagree by less meet


def settle(tree: Tree, report: ImportReport) -> list[Coupling]:
    """The couplings that hold, leaders first; starts and limits of their joints agree from here on."""
    following: dict[str, Coupling] = {}
    for coupling in tree.couplings:
        why = _simplified(coupling, tree)
        tried = [] if why else [coupling.led_by_others(name) for name in coupling.terms if name in tree.joints]
        chosen = next((one for one in tried if not _clash(one, following)), None)
        if chosen is None:
            why = why or _clash(coupling, following)
            report.ignore(coupling.where, f"coupling '{coupling.name}'", why, "motion")
        else:
            following[chosen.follower] = chosen
    graph = {name: coupling.leaders for name, coupling in following.items()}
    order = [name for name in TopologicalSorter(graph).static_order() if name in following]
    for name in reversed(order):
        _hand_over_limits(following[name], tree, report)
    for joint in tree.joints.values():
        if joint.name not in following and not tree.loops:  # loops are drawn closed, and moved when they are built
            _start_inside(joint, report)
    for name in order:
        coupling = following[name]
        if all(leader in tree.joints for leader in coupling.leaders):
            led = sum(coupling.terms[leader] * tree.joints[leader].start for leader in coupling.leaders)
            tree.joints[name].start = coupling.offset - led
        tree.joints[name].effort = 0.0  # its leader's motor moves it
        _drop_limits(tree.joints[name], report)
    return [following[name] for name in order]


def _simplified(coupling: Coupling, tree: Tree) -> str:
    """Leave out terms that are always zero; why a coupling cannot be, if so."""
    for name, factor in list(coupling.terms.items()):
        joint = tree.joints.get(name)
        if joint is None:  # a strut
            continue
        if name != coupling.follower and (factor == 0.0 or joint.kind == "fixed"):
            del coupling.terms[name]
        elif not joint.has_coordinate:
            return f"'{name}' is no hinge and no slide"
    return ""


def _clash(coupling: Coupling, following: dict[str, Coupling]) -> str:
    if coupling.follower in following:
        return f"'{coupling.follower}' follows other joints already"
    stack = list(coupling.leaders)
    while stack:
        name = stack.pop()
        if name == coupling.follower:
            return f"'{coupling.follower}' would follow itself"
        stack += following[name].leaders if name in following else []
    return ""


def _hand_over_limits(coupling: Coupling, tree: Tree, report: ImportReport) -> None:
    """The limits of a follower as those of its leader: q_1 = offset - c_2 q_2 is between them."""
    follower = tree.joints[coupling.follower]
    if len(coupling.leaders) != 1 or (follower.low is None and follower.high is None):
        return
    if coupling.leaders[0] not in tree.joints:
        return
    (leader,) = (tree.joints[name] for name in coupling.leaders)
    factor = -coupling.terms[leader.name]
    ends = [None if end is None else (end - coupling.offset) / factor for end in (follower.low, follower.high)]
    low, high = ends if factor > 0.0 else reversed(ends)
    low = leader.low if low is None else low if leader.low is None else max(low, leader.low)
    high = leader.high if high is None else high if leader.high is None else min(high, leader.high)
    follower.low = follower.high = None
    if low is not None and high is not None and high - low < ROUNDING:
        why = f"leave '{leader.name}' no room, which it follows; they are left out"
        report.ignore(follower.where, f"limits of '{follower.name}'", why, "motion")
        return
    leader.low, leader.high = low, high


def _drop_limits(joint: Connection, report: ImportReport) -> None:
    """A follower of several joints that starts outside of its limits has none."""
    low, high = joint.low, joint.high
    if (low is None or joint.start >= low - ROUNDING) and (high is None or joint.start <= high + ROUNDING):
        return
    joint.low = joint.high = None
    why = f"exclude its start at {joint.start:g}, where the joints that it follows put it; they are left out"
    report.ignore(joint.where, f"limits of '{joint.name}'", why, "motion")


def _start_inside(joint: Connection, report: ImportReport) -> None:
    start = joint.start if joint.low is None else max(joint.start, joint.low)
    start = start if joint.high is None else min(start, joint.high)
    if start != joint.start:
        report.repair(joint.where, "start", f"{joint.start:g} is outside of the limits; starts at {start:g}")
        joint.start = start


def move_inside(scene: Scene, report: ImportReport) -> None:
    """Joints of loops that start outside of their limits are moved into them, all loops closed on the way.

    Where they cannot get there, the limits are left out.
    """
    for joint in scene.joints.values():
        for free in joint.type.coordinates:
            low, high = joint.ranges.get(free.name, (None, None))
            start = start_value(joint, free)
            inside = start if low is None else max(start, low)
            inside = inside if high is None else min(inside, high)
            if abs(inside - start) <= ROUNDING:
                continue
            where = f"joint '{joint.name}'"
            try:
                scene.pose({joint.coordinate(free.name): inside})
                report.repair(where, "start", f"{start:g} is outside of the limits; starts at {inside:g}")
            except SceneError:
                joint.describe(msgspec.structs.replace(joint.spec, limits=None))
                why = f"exclude its start at {start:g}, and its loop cannot reach {inside:g}; they are left out"
                report.ignore(where, f"limits of '{joint.name}'", why, "motion")


def couple(scene: Scene, name: str, coupling: Coupling, joints: dict[str, str], report: ImportReport) -> None:
    """Add a coupling to a scene, whose ``joints`` are known by other names; one that loops pull apart is put right."""
    coupled = [scene.joints[joints[one]] for one in coupling.terms]
    start = scene.couple(name, _described(coupling, coupling.offset), *coupled).start
    if abs(start - coupling.offset) > ROUNDING and len(coupled) > 1:
        del scene.couplings[name]
        scene.couple(name, _described(coupling, start), *coupled)
        report.repair(coupling.where, "offset", f"is {coupling.offset:g}; loops let it start at {start:g}, now that")


def _described(coupling: Coupling, offset: float) -> AnyCoupling:
    factors = tuple(coupling.terms.values())
    if len(factors) == 1:
        return Prescribed()
    if len(factors) == 2:
        return Mimic(multiplier=-factors[1], offset=offset)
    return WeightedSum(coefficients=factors, offset=offset)
