"""A simulation linearised about its present state: x' = A x + B u, y = C x + D u.

The state is x = (changes of the freedoms, changes of their rates, integrals of servos), the input u changes of what is
given from outside, the output y changes of quantities. Contacts are frozen as they are: a point that sticks is a ball
joint from then on. All derivatives are differences of fourth order along the mechanism's own motion, loops closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError, nearest
from ..model.actuator_numbers import actuators_of
from ..model.softs import softs_of
from ..scene.elements.actuators import HydraulicCylinder, Muscle
from ..scene.joint import Joint
from ..scene.joints import Frame, Spherical
from ..scene.quantity import XYZ, Quantity
from ..scene.scene import Scene
from ..scene.values import Plain, shown
from ..spatial import Array, conjugate, rotate
from .freedoms import Chosen
from .machine import Arrays, Bodies, Machine, rows_of
from .matrices import refuse_moved, refuse_shifted
from .passive import Controls, applied, bodies_of, controls_of, coordinates_at, motor_inertias, servo_error
from .posing import postured, with_rates

if TYPE_CHECKING:
    from xarray import DataArray

    from ..simulation.outcomes import Touch
    from ..simulation.simulation import Simulation

Quantities = Iterable[Joint | Quantity] | None
PACE = 1e-3  # rad, m, rad/s, m/s: the error of fourth order is some 1e-12, rounding 1e-13
STENCIL = ((-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0))
INPUTS = ("effort", "voltage", "target")
OUTPUTS = ("coordinate", "rate", "position", "velocity", "angular_velocity")
SLIPS = 1e-3  # m/s: a contact that slips faster does not stick


@dataclass(frozen=True)
class Linear:
    """A linear system x' = A x + B u, y = C x + D u about a state, in SI units; one per world where there are several.

    ``A``, ``B``, ``C`` and ``D`` are its matrices, ``rates`` is x' at the state itself, zero in equilibrium. Rows and
    columns are labelled: states by ``"hinge.angle"`` and ``"hinge.angle rate"``, inputs and outputs by quantity.
    """

    A: DataArray
    B: DataArray
    C: DataArray
    D: DataArray
    rates: DataArray


def linearised(sim: Simulation, inputs: Quantities, outputs: Quantities, chosen: Iterable[Chosen]) -> Linear:
    """The linear systems of a simulation's worlds."""
    from xarray import DataArray, concat

    refuse_moved(sim)
    refuse_shifted(sim)
    _refuse_inside(sim)
    parts = [_World(sim, world, inputs, outputs, tuple(chosen)) for world in range(sim.worlds)]
    if len({part.states for part in parts}) > 1:
        raise SceneError("linearise: contacts differ between worlds, and so do the states; linearise them one by one")
    found: list[Plain] = []
    for part in parts:
        columns, rates = part.derivatives()
        count = len(part.states)
        names = {"state": list(part.states), "input": list(part.inputs), "output": list(part.outputs)}

        def labelled(values: Array, row: str, column: str, names: dict[str, list[str]] = names) -> DataArray:
            by = "by_state" if (row, column) == ("state", "state") else column
            return DataArray(values, {row: names[row], by: names[column]}, (row, by))

        found.append(
            {
                "A": labelled(columns[:count, :count], "state", "state"),
                "B": labelled(columns[:count, count:], "state", "input"),
                "C": labelled(columns[count:, :count], "output", "state"),
                "D": labelled(columns[count:, count:], "output", "input"),
                "rates": DataArray(rates, {"state": names["state"]}, ("state",)),
            }
        )
    if len(found) == 1:
        return Linear(**found[0])
    return Linear(**{name: concat([one[name] for one in found], "world") for name in found[0]})


class _World:
    """One world: its frozen mechanism, and the rates and outputs of states near the present one."""

    def __init__(
        self, sim: Simulation, world: int, inputs: Quantities, outputs: Quantities, chosen: Iterable[Chosen]
    ) -> None:
        own, scene = sim.scene_of(world), _frozen(sim, world)
        first = Machine(scene, chosen) if scene is own else None
        everything = bodies_of(sim, (first or Machine(own)).rows)
        self.bodies = rows_of(everything, [world])
        at = self.bodies.x[0], self.bodies.rotation[0]
        self.machine = first or Machine(scene, chosen, at)
        self.controls = rows_of(controls_of(sim, self.machine.rows), [world])
        self._motors = motor_inertias(self.machine, 1)
        softs = softs_of(own)
        self._servos = [i for i, soft in enumerate(softs) if getattr(soft.drive, "integral", 0.0) > 0.0]
        labels = self.machine.labels
        integrals = tuple(f"{softs[i].label} integral" for i in self._servos)
        self.states = (*labels, *(f"{label} rate" for label in labels), *integrals)
        self._inputs = _quantities(inputs, self._efforts(), INPUTS, "inputs")
        self._outputs = _quantities(outputs, self._coordinates(), OUTPUTS, "outputs")
        self.inputs = tuple(quantity.label for quantity in self._inputs)
        self.outputs = tuple(name for quantity in self._outputs for name in _names(quantity))
        self._layout = sim._layout

    def _efforts(self) -> list[Quantity]:
        return [Quantity("effort", f.label, f.effort_unit) for f in self.machine.rows.freedoms if f.component is None]

    def _coordinates(self) -> list[Quantity]:
        found = [f for f in self.machine.rows.freedoms if f.component is None]
        units = [f.rate.unit.removesuffix("/s") for f in found]
        return [Quantity("coordinate", f.label, unit) for f, unit in zip(found, units, strict=True)]

    def derivatives(self) -> tuple[Array, Array]:
        """Derivatives of rates and outputs by states and inputs, [state + output, state + input]; the rates."""
        count = len(self.states) + len(self._inputs)
        tried = np.concatenate([np.zeros((1, count)), *(k * PACE * np.eye(count) for k, _ in STENCIL)])
        found = self._evaluated(tried)
        by = found[1:].reshape(len(STENCIL), count, -1)
        slopes = sum(weight * part for (_, weight), part in zip(STENCIL, by, strict=True)) / PACE
        return np.asarray(slopes).T, found[0, : len(self.states)]

    def _evaluated(self, x: Array) -> Array:
        """Rates of the states and outputs, [k, state + output], near the present state by x [k, state + input]."""
        freedoms = len(self.machine.labels)
        places, speeds, integrals, given = np.split(x, np.cumsum([freedoms, freedoms, len(self._servos)]), axis=1)
        bodies = _repeated(self.bodies, len(x))
        rates = self.machine.rates(bodies)
        bodies = with_rates(self.machine, postured(self.machine, bodies, places), rates + speeds)
        controls = self._controls(integrals, given)
        s = self.machine.standing(bodies, np.repeat(self._motors, len(x), axis=0))
        force = applied(self.machine, s, controls) - s.bias
        accelerations = np.linalg.solve(s.mass_matrix, force[..., None])[..., 0]
        values = coordinates_at(self.machine.rows, s.motion, controls.turns)
        rates_now = s.rates + self._turning(places)
        grown = [self._integral_rate(i, values, s.motion.rate, controls) for i in self._servos]
        outputs = [self._output(quantity, s.bodies, values, s.motion.rate) for quantity in self._outputs]
        return np.concatenate(
            [rates_now, accelerations, *(one[:, None] for one in grown), *(out.reshape(len(x), -1) for out in outputs)],
            axis=1,
        )

    def _turning(self, places: Array) -> Array:
        """What the spin w of a free body adds to the rate of its rotation vector p: w x p, [k, freedom]."""
        more = np.zeros_like(places)
        for body, i in self.machine.mechanism.place.items():
            mine = [
                self.machine.labels.index(label)
                for axis in XYZ
                if (label := f"{body}.angular_velocity.{axis}") in self.machine.labels
            ]
            spin = self.bodies.w[0, i]
            if len(mine) == 3:
                more[:, mine] = np.cross(spin, places[:, mine])
            elif mine and np.any(spin):
                raise SceneError(f"linearise: '{body}' spins and is tied by distances; choose coordinates by freedoms=")
        return more

    def _controls(self, integrals: Array, given: Array) -> Controls:
        controls = _repeated(self.controls, len(given))
        effort, drive, integral = controls.effort.copy(), controls.drive.copy(), controls.integral.copy()
        integral[:, self._servos] += integrals
        for k, quantity in enumerate(self._inputs):
            into, names = (
                (effort, self._layout.coordinates) if quantity.variable == "effort" else (drive, self._layout.softs)
            )
            if quantity.item not in names:
                raise SceneError(f"linearise: there is no {quantity.label}{nearest(str(quantity.item), names)}")
            into[:, names.index(quantity.item)] += given[:, k]
        return replace(controls, effort=effort, drive=drive, integral=integral)

    def _integral_rate(self, place: int, values: Array, rates: Array, controls: Controls) -> Array:
        soft, rows = softs_of(self.machine.scene)[place], self.machine.rows
        i = rows.labels.index(soft.label)
        return servo_error(soft, place, values[:, i], rates[:, rows.coordinate_rows[i]], controls)

    def _output(self, quantity: Quantity, bodies: Bodies, values: Array, rates: Array) -> Array:
        rows = self.machine.rows
        if quantity.variable in ("coordinate", "rate"):
            if quantity.item not in rows.labels:
                raise SceneError(f"linearise: there is no {quantity.label}{nearest(str(quantity.item), rows.labels)}")
            i = rows.labels.index(quantity.item)
            return values[:, i] if quantity.variable == "coordinate" else rates[:, rows.coordinate_rows[i]]
        known = self.machine.mechanism.place
        if quantity.item not in known:
            raise SceneError(f"linearise: '{quantity.item}' is no moving body{nearest(str(quantity.item), known)}")
        i = known[quantity.item]
        arm = -(bodies.rotation[:, i] @ self.machine.mechanism.center[i])
        if quantity.variable == "position":
            return np.asarray(bodies.x[:, i] + arm)
        return (
            bodies.w[:, i]
            if quantity.variable == "angular_velocity"
            else bodies.v[:, i] + np.cross(bodies.w[:, i], arm)
        )


def _frozen(sim: Simulation, world: int) -> Scene:
    """The scene with a ball joint at every point of a world that sticks."""
    if not sim._compiled.features.contacts:
        return sim.scene_of(world)
    touches = [touch for touch in sim.contacts(world) if np.linalg.norm(touch.force) > 0.0]
    if not touches:
        return sim.scene_of(world)
    scene = sim.scene_of(world).as_it_is()
    poses = {name: (sim.get(body.position), sim.get(body.rotation)) for name, body in scene.bodies.items()}
    for k, touch in enumerate(touches):
        _refuse_rolling(scene, touch)
        if np.linalg.norm(touch.slip) > SLIPS:
            raise SceneError(
                f"linearise: '{touch.b}' slides on '{touch.a}' at {np.linalg.norm(touch.slip):.3g} m/s; contacts must "
                "stick or open, let it come to rest first"
            )
        frames = []
        for name in (touch.a, touch.b):
            at, turn = poses.get(name, (np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])))
            if sim.worlds > 1 and name in poses:
                at, turn = at[world], turn[world]
            x, y, z = rotate(conjugate(turn), touch.point - at).tolist()
            frames.append(Frame(position=(x, y, z)))
        scene.joint(f"contact {k}", Spherical(frame_a=frames[0], frame_b=frames[1]), touch.a, touch.b)
    return scene


def _refuse_inside(sim: Simulation) -> None:
    """Refuse actuators with something inside that changes with the motion, which is no state of the linear system."""
    for label, actuator in actuators_of(sim._scene):
        if isinstance(actuator, (HydraulicCylinder, Muscle)):
            raise SceneError(
                f"linearise: the {type(actuator).__name__} of '{label}' has states of its own, which the linear system "
                "does not; put an IdealActuator in its place"
            )


def _refuse_rolling(scene: Scene, touch: Touch) -> None:
    """A round shape rolls: the point it touches at is another one a moment later, and no ball joint."""
    for name in (touch.a, touch.b):
        shapes = scene.bodies[name].spec.shapes if name in scene.bodies else ()
        round_one = next((shape for shape in shapes if shape.rolls), None)
        if round_one is not None:
            raise SceneError(
                f"linearise: '{name}' touches '{touch.a if name == touch.b else touch.b}' and has a round shape "
                f"({type(round_one).__name__}), which rolls; only contacts of flat shapes are frozen"
            )


def _quantities(given: Quantities, default: list[Quantity], known: Sequence[str], word: str) -> list[Quantity]:
    if given is None:
        return default
    found = []
    for one in given:
        quantity = (one.effort() if word == "inputs" else one.coordinate()) if isinstance(one, Joint) else one
        if not isinstance(quantity, Quantity) or quantity.variable not in known:
            raise SceneError(f"linearise: {word} holds {shown(one)}; give joints or quantities: {', '.join(known)}")
        found.append(quantity)
    return found


def _names(quantity: Quantity) -> list[str]:
    return [f"{quantity.label} {axis}" for axis in XYZ] if quantity.components else [quantity.label]


def _repeated(what: Arrays, count: int) -> Arrays:
    return replace(what, **{name: np.repeat(array, count, axis=0) for name, array in vars(what).items()})
