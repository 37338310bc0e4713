"""How kernels for the CPU find an element of an array: without Python's negative indices, which no kernel uses.

Warp looks at the sign of every index, and at two strides that it has to load, before it adds them up. The tables'
arrays [item, world] have the items of a world side by side (``model/fields.py``, ``model/recorded_block.py``), so their
first stride is the size of an element, and an index is never negative. Where a table is reached by reference that is a
third of all instructions of a step.
"""

CPU_INDEXING = """
namespace wp {

template <typename T> inline T* address(const array_t<T>& array, int i)
{
    return reinterpret_cast<T*>(reinterpret_cast<char*>(array.data) + static_cast<long long>(i) * array.strides[0]);
}

template <typename T> inline T* address(const array_t<T>& array, int i, int j)
{
    return reinterpret_cast<T*>(reinterpret_cast<char*>(array.data) + static_cast<long long>(j) * array.strides[1]) + i;
}

template <typename T> inline void array_store(const array_t<T>& array, int i, T value) { *address(array, i) = value; }

template <typename T> inline void array_store(const array_t<T>& array, int i, int j, T value)
{
    *address(array, i, j) = value;
}

}
"""
