"""Do several worlds per thread in vector lanes pay? The direct solver's loops, a world alone and 4 or 8 side by side.

    python -m benchmarks.lanes

The hottest loops of a chain, factorisation and substitution, are run on the program of a real scene: once with numbers
as the kernels have them, once with vectors of one number of each world. All else of a step has branches, in which the
worlds of a vector would have to wait for each other; how much that is follows from the iterations of worlds that were
let go differently.
"""

from __future__ import annotations

import time
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import warp as wp

import sharnir as sh

from .scenes import chain
from .timing import interleaved, ratio

LINKS, FRICTION, DT = 32, 0.1, 0.005
LANES = (1, 4, 8)
WORLDS, STEPS = 64, 400
REPEATS, ROUNDS = 40, 21

CODE = """
namespace lanes {

template <int L> struct Numbers { typedef double type __attribute__((vector_size(8 * L))); };
template <> struct Numbers<1> { typedef double type; };

template <typename T> struct Mat { T a[9]; };
template <typename T> struct Sym { T a[6]; };  // xx, yy, zz, xy, xz, yz
template <typename T> struct Vec { T a[3]; };

template <typename T> inline Mat<T> full(const Sym<T>& s)
{
    return {{s.a[0], s.a[3], s.a[4], s.a[3], s.a[1], s.a[5], s.a[4], s.a[5], s.a[2]}};
}

template <typename T> inline Sym<T> inverse(const Sym<T>& s)
{
    T xx = s.a[1] * s.a[2] - s.a[5] * s.a[5], xy = s.a[4] * s.a[5] - s.a[3] * s.a[2];
    T xz = s.a[3] * s.a[5] - s.a[4] * s.a[1];
    T scale = 1.0 / (s.a[0] * xx + s.a[3] * xy + s.a[4] * xz);
    return {{scale * xx, scale * (s.a[0] * s.a[2] - s.a[4] * s.a[4]), scale * (s.a[0] * s.a[1] - s.a[3] * s.a[3]),
             scale * xy, scale * xz, scale * (s.a[3] * s.a[4] - s.a[0] * s.a[5])}};
}

template <typename T> inline Mat<T> times(const Mat<T>& x, const Mat<T>& y)
{
    Mat<T> z;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            z.a[3 * i + j] = x.a[3 * i] * y.a[j] + x.a[3 * i + 1] * y.a[3 + j] + x.a[3 * i + 2] * y.a[6 + j];
    return z;
}

template <typename T> inline T row_by_row(const Mat<T>& x, int i, const Mat<T>& y, int j)
{
    return x.a[3 * i] * y.a[3 * j] + x.a[3 * i + 1] * y.a[3 * j + 1] + x.a[3 * i + 2] * y.a[3 * j + 2];
}

template <typename T> inline Sym<T> symmetric(const Mat<T>& x, const Mat<T>& y)
{
    return {{row_by_row(x, 0, y, 0), row_by_row(x, 1, y, 1), row_by_row(x, 2, y, 2),
             row_by_row(x, 0, y, 1), row_by_row(x, 0, y, 2), row_by_row(x, 1, y, 2)}};
}

template <typename T> inline Mat<T> turned(const Mat<T>& x)
{
    return {{x.a[0], x.a[3], x.a[6], x.a[1], x.a[4], x.a[7], x.a[2], x.a[5], x.a[8]}};
}

template <typename T> inline Vec<T> times(const Mat<T>& m, const Vec<T>& v)
{
    Vec<T> z;
    for (int i = 0; i < 3; ++i)
        z.a[i] = m.a[3 * i] * v.a[0] + m.a[3 * i + 1] * v.a[1] + m.a[3 * i + 2] * v.a[2];
    return z;
}

// Factors as solvers/factors.py makes them, and one substitution with them; the matrix is copied first.
template <int L> void solve(int nodes, int blocks, const int* start, const int* node, const int* target,
                            const double* given, double* made)
{
    typedef typename Numbers<L>::type T;
    int size = L * (6 * nodes + 9 * blocks + 3 * nodes);
    for (int i = 0; i < size; ++i) made[i] = given[i];
    Sym<T>* pivot = reinterpret_cast<Sym<T>*>(made);
    Mat<T>* block = reinterpret_cast<Mat<T>*>(pivot + nodes);
    Vec<T>* x = reinterpret_cast<Vec<T>*>(block + blocks);
    int update = 0;
    for (int i = 0; i < nodes; ++i) {
        pivot[i] = inverse(pivot[i]);
        Mat<T> inverted = full(pivot[i]);
        for (int high = start[i + 1] - 1; high >= start[i]; --high) {
            Mat<T> own = block[high], lower = times(own, inverted);
            for (int low = start[i]; low < high; ++low, ++update) {
                Mat<T> change = times(lower, turned(block[low]));
                for (int k = 0; k < 9; ++k) block[target[update]].a[k] -= change.a[k];
            }
            Sym<T> square = symmetric(lower, own);
            for (int k = 0; k < 6; ++k) pivot[node[high]].a[k] -= square.a[k];
            block[high] = lower;
        }
    }
    for (int i = 0; i < nodes; ++i) {
        for (int e = start[i]; e < start[i + 1]; ++e) {
            Vec<T> change = times(block[e], x[i]);
            for (int k = 0; k < 3; ++k) x[node[e]].a[k] -= change.a[k];
        }
        x[i] = times(full(pivot[i]), x[i]);
    }
    for (int i = nodes - 1; i >= 0; --i)
        for (int e = start[i]; e < start[i + 1]; ++e) {
            Vec<T> change = times(turned(block[e]), x[node[e]]);
            for (int k = 0; k < 3; ++k) x[i].a[k] -= change.a[k];
        }
}

}
"""


def kernel(lanes: int) -> Any:
    """A kernel that solves the worlds of a vector so many times over."""

    @wp.func_native(
        f"for (int i = 0; i < repeats; ++i) lanes::solve<{lanes}>(nodes, blocks, start.data, node.data, target.data,"
        " given.data, made.data);"
    )
    def solve(
        nodes: int,
        blocks: int,
        start: wp.array(dtype=int),
        node: wp.array(dtype=int),
        target: wp.array(dtype=int),
        given: wp.array(dtype=wp.float64),
        made: wp.array(dtype=wp.float64),
        repeats: int,
    ): ...

    solve.key = f"solve_{lanes}"

    @wp.kernel(enable_backward=False, module="unique")
    def worlds(
        nodes: int,
        blocks: int,
        start: wp.array(dtype=int),
        node: wp.array(dtype=int),
        target: wp.array(dtype=int),
        given: wp.array(dtype=wp.float64),
        made: wp.array(dtype=wp.float64),
        repeats: int,
    ):
        solve(nodes, blocks, start, node, target, given, made, repeats)

    options = {"extra_build_options": wp.ModuleBuildOptions(extra_cpu_preamble=CODE)}
    wp.set_module_options({"cpu_compiler_flags": "-march=native", **options}, worlds.module)
    return worlds


def matrices(nodes: int, blocks: int, lanes: int) -> np.ndarray[Any, Any]:
    """Pivots, blocks and right-hand sides of so many worlds, number by number side by side; all worlds differ."""
    made = []
    for world in range(lanes):
        random = np.random.default_rng(world)
        pivots = np.hstack([random.uniform(4.0, 8.0, (nodes, 3)), random.uniform(-1.0, 1.0, (nodes, 3))])
        rest = [random.uniform(-0.5, 0.5, 9 * blocks), random.uniform(-1.0, 1.0, 3 * nodes)]
        made.append(np.concatenate([pivots.ravel(), *rest]))
    return np.array(made).T.ravel()


def measure_loops() -> None:
    """The time of a world alone and in lanes."""
    scene = chain(LINKS, FRICTION)
    model = sh.Simulation(scene, dt=DT).model
    program = ("edge_start", "edge_node", "update_block")
    start, node, target = (wp.array(getattr(model, name).numpy()) for name in program)
    nodes, blocks = start.size - 1, int(max(target.numpy().max(), node.size - 1)) + 1
    actions, answers = {}, {}
    for lanes in LANES:
        given = wp.array(matrices(nodes, blocks, lanes), dtype=wp.float64)
        made = wp.zeros_like(given)
        inputs = [nodes, blocks, start, node, target, given, made]
        launch = partial(_launch, kernel(lanes), inputs)
        launch(1)
        answers[lanes] = made.numpy().reshape(-1, lanes)
        actions[str(lanes)] = launch
    for lanes in LANES[1:]:
        assert np.allclose(answers[lanes][:, 0], answers[1][:, 0], rtol=1e-12), "the lanes compute something else"
    times = interleaved(actions, steps=REPEATS, blocks=ROUNDS, clock=time.process_time_ns)
    print(f"{nodes} nodes, {blocks} blocks: factors and one substitution, µs per world")
    for lanes in LANES:
        low, middle, high = ratio(times[str(lanes)], times["1"])
        share = f"{middle / lanes:.2f} of the time of one alone ({low / lanes:.2f} to {high / lanes:.2f})"
        print(f"  {lanes} side by side: {median(times[str(lanes)]) / lanes:6.2f}   {share}")


def _launch(made: Any, inputs: list[Any], repeats: int) -> None:
    wp.launch(made, dim=1, inputs=[*inputs, repeats], device="cpu")


def measure_waiting() -> None:
    """How many iterations the slowest world of a vector makes, beside the mean."""
    random = np.random.default_rng(1)
    scene = chain(LINKS, FRICTION)
    sim = sh.Simulation(scene, dt=DT, worlds=WORLDS)
    for link in scene.bodies.values():
        sim.set(link.angular_velocity, random.normal(0.0, 0.5, (WORLDS, 3)))
    made = []
    for _ in range(STEPS):
        sim.step(1)
        made.append(np.array(sim.report.iterations))
    iterations = np.array(made)
    for lanes in LANES[1:]:
        slowest = iterations.reshape(STEPS, -1, lanes).max(axis=2)
        print(f"  {lanes} side by side: the slowest makes {slowest.mean() / iterations.mean():.2f} of the iterations")


if __name__ == "__main__":
    measure_loops()
    measure_waiting()
