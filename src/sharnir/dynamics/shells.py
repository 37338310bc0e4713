"""The kernels as Warp sees them: their arguments, around a device function that does the work.

Without the function a kernel has the same arguments and no code: its code is then taken from an object file that was
compiled before (``compiled.py``), and neither the device functions nor Warp's translation of them is needed.
"""

from functools import cache
from types import SimpleNamespace

from ..model.fields import struct_values
from ..model.precision import precision_of
from .factory import Device, Precision, wp
from .indexing import enter_world

BEGIN, ITERATE, FINISH = 1, 2, 4  # the stages of a step, bits of a task; see pipeline.py
WHOLE = BEGIN | ITERATE | FINISH


def gpu_step_shell(p: Precision, run: Device, module: str, **options: object) -> Device:
    """The step's kernel for a GPU, where a thread finds its world by every index."""
    return step_shell(p, run, module, on_gpu=True, **options)


def step_shell(p: Precision, run: Device, module: str, on_gpu: bool = False, **options: object) -> Device:
    """Runs for every world from the first one given.

    ``task`` is the first world, how many steps or iterations are asked for, and the stages; the function gets it with
    its own world.
    """
    v, enter = struct_values(p), enter_world(precision_of(p.name))

    @wp.kernel(enable_backward=False, module=module, **options)
    def sharnir(
        model: v.model,
        control: v.control,
        state: v.state,
        memory: v.memory,
        work: v.work,
        report: v.report,
        settings: v.settings,
        task: wp.vec3i,
    ):
        """One thread a world."""
        if wp.static(run is not None):
            mine = wp.vec3i(task[0] + wp.tid(), task[1], task[2])
            if wp.static(not on_gpu):
                enter.model(model, mine[0])
                enter.control(control, mine[0])
                enter.state(state, mine[0])
                enter.memory(memory, mine[0])
                enter.work(work, mine[0])
                enter.report(report, mine[0])
            run(model, control, state, memory, work, report, settings, mine)

    return sharnir


def in_memory_shell(p: Precision, run: Device, module: str, **options: object) -> Device:
    """The same with the tables in the GPU's memory, not among the arguments."""
    v = struct_values(p)
    one = SimpleNamespace(**{table: wp.array(dtype=made) for table, made in vars(v).items()})

    @wp.kernel(enable_backward=False, module=module, **options)
    def sharnir_in_memory(
        model: one.model,
        control: one.control,
        state: one.state,
        memory: one.memory,
        work: one.work,
        report: one.report,
        settings: v.settings,
        task: wp.vec3i,
    ):
        """One thread a world."""
        mine = wp.vec3i(task[0] + wp.tid(), task[1], task[2])
        run(model[0], control[0], state[0], memory[0], work[0], report[0], settings, mine)

    return sharnir_in_memory


def measure_shell(p: Precision, run: Device, module: str) -> Device:
    """Measures coordinates, rates and body frames."""
    v = struct_values(p)

    @wp.kernel(enable_backward=False, module=module)
    def sharnir_measure(model: v.model, state: v.state, out: v.reading):
        """One thread a world."""
        if wp.static(run is not None):
            run(model, state, out, wp.tid())

    return sharnir_measure


def sensors_shell(p: Precision, run: Device, module: str) -> Device:
    """Takes and hands over samples."""
    v = struct_values(p)

    @wp.kernel(enable_backward=False, module=module)
    def sharnir_sensors(
        model: v.model, state: v.state, memory: v.memory, work: v.work, report: v.report, sensing: v.sensing, dt: p.real
    ):
        """One thread a reading and world."""
        i, world = wp.tid()
        if wp.static(run is not None):
            run(model, state, memory, work, report, sensing, dt, wp.vec2i(i, world))

    return sharnir_sensors


def beams_shell(p: Precision, run: Device, module: str) -> Device:
    """Casts the beams that are due."""
    v = struct_values(p)

    @wp.kernel(enable_backward=False, module=module)
    def sharnir_beams(model: v.model, state: v.state, report: v.report, sensing: v.sensing, shapes: int):
        """One thread a reading and world."""
        i, world = wp.tid()
        if wp.static(run is not None):
            run(model, state, report, sensing, shapes, i, world)

    return sharnir_beams


def distances_shell(p: Precision, run: Device, module: str) -> Device:
    """Reads all distance sensors of all worlds."""
    v = struct_values(p)

    @wp.kernel(enable_backward=False, module=module)
    def sharnir_distances(model: v.model, state: v.state, work: v.work, shapes: int):
        """One thread a sensor and world."""
        i, world = wp.tid()
        if wp.static(run is not None):
            run(model, state, work, shapes, i, world)

    return sharnir_distances


def hits_struct(p: Precision) -> Device:
    """The arrays that a batch of rays writes."""
    return _hits_struct(precision_of(p.name))


@cache
def _hits_struct(p: Precision) -> Device:

    @wp.struct
    class Hits:
        """Distances (m), shapes met (-1: none) and their normals against the rays."""

        distance: wp.array(dtype=p.real)
        shape: wp.array(dtype=int)
        normal: wp.array(dtype=p.vec3)

    return Hits


def cast_shell(p: Precision, run: Device, module: str) -> Device:
    """Casts a batch of rays in one world."""
    v, Hits = struct_values(p), hits_struct(p)

    @wp.kernel(enable_backward=False, module=module)
    def sharnir_cast(
        model: v.model,
        state: v.state,
        shapes: int,
        origin: wp.array(dtype=p.vec3),
        direction: wp.array(dtype=p.vec3),
        reach: p.real,
        world: int,
        hits: Hits,
    ):
        """One thread a ray."""
        if wp.static(run is not None):
            run(model, state, shapes, origin, direction, reach, wp.vec2i(wp.tid(), world), hits)

    return sharnir_cast
