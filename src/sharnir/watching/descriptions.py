"""What a description says before anything moves: loops, joints given twice, slips of units."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, groupby

import msgspec
import numpy as np

from ..errors import SimulationWarning
from ..scene.body import Body
from ..scene.check import MEETING_TOLERANCE
from ..scene.coupled import locked_coordinates
from ..scene.joint import Joint
from ..scene.meshes import ConvexHull, Mesh
from ..scene.mobility import locked_loops
from ..scene.scene import Scene
from ..scene.shape import MassProperties, combined
from ..spatial import Array, rotate

SHOWN = 6  # names in one message

# Further off than any machine, but nearer than a factor of a thousand or a million between units.
HEAVIEST = 1e7  # kg; a loaded freight train
DENSITIES = (0.01, 1e7)  # kg/m^3; air has 1.2, osmium 2.3e4, and point masses are drawn as small balls
WIDEST = 100.0  # m; radius of gyration
INERTIA_FACTORS = (1e-5, 1e5)  # of what the mass has in its shapes, which may be mere markers
LONGEST_STEP = 0.5  # s


def locked(scene: Scene) -> Iterator[SimulationWarning]:
    """Loops whose joints hold each other, and couplings that leave coordinates no way to move."""
    for loop in locked_loops(scene):
        names = [joint.name for joint in loop.joints]
        cause = "make their axes parallel, or meet in one point"
        if 0 < len(loop.culprits) < len(names):
            culprits = _listed([joint.name for joint in loop.culprits])
            cause = f"the frame of {culprits} is off: turn it to suit the others, or make the joint a Spherical"
        yield SimulationWarning(
            "locked-loop", f"joints {_listed(names)}", f"are parts of a loop in which they cannot move; {cause}"
        )
    labels = locked_coordinates(scene)
    if labels:
        names = [one.name for one in scene.couplings.values() if set(one.labels) & set(labels)]
        yield SimulationWarning(
            "locked-loop",
            f"coordinates {_listed(list(labels))}",
            f"cannot move: the couplings {_listed(names)} agree nowhere else; make their ratios agree, or drop one",
        )


def repeated(scene: Scene) -> Iterator[SimulationWarning]:
    """The same joint twice between the same bodies."""

    def kind(joint: Joint) -> tuple[str, ...]:
        return (type(joint.type).__name__, *sorted((joint.a.name, joint.b.name)))

    locking = [j for j in scene.joints.values() if any(j.type.locked_translations + j.type.locked_rotations)]
    for _, group in groupby(sorted(locking, key=kind), kind):
        for first, second in combinations(group, 2):
            if _same_place(first, second):
                yield SimulationWarning(
                    "repeated-joint",
                    f"joints '{first.name}' and '{second.name}'",
                    f"are the same {type(first.type).__name__} between '{first.a.name}' and '{first.b.name}'; "
                    "drop one of them",
                )


def _same_place(first: Joint, second: Joint) -> bool:
    """Whether two joints of a kind have the same points and axes on both bodies."""
    turned = first.a is not second.a
    for frame, other in zip(first.world_frames(), second.world_frames()[:: -1 if turned else 1], strict=True):
        axis, other_axis = (rotate(one.rotation, (0.0, 0.0, 1.0)) for one in (frame, other))
        if np.linalg.norm(frame.position - other.position) > MEETING_TOLERANCE:
            return False
        if np.linalg.norm(np.cross(axis, other_axis)) > MEETING_TOLERANCE:
            return False
    return True


def odd_units(scene: Scene, dt: float) -> Iterator[SimulationWarning]:
    """Numbers that no machine has, but one in other units would."""
    if dt > LONGEST_STEP:
        yield _odd("the step dt", f"is {dt:g} s; if {dt:g} ms were meant, give dt={dt / 1000:g}")
    for body in scene.bodies.values():
        if body.properties is not None:
            yield from _odd_body(body)


def _odd(about: str, text: str) -> SimulationWarning:
    return SimulationWarning("odd-units", about, text)


def _odd_body(body: Body) -> Iterator[SimulationWarning]:
    assert body.properties is not None
    mass, _, inertia = body.properties
    what, largest, solid = f"body '{body.name}'", _largest(inertia), _solid(body)
    if mass > HEAVIEST:
        yield _odd(what, f"weighs {mass:.3g} kg, more than {HEAVIEST:g}; give sizes in m and densities in kg/m^3")
    elif solid is not None and not DENSITIES[0] < mass / solid.mass < DENSITIES[1]:
        yield _odd(what, f"has {mass:.3g} kg in {solid.mass:.3g} m^3; give sizes in m and masses in kg")
    elif largest > mass * WIDEST**2:
        yield _odd(
            what,
            f"has an inertia of {largest:.3g} kg m^2, as if its {mass:.3g} kg were {np.sqrt(largest / mass):.3g} m "
            "from its middle; give sizes in m and inertias in kg m^2",
        )
    elif solid is not None and body.spec.inertia is not None:
        within = _largest(solid.inertia) * mass / solid.mass
        if not INERTIA_FACTORS[0] < largest / within < INERTIA_FACTORS[1]:
            text = f"has an inertia of {largest:.3g} kg m^2, its {mass:.3g} kg in the form of its shapes {within:.3g}"
            yield _odd(what, f"{text}; give inertias in kg m^2, or leave it to the shapes")


def _largest(inertia: Array) -> float:
    return float(np.linalg.eigvalsh(inertia)[-1])


def _solid(body: Body) -> MassProperties | None:
    """The shapes at 1 kg/m^3; None where there are none, or a mesh would have to be read again."""
    shapes = body.spec.shapes
    if not shapes or any(isinstance(shape, (Mesh, ConvexHull)) for shape in shapes):
        return None
    solids = [msgspec.structs.replace(shape, mass=None, density=1.0).mass_properties() for shape in shapes]
    return combined([solid for solid in solids if solid is not None])


def _listed(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names[:SHOWN]]
    return ", ".join(quoted) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
