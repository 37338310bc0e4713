"""Operations on plain data, in the manner of JSON Patch (RFC 6902), each with its inverse.

An operation is ``{"op": "add", "path": "/bodies/arm/mass", "value": 2}``; there are add, replace, remove and move.
Mappings have an order here: ``before`` of an ``add`` names the key that the new one stands before. A ``move`` has
``from``; within one mapping it renames, and the key keeps its place.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

from ..errors import SceneError
from ..scene.values import Content, Plain

Operation = Plain
Steps = tuple[str, ...]
APPEND = "-"  # the index after the last one of a list


def steps_of(path: str) -> Steps:
    """The steps of a path: ``/bodies/arm`` gives bodies, arm. ``~1`` stands for a slash in a name, ``~0`` for ``~``."""
    if not path.startswith("/"):
        raise SceneError(f"the path '{path[:80]}' does not begin with '/'; give one such as /bodies/arm/mass")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/"))


def path_of(steps: Iterable[object]) -> str:
    """The path of steps."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def found(data: Content, steps: Sequence[str]) -> Content:
    """What lies at a path; SceneError where there is nothing."""
    for i, step in enumerate(steps):
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif isinstance(data, list) and step.isdecimal() and int(step) < len(data):
            data = data[int(step)]
        else:
            raise SceneError(f"there is nothing at {path_of(steps[: i + 1])}; it may have been renamed or deleted")
    return data


def apply_all(data: Plain, operations: Sequence[Operation]) -> list[Operation]:
    """Apply operations in place and return those that undo them, in their order; all of them or none."""
    inverse: list[Operation] = []
    try:
        for operation in operations:
            inverse[:0] = apply(data, operation)
    except (SceneError, KeyError, TypeError, ValueError) as error:
        for back in inverse:
            apply(data, back)
        if isinstance(error, SceneError):
            raise
        raise SceneError(f"an edit has an operation that cannot be read ({error})") from None
    return inverse


def apply(data: Plain, operation: Operation) -> list[Operation]:
    """Apply one operation in place and return what undoes it."""
    kind, path = operation["op"], operation["path"]
    if kind == "move":
        return _move(data, steps_of(operation["from"]), steps_of(path))
    *above, last = steps_of(path)
    holder = found(data, above)
    if kind == "add":
        return [_add(holder, above, last, copy.deepcopy(operation["value"]), operation.get("before"))]
    found(holder, (last,))
    key = int(last) if isinstance(holder, list) else last
    if kind == "replace":
        old, holder[key] = holder[key], copy.deepcopy(operation["value"])
        return [{"op": "replace", "path": path, "value": old}]
    if kind == "remove":
        return [_remove(holder, path, key)]
    raise SceneError(f"an edit has the operation '{kind}'; there are add, replace, remove and move")


def _add(holder: Content, above: Sequence[str], last: str, value: object, before: str | None) -> Operation:
    if isinstance(holder, list):
        index = len(holder) if last == APPEND else int(last)
        if not 0 <= index <= len(holder):
            raise SceneError(f"{path_of(above)} has {len(holder)} items; there is no place {index}")
        holder.insert(index, value)
        return {"op": "remove", "path": path_of([*above, index])}
    if not isinstance(holder, dict):
        raise SceneError(f"{path_of(above)} is a single value; nothing can be added to it")
    path = path_of([*above, last])
    if last in holder:
        old, holder[last] = holder[last], value
        return {"op": "replace", "path": path, "value": old}
    _insert(holder, last, value, before)
    return {"op": "remove", "path": path}


def _insert(holder: Plain, key: str, value: object, before: str | None) -> None:
    """Before a key, or at the end where there is no such key."""
    after = list(holder.items())
    names = list(holder)
    place = names.index(before) if before in names else len(names)
    for name in names[place:]:
        del holder[name]
    holder[key] = value
    holder.update(after[place:])


def _remove(holder: Content, path: str, key: Content) -> Operation:
    if isinstance(holder, list):
        return {"op": "add", "path": path, "value": holder.pop(key)}
    names = list(holder)
    following = names[names.index(key) + 1 :]
    undo = {"op": "add", "path": path, "value": holder.pop(key)}
    return undo | ({"before": following[0]} if following else {})


def _move(data: Plain, source: Steps, target: Steps) -> list[Operation]:
    value = found(data, source)
    holder = found(data, source[:-1])
    if source[:-1] == target[:-1] and isinstance(holder, dict):
        if target[-1] in holder:
            raise SceneError(f"there is already something called '{target[-1]}'; give another name")
        entries = [(target[-1] if key == source[-1] else key, item) for key, item in holder.items()]
        holder.clear()
        holder.update(entries)
        return [{"op": "move", "from": path_of(target), "path": path_of(source)}]
    if target[: len(source)] == source:
        raise SceneError(f"{path_of(source)} cannot be moved into itself")
    back = apply(data, {"op": "remove", "path": path_of(source)})
    try:
        return apply(data, {"op": "add", "path": path_of(target), "value": value}) + back
    except SceneError:
        apply(data, back[0])
        raise


# --- differences and clashes ------------------------------------------------------------------------------------------


def difference(old: object, new: object, above: Sequence[object] = ()) -> list[Operation]:
    """The operations that make ``new`` of ``old``, each as deep inside as can be."""
    if same(old, new):
        return []
    if isinstance(old, dict) and isinstance(new, dict) and _order_kept(old, new):
        gone = [{"op": "remove", "path": path_of([*above, key])} for key in old if key not in new]
        inside = [change for key in old if key in new for change in difference(old[key], new[key], [*above, key])]
        return gone + inside + _additions(old, new, above)
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [change for i, (was, now) in pairs for change in difference(was, now, [*above, i])]
    return [{"op": "replace", "path": path_of(above), "value": new}]


def same(a: object, b: object) -> bool:
    """Whether data is the same, the order of mappings included; 1 and 1.0 are the same number, 1 and true are not."""
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(
            j == k and same(x, y) for (j, x), (k, y) in zip(a.items(), b.items(), strict=True)
        )
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return repr(float(a)) == repr(float(b)) if abs(a) < 2**53 else a == b
    return bool(a == b)


def _order_kept(old: Plain, new: Plain) -> bool:
    return [key for key in old if key in new] == [key for key in new if key in old]


def _additions(old: Plain, new: Plain, above: Sequence[object]) -> list[Operation]:
    made: list[Operation] = []
    following: str | None = None
    for key in reversed(new):
        if key not in old:
            place = {} if following is None else {"before": following}
            made.append({"op": "add", "path": path_of([*above, key]), "value": new[key], **place})
        following = key
    return made


def clashes(ours: Sequence[Operation], theirs: Sequence[Operation]) -> list[str]:
    """The paths of ours that theirs touch as well."""
    touched = [steps for operation in theirs for steps in _touched(operation)]
    mine = [(operation["path"], steps) for operation in ours for steps in _touched(operation)]
    return list(dict.fromkeys(path for path, steps in mine if any(_meet(steps, other) for other in touched)))


def _touched(operation: Operation) -> list[Steps]:
    """What an operation changes; one that shifts the items of a list changes all of the list."""
    paths = [steps_of(operation[name]) for name in ("path", "from") if name in operation]
    shifts = operation["op"] in ("add", "remove", "move")
    return [steps[:-1] if shifts and (steps[-1].isdecimal() or steps[-1] == APPEND) else steps for steps in paths]


def _meet(a: Steps, b: Steps) -> bool:
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]
