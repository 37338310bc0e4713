"""The matrices of a simulation as it stands, labelled by its freedoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError, nearest
from ..model.fields import checked_values, read
from ..scene.body import Body
from ..scene.couplings import Gearbox
from ..scene.joint import Joint
from ..scene.quantity import XYZ, Quantity
from ..scene.values import positive, shown, vector
from ..spatial import Array
from .freedoms import Chosen
from .machine import Bodies, Machine, Standing, rows_of
from .passive import Controls, applied, bodies_of, controls_of, coordinates_at, motor_inertias

if TYPE_CHECKING:
    from xarray import DataArray

    from ..simulation.mechanics import Numbers, Targets
    from ..simulation.simulation import Simulation

MOTION = tuple(f"{part}.{axis}" for part in ("velocity", "angular_velocity") for axis in XYZ)


class AllMatrices:
    """The equations of motion of all worlds of a simulation, for the freedoms chosen.

    Made by the simulation's own methods, which say what each of these is. Worlds whose numbers are alike share a
    ``part``; without :meth:`Simulation.vary` there is one.
    """

    def __init__(self, sim: Simulation, chosen: Iterable[Chosen] = ()) -> None:
        alike: dict[int, list[int]] = {}
        for world in range(sim.worlds):
            alike.setdefault(id(sim.scene_of(world)), []).append(world)
        self.parts = [Matrices(sim, tuple(chosen), worlds) for worlds in alike.values()]
        self._order = np.argsort([world for part in self.parts for world in part.worlds])

    def of(self, name: str, *given: object) -> DataArray:
        """One of the matrices by the name it has in :class:`Matrices`, for all worlds."""
        from xarray import concat

        found = [getattr(part, name)(*given) for part in self.parts]
        return found[0] if len(found) == 1 else concat(found, "world").isel(world=self._order)


class Matrices:
    """The equations of motion of those ``worlds`` of a simulation that have the same numbers."""

    def __init__(self, sim: Simulation, chosen: Iterable[Chosen], worlds: list[int]) -> None:
        self.sim, self.worlds = sim, worlds
        self.machine = Machine(sim.scene_of(worlds[0]), chosen)
        self._motors = motor_inertias(self.machine, len(worlds))

    def standing(self) -> Standing:
        """The equations at the present state."""
        refuse_moved(self.sim)
        refuse_shifted(self.sim)
        return self.machine.standing(self._bodies(), self._motors)

    def _bodies(self) -> Bodies:
        """The bodies as they are now."""
        return rows_of(bodies_of(self.sim, self.machine.rows), self.worlds)

    def controls(self) -> Controls:
        """What the simulation is given from outside now."""
        return rows_of(controls_of(self.sim, self.machine.rows), self.worlds)

    # --- matrices ---------------------------------------------------------------------------------------------------

    def mass_matrix(self) -> DataArray:
        """M, [freedom, other]."""
        labels = self.machine.labels
        return self.labelled(self.standing().mass_matrix, freedom=labels, other=labels)

    def bias(self) -> DataArray:
        """h, [freedom]."""
        return self.labelled(self.standing().bias, freedom=self.machine.labels)

    def jacobian(self, frame: Body | Joint, point: Iterable[float] = (0.0, 0.0, 0.0)) -> DataArray:
        """Velocity and angular velocity of a point of a body by the rates of the freedoms, [motion, freedom]."""
        body, local = self._point(frame, point)
        s = self.standing()
        rows = np.zeros((len(s.span), 6, s.span.shape[1]))
        if body is not None:
            arm = (s.motion.rotation[:, body] @ (local - self.machine.mechanism.center[body]))[:, None]
            rows[:, :, 6 * body : 6 * body + 6] = np.eye(6)
            rows[:, :3, 6 * body + 3 : 6 * body + 6] = np.cross(arm, np.eye(3))
        return self.labelled(s.along(rows), motion=MOTION, freedom=self.machine.labels)

    def inverse_dynamics(self, accelerations: Numbers) -> DataArray:
        """Efforts on the freedoms that make accelerations, beside what acts already."""
        wanted = self.vector("inverse_dynamics: accelerations", accelerations)
        s = self.standing()
        already = applied(self.machine, s, self.controls(), with_efforts=False)
        efforts = (s.mass_matrix @ wanted[..., None])[..., 0] + s.bias - already
        return self.labelled(efforts, freedom=self.machine.labels)

    def forward_dynamics(self, efforts: Numbers | None = None) -> DataArray:
        """Accelerations of the freedoms by efforts on them, beside what acts already."""
        s = self.standing()
        total = applied(self.machine, s, self.controls(), with_efforts=efforts is None)
        if efforts is not None:
            total = total + self._efforts(s, efforts)
        return self.labelled(
            np.linalg.solve(s.mass_matrix, (total - s.bias)[..., None])[..., 0], freedom=self.machine.labels
        )

    def inverse_kinematics(self, targets: Targets, tolerance: float) -> DataArray:
        """Coordinates of the freedoms at which frames are at their targets, [freedom]."""
        from .inverse_kinematics import Bounds, solved, targets_of

        machine, sim = self.machine, self.sim
        positive(tolerance, "inverse_kinematics: tolerance (m, rad)")
        bodies, turns = self._bodies(), self.controls().turns
        lower, upper = self._limits()
        mine = [i for i, freedom in enumerate(machine.rows.freedoms) if freedom.component is None]
        places = [machine.rows.labels.index(machine.labels[i]) for i in mine]
        found = np.zeros((len(self.worlds), len(mine)))
        for row, world in enumerate(self.worlds):
            wanted = targets_of(machine, targets, world, sim.worlds)
            bounds = Bounds(lower[world], upper[world])
            now = turns[row : row + 1]
            there = solved(machine, rows_of(bodies, [row]), now, wanted, bounds, float(tolerance))
            found[row] = coordinates_at(machine.rows, machine.motion(there), now)[0, places]
        return self.labelled(found, freedom=[machine.labels[i] for i in mine])

    def _limits(self) -> tuple[Array, Array]:
        """Lower and upper limits of all coordinates, [world, coordinate]."""
        labels, limits = self.machine.rows.labels, self.sim._layout.limits
        lower, upper = (np.full((self.sim.worlds, len(labels)), side) for side in (-np.inf, np.inf))
        places = [labels.index(name) for name in limits]
        lower[:, places] = read(self.sim.model.lower)[: len(limits)].T
        upper[:, places] = read(self.sim.model.upper)[: len(limits)].T
        return lower, upper

    # --- what the user gives and gets -------------------------------------------------------------------------------

    def _efforts(self, s: Standing, given: Numbers) -> Array:
        """Efforts given as an array over the freedoms, or by joint and coordinate, also those that are no freedoms."""
        if not isinstance(given, Mapping):
            return self.vector("forward_dynamics: efforts", given)
        rows = self.machine.rows
        forces = np.zeros((len(self.worlds), len(self.machine.mechanism.rows)))
        for key, value in given.items():
            label = _label_of(key)
            if label not in rows.labels:
                raise SceneError(f"forward_dynamics: there is no coordinate {shown(key)}{nearest(label, rows.labels)}")
            row = rows.coordinate_rows[rows.labels.index(label)]
            efforts = checked_values(f"effort on '{label}'", value, (), self.sim.worlds)
            forces[:, row] += np.broadcast_to(efforts, self.sim.worlds)[self.worlds]
        return self.machine.row_efforts(s, forces)

    def vector(self, what: str, given: Numbers) -> Array:
        """Numbers over the freedoms, [world, freedom], from an array or from a dictionary by joint or label."""
        labels, worlds = self.machine.labels, self.sim.worlds
        if isinstance(given, Mapping):
            values = np.zeros((worlds, len(labels)))
            for key, value in given.items():
                label = _label_of(key)
                if label not in labels:
                    raise SceneError(
                        f"{what}: {shown(key)} is no freedom{nearest(label, labels)}; there are {', '.join(labels)}"
                    )
                values[:, labels.index(label)] = checked_values(f"{what} of '{label}'", value, (), worlds)
            return values[self.worlds]
        values = np.asarray(given, float)
        if values.shape not in ((len(labels),), (worlds, len(labels))) or not np.isfinite(values).all():
            raise SceneError(
                f"{what} has shape {values.shape}; give {len(labels)} numbers, or a row of them for each of {worlds} "
                f"worlds, in the order {', '.join(labels)}"
            )
        return np.broadcast_to(values, (worlds, len(labels)))[self.worlds]

    def _point(self, frame: object, point: Iterable[float]) -> tuple[int | None, Array]:
        """The place of a moving body, or None for a fixed one, and a point in its frame."""
        local = np.array(vector(tuple(point), "jacobian: point (m)"))
        if isinstance(frame, Joint):
            known_joint = self.machine.scene.joints.get(frame.name, frame)  # as it is in these worlds
            body, local = frame.b, known_joint.frame_b.point(local)
        elif isinstance(frame, Body):
            body = frame
        else:
            raise SceneError(
                f"jacobian: {shown(frame)} is no frame; give a body, or a joint for its frame on body b, not a name"
            )
        known = self.sim._scene.bodies
        if body.name != "world" and known.get(body.name) is not body:
            raise SceneError(f"jacobian: body '{body.name}' is not in this scene{nearest(body.name, known)}")
        return self.machine.mechanism.place.get(body.name), local

    def labelled(self, values: Array, **names: Iterable[str]) -> DataArray:
        """An array with names along its axes; the axis of worlds comes first where there are several."""
        from xarray import DataArray

        dims, coords = tuple(names), {dim: list(labels) for dim, labels in names.items()}
        if self.sim.worlds == 1:
            return DataArray(values[0], coords, dims)
        return DataArray(values, coords, ("world", *dims))


def refuse_moved(sim: Simulation) -> None:
    """Refuse bodies that are moved: what their motion takes is no part of the equations."""
    if sim._layout.movers:
        raise SceneError(
            f"the matrices are of machines that nothing moves from outside, and '{sim._layout.movers[0]}' moves a "
            "body; leave it out"
        )


def refuse_shifted(sim: Simulation) -> None:
    """Refuse gearboxes that are not in the gear of their description, which is the one that the equations have."""
    for name, coupling in sim._scene.couplings.items():
        if isinstance(coupling.type, Gearbox) and (np.asarray(sim.get(coupling.gear)) != coupling.type.gear).any():
            raise SceneError(
                f"gearbox '{name}' is in another gear than it starts in ({coupling.type.gear}), which poses and "
                "matrices do not know; describe it with the gear you want, or go back to that one"
            )


def _label_of(key: object) -> str:
    """A coordinate by its label, by one of its quantities, or by a joint with one coordinate."""
    if isinstance(key, Joint):
        return str(key.coordinate().item)
    if isinstance(key, Quantity) and key.variable in ("coordinate", "rate", "effort"):
        return str(key.item)
    return str(key)
