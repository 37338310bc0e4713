"""The scene: what the user writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import msgspec

from ..errors import SceneError
from .body import Body, BodySpec
from .couplings import AnyCoupling, Coupling, CouplingSpec, CouplingType
from .elements.spring import Spring
from .joint import AnyLimits, Joint, JointActuator, JointCatch, JointDrive, JointFriction, JointSpec, JointSpring
from .joints import AnyJoint, JointType, Strut
from .materials import Contact, Material, Materials
from .mover import Mover
from .quantity import Quantity
from .rope import Eyelet, Rope, RopeSpec, Skin, Tie, Winch
from .rope_ties import check_ties
from .scene_instruments import SceneInstruments
from .shape import Shape
from .shapes import AnyShape
from .sky import Sky
from .surfaces import AnySurface, GroundLook, Plane, Terrain, TerrainSpec
from .values import ORIGIN, UPRIGHT, Plain, described, floats, shown, vector

if TYPE_CHECKING:
    from ..analysis.freedoms import Freedoms
    from ..control.diagram import Diagram
    from ..control.faults import AnyFault
    from ..control.panel import Panel
    from ..control.scenario import Scenario
    from ..importing.report import ImportReport
    from .compose import Part

WORLD = "world"
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


class Scene(SceneInstruments):
    """Bodies and the joints between them, under a ``name``, in ``gravity`` (m/s^2). SI units, right-handed, z up.

    >>> scene = Scene()
    >>> door = scene.body("door", Box(0.9, 0.04, 2.0, mass=26.5), position=(0.45, 0, 1))
    >>> hinge = scene.joint("hinge", Revolute(axis=(0, 0, 1)), scene.world, door)
    """

    def __init__(self, name: str = "scene", gravity: Iterable[float] = STANDARD_GRAVITY) -> None:
        super().__init__()
        self.name = name
        self.gravity = vector(floats(gravity), "gravity (m/s^2)")
        self.world = Body(WORLD, BodySpec(fixed=True))
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.materials = Materials()
        self.terrains: dict[str, Terrain] = {}
        self.couplings: dict[str, Coupling] = {}
        self.ropes: dict[str, Rope] = {}
        self.sky: Sky | None = None  # the light it is seen in; the viewer chooses where it is None
        self.diagram: Diagram | None = None  # runs along in every simulation of the scene
        self.panel: Panel | None = None  # the operator's console
        self.faults: dict[str, AnyFault] = {}  # what an instructor may let happen
        self.scenarios: dict[str, Scenario] = {}  # what an operator may be asked to do
        self.ignored_warnings: tuple[str, ...] = ()  # names of warnings that no simulation of the scene gives
        self.report: ImportReport | None = None  # what became of the robot's file that the scene was read from

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
        moved: bool = False,
        contact: Contact | bool | None = None,
    ) -> Body:
        """Add a body made of shapes, and return it.

        Args:
            name: unique among bodies, without dots.
            shapes: what it looks like, touches with and weighs: Box(...), Sphere(...), Mesh(...), ...
            position: origin of the body's frame in the world at the start, m.
            rotation: orientation of the body's frame, quaternion (x, y, z, w).
            velocity: of that frame's origin at the start, m/s, world axes.
            angular_velocity: at the start, rad/s, world axes.
            mass: kg; that of the shapes unless given. Given without shapes, ``inertia`` is needed as well.
            center_of_mass: m, in the body's frame; that of the shapes unless given.
            inertia: kg m^2 about the centre of mass, in the body's axes: three principal values, or xx, yy, zz, xy, xz,
                yz.
            fixed: whether it never moves.
            moved: whether, fixed and without shapes, it goes where it is told: see ``scene.prescribe``.
            contact: how it touches others: True for the defaults of :class:`Contact`, False for never, None for as soon
                as the scene has terrain.
        """
        for shape in shapes:
            if not isinstance(shape, Shape):
                known = ", ".join(kind.__name__ for kind in get_args(AnyShape))
                raise SceneError(f"body '{name}': {shown(shape)} is not a shape; give one of {known}")
        position, rotation = floats(position), floats(rotation)
        velocity, angular_velocity = floats(velocity), floats(angular_velocity)
        center_of_mass = None if center_of_mass is None else floats(center_of_mass)
        inertia = None if inertia is None else floats(inertia)
        return self.add_body(name, described(BodySpec, locals()))

    def add_body(self, name: str, spec: BodySpec) -> Body:
        """Add a body under a ``name`` from its description ``spec``."""
        return self._added(Body(name, spec), self.bodies)

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
        actuator: JointActuator | None = None,
        catch: JointCatch | None = None,
        initial: float | dict[str, float] | None = None,
    ) -> Joint:
        """Connect body ``a`` to body ``b``, and return the joint. Coordinates are of b relative to a.

        What the free axes carry is one value, or a dictionary by the names of coordinates (of axes for friction) where
        there are several.

        Args:
            name: unique among joints, without dots.
            joint: the type with its geometry: Revolute(axis=..., anchor=...), Prismatic(...), Spherical(...), ...
            a: a body, its name, or ``scene.world``.
            b: the other body.
            friction: Coulomb, Viscous, Stribeck, LuGre or Dahl; levels in N m on turning axes, N on sliding ones.
            limits: (low, high), rad or m, None for an open side; a ball joint takes SwingTwist or Cone.
            spring: Spring(stiffness, damping, ...), N m/rad and N m s/rad, or N/m and N s/m.
            drive: DcDrive, SpeedServo or PositionServo.
            actuator: IdealActuator, TorqueMotor, HydraulicCylinder, PneumaticSpring, Muscle or ForceMap.
            catch: what holds a coordinate against one way: OneWayClutch or Ratchet.
            initial: where it starts, rad or m: what hangs on it is moved there when the scene is first simulated.
        """
        if not isinstance(joint, JointType):
            raise SceneError(
                f"joint '{name}': {shown(joint)} is not a joint type; give Revolute(...), Prismatic(...), ..."
            )
        between = tuple(self._body(f"joint '{name}'", body).name for body in (a, b))
        return self.add_joint(name, described(JointSpec, locals()))

    def spring(
        self,
        name: str,
        a: Body | str,
        b: Body | str,
        anchor_a: Iterable[float],
        anchor_b: Iterable[float],
        spring: Spring,
    ) -> Joint:
        """Put a coil spring between two points, and return it: a :class:`Strut` joint that carries the spring.

        Args:
            name: unique among joints, without dots.
            a: a body, its name, or ``scene.world``.
            b: the other body.
            anchor_a: the spring's end on a, m, in the world, at the start.
            anchor_b: the spring's end on b, likewise.
            spring: stiffness (N/m), damping (N s/m); ``rest`` is its free length, m, None for that at the start.
        """
        strut = Strut(anchor_a=floats(anchor_a), anchor_b=floats(anchor_b))
        return self.joint(name, strut, a, b, spring=spring)

    def add_joint(self, name: str, spec: JointSpec) -> Joint:
        """Add a joint under a ``name`` from its description ``spec``."""
        a, b = (self._body(f"joint '{name}'", body) for body in spec.between)
        if a is b:
            raise SceneError(f"joint '{name}' connects '{a.name}' to itself; give two bodies")
        if a.spec.fixed and b.spec.fixed:
            raise SceneError(f"joint '{name}' connects two bodies that cannot move; make one of them free, or drop it")
        return self._added(Joint(name, spec, a, b), self.joints)

    def couple(self, name: str, coupling: AnyCoupling, *coordinates: Joint | Quantity | str) -> Coupling:
        """Tie coordinates of joints together by a gear or its like, exactly, and return the coupling.

        Args:
            name: unique among couplings, without dots.
            coupling: Gear, Gearbox, RackAndPinion, Screw, BeltDrive, Differential, Planetary, Mimic, WeightedSum or
                Prescribed.
            coordinates: joints, for their first coordinate, or quantities such as ``sleeve.coordinate("angle")``.
        """
        if not isinstance(coupling, CouplingType):
            raise SceneError(f"coupling '{name}': {shown(coupling)} is not a coupling; give Gear(...), Screw(...), ...")
        named = [one.coordinate() if isinstance(one, Joint) else one for one in coordinates]
        labels = tuple(str(one.item) if isinstance(one, Quantity) else one for one in named)
        return self.add_coupling(name, CouplingSpec(coupling=coupling, coordinates=labels))

    def add_coupling(self, name: str, spec: CouplingSpec) -> Coupling:
        """Add a coupling under a ``name`` from its description ``spec``."""
        return self._added(Coupling(name, spec, self.joints), self.couplings)

    def prescribe(self, name: str, body: Body | str) -> Mover:
        """Let a body go where it is told, whatever force that takes, and return what moves it; see :class:`Mover`.

        Args:
            name: unique among bodies and among joints, without dots.
            body: what is to be moved; without a motion it stays where it is.
        """
        return Mover.put(self, name, self._body(f"mover '{name}'", body))

    def material(self, name: str, material: Material) -> str:
        """Name a material, to be used by bodies and terrain, and return the name; ``"default"`` may be set anew."""
        return self.materials.name(name, material)

    def material_pair(self, a: str, b: str, material: Material) -> None:
        """Let ``material`` hold between those named ``a`` and ``b``, instead of what their own numbers combine to."""
        self.materials.pair(a, b, material)

    def ground(self, material: str = "default", height: float = 0.0, look: GroundLook = "grid") -> Terrain:
        """Add level ground of a ``material`` at a ``height`` (m), seen as ``look``: the terrain named ``"ground"``."""
        return self.terrain("ground", Plane(), material=material, position=(0.0, 0.0, height), look=look)

    def terrain(
        self,
        name: str,
        surface: AnySurface,
        *,
        material: str = "default",
        position: Iterable[float] = ORIGIN,
        rotation: Iterable[float] = UPRIGHT,
        look: GroundLook = "grid",
        color: str | None = None,
    ) -> Terrain:
        """Add terrain, which never moves, and return it.

        Args:
            name: unique among terrains, without dots.
            surface: a :class:`Plane`, a :class:`HeightField` or a :class:`Mesh`.
            material: the name of its material.
            position: origin of its frame in the world, m.
            rotation: orientation of its frame, quaternion (x, y, z, w).
            look: what it is drawn as: grid, grass, gravel, sand, asphalt or concrete.
            color: in place of that look's own, as in CSS.
        """
        position, rotation = floats(position), floats(rotation)
        return self.add_terrain(name, described(TerrainSpec, locals()))

    def add_terrain(self, name: str, spec: TerrainSpec) -> Terrain:
        """Add terrain under a ``name`` from its description ``spec``."""
        return self._added(Terrain(name, spec), self.terrains)

    def rope(
        self,
        name: str,
        path: Iterable[Iterable[float]],
        *,
        radius: float,
        density: float,
        youngs_modulus: float = 0.0,
        shear_modulus: float = 0.0,
        bending: float | None = None,
        twisting: float | None = None,
        length: float | None = None,
        elements: int | None = None,
        curvature: Iterable[float] = ORIGIN,
        as_laid: bool = False,
        twist: float = 0.0,
        damping: float = 0.01,
        velocity: Iterable[float] = ORIGIN,
        start: Tie | None = None,
        end: Tie | None = None,
        ties: Sequence[Tie] = (),
        eyelets: Sequence[Eyelet] = (),
        winch: Winch | None = None,
        breaking_load: float | None = None,
        contact: Contact | bool | None = None,
        self_contact: bool = True,
        skin: Skin | None = None,
    ) -> Rope:
        """Add a rope along a path, and return it.

        Args:
            name: unique among ropes, without dots.
            path: where it is laid, m: two points or more.
            radius: m.
            density: kg/m^3; with the radius it gives the mass.
            youngs_modulus: Pa; stiffness against bending E pi r^4/4.
            shear_modulus: Pa; stiffness against twisting G pi r^4/2.
            bending: stiffness against bending, N m^2, instead of ``youngs_modulus``.
            twisting: stiffness against twisting, N m^2, instead of ``shear_modulus``.
            length: m, between two points; what is above their distance hangs as an arc.
            elements: how many pieces; None is 20 between two points, one from point to point of a longer path.
            curvature: without load, 1/m, in the rope's own axes: two of bending and one of twist.
            as_laid: whether the path is the shape without load.
            twist: rad, wound in from start to end when it is laid.
            damping: of bending and twisting, s (Kelvin-Voigt): the moment is K (u + damping du/dt).
            velocity: of all nodes at the start, m/s.
            start: what holds its start.
            end: what holds its end.
            ties: what holds it between the ends, each ``at`` a place along it (m).
            eyelets: what it runs through.
            winch: a drum that its start is wound on, instead of ``start``.
            breaking_load: the tension at which an element parts, N; None for never.
            contact: whether and how it touches things; None for as soon as the scene has terrain.
            self_contact: whether it then touches itself and other ropes as well.
            skin: a mesh that it is drawn as.
        """
        if isinstance(path, (list, tuple)) or getattr(path, "ndim", 0) == 2:
            path = tuple(map(floats, path))
        curvature, velocity = floats(curvature), floats(velocity)
        return self.add_rope(name, described(RopeSpec, locals()))

    def add_rope(self, name: str, spec: RopeSpec) -> Rope:
        """Add a rope under a ``name`` from its description ``spec``."""
        rope = Rope(name, spec, self.gravity)
        check_ties(rope, {WORLD: self.world} | self.bodies, self.joints, self.ropes)
        return self._added(rope, self.ropes)

    def as_it_is(self) -> Scene:
        """A copy that keeps its lists of bodies, joints and so on when more are added to this one."""
        copied = copy(self)
        for name in ("bodies", "joints", "couplings", "terrains", "rays", "cameras", "rulers", "sensors", "ropes"):
            setattr(copied, name, dict(getattr(self, name)))
        return copied

    def assemble(self) -> None:
        """Move the free bodies as little as possible so that all joints meet; see :mod:`sharnir.scene.assemble`."""
        from .assemble import assemble

        assemble(self)

    def pose(self, values: Mapping[object, float], speeds: Mapping[object, float] | None = None) -> None:
        """Let the bodies start where joint coordinates have ``values`` (rad, m), and rates ``speeds`` (rad/s, m/s).

        Both are by joint, or by quantity such as ``ball.coordinate("twist")``. Coordinates that are not named stay as
        they are, and what hangs on a joint moves along with it; loops are closed, or refused by name.
        """
        from ..analysis.set_coordinates import pose_scene

        self.take_initial()
        pose_scene(self, values, speeds)

    def take_initial(self) -> None:
        """Move the bodies to where the joints' ``initial`` values put them; a simulation does so by itself."""
        waiting = [joint for joint in self.joints.values() if joint.initial]
        if not waiting:
            return
        from ..analysis.set_coordinates import pose_scene

        values = {f"{joint.name}.{name}": value for joint in waiting for name, value in joint.initial.items()}
        for joint in waiting:
            joint.describe(msgspec.structs.replace(joint.spec, initial=None))
        pose_scene(self, values, None)

    def freedoms(self, chosen: Iterable[Joint | Quantity | str] = ()) -> Freedoms:
        """How the scene can move at its start: freedoms by name, redundant rows, joints that cannot move.

        ``chosen`` coordinates are taken as freedoms first; see :class:`sharnir.Freedoms`.
        """
        from ..analysis.freedoms import freedoms_of

        return freedoms_of(self, chosen)

    def save(self, path: str | Path) -> Path:
        """Write the scene to the file ``path``: YAML or JSON, URDF, or MJCF (.xml, .mjcf), by the ending of its name.

        A URDF holds trees of bodies; what it and an MJCF cannot hold stands as a comment at their heads.
        """
        from ..importing import save_any

        return save_any(self, path)

    @staticmethod
    def load(
        path: str | Path,
        *,
        base: str = "fixed",
        motors: bool = True,
        self_collision: bool = False,
        search: Iterable[str | Path] = (),
        strict: bool = False,
        keyframe: str = "",
        decompose: bool = False,
        arguments: Mapping[str, object] | None = None,
        scale: float = 1.0,
        up: str = "",
    ) -> Scene:
        """Read a scene from a file: YAML or JSON, or a robot; ``scene.report`` tells what became of a robot's file.

        Args:
            path: the file; its ending tells what it is.
            base: of a robot, "fixed" to the world or "free".
            motors: whether joints of a robot whose file tells an effort are given servos.
            self_collision: whether links of a robot touch each other where they share no joint.
            search: folders in which the packages of a robot lie.
            strict: whether to refuse a robot that cannot be taken over without loss.
            keyframe: of an MJCF, the posture it starts in, by name or number.
            decompose: whether meshes that are not convex touch as several convex pieces instead of one hull.
            arguments: of a xacro, what ``$(arg name)`` stands for, by name.
            scale: what all lengths of a robot are multiplied by.
            up: which axis of a robot's file points up, "x", "y" or "z"; of itself z, or what a USD says.
        """
        from ..importing import Options, load_any

        how = (base, motors, self_collision, search, strict, keyframe, decompose, arguments, scale, up)
        chosen = Options.checked(*how)
        return load_any(path, chosen)

    def add(
        self,
        path: str | Path | Scene,
        *,
        name: str,
        at: Iterable[float] = ORIGIN,
        rotation: Iterable[float] = UPRIGHT,
        on: Body | str | None = None,
        base: str = "fixed",
        motors: bool = True,
        self_collision: bool = False,
        search: Iterable[str | Path] = (),
        strict: bool = False,
        keyframe: str = "",
        decompose: bool = False,
        arguments: Mapping[str, object] | None = None,
        scale: float = 1.0,
        up: str = "",
    ) -> Part:
        """Add everything of another scene or of a robot's file, and return its bodies and joints by their own names.

        Args:
            path: a scene file, a robot, or a scene; it may be added several times.
            name: goes before the names of its bodies and joints, as in ``left_arm/elbow``.
            at: where its origin comes to lie, m, in the world, or in the frame of ``on``.
            rotation: how it is turned there, quaternion (x, y, z, w).
            on: a body that carries it: what was fixed to the world is welded to that body instead.
            base: as in ``load``, with all that follow.
            motors: whether joints of a robot are given servos.
            self_collision: whether links of a robot touch each other.
            search: folders in which the packages of a robot lie.
            strict: whether to refuse a robot that cannot be taken over without loss.
            keyframe: of an MJCF, the posture it starts in.
            decompose: whether meshes that are not convex touch as several convex pieces.
            arguments: of a xacro.
            scale: what all lengths of a robot are multiplied by.
            up: which axis of a robot's file points up.
        """
        from .compose import include

        how: Plain = {"base": base, "motors": motors, "self_collision": self_collision, "strict": strict}
        how |= {"search": search, "keyframe": keyframe, "decompose": decompose, "arguments": arguments}
        how |= {"scale": scale, "up": up}
        other = path if isinstance(path, Scene) else Scene.load(path, **how)
        carrier = None if on is None else self._body(f"scene.add '{name}'", on)
        return include(self, other, name, floats(at), floats(rotation), carrier)
