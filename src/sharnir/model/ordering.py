"""The elimination order of the direct solver, found once when a scene is compiled, and written down as a flat program.

The velocity problem [M J^T; J -Gamma] [dV; -dl] = [0; -J V] is symmetric quasi-definite: it has factors L D L^T in
any order (Vanderbei 1995). Its graph has bodies *and* joints as nodes: a tree then factors with no fill in linear time,
and a loop fills in along its own path only, where the Schur complement J M^-1 J^T would make a clique of all the joints
of a chassis. Everything is cut into 3x3 blocks: a body is a linear and an angular node, a joint likewise, as far as it
locks anything.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import NamedTuple


class Link(NamedTuple):
    """A joint as the ordering sees it: its bodies (None: immovable) and whether it locks translations, rotations.

    A coupling is one, too: it has ``more`` bodies, and a linear node if some of its coordinates are lengths.
    """

    a: int | None
    b: int | None
    linear: bool
    angular: bool
    more: tuple[int | None, ...] = ()

    @property
    def ends(self) -> tuple[int | None, ...]:
        """All of its bodies."""
        return (self.a, self.b, *self.more)


class Nodes(NamedTuple):
    """The node of each body's and each joint's linear and angular part; -1 where there is none."""

    body_linear: list[int]
    body_angular: list[int]
    joint_linear: list[int]
    joint_angular: list[int]


@dataclass(frozen=True)
class Program:
    """Nodes are numbered in the order of their elimination. Blocks (i, j) are stored once, with i > j.

    When node k is eliminated its edges lead to the later nodes it is coupled to, in ascending order. The block of an
    edge has the edge's own number: a column of L lies together, in the order in which it is read. The updates of
    node k are the blocks (p, q) of all pairs of its edges, p descending and, for each p, q ascending below p; the
    diagonal of each p is updated too and needs no place in the list.
    """

    nodes: Nodes
    closes_loop: list[bool]  # joint by joint: whether it was eliminated last of a loop, on what the others leave free
    edge_start: list[int]  # one more than there are nodes
    edge_node: list[int]
    update_block: list[int]
    blocks: dict[tuple[int, int], int]  # (row node, column node) -> block
    fill: list[int]  # blocks that are zero before the elimination

    def path_from(self, nodes: list[int]) -> list[int]:
        """All nodes that an impulse on these nodes reaches on its way through the elimination, in ascending order.

        The first edge of a node leads to its parent in the elimination tree; the others lead to ancestors of that.
        """
        reached: set[int] = set()
        for node in nodes:
            while node >= 0 and node not in reached:
                reached.add(node)
                has_edge = self.edge_start[node] < self.edge_start[node + 1]
                node = self.edge_node[self.edge_start[node]] if has_edge else -1
        return sorted(reached)

    def block_of(self, i: int, j: int) -> int:
        """The block that couples two nodes, -1 if one of them is missing."""
        return -1 if min(i, j) < 0 else self.blocks[max(i, j), min(i, j)]


def elimination_program(bodies: list[bool], links: list[Link]) -> Program:
    """The program for bodies (True: it can move) and the joints between them."""
    elimination = _Elimination(bodies, links)
    order = elimination.order()
    nodes = Nodes([-1] * len(bodies), [-1] * len(bodies), [-1] * len(links), [-1] * len(links))
    count = 0
    for is_joint, index in order:
        linear, angular = nodes[2:] if is_joint else nodes[:2]
        if not is_joint or links[index].linear:
            linear[index], count = count, count + 1
        if not is_joint or links[index].angular:
            angular[index], count = count, count + 1
    closing = [i in elimination.closing for i in range(len(links))]
    return _symbolic(count, nodes, closing, _couplings(links, nodes))


Node = tuple[bool, int]  # (is it a joint, its place)
GROUND = -1


@dataclass(eq=False)
class _Group:
    """Eliminated bodies that hang together, and what is known of them."""

    bodies: set[int]
    open: set[int]  # its joints that are still to be eliminated
    ties: set[int]  # the bodies outside (or the ground) to which eliminated joints tie it


class _Elimination:
    """Minimum degree, with a rule for joints that keeps their pivots sound.

    A joint's pivot is the inverse mass that the bodies eliminated before it show at its rows, everything else held
    still. It is regular, or singular only where the rows truly are redundant, in two cases: one side is a group that
    floats (no ties), which answers to any impulse; or all that both sides are tied to is one body, or the ground, which
    may then be held still without loss.
    """

    def __init__(self, bodies: list[bool], links: list[Link]) -> None:
        self.links = links
        self.neighbours: dict[Node, set[Node]] = {(False, i): set() for i, moves in enumerate(bodies) if moves}
        self.joints_of: dict[int, set[int]] = {i: set() for i, moves in enumerate(bodies) if moves}
        for i, link in enumerate(links):
            ends: set[Node] = {(False, body) for body in link.ends if body is not None}
            self.neighbours[True, i] = set(ends)
            for end in ends:
                self.neighbours[end].add((True, i))
                self.joints_of[end[1]].add(i)
        self.group_of: dict[int, _Group] = {}
        self.closing: set[int] = set()
        self.queue = [(len(around), node) for node, around in self.neighbours.items() if not node[0]]
        heapq.heapify(self.queue)

    def order(self) -> list[Node]:
        """All nodes in the order of their elimination."""
        done = []
        while self.neighbours:
            degree, node = heapq.heappop(self.queue)
            if node not in self.neighbours or (node[0] and not self._is_sound(node[1])):
                continue
            if degree != len(self.neighbours[node]):
                self._offer(node)
                continue
            done.append(node)
            self._remove(node)
        return done

    def _offer(self, node: Node) -> None:
        heapq.heappush(self.queue, (len(self.neighbours[node]), node))

    def _sides(self, joint: int) -> tuple[list[_Group], set[int]]:
        """The groups a joint touches, and the bodies outside (or the ground) it touches."""
        groups, outside = [], set()
        for body in self.links[joint].ends:
            if body is None:
                outside.add(GROUND)
            elif body in self.group_of:
                groups.append(self.group_of[body])
            else:
                outside.add(body)
        return groups, outside

    def _is_sound(self, joint: int) -> bool:
        groups, outside = self._sides(joint)
        if not groups:
            return False
        if any(not group.ties for group in groups):
            return True
        return len(outside.union(*(group.ties for group in groups))) <= 1

    def _remove(self, node: Node) -> None:
        around = self.neighbours.pop(node)
        for other in around:
            self.neighbours[other].discard(node)
            self.neighbours[other].update(around - {other})
        touched = self._remove_joint(node[1]) if node[0] else self._remove_body(node[1])
        for other in around | {(True, joint) for joint in touched.open}:
            if other in self.neighbours:
                self._offer(other)

    def _remove_body(self, body: int) -> _Group:
        joints = self.joints_of[body]
        group = _Group({body}, {i for i in joints if (True, i) in self.neighbours}, set())
        self.group_of[body] = group
        for joint in joints - group.open:
            for other in self._sides(joint)[0]:
                group = self._merged(group, other)
        group.ties.discard(body)
        return group

    def _remove_joint(self, joint: int) -> _Group:
        groups, outside = self._sides(joint)
        inside = len({id(group) for group in groups}) < len(groups)
        if inside or all(group.ties for group in groups):
            self.closing.add(joint)
        group = groups[0]
        for other in groups[1:]:
            group = self._merged(group, other)
        group.ties |= outside
        group.open.discard(joint)
        return group

    def _merged(self, one: _Group, other: _Group) -> _Group:
        """Two groups as one; the smaller is taken over by the larger, so that all merges together stay cheap."""
        if one is other:
            return one
        large, small = (one, other) if len(one.bodies) >= len(other.bodies) else (other, one)
        large.bodies |= small.bodies
        large.open |= small.open
        large.ties |= small.ties
        for body in small.bodies:
            self.group_of[body] = large
        return large


def _couplings(links: list[Link], nodes: Nodes) -> set[tuple[int, int]]:
    """The pairs of nodes coupled before any elimination: a joint's rows with the velocities of its bodies."""
    pairs: set[tuple[int, int]] = set()
    for i, link in enumerate(links):
        for body in link.ends:
            if body is None:
                continue
            for row, columns in (
                (nodes.joint_linear[i], (nodes.body_linear[body], nodes.body_angular[body])),
                (nodes.joint_angular[i], (nodes.body_angular[body],)),
            ):
                if row >= 0:
                    pairs.update((max(row, column), min(row, column)) for column in columns)
    return pairs


def _symbolic(count: int, nodes: Nodes, closing: list[bool], couplings: set[tuple[int, int]]) -> Program:
    """Run the elimination on the pattern alone: which blocks appear, and which are updated by whom."""
    later: list[set[int]] = [set() for _ in range(count)]
    for i, j in couplings:
        later[j].add(i)
    for k in range(count):
        edges = sorted(later[k])
        for q, low in enumerate(edges):
            later[low].update(edges[q + 1 :])
    pairs = [(i, k) for k in range(count) for i in sorted(later[k])]
    blocks = {pair: place for place, pair in enumerate(pairs)}
    edge_start, update_block = [0], []
    for k in range(count):
        edges = sorted(later[k])
        edge_start.append(edge_start[-1] + len(edges))
        for p in reversed(range(len(edges))):
            update_block += [blocks[edges[p], edges[q]] for q in range(p)]
    return Program(
        nodes=nodes,
        closes_loop=closing,
        edge_start=edge_start,
        edge_node=[i for i, _ in pairs],
        update_block=update_block,
        blocks=blocks,
        fill=[place for pair, place in blocks.items() if pair not in couplings],
    )
