"""The scene: what the user writes."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SceneError, nearest
from .body import Body, BodySpec
from .elements.spring import Spring
from .joint import AnyLimits, Joint, JointDrive, JointFriction, JointSpec, JointSpring
from .joints import AnyJoint, JointType, Strut
from .materials import Contact, Material, Materials
from .quantity import XYZ, Quantity
from .ray import Ray, RaySpec
from .rope import Rope, RopeSpec
from .rope_ties import check_ties
from .shape import Shape
from .shapes import AnyShape
from .terrain import AnySurface, Plane, Terrain, TerrainSpec
from .values import ORIGIN, UPRIGHT, shown, vector

if TYPE_CHECKING:
    from ..control.diagram import Diagram
    from ..control.faults import AnyFault
    from ..control.panel import Panel

WORLD = "world"
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


class Scene:
    """Bodies and the joints between them. SI units, right-handed, z up.

    >>> scene = Scene()
    >>> door = scene.body("door", Box(0.9, 0.04, 2.0, mass=26.5), position=(0.45, 0, 1))
    >>> hinge = scene.joint("hinge", Revolute(axis=(0, 0, 1)), scene.world, door)
    """

    def __init__(self, name: str = "scene", gravity: Iterable[float] = STANDARD_GRAVITY) -> None:
        self.name = name
        self.gravity = vector(_floats(gravity), "gravity (m/s^2)")
        self.world = Body(WORLD, BodySpec(fixed=True))
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.materials = Materials()
        self.terrains: dict[str, Terrain] = {}
        self.rays: dict[str, Ray] = {}
        self.ropes: dict[str, Rope] = {}
        self.diagram: Diagram | None = None  # runs along in every simulation of the scene
        self.panel: Panel | None = None  # the operator's console
        self.faults: dict[str, AnyFault] = {}  # what an instructor may let happen
        self.ignored_warnings: tuple[str, ...] = ()  # names of warnings that no simulation of the scene gives

    def __repr__(self) -> str:
        return f"<scene '{self.name}': {len(self.bodies)} bodies, {len(self.joints)} joints>"

    def body(
        self,
        name: str,
        *shapes: AnyShape,
        position: Iterable[float] = ORIGIN,
        rotation: Iterable[float] = UPRIGHT,
        velocity: Iterable[float] = ORIGIN,
        angular_velocity: Iterable[float] = ORIGIN,
        mass: float | None = None,
        center_of_mass: Iterable[float] | None = None,
        inertia: Iterable[float] | None = None,
        fixed: bool = False,
        contact: Contact | bool | None = None,
    ) -> Body:
        """Add a body made of shapes; see :class:`BodySpec` for what each argument means and its unit."""
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise SceneError(
                    f"body '{name}': {shown(shape)} is not a shape; "
                    "give Box, Sphere, Cylinder, Capsule, Wheel, ConvexHull or Mesh"
                )
        spec = BodySpec(
            shapes=shapes,
            position=_floats(position),
            rotation=_floats(rotation),
            velocity=_floats(velocity),
            angular_velocity=_floats(angular_velocity),
            mass=mass,
            center_of_mass=None if center_of_mass is None else _floats(center_of_mass),
            inertia=None if inertia is None else _floats(inertia),
            fixed=fixed,
            contact=contact,
        )
        return self.add_body(name, spec)

    def add_body(self, name: str, spec: BodySpec) -> Body:
        """Add a body from its description."""
        self._check_new("body", name, self.bodies)
        body = Body(name, spec)
        self.bodies[name] = body
        return body

    def joint(
        self,
        name: str,
        joint: AnyJoint,
        a: Body | str,
        b: Body | str,
        *,
        friction: JointFriction | None = None,
        limits: AnyLimits | None = None,
        spring: JointSpring | None = None,
        drive: JointDrive | None = None,
    ) -> Joint:
        """Connect body ``a`` to body ``b``. Coordinates are of b relative to a.

        What the free axes carry is given as one value, or by name when there are several; see :class:`JointSpec`.
        """
        if not isinstance(joint, JointType):
            raise SceneError(
                f"joint '{name}': {shown(joint)} is not a joint type; give Revolute(...), Prismatic(...), ..."
            )
        names = tuple(self._body(f"joint '{name}'", body).name for body in (a, b))
        spec = JointSpec(
            joint=joint, between=(names[0], names[1]), friction=friction, limits=limits, spring=spring, drive=drive
        )
        return self.add_joint(name, spec)

    def spring(
        self,
        name: str,
        a: Body | str,
        b: Body | str,
        anchor_a: Iterable[float],
        anchor_b: Iterable[float],
        spring: Spring,
    ) -> Joint:
        """Put a coil spring between a point of body ``a`` and one of body ``b`` (m, world, at the start).

        It is a :class:`Strut` joint that carries the spring; ``rest`` is its free length, None for that at the start.
        """
        strut = Strut(anchor_a=_floats(anchor_a), anchor_b=_floats(anchor_b))
        return self.joint(name, strut, a, b, spring=spring)

    def add_joint(self, name: str, spec: JointSpec) -> Joint:
        """Add a joint from its description."""
        self._check_new("joint", name, self.joints)
        a, b = (self._body(f"joint '{name}'", body) for body in spec.between)
        if a is b:
            raise SceneError(f"joint '{name}' connects '{a.name}' to itself; give two bodies")
        if a.spec.fixed and b.spec.fixed:
            raise SceneError(f"joint '{name}' connects two bodies that cannot move; make one of them free, or drop it")
        joint = Joint(name, spec, a, b)
        self.joints[name] = joint
        return joint

    def material(self, name: str, material: Material) -> str:
        """Name a material, to be used by bodies and terrain; ``"default"`` may be set anew."""
        return self.materials.name(name, material)

    def material_pair(self, a: str, b: str, material: Material) -> None:
        """Say what holds between two materials, instead of what their own numbers combine to."""
        self.materials.pair(a, b, material)

    def ground(self, material: str = "default", height: float = 0.0) -> Terrain:
        """Add level ground at a height (m): the terrain named ``"ground"``."""
        return self.terrain("ground", Plane(), material=material, position=(0.0, 0.0, height))

    def terrain(
        self,
        name: str,
        surface: AnySurface,
        *,
        material: str = "default",
        position: Iterable[float] = ORIGIN,
        rotation: Iterable[float] = UPRIGHT,
    ) -> Terrain:
        """Add terrain that never moves: a :class:`Plane`, a :class:`HeightField` or a :class:`Mesh`, placed (m)."""
        spec = TerrainSpec(surface=surface, material=material, position=_floats(position), rotation=_floats(rotation))
        return self.add_terrain(name, spec)

    def add_terrain(self, name: str, spec: TerrainSpec) -> Terrain:
        """Add terrain from its description."""
        self._check_new("terrain", name, self.terrains)
        terrain = Terrain(name, spec)
        self.terrains[name] = terrain
        return terrain

    def rope(
        self, name: str, path: Iterable[Iterable[float]], *, radius: float, density: float, **details: Any
    ) -> Rope:
        """Add a rope along a path (m); see :class:`RopeSpec` for what each argument means and its unit."""
        points: Any = (
            tuple(map(_floats, path)) if isinstance(path, (list, tuple)) or getattr(path, "ndim", 0) == 2 else path
        )
        return self.add_rope(name, RopeSpec(path=points, radius=radius, density=density, **details))

    def add_rope(self, name: str, spec: RopeSpec) -> Rope:
        """Add a rope from its description."""
        self._check_new("rope", name, self.ropes)
        rope = Rope(name, spec, self.gravity)
        check_ties(rope, {WORLD: self.world} | self.bodies, self.joints, self.ropes)
        self.ropes[name] = rope
        return rope

    def ray(
        self,
        name: str,
        body: Body | str,
        position: Iterable[float] = ORIGIN,
        direction: Iterable[float] = (1.0, 0.0, 0.0),
        reach: float = 10.0,
    ) -> Ray:
        """Put a distance sensor on a body, at a place (m) and in a direction of its frame; see :class:`RaySpec`."""
        carrier = self._body(f"ray '{name}'", body).name
        spec = RaySpec(body=carrier, position=_floats(position), direction=_floats(direction), reach=reach)
        return self.add_ray(name, spec)

    def add_ray(self, name: str, spec: RaySpec) -> Ray:
        """Add a distance sensor from its description."""
        self._check_new("ray", name, self.rays)
        self._body(f"ray '{name}'", spec.body)
        ray = Ray(name, spec)
        self.rays[name] = ray
        return ray

    def as_it_is(self) -> Scene:
        """A copy that keeps its lists of bodies, joints and so on when more are added to this one."""
        copied = copy(self)
        for name in ("bodies", "joints", "terrains", "rays", "ropes"):
            setattr(copied, name, dict(getattr(self, name)))
        return copied

    def assemble(self) -> None:
        """Move the free bodies as little as possible so that all joints meet; see :mod:`sharnir.scene.assemble`."""
        from .assemble import assemble

        assemble(self)

    def save(self, path: str | Path) -> Path:
        """Write the scene to a YAML or JSON file, by the ending of its name."""
        from ..files import save_scene

        return save_scene(self, path)

    @staticmethod
    def load(path: str | Path) -> Scene:
        """Read a scene from a YAML or JSON file."""
        from ..files import load_scene

        return load_scene(path)

    # --- quantities of the whole scene ------------------------------------------------------------------------------

    @property
    def kinetic_energy(self) -> Quantity:
        """Kinetic energy of all bodies, J."""
        return Quantity("total_kinetic_energy", None, "J")

    @property
    def potential_energy(self) -> Quantity:
        """Potential energy in gravity, zero at the world's origin, J."""
        return Quantity("total_potential_energy", None, "J")

    @property
    def energy(self) -> Quantity:
        """Kinetic plus potential energy, J."""
        return Quantity("total_energy", None, "J")

    @property
    def gravity_vector(self) -> Quantity:
        """Gravity, m/s^2; it can be set per world."""
        return Quantity("gravity", None, "m/s^2", XYZ)

    @property
    def momentum(self) -> Quantity:
        """Linear momentum of all bodies, N s."""
        return Quantity("momentum", None, "N s", XYZ)

    @property
    def angular_momentum(self) -> Quantity:
        """Angular momentum of all bodies about the world's origin, N m s."""
        return Quantity("angular_momentum", None, "N m s", XYZ)

    # ----------------------------------------------------------------------------------------------------------------

    def _check_new(self, what: str, name: str, taken: dict[str, Any]) -> None:
        if not isinstance(name, str) or not name or "." in name:
            raise SceneError(f"a {what} is named {shown(name)}; give a text without dots")
        if name == WORLD and what == "body":
            raise SceneError("a body cannot be named 'world': that is the ground")
        if name in taken:
            raise SceneError(f"there is a {what} '{name}' already; give the second one another name")

    def _body(self, what: str, body: Body | str) -> Body:
        name = body.name if isinstance(body, Body) else body
        known = {WORLD: self.world} | self.bodies
        if not isinstance(name, str) or name not in known:
            raise SceneError(f"{what} names a body {shown(name)} that is not in the scene{nearest(str(name), known)}")
        if isinstance(body, Body) and known[name] is not body:
            raise SceneError(f"{what}: body '{name}' belongs to another scene; add it to this one first")
        return known[name]


def _floats(values: Any) -> Any:
    """Numbers of any kind (a numpy row, a list) as a tuple of floats; what is not a number is left for the checks."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        return values
    return tuple(map(_float, values))


def _float(value: Any) -> Any:
    """A number of any kind as a float; what is not one is left for the checks."""
    try:
        return value if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return value
