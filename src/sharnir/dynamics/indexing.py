"""How kernels for the CPU find an element of an array: without Python's negative indices, which no kernel uses.

Warp looks at the sign of every index, and at two strides that it has to load, before it adds them up. The tables'
arrays [item, world] have the items of a world side by side (``model/fields.py``, ``model/recorded_block.py``), so their
first stride is the size of an element, and an index is never negative. Where a table is reached by reference that is a
third of all instructions of a step.

A thread of the step's kernels stays in one world: it moves the arrays of its own copy of the tables there once
(``enter_world``), and the second index does nothing any more.
"""

from functools import cache
from types import SimpleNamespace

from ..model.fields import TABLES, references
from .factory import Device, Precision, wp

STEPPED = ("model", "control", "state", "memory", "work", "report")  # the tables that a step takes

_FUNCTIONS = """
namespace wp {

template <typename T> inline T* address(const array_t<T>& array, int i)
{
    return reinterpret_cast<T*>(reinterpret_cast<char*>(array.data) + static_cast<long long>(i) * array.strides[0]);
}

template <typename T> inline T* at_world(const array_t<T>& array, int world)
{
    return reinterpret_cast<T*>(reinterpret_cast<char*>(array.data) + static_cast<long long>(world) * array.strides[1]);
}

template <typename T> inline void enter_world(array_t<T>& array, int world) { array.data = at_world(array, world); }

template <typename T> inline T* address(const array_t<T>& array, int i, int j) { return WHERE + i; }

template <typename T> inline void array_store(const array_t<T>& array, int i, T value) { *address(array, i) = value; }

template <typename T> inline void array_store(const array_t<T>& array, int i, int j, T value)
{
    *address(array, i, j) = value;
}

}
"""

OF_ALL_WORLDS = _FUNCTIONS.replace("WHERE", "at_world(array, j)")
OF_ONE_WORLD = _FUNCTIONS.replace("WHERE", "array.data")


@cache
def enter_world(p: Precision) -> SimpleNamespace:
    """By table: a device function that moves all its arrays [item, world] to a world, for good."""
    tables = vars(references(p))
    return SimpleNamespace(**{table: _entering(table, tables[table]) for table in STEPPED})


def _entering(table: str, reference: Device) -> Device:
    moved = [field.name for field in TABLES[table] if field.items is not None and field.per_world]

    def enter(filled, world):  # Warp takes the types from below
        ...

    enter.__annotations__ = {"filled": reference, "world": int}
    enter.__name__ = enter.__qualname__ = f"enter_{table}"
    return wp.func_native("\n".join(f"wp::enter_world(filled.{name}, world);" for name in moved))(enter)
