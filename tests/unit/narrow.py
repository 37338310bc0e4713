"""Pairs of shapes through the narrow phase, by a kernel of the tests' own: one world a pair."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.device import load_warp
from sharnir.dynamics.contacts.collide import make_collide
from sharnir.model.compile import build_model, compile_scene
from sharnir.model.features import Features
from sharnir.model.fields import allocate, read, struct_values, write
from sharnir.model.precision import Precision, precision_of
from sharnir.scene.shape import Shape

wp = load_warp()


@dataclass
class Touching:
    """What was found, one row a pair; only the first ``count`` points of a row count."""

    count: Any
    normal: Any
    point: Any
    gap: Any
    feature: Any
    lost: Any

    def points(self, pair: int = 0) -> Any:
        return self.point[pair, : self.count[pair]]

    def gaps(self, pair: int = 0) -> Any:
        return self.gap[pair, : self.count[pair]]

    @property
    def depth(self) -> Any:
        """The smallest gap of each pair; inf where nothing touches."""
        held = np.arange(self.gap.shape[1]) < self.count[:, None]
        return np.where(held, self.gap, np.inf).min(axis=1)


@cache
def collide_kernel(p: Precision, features: Features) -> Any:
    t = struct_values(p)
    narrow = make_collide(p, features)

    @wp.kernel(enable_backward=False, module="unique")
    def narrow_phase(
        m: t.model,
        s: t.state,
        k: t.work,
        r: t.report,
        o: t.settings,
        a: wp.array(dtype=int),
        b: wp.array(dtype=int),
        margin: p.real,
    ):
        w = wp.tid()
        k.contact_count[w] = 0
        pair = narrow.Candidates()
        pair.a = a[w]
        pair.b = b[w]
        pair.margin = margin
        narrow.collide(m, s, k, r, o, pair, w)

    return narrow_phase


class Bench:
    """Shapes that can be put anywhere, pair by pair. Terrain comes first, then one shape a body, in order."""

    def __init__(self, shapes: list[Shape], surfaces: Any = (), precision: str = "float64", room: int = 16) -> None:
        scene = sh.Scene()
        for i, surface in enumerate(surfaces):
            scene.terrain(f"terrain {i}", surface)
        for i, shape in enumerate(shapes):
            given = {} if shape.mass is not None or shape.density is not None else {"mass": 1, "inertia": (1, 1, 1)}
            scene.body(f"body {i}", shape, contact=True, **given)  # type: ignore[arg-type]
        self.precision = precision_of(precision)
        compiled = compile_scene(scene, "direct", "semi-implicit-euler")
        self.compiled = replace(compiled, counts=compiled.counts | {"contact": room})
        self.terrains = len(surfaces)

    def collide(self, a: Any, b: Any, poses_a: Any, poses_b: Any, margin: float = 0.0) -> Touching:
        """Shapes a and b (numbers, terrain first) of each pair at poses (centre of mass, rotation)."""
        a, b = np.atleast_1d(a), np.atleast_1d(b)
        pairs, counts = len(a), self.compiled.counts
        model = build_model(self.compiled, self.precision, pairs, "cpu")
        state, work, report = (allocate(n, self.precision, counts, pairs, "cpu") for n in ("state", "work", "report"))
        position, rotation = read(state.position), read(state.rotation)
        rotation[..., 3] = 1.0
        every = np.arange(pairs)
        for shapes, (place, turn) in ((a, poses_a), (b, poses_b)):
            bodies = np.asarray(self.compiled.model["shape_body"])[shapes]
            moving = bodies > 0
            position[bodies[moving], every[moving]] = np.broadcast_to(place, (pairs, 3))[moving]
            rotation[bodies[moving], every[moving]] = np.broadcast_to(turn, (pairs, 4))[moving]
        write(state.position, position)
        write(state.rotation, rotation)
        settings = struct_values(self.precision).settings()
        settings.shapes, settings.contacts = counts["shape"], counts["contact"]
        kernel = collide_kernel(self.precision, self.compiled.features)
        numbers = [wp.array(x, dtype=int, device="cpu") for x in (a, b)]
        wp.launch(kernel, pairs, [model, state, work, report, settings, *numbers, margin], device="cpu")
        found = [np.moveaxis(read(getattr(work, f"contact_{n}")), 0, 1) for n in ("normal", "point", "gap", "feature")]
        return Touching(read(work.contact_count), *found, read(report.contacts_lost))
