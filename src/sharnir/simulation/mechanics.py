"""The mechanics of a simulation as matrices, computed on the host at its present state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..scene.body import Body
from ..scene.joint import Joint

if TYPE_CHECKING:
    from xarray import DataArray

    from ..analysis.freedoms import Chosen
    from ..analysis.matrices import AllMatrices

ByCoordinate = Mapping[Any, ArrayLike]  # by joint, quantity or label; a mapping takes no keys but of its own type
Numbers = ArrayLike | ByCoordinate  # over the freedoms in their order, or by coordinate
Targets = Mapping[object, ArrayLike | tuple[ArrayLike | None, ArrayLike | None]]  # by body, joint, or body and point


class Mechanics:
    """What :class:`Simulation` tells of its mechanics; see :mod:`sharnir.analysis`."""

    def _matrices(self, chosen: Iterable[Chosen]) -> AllMatrices:
        """The equations of motion over the chosen freedoms."""
        raise NotImplementedError

    def mass_matrix(self, freedoms: Iterable[Chosen] = ()) -> DataArray:
        """The mass matrix M of M u' + h = e over the freedoms (kg, kg m, kg m^2), labelled, one per world.

        Freedoms are the coordinates of a tree's joints, and the velocities of a body that nothing ties to the ground;
        of a loop, as many coordinates as it has freedoms, driven ones first, or the ``freedoms`` that you choose. u are
        their rates. Motors count with their inertia behind the gear.
        """
        return self._matrices(freedoms).of("mass_matrix")

    def bias(self, freedoms: Iterable[Chosen] = ()) -> DataArray:
        """The bias h of M u' + h = e over the ``freedoms`` (N, N m): gravity, Coriolis and centrifugal forces."""
        return self._matrices(freedoms).of("bias")

    def jacobian(
        self, frame: Body | Joint, point: Iterable[float] = (0.0, 0.0, 0.0), *, freedoms: Iterable[Chosen] = ()
    ) -> DataArray:
        """Velocity (m/s) and angular velocity (rad/s), world axes, of a point by the rates of the ``freedoms``.

        ``point`` (m) is in the ``frame``: that of a body, or of a joint on its body b.
        """
        return self._matrices(freedoms).of("jacobian", frame, point)

    def inverse_dynamics(self, accelerations: Numbers, freedoms: Iterable[Chosen] = ()) -> DataArray:
        """The efforts (N, N m) on the ``freedoms`` that make ``accelerations`` (m/s^2, rad/s^2) of them.

        They come beside what springs, dampers, drives and forces on bodies do already; efforts set now do not count.
        Accelerations are an array over the freedoms, one row per world, or a dictionary by joint, the rest zero. Dry
        friction, limits, contacts and ropes take no part.
        """
        return self._matrices(freedoms).of("inverse_dynamics", accelerations)

    def forward_dynamics(self, efforts: Numbers | None = None, freedoms: Iterable[Chosen] = ()) -> DataArray:
        """The accelerations (m/s^2, rad/s^2) of the ``freedoms`` by ``efforts`` (N, N m), those set now if not given.

        The same forces take part as in :meth:`inverse_dynamics`. Efforts are an array over the freedoms, or a
        dictionary by joint, also of coordinates that are no freedoms.
        """
        return self._matrices(freedoms).of("forward_dynamics", efforts)

    def inverse_kinematics(
        self, targets: Targets, *, tolerance: float = 1e-8, freedoms: Iterable[Chosen] = ()
    ) -> DataArray:
        """Coordinates (rad, m) of the ``freedoms``, within their limits, at which frames are at ``targets``.

        Targets are positions (m), or pairs of a position and a quaternion, of which one may be None, by body, by joint
        (its frame on body b) or by a pair of body and point. Bodies that nothing ties to the ground stay where they
        are, and nothing is moved: hand the result to :meth:`pose`. It is within ``tolerance`` (m, rad), or refused.
        """
        return self._matrices(freedoms).of("inverse_kinematics", targets, tolerance)
