"""A rigid body: its shapes, its mass, where it starts and how fast."""

from __future__ import annotations

import math

import numpy as np

from .. import spatial
from ..errors import SceneError
from .materials import Contact, check_contact
from .quantity import Quantity, declared
from .shape import MassProperties, combined
from .shapes import AnyShape
from .values import ORIGIN, UPRIGHT, Description, Quat, Vec3, number, positive, quaternion, shown, vector


class BodySpec(Description, frozen=True):
    """What a scene file says of a body.

    ``shapes`` are what it looks like, touches with and weighs. ``position`` (m) and ``rotation`` (quaternion) place the
    body's own frame in the world; ``velocity`` (m/s, of that frame's
    origin) and ``angular_velocity`` (rad/s) are in world axes. Mass properties come from the shapes unless given:
    ``mass`` (kg), ``center_of_mass`` (m) and ``inertia`` (kg m^2 about the centre of mass) in the body's frame;
    inertia as three principal values, or six: xx, yy, zz, xy, xz, yz. A ``fixed`` body never moves, unless it is
    ``moved``: then it goes where it is told, and leads what is welded to it, see ``scene.prescribe``. ``contact`` says
    how it touches others: True for all of the defaults of :class:`Contact`, False for never, None for as soon as the
    scene has terrain.
    """

    shapes: tuple[AnyShape, ...] = ()
    position: Vec3 = ORIGIN
    rotation: Quat = UPRIGHT
    velocity: Vec3 = ORIGIN
    angular_velocity: Vec3 = ORIGIN
    mass: float | None = None
    center_of_mass: Vec3 | None = None
    inertia: tuple[float, ...] | None = None
    fixed: bool = False
    moved: bool = False
    contact: Contact | bool | None = None


class Body:
    """A body of a scene, as returned by ``scene.body``: hand it to joints, plot its quantities."""

    def __init__(self, name: str, spec: BodySpec) -> None:
        self.name = name
        self.spec = _checked(name, spec)
        self.properties = None if spec.fixed else _mass_properties(name, spec)

    def __repr__(self) -> str:
        return f"<body '{self.name}'>"

    @property
    def pose(self) -> spatial.Pose:
        """Where the body's frame starts."""
        return spatial.Pose(np.array(self.spec.position), np.array(quaternion(self.spec.rotation, "rotation")))

    @property
    def center(self) -> spatial.Array:
        """The centre of mass in the body's frame, m; of a fixed body the frame's origin."""
        return np.zeros(3) if self.properties is None else self.properties.center

    def quantity(self, name: str) -> Quantity:
        """A quantity of the body by the ``name`` it has in a trajectory."""
        return declared(name).address(self.name)

    @property
    def position(self) -> Quantity:
        """Position of the body's frame, m."""
        return self.quantity("position")

    @property
    def rotation(self) -> Quantity:
        """Orientation of the body's frame, quaternion (x, y, z, w)."""
        return self.quantity("rotation")

    @property
    def velocity(self) -> Quantity:
        """Velocity of the origin of the body's frame, world axes, m/s."""
        return self.quantity("velocity")

    @property
    def angular_velocity(self) -> Quantity:
        """Angular velocity, world axes, rad/s."""
        return self.quantity("angular_velocity")

    @property
    def acceleration(self) -> Quantity:
        """Acceleration of the origin of the body's frame, world axes, m/s^2; known with the default integrator."""
        return self.quantity("acceleration")

    @property
    def angular_acceleration(self) -> Quantity:
        """Angular acceleration, world axes, rad/s^2; known with the default integrator."""
        return self.quantity("angular_acceleration")

    @property
    def kinetic_energy(self) -> Quantity:
        """Kinetic energy of this body, J."""
        return self.quantity("kinetic_energy")

    @property
    def contact_force(self) -> Quantity:
        """Force of all contacts on this body, world axes, N."""
        return self.quantity("contact_force")

    @property
    def mass(self) -> Quantity:
        """Mass, kg, 0 of a fixed body; setting it scales the inertia with it."""
        return self.quantity("mass")


def _checked(name: str, spec: BodySpec) -> BodySpec:
    what = f"body '{name}'"
    for shape in spec.shapes:
        shape.checked(what)
    vector(spec.position, f"{what} position (m)")
    quaternion(spec.rotation, f"{what} rotation")
    vector(spec.velocity, f"{what} velocity (m/s)")
    vector(spec.angular_velocity, f"{what} angular_velocity (rad/s)")
    moving = math.hypot(*spec.velocity) + math.hypot(*spec.angular_velocity) > 0
    if spec.fixed and moving:
        raise SceneError(f"{what} is fixed but has a velocity; leave one of them out")
    if spec.moved and (spec.shapes or not spec.fixed):
        raise SceneError(
            f"{what} is moved, which only a fixed body without shapes can be; weld one with shapes to it, or let "
            "scene.prescribe('name', body) do so"
        )
    if spec.center_of_mass is not None:
        vector(spec.center_of_mass, f"{what} center_of_mass (m)")
    check_contact(spec.contact, what)
    return spec


def _mass_properties(name: str, spec: BodySpec) -> MassProperties:
    what = f"body '{name}'"
    parts: list[MassProperties] = []
    try:
        with np.errstate(all="ignore"):  # what overflows is refused below, in words
            parts = [part for shape in spec.shapes if (part := shape.mass_properties()) is not None]
            shaped = combined(parts) if parts else MassProperties(1.0, np.zeros(3), np.eye(3))
    except SceneError as error:
        raise SceneError(f"{what}: {error}") from None
    except (OverflowError, ZeroDivisionError):
        shaped = MassProperties(0.0, np.zeros(3), np.eye(3))
    if not 0.0 < shaped.mass < math.inf:
        raise SceneError(f"{what}: a shape is too large or too small to compute; check its sizes (m)")
    if not parts and (spec.mass is None or spec.inertia is None):
        raise SceneError(
            f"{what} has no mass: give one of its shapes a mass (kg) or a density (kg/m^3), "
            "or give the body mass and inertia, or make it fixed"
        )
    mass = shaped.mass if spec.mass is None else positive(spec.mass, f"{what} mass (kg)")
    center = shaped.center if spec.center_of_mass is None else np.array(spec.center_of_mass)
    scaled = shaped.inertia * (mass / shaped.mass)
    inertia = scaled if spec.inertia is None else _inertia_matrix(what, spec.inertia)
    _check_inertia(what, inertia)
    return MassProperties(mass, center, inertia)


def _inertia_matrix(what: str, values: tuple[float, ...]) -> spatial.Array:
    if not isinstance(values, tuple) or len(values) not in (3, 6):
        raise SceneError(f"{what} inertia is {shown(values)}; give three principal values, or xx, yy, zz, xy, xz, yz")
    numbers = [number(value, f"{what} inertia (kg m^2)[{i}]") for i, value in enumerate(values)]
    xx, yy, zz, xy, xz, yz = [*numbers, 0.0, 0.0, 0.0][:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _check_inertia(what: str, inertia: spatial.Array) -> None:
    """A real body's principal moments are positive and none exceeds the sum of the others."""
    if not np.isfinite(inertia).all():
        raise SceneError(f"{what} inertia is too large to compute; check the sizes (m) and masses (kg)")
    small, middle, large = np.linalg.eigvalsh(inertia)
    shown = f"principal moments ({small:.6g}, {middle:.6g}, {large:.6g}) kg m^2"
    if small <= 0.0:
        raise SceneError(f"{what} inertia has {shown}; all must be above zero")
    if large > (small + middle) * (1.0 + 1e-9):
        raise SceneError(
            f"{what} inertia has {shown}: the largest exceeds the sum of the others, which no body can have; "
            "check the values and their order"
        )
