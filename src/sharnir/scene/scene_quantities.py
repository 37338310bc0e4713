"""The quantities of a whole scene: energies, momenta, gravity."""

from __future__ import annotations

from .quantity import Quantity, declared


class SceneQuantities:
    """What :class:`Scene` has of quantities that belong to no single part."""

    def quantity(self, name: str) -> Quantity:
        """A quantity of the whole scene by the ``name`` it has in a trajectory."""
        return declared(name).address()

    @property
    def kinetic_energy(self) -> Quantity:
        """Kinetic energy of all bodies, ropes and rotors of drives, J."""
        return self.quantity("total_kinetic_energy")

    @property
    def potential_energy(self) -> Quantity:
        """Potential energy in gravity, zero at the world's origin, J."""
        return self.quantity("total_potential_energy")

    @property
    def energy(self) -> Quantity:
        """The whole energy, J: kinetic, in gravity, and elastic."""
        return self.quantity("total_energy")

    @property
    def elastic_energy(self) -> Quantity:
        """Energy of springs, ropes, bristles of friction and joints that close loops, J."""
        return self.quantity("elastic_energy")

    def power(self, source: str | None = None) -> Quantity:
        """The power (W) of all that gives or takes energy, or of one ``source``, by its name.

        Sources are efforts, forces (on bodies), drives, gears, dampers, friction and limits. Summed over the time of a
        run they make what its energy changes by, to the order of the step.
        """
        return self.quantity("total_power") if source is None else declared("power").address(source)

    @property
    def gravity_vector(self) -> Quantity:
        """Gravity, m/s^2; it can be set per world."""
        return self.quantity("gravity")

    @property
    def momentum(self) -> Quantity:
        """Linear momentum of all bodies, N s."""
        return self.quantity("momentum")

    @property
    def angular_momentum(self) -> Quantity:
        """Angular momentum of all bodies about the world's origin, N m s."""
        return self.quantity("angular_momentum")
