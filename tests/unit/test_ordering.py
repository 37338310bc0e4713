"""The elimination program by itself, run in numpy on random matrices and compared with a dense solve."""

from __future__ import annotations

import numpy as np
import pytest

from sharnir.model.ordering import Link, Program, elimination_program


def chain(length: int) -> tuple[list[bool], list[Link]]:
    links = [Link(None if i == 0 else i - 1, i, True, False) for i in range(length)]
    return [True] * length, links


def star(arms: int) -> tuple[list[bool], list[Link]]:
    return [True] * (arms + 1), [Link(0, i + 1, True, True) for i in range(arms)]


def loops(count: int, seed: int) -> tuple[list[bool], list[Link]]:
    """A random tree with extra joints across it."""
    rng = np.random.default_rng(seed)
    links = [Link(None if i == 0 else int(rng.integers(i)), i, True, bool(rng.integers(2))) for i in range(count)]
    for _ in range(count // 3):
        a, b = rng.choice(count, 2, replace=False)
        links.append(Link(int(a), int(b), bool(rng.integers(2)), True))
    return [True] * count, links


Matrix = tuple[list[np.ndarray], dict[int, np.ndarray]]  # the diagonal by node, the blocks below it


def size(program: Program) -> int:
    return len(program.edge_start) - 1


def assembled(program: Program, seed: int) -> Matrix:
    """Random blocks of a quasi-definite matrix with the program's pattern."""
    rng = np.random.default_rng(seed)
    bodies = {node for node in program.nodes.body_linear + program.nodes.body_angular if node >= 0}
    diagonal = []
    for node in range(size(program)):
        root = rng.normal(size=(3, 3))
        diagonal.append(root @ root.T + np.eye(3) if node in bodies else -0.1 * np.eye(3))
    below = {block: np.zeros((3, 3)) for block in program.fill}
    for block in program.blocks.values():
        if block not in below:
            below[block] = rng.normal(size=(3, 3))
    return diagonal, below


def solve(program: Program, matrix: Matrix, right: np.ndarray) -> np.ndarray:
    """The program as the kernel runs it."""
    diagonal = [value.copy() for value in matrix[0]]
    value = {block: v.copy() for block, v in matrix[1].items()}
    x = right.copy()
    update = 0
    for k in range(size(program)):
        diagonal[k] = np.linalg.inv(diagonal[k])
        edges = range(program.edge_start[k], program.edge_start[k + 1])
        for p in reversed(edges):
            lower = value[p] @ diagonal[k]
            for q in range(edges.start, p):
                value[program.update_block[update]] -= lower @ value[q].T
                update += 1
            diagonal[program.edge_node[p]] -= lower @ value[p].T
            value[p] = lower
    assert update == len(program.update_block)
    for k in range(size(program)):
        for e in range(program.edge_start[k], program.edge_start[k + 1]):
            x[program.edge_node[e]] -= value[e] @ x[k]
        x[k] = diagonal[k] @ x[k]
    for k in reversed(range(size(program))):
        for e in range(program.edge_start[k], program.edge_start[k + 1]):
            x[k] -= value[e].T @ x[program.edge_node[e]]
    return x


def dense(program: Program, matrix: Matrix) -> np.ndarray:
    n = size(program)
    full = np.zeros((3 * n, 3 * n))
    for k, value in enumerate(matrix[0]):
        full[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = value
    for (i, j), block in program.blocks.items():
        full[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = matrix[1][block]
        full[3 * j : 3 * j + 3, 3 * i : 3 * i + 3] = matrix[1][block].T
    return full


@pytest.mark.parametrize(
    "graph", [chain(6), star(5), loops(9, 1), loops(12, 2), loops(20, 3)], ids=["chain", "star", "a", "b", "c"]
)
def test_program_solves_the_system(graph: tuple[list[bool], list[Link]]) -> None:
    program = elimination_program(*graph)
    values = assembled(program, 7)
    right = np.random.default_rng(8).normal(size=(size(program), 3))
    expected = np.linalg.solve(dense(program, values), right.ravel())
    np.testing.assert_allclose(solve(program, values, right).ravel(), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("length", [10, 100])
def test_chain_costs_the_same_per_link(length: int) -> None:
    """Two updates beside the diagonal and five couplings a link; the only fill couples the two parts of a body."""
    program = elimination_program(*chain(length))
    assert len(program.fill) == length - 1
    assert len(program.update_block) <= 2 * length
    assert len(program.edge_node) <= 5 * length


def test_star_does_not_fill_in() -> None:
    """A chassis with many arms: the work grows linearly, no clique of joints appears."""
    work = [len(elimination_program(*star(arms)).update_block) for arms in (16, 32, 64)]
    assert work[2] - work[1] == 2 * (work[1] - work[0])


def test_loops_on_a_chassis_do_not_fill_in() -> None:
    """Four-bars on one chassis: each closes on the chassis before that is eliminated, so the work grows linearly."""

    def four_bars(count: int) -> int:
        links = []
        for i in range(count):
            crank, coupler, rocker = 3 * i + 1, 3 * i + 2, 3 * i + 3
            links += [
                Link(*ends, True, True) for ends in ((0, crank), (crank, coupler), (coupler, rocker), (0, rocker))
            ]
        return len(elimination_program([True] * (3 * count + 1), links).update_block)

    work = [four_bars(count) for count in (4, 8, 16)]
    assert work[2] - work[1] == 2 * (work[1] - work[0])


def mobility_at(program: Program, links: list[Link], joint: int, seed: int) -> np.ndarray:
    """Eigenvalues of a joint's linear pivot for random point joints: what the nodes before it show at its rows."""
    rng = np.random.default_rng(seed)
    values = {block: np.zeros((3, 3)) for block in program.blocks.values()}
    bodies = program.nodes.body_linear + program.nodes.body_angular
    diagonal = [np.eye(3) if node in bodies else np.zeros((3, 3)) for node in range(size(program))]
    for i, link in enumerate(links):
        row = program.nodes.joint_linear[i]
        for sign, body in ((-1, link.a), (1, link.b)):
            if body is not None:
                x, y, z = rng.normal(size=3)
                skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                for column, value in (
                    (program.nodes.body_linear[body], np.eye(3)),
                    (program.nodes.body_angular[body], -skew),
                ):
                    block = program.block_of(row, column)
                    values[block] = sign * (value if row > column else value.T)
    matrix = dense(program, (diagonal, values))
    n = 3 * program.nodes.joint_linear[joint]
    before, own = matrix[:n, :n], matrix[n : n + 3, :n]
    return np.linalg.eigvalsh(own @ np.linalg.pinv(before, rcond=1e-10) @ own.T)


@pytest.mark.parametrize("seed", range(6))
def test_pivots_of_joints_are_sound(seed: int) -> None:
    """Rods with ball ends in random loops that have mobility to spare: no pivot is nearly singular."""
    rng = np.random.default_rng(seed)
    links = [Link(None if i == 0 else int(rng.integers(i)), i, True, False) for i in range(12)]
    for _ in range(3):
        a, b = rng.choice(12, 2, replace=False)
        links.append(Link(int(a), int(b), True, False))
    links.append(Link(None, 11, True, False))
    program = elimination_program([True] * 12, links)
    for joint in range(len(links)):
        assert mobility_at(program, links, joint, seed).min() > 1e-6


def test_immovable_bodies_have_no_nodes() -> None:
    program = elimination_program([True, False], [Link(None, 0, True, True), Link(0, None, True, False)])
    assert program.nodes.body_linear == [0, -1]
    assert program.block_of(-1, 3) == -1


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("floating", [False, True])
def test_as_many_joints_close_loops_as_there_are_loops(seed: int, floating: bool) -> None:
    """Loops of a graph: joints - nodes + connected parts; here all hangs together, with the ground or without it."""
    bodies, links = loops(12, seed)
    links = [link for link in links if not (floating and link.a is None)]
    program = elimination_program(bodies, links)
    nodes = len(bodies) + (0 if floating else 1)
    assert sum(program.closes_loop) == len(links) - nodes + 1
