"""The tables of arrays that kernels take: every part of a model declares its own, and here they come together.

Arrays are indexed [item, world]; those of the model that no world may change are indexed [item]. A struct per table is
handed to the kernels, so a kernel takes five arguments whatever the number of arrays.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..device import Table, WarpArray, load_warp
from ..errors import SceneError
from ..scene.values import shown
from ..spatial import Array
from . import (
    actuator_numbers,
    bound_ranges,
    catch_rows,
    contact_fields,
    coupling_rows,
    direct_program,
    joint_fields,
    rope_fields,
    sensors,
    softs,
    step_fields,
)
from .precision import Precision, WarpType, precision_of

if TYPE_CHECKING:
    from .recorded_block import RecordedBlock

# Everything that declares arrays.
OWNERS = (
    joint_fields,
    softs,
    actuator_numbers,
    coupling_rows,
    bound_ranges,
    catch_rows,
    direct_program,
    contact_fields,
    sensors,
    rope_fields,
    step_fields,
)

TABLE_NAMES = (
    "model",  # read by the kernels, never written while stepping
    "state",  # what a step changes: the whole mechanical state; `remember` writes twist, `integrate` the rest
    "control",  # set by the user between steps, constant during one
    "memory",  # carried from step to step to warm-start the solver, which writes it; part of a snapshot
    "work",  # scratch, made anew in every step by the stage named
    "report",  # what every step reports
    "reading",  # what controllers and displays read
    "sensing",  # what sensors read
)
TABLES = {name: tuple(field for owner in OWNERS for field in owner.FIELDS.get(name, ())) for name in TABLE_NAMES}

# What of the model may be set between steps, and belongs to a snapshot: each world has its own, but for the ropes'.
PARAMETERS = (*(field.name for field in TABLES["model"] if field.per_world), "rope_strength")
# What of the sensors changes, and belongs to a snapshot.
SENSED = tuple(field.name for field in TABLES["sensing"] if field.per_world)

CHUNK = 64  # bytes that are recorded at once, see recorded_block.py

# Scalars that every kernel gets, beside the numbers of items.
SETTINGS = {
    "dt": "real",
    "erp": "real",
    "epsilon": "real",
    "top_speed": "real",
    "iterations": "int",
    "stabilisations": "int",
    "warm_start": "int",
    "materials": "int",
    "block_chunks": "int",  # of what is recorded in a world, see recorded_block.py
    "input_chunks": "int",  # of them those of the inputs, which come first
}
# What they call the numbers of items.
COUNTS = {
    "bodies": "body",
    "joints": "joint",
    "redundant": "redundant",
    "coordinates": "coordinate",
    "twists": "twist",
    "limits": "limit",
    "frictions": "friction",
    "softs": "soft",
    "couplings": "coupling",
    "movers": "mover",
    "nodes": "node",
    "fills": "fill",
    "shapes": "shape",
    "exclusions": "exclusion",
    "contacts": "contact",
    "swept": "swept",
    "near_room": "near",
    "terrains": "terrain",
    "joint_paths": "joint_path",
    "reach_room": "reach",
    "ropes": "rope",
    "clamps": "clamp",
    "ports": "port",
    "rubs": "rub",
    "slides": "slide",
    "skips": "skip",
    "buckets": "bucket",
}


def element_type(precision: Precision, name: str) -> WarpType:
    """The Warp type of an array element by its name in the tables."""
    if name == "chunk":  # of bytes: what they may be read as besides, a compiler must not assume
        return load_warp().types.vector(CHUNK, load_warp().uint8)
    if name == "id":
        return load_warp().uint64
    return int if name == "int" else getattr(precision, name)


def struct_values(precision: Precision) -> SimpleNamespace:
    """The Warp structs of all tables, and ``settings``, in a precision: what kernels take."""
    return _struct_values(precision_of(precision.name))  # the same, however device functions take them


@cache
def _struct_values(precision: Precision) -> SimpleNamespace:
    wp = load_warp()

    def struct(name: str, annotations: dict[str, WarpType]) -> WarpType:
        return wp.struct(type(name, (), {"__annotations__": annotations, "__module__": __name__}))

    made = {}
    for table, fields in TABLES.items():
        annotations = {}
        for field in fields:
            dims = 1 if field.items is None or not field.per_world else 2
            annotations[field.name] = wp.array(dtype=element_type(precision, field.type), ndim=dims)
        made[table] = struct(f"{table.capitalize()}_{precision.name}", annotations)
    scalars = {name: element_type(precision, kind) for name, kind in SETTINGS.items()} | dict.fromkeys(COUNTS, int)
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


def hand_over(filled: Table, in_memory: bool, device: str) -> Table | WarpArray:
    """A filled struct as the step's kernels take it: itself, or an array of one that lies on the device."""
    wp = load_warp()
    return wp.array([filled], dtype=filled._cls, device=device) if in_memory else filled


def allocate(
    table: str,
    precision: Precision,
    counts: dict[str, int],
    worlds: int,
    device: str,
    block: RecordedBlock | None = None,
) -> Table:
    """A struct of zeroed arrays for a table, those that are recorded in their ``block``.

    On the GPU neighbouring worlds are neighbours in memory, so that the threads of a warp read one line together; on
    the CPU a world's items are neighbours, so that a thread stays in its own cache lines. The kernels index
    [item, world] either way: the CPU arrays are transposed views.
    """
    wp = load_warp()
    filled = getattr(struct_values(precision), table)()
    for field in TABLES[table]:
        dtype = element_type(precision, field.type)
        if block is not None and (table, field.name) in block.places:
            array = block.array((table, field.name), dtype)
        elif field.items is None:
            array = wp.zeros(worlds, dtype=dtype, device=device)
        elif not field.per_world:
            array = wp.zeros(counts[field.items], dtype=dtype, device=device)
        elif device == "cpu":
            array = wp.zeros((worlds, counts[field.items]), dtype=dtype, device=device).transpose((1, 0))
        else:
            array = wp.zeros((counts[field.items], worlds), dtype=dtype, device=device)
        setattr(filled, field.name, array)
    return filled


def write(array: WarpArray, values: ArrayLike) -> None:
    """Copy numbers into a device array, repeating them along the worlds where there is one of them only."""
    if array.size == 0:
        return
    if array.device.is_cpu:
        array.numpy()[...] = values
    else:
        array.assign(np.broadcast_to(values, array.numpy().shape))


def write_worlds(array: WarpArray, worlds: Array, values: ArrayLike) -> None:
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


def write_row(array: WarpArray, place: int, values: ArrayLike) -> None:
    """Copy numbers into one item of a device array, for all worlds or one by one."""
    if array.device.is_cpu:
        array.numpy()[place] = values
    else:
        write(array[place], values)


def checked_values(what: str, values: object, parts: tuple[str, ...], worlds: int) -> Array:
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


def read(array: WarpArray) -> Array:
    """The numbers of a device array, copied to a numpy array."""
    return np.array(array.numpy())
