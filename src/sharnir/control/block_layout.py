"""Where the boxes and lines of a drawn diagram go: layers from left to right, lines at right angles.

Every box stands right of those it depends on. A line that passes a layer gets a place of its own there, the boxes of a
layer are ordered by where their neighbours are, and in the gap between two layers every signal has its own track.
Lines that lead back, into a delay, run below everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, median_low

Point = tuple[float, float]
End = tuple[str, str]  # a box and one of its ports
Height = Callable[[], float]

ROW, HEAD, GAP, TRACK, LANE = 18.0, 24.0, 26.0, 9.0, 14.0  # heights and distances, in pixels of the picture
MARGIN, STUB = 24.0, 14.0
SWEEPS = 13  # odd, so that the last one goes from left to right
PASSING = "\0"  # begins the names of points where lines pass a layer


@dataclass
class DrawnBox:
    """A box with ports: inputs on the left, outputs on the right, one row each."""

    name: str
    width: float
    inputs: Sequence[str] = ()
    outputs: Sequence[str] = ()
    head: float = HEAD
    layer: int = 0
    x: float = 0.0
    y: float = 0.0

    @property
    def height(self) -> float:
        """The height that its rows need."""
        return self.head + ROW * max(1, len(self.inputs), len(self.outputs))

    @property
    def is_point(self) -> bool:
        """Whether it is a place where a line passes a layer."""
        return self.name.startswith(PASSING)

    def port_y(self, names: Sequence[str], port: str) -> float:
        """The height at which a port's line ends."""
        return self.y + self.head + ROW * (names.index(port) + 0.5)


@dataclass
class DrawnWire:
    """From an output of a box to an input of another; ``back`` where it leads to the tick after."""

    source: End
    target: End
    back: bool = False


@dataclass
class Drawn:
    """What the layout made: the boxes placed, the lines and their branches by source, and the size of the whole."""

    boxes: dict[str, DrawnBox]
    lines: list[tuple[End, list[Point]]] = field(default_factory=list)
    dots: list[tuple[End, Point]] = field(default_factory=list)  # where a line branches
    width: float = 0.0
    height: float = 0.0


class SheetLayout:
    """The layout of one diagram."""

    def __init__(
        self, boxes: Sequence[DrawnBox], wires: Sequence[DrawnWire], first: Sequence[str], last: Sequence[str]
    ) -> None:
        self.boxes = {box.name: box for box in boxes}
        self.wires = list(wires)
        self._assign_layers(set(first), set(last))
        self.layers: list[list[DrawnBox]] = [[] for _ in range(1 + max((b.layer for b in boxes), default=0))]
        for box in boxes:
            self.layers[box.layer].append(box)
        self.hops: list[tuple[End, End, End]] = []  # signal, from, to: one gap each
        self._pass_layers()

    def _assign_layers(self, first: set[str], last: set[str]) -> None:
        """The longest way from a source; sources of one thing stand next to it, sinks at the end.

        What has no wires yet stands right of what comes first, where its wires will come from.
        """
        forward = [wire for wire in self.wires if not wire.back]
        wired = {end[0] for wire in self.wires for end in (wire.source, wire.target)}
        for name in self.boxes.keys() - wired - first if first else ():
            self.boxes[name].layer = 1
        for _ in range(len(self.boxes)):
            moved = False
            for wire in forward:
                a, b = self.boxes[wire.source[0]], self.boxes[wire.target[0]]
                if b.layer <= a.layer:
                    b.layer, moved = a.layer + 1, True
            if not moved:
                break
        end = max((box.layer for box in self.boxes.values()), default=0)
        for box in self.boxes.values():
            fed = [self.boxes[wire.target[0]].layer for wire in forward if wire.source[0] == box.name]
            needs = any(wire.target[0] == box.name for wire in forward)
            if box.name in last:
                box.layer = end
            elif not needs and fed and box.name not in first:
                box.layer = max(0, min(fed) - 1)

    def _pass_layers(self) -> None:
        """Cut lines into hops from layer to layer, through points that signals share."""
        passing: dict[tuple[End, int], str] = {}
        for wire in self.wires:
            if wire.back:
                continue
            a, b = self.boxes[wire.source[0]], self.boxes[wire.target[0]]
            here = wire.source
            for layer in range(a.layer + 1, b.layer):
                key = (wire.source, layer)
                if key not in passing:
                    name = f"{PASSING}{wire.source[0]}{PASSING}{wire.source[1]}{PASSING}{layer}"
                    passing[key] = name
                    self.boxes[name] = DrawnBox(name, 0.0, ("",), ("",), head=0.0, layer=layer)
                    self.layers[layer].append(self.boxes[name])
                    self.hops.append((wire.source, here, (name, "")))
                here = (passing[key], "")
            self.hops.append((wire.source, here, wire.target))

    def place(self) -> Drawn:
        """Order, place, and draw the lines."""
        self._order()
        self._rows()
        lanes = self._lanes()
        bottom = max((box.y + box.height for box in self.boxes.values()), default=0.0)
        tracks = self._tracks(bottom, lanes)
        self._columns(tracks)
        drawn = Drawn({name: box for name, box in self.boxes.items() if not box.is_point})
        drawn.lines = self._lines(bottom, lanes, tracks)
        drawn.dots = _branches(drawn.lines)
        drawn.width = max((x for _, points in drawn.lines for x, _ in points), default=0.0)
        drawn.width = max([drawn.width, *(box.x + box.width for box in drawn.boxes.values())]) + MARGIN
        drawn.height = bottom + LANE * (len(lanes) + 0.5) + MARGIN
        return drawn

    # --- boxes ------------------------------------------------------------------------------------------------------

    def _neighbours(self, before: bool) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {name: [] for name in self.boxes}
        for _, (a, _), (b, _) in self.hops:
            found[b if before else a].append(a if before else b)
        return found

    def _order(self) -> None:
        """Sort every layer by the mean place of what its boxes are joined to, to and fro."""
        before, after = self._neighbours(True), self._neighbours(False)
        place = {box.name: float(i) for layer in self.layers for i, box in enumerate(layer)}
        for sweep in range(SWEEPS):
            joined = before if sweep % 2 == 0 else after
            for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
                wish = {
                    b.name: fmean([place[n] for n in joined[b.name]]) if joined[b.name] else place[b.name]
                    for b in layer
                }
                layer.sort(key=lambda box, wish=wish: wish[box.name])  # type: ignore[misc]
                place |= {box.name: float(i) for i, box in enumerate(layer)}

    def _rows(self) -> None:
        """Heights: every box level with its neighbours, as far as the boxes above leave room."""
        for layer in self.layers:
            self._stack(layer, [0.0] * len(layer))
        before, after = self._hops_of(True), self._hops_of(False)
        for sweep in range(SWEEPS):
            joined = before if sweep % 2 == 0 else after
            middle = _mean if sweep < SWEEPS - 1 else _one_of  # at last level with one of them: a straight line
            for layer in self.layers if sweep % 2 == 0 else reversed(self.layers):
                wishes = [box.y + middle([there() - here() for here, there in joined[box.name]]) for box in layer]
                self._stack(layer, wishes)
        top = min((box.y for box in self.boxes.values()), default=0.0)
        for box in self.boxes.values():
            box.y += MARGIN + GAP / 2 - top

    def _hops_of(self, before: bool) -> dict[str, list[tuple[Height, Height]]]:
        """For every box the heights of its own ports and of those at the other end, as they are when asked."""
        found: dict[str, list[tuple[Height, Height]]] = {name: [] for name in self.boxes}
        for _, source, target in self.hops:
            out, into = self._height_of(source, True), self._height_of(target, False)
            if before:
                found[target[0]].append((into, out))
            else:
                found[source[0]].append((out, into))
        return found

    def _height_of(self, end: End, is_output: bool) -> Height:
        box = self.boxes[end[0]]
        names = box.outputs if is_output else box.inputs
        return lambda: box.port_y(names, end[1])

    def _stack(self, layer: list[DrawnBox], wishes: list[float]) -> None:
        """Place boxes as near to their wishes as their order and their heights allow, in the sense of least squares:
        boxes that would meet are pooled, and the pool takes the mean of what they wish."""
        pools: list[tuple[float, int]] = []  # the wish for the first box of a pool, how many boxes
        offsets, below = [], 0.0
        for box, wish in zip(layer, wishes, strict=True):
            offsets.append(below)
            pool, count = wish - below, 1
            while pools and pools[-1][0] >= pool:
                other, more = pools.pop()
                pool, count = (pool * count + other * more) / (count + more), count + more
            pools.append((pool, count))
            below += box.height + (ROW / 3 if box.is_point else GAP)
        places = [place for place, count in pools for _ in range(count)]
        for box, place, offset in zip(layer, places, offsets, strict=True):
            box.y = place + offset

    # --- lines ------------------------------------------------------------------------------------------------------

    def _lanes(self) -> dict[End, int]:
        """A lane below everything for every signal that leads back."""
        return {source: i for i, source in enumerate(dict.fromkeys(w.source for w in self.wires if w.back))}

    def _spans(self, bottom: float, lanes: dict[End, int]) -> dict[tuple[int, End], list[float]]:
        """The heights that a signal reaches in the gap right of a layer; -1 is the gap left of the first."""
        spans: dict[tuple[int, End], list[float]] = {}
        for signal, source, target in self.hops:
            heights = [self._height_of(source, True)(), self._height_of(target, False)()]
            spans.setdefault((self.boxes[source[0]].layer, signal), []).extend(heights)
        for wire in self.wires:
            if wire.back:
                lane = bottom + LANE * (lanes[wire.source] + 1)
                out, into = self._height_of(wire.source, True)(), self._height_of(wire.target, False)()
                spans.setdefault((self.boxes[wire.source[0]].layer, wire.source), []).extend([out, lane])
                spans.setdefault((self.boxes[wire.target[0]].layer - 1, wire.source), []).extend([into, lane])
        return spans

    def _tracks(self, bottom: float, lanes: dict[End, int]) -> dict[tuple[int, End], int]:
        """The track of every signal in every gap: the first that is free over its height."""
        found: dict[tuple[int, End], int] = {}
        taken: dict[int, list[list[tuple[float, float]]]] = {}
        spans = self._spans(bottom, lanes)
        for (gap, signal), heights in sorted(spans.items(), key=lambda item: (item[0][0], min(item[1]))):
            low, high = min(heights) - 2.0, max(heights) + 2.0
            tracks = taken.setdefault(gap, [])
            free = (i for i, used in enumerate(tracks) if all(high < a or low > b for a, b in used))
            track = next(free, len(tracks))
            if track == len(tracks):
                tracks.append([])
            tracks[track].append((low, high))
            found[gap, signal] = track
        return found

    def _columns(self, tracks: dict[tuple[int, End], int]) -> None:
        """Where the layers stand, with room for the tracks between them."""
        room = {gap: 1 + max(t for (g, _), t in tracks.items() if g == gap) for gap, _ in tracks}
        x = MARGIN + (2 * STUB + TRACK * room[-1] if -1 in room else 0.0)
        self._gap_x: dict[int, float] = {-1: MARGIN + STUB}
        for i, layer in enumerate(self.layers):
            width = max((box.width for box in layer), default=0.0)
            for box in layer:
                box.x = x + (width - box.width if i == 0 else 0.0)
            self._gap_x[i] = x + width + STUB
            x += width + 2 * STUB + TRACK * room.get(i, 1) + 46.0

    def _lines(
        self, bottom: float, lanes: dict[End, int], tracks: dict[tuple[int, End], int]
    ) -> list[tuple[End, list[Point]]]:
        lines = []
        for signal, source, target in self.hops:
            a, b = self.boxes[source[0]], self.boxes[target[0]]
            x = self._track_x(a.layer, tracks[a.layer, signal])
            y, z = self._height_of(source, True)(), self._height_of(target, False)()
            lines.append((signal, [(a.x + a.width, y), (x, y), (x, z), (b.x, z)]))
            if b.is_point:
                layer = self.layers[b.layer]
                lines[-1][1].append((b.x + max(box.width for box in layer), z))
            if a.is_point:
                lines[-1][1][0] = (a.x + max(box.width for box in self.layers[a.layer]), y)
        for wire in self.wires:
            if wire.back:
                a, b = self.boxes[wire.source[0]], self.boxes[wire.target[0]]
                lane = bottom + LANE * (lanes[wire.source] + 1)
                x = self._track_x(a.layer, tracks[a.layer, wire.source])
                back = self._track_x(b.layer - 1, tracks[b.layer - 1, wire.source])
                y, z = self._height_of(wire.source, True)(), self._height_of(wire.target, False)()
                way = [(a.x + a.width, y), (x, y), (x, lane), (back, lane), (back, z), (b.x, z)]
                lines.append((wire.source, way))
        return lines

    def _track_x(self, gap: int, track: int) -> float:
        return self._gap_x[gap] + 46.0 * (gap >= 0) + TRACK * track


def _mean(values: list[float]) -> float:
    return fmean(values) if values else 0.0


def _one_of(values: list[float]) -> float:
    return median_low(values) if values else 0.0


def _branches(lines: list[tuple[End, list[Point]]]) -> list[tuple[End, Point]]:
    """The corners from which a signal goes on in three directions or more."""
    pieces: dict[End, list[tuple[Point, Point]]] = {}
    for signal, points in lines:
        pieces.setdefault(signal, []).extend((a, b) for a, b in pairwise(points) if a != b)
    found = []
    for signal, segments in pieces.items():
        for corner in dict.fromkeys(point for segment in segments for point in segment):
            ways = {way for a, b in segments if _between(a, corner, b) for way in (_way(corner, a), _way(corner, b))}
            if len(ways - {(0, 0)}) > 2:
                found.append((signal, corner))
    return found


def _between(a: Point, p: Point, b: Point) -> bool:
    return all(min(a[i], b[i]) <= p[i] <= max(a[i], b[i]) for i in (0, 1))


def _way(a: Point, b: Point) -> tuple[int, int]:
    return ((b[0] > a[0]) - (b[0] < a[0]), (b[1] > a[1]) - (b[1] < a[1]))
