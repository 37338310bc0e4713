"""Diagrams written in Python: blocks are made by calling them, signals are joined by handing them on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..errors import SceneError, nearest
from ..scene.body import Body
from ..scene.couplings import Coupling
from ..scene.joint import Joint
from ..scene.quantity import Quantity
from ..scene.values import Content
from .block_methods import BlockMethods
from .blocks import BLOCKS, Block, Function, Signal, Type, Use, Value, Wire
from .blocks.block import PythonFunction
from .controller import Controller
from .network import Network, make_network
from .pin import Pin
from .sinks import SINKS, ControlledPlant, Sink
from .spec import DiagramSpec, InputSpec, Sheet, SubDiagramSpec

if TYPE_CHECKING:
    from ..scene.scene import Scene
    from .pin import Source


class Diagram(BlockMethods):
    """A function-block diagram, evaluated once in every ``period`` (s); without one, in every step.

    >>> d = Diagram()
    >>> throttle = d.input("throttle", range=(-1, 1))
    >>> d.gauge("shown", d.rate_limit(0.5 * throttle, rise=2.0))

    Every block type is a method: ``d.pid(sp, pv, kp=2.0)``, ``d.ton(pressed, pt=0.5)``, ``d.and_(a, b)``; ``name=``
    gives the block a name. Blocks take signals, numbers, or the names of signals, also of ones that are made later.
    """

    def __init__(self, name: str = "diagram", *, period: float | None = None) -> None:
        self.name = name
        self.period = period
        self.inputs: dict[str, InputSpec] = {}
        self.blocks: dict[str, Block] = {}
        self.outputs: dict[str, Sink] = {}
        self.results: dict[str, Wire] = {}  # outputs of a diagram that is used as a block
        self.diagrams: dict[str, SubDiagramSpec] = {}
        self.sheet: Sheet | None = None  # where it lies when it is drawn by hand
        self.functions: dict[str, PythonFunction] = {}
        self._counts: dict[str, int] = {}  # how many blocks of a type were named by number

    def __repr__(self) -> str:
        return f"<diagram '{self.name}': {len(self.inputs)} inputs, {len(self.blocks)} blocks>"

    @classmethod
    def of(cls, spec: DiagramSpec, name: str = "diagram") -> Diagram:
        """The diagram that the description ``spec`` tells of, under a ``name``."""
        made = cls(name, period=spec.period)
        made.inputs |= spec.inputs
        made.blocks |= spec.blocks
        made.outputs |= spec.outputs
        made.diagrams |= spec.diagrams
        made.sheet = spec.sheet
        return made

    @property
    def spec(self) -> DiagramSpec:
        """The diagram as a scene file holds it."""
        if self.results:
            raise SceneError(
                f"{self!r} has outputs by name ({', '.join(self.results)}), so it is for use in another diagram: "
                "d.use(it, ...); what acts on the scene is d.drive, d.servo, d.lamp and so on"
            )
        return DiagramSpec(
            period=self.period,
            inputs=dict(self.inputs),
            blocks=dict(self.blocks),  # type: ignore[arg-type]
            outputs=dict(self.outputs),  # type: ignore[arg-type]
            diagrams=dict(self.diagrams),
            sheet=self.sheet,
        )

    # --- building ---------------------------------------------------------------------------------------------------

    def input(
        self,
        name: str,
        *,
        type: Type = "real",
        unit: str = "1",
        range: tuple[float, float] | None = None,
        initial: float | bool | None = None,
        choices: tuple[str, ...] = (),
        momentary: bool = False,
        note: str = "",
    ) -> Pin:
        """Add an input, and return its signal.

        Args:
            name: unique in the diagram.
            type: real, int or bool. Inputs with choices are of type int, those that start at True or False or are
                momentary of type bool.
            unit: of a number, such as "rad/s".
            range: the smallest and the largest value, in that unit.
            initial: the value at the start, in that unit.
            choices: what the values 0, 1, ... are called on the console.
            momentary: whether it is true only while the operator holds it.
            note: what the console shows beside it.
        """
        if type == "real" and (isinstance(initial, bool) or momentary):
            type = "bool"
        elif type == "real" and choices:
            type = "int"
        self._check_new(name)
        try:
            self.inputs[name] = InputSpec(
                type=type, unit=unit, range=range, initial=initial, choices=choices, momentary=momentary, note=note
            )
        except SceneError as error:
            raise SceneError(f"input '{name}': {error}") from None
        return Pin(self, name)

    def signal(self, quantity: Quantity, component: str | None = None, *, name: str | None = None) -> Pin:
        """A ``quantity`` of the scene, such as ``hinge.speed``; of a vector one ``component``, x, y or z.

        >>> height = d.signal(door.position, "z", name="height")
        """
        block = Signal(what=quantity.variable, of=quantity.item, component=component)
        default = " ".join(word for word in (quantity.label.replace(".", " "), component) if word)
        if name is None and self.blocks.get(default) == block:
            return Pin(self, default)
        return self.insert(block, default if name is None else name)

    def function(
        self, function: PythonFunction, *inputs: Source, result: Type = "real", unit: str = "1", name: str = ""
    ) -> Pin:
        """A Python ``function`` of signals, given as ``inputs``. It should depend on nothing else.

        ``result`` is its type, bool, int or real, ``unit`` that of a number, ``name`` the block's.
        """
        title = str(getattr(function, "__name__", type(function).__name__))
        while self.functions.get(title, function) is not function:
            title += "_"
        self.functions[title] = function
        wires = tuple(self._wire(given) for given in inputs)
        return self.insert(Function(function=title, inputs=wires, result=result, unit=unit), name)

    def use(self, diagram: Diagram, name: str = "", **inputs: Source) -> Pin:
        """Use another diagram as a block: its inputs by name, its outputs as attributes of what is returned."""
        spec = SubDiagramSpec(
            inputs=dict(diagram.inputs),
            blocks=dict(diagram.blocks),  # type: ignore[arg-type]
            outputs=dict(diagram.results),
            sheet=diagram.sheet,
        )
        for title, inner in {**diagram.diagrams, diagram.name: spec}.items():
            if self.diagrams.setdefault(title, inner) != inner:
                raise SceneError(f"there is a diagram '{title}' already that is not the same; give one another name")
        self.functions |= diagram.functions
        wires = {port: self._wire(given) for port, given in inputs.items()}
        return self.insert(Use(diagram=diagram.name, inputs=wires), name)

    def output(self, name: str, value: Source) -> None:
        """Make the signal ``value`` an output called ``name`` of this diagram, for its use in another one."""
        if name in self.results:
            raise SceneError(f"there is an output '{name}' already; give the second one another name")
        self.results[name] = self._wire(value)

    def insert(self, block: Block, name: str = "") -> Pin:
        """Add a block (or a sink) by its description, under a ``name``, and return its first output."""
        if not name:
            name = self._free_name(block.diagram if isinstance(block, Use) else block.tag())
        self._check_new(name)
        if isinstance(block, Sink):
            self.outputs[name] = block
        else:
            self.blocks[name] = block
        return Pin(self, name)

    def _free_name(self, base: str) -> str:
        while True:
            self._counts[base] = self._counts.get(base, 0) + 1
            name = f"{base}{self._counts[base]}"
            if name not in self.blocks and name not in self.inputs and name not in self.outputs:
                return name

    def make(self, tag: str, *given: object, name: str = "", **more: object) -> Pin:
        """Make a block of the type ``tag``, as the method of that name does.

        Signals that are ``given`` without a name fill its fields in order; where a block takes a list of inputs,
        that is what the rest goes to. ``more`` are fields by name, ``name`` is that of the block.
        """
        kind = BLOCKS[tag]
        fields = msgspec.structs.fields(kind)
        single = [field.name for field in fields if field.name != "inputs"]
        has_list = "inputs" in kind.ports()
        if has_list:
            single = [field.name for field in fields if field.name != "inputs" and field.required]
        named = dict(zip(single, given, strict=False))
        rest = given[len(single) :]
        if rest and not has_list:
            raise SceneError(f"{tag} takes {', '.join(single)}; {len(given)} were given")
        if has_list and "inputs" not in more:
            named["inputs"] = rest
        for field in more:
            if field in named:
                raise SceneError(f"{tag}: {field} is given twice")
            if field not in kind.__struct_fields__:
                raise SceneError(f"{tag} has no '{field}'{nearest(field, kind.__struct_fields__)}")
        wanted = {field: self._plain(value) for field, value in {**named, **more}.items()}
        missing = [field.name for field in fields if field.required and field.name not in wanted]
        if missing:
            raise SceneError(f"{tag}: {', '.join(missing)} is missing")
        return self.insert(kind(**wanted), name)

    if not TYPE_CHECKING:  # a type checker knows which blocks there are; this says so to everyone else

        def __getattr__(self, name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"there is no block '{name}'{nearest(name, [*BLOCKS, *SINKS])}")

    # --- sinks ------------------------------------------------------------------------------------------------------

    def drive(self, joint: Joint | Quantity | str, value: Source, *, name: str = "") -> None:
        """Give the drive of a ``joint`` its voltage ``value``, -1 to 1 of the rated one. ``name`` is the output's."""
        self._sink("drive", joint, name, value=value)

    def servo(self, joint: Joint | Quantity | str, value: Source, *, name: str = "") -> None:
        """Give the servo of a ``joint`` its target: ``value``, rad or m, or rad/s or m/s. ``name`` is the output's."""
        self._sink("servo", joint, name, value=value)

    def effort(self, joint: Joint | Quantity | str, value: Source, *, name: str = "") -> None:
        """Put an effort of ``value`` (N m or N) on a coordinate of a ``joint``. ``name`` is the output's."""
        self._sink("effort", joint, name, value=value)

    def command(self, joint: Joint | Quantity | str, value: Source, *, name: str = "") -> None:
        """Command the actuator of a ``joint``: ``value`` is an effort (N m, N), an opening or an excitation (1).

        ``name`` is the output's.
        """
        self._sink("command", joint, name, value=value)

    def motion(self, joint: Joint | Quantity | str, value: Source, *, name: str = "") -> None:
        """Lead the prescribed coordinate of a ``joint`` to ``value`` (rad or m). ``name`` is the output's."""
        self._sink("motion", joint, name, value=value)

    def gear(self, coupling: Coupling | str, value: Source, *, name: str = "") -> None:
        """Put a gearbox (a ``coupling``) into the gear ``value`` (1), 0 for neutral. ``name`` is the output's."""
        self._sink("gear", coupling, name, value=value)

    def brake(self, joint: Joint | Quantity | str, value: Source, *, level: float, name: str = "") -> None:
        """Brake a ``joint``: a ``value`` of 1 adds ``level`` (N m, N for sliding axes) to its friction, 0 nothing.

        ``name`` is the output's.
        """
        self._sink("brake", joint, name, value=value, level=level)

    def force(self, body: Body | str, x: Source = 0.0, y: Source = 0.0, z: Source = 0.0, *, name: str = "") -> None:
        """Put a force ``x``, ``y``, ``z`` (N, world axes) on a ``body``'s centre of mass. ``name`` is the output's."""
        self._sink("force", body, name, x=x, y=y, z=z)

    def torque(self, body: Body | str, x: Source = 0.0, y: Source = 0.0, z: Source = 0.0, *, name: str = "") -> None:
        """Put a torque ``x``, ``y``, ``z`` (N m, world axes) on a ``body``. ``name`` is the output's."""
        self._sink("torque", body, name, x=x, y=y, z=z)

    def shift(self, body: Body | str, x: Source = 0.0, y: Source = 0.0, z: Source = 0.0, *, name: str = "") -> None:
        """Lead a prescribed ``body`` to ``x``, ``y``, ``z`` (m, world axes) from its start.

        ``name`` is the output's.
        """
        self._sink("shift", body, name, x=x, y=y, z=z)

    def turn(self, body: Body | str, x: Source = 0.0, y: Source = 0.0, z: Source = 0.0, *, name: str = "") -> None:
        """Turn a prescribed ``body`` by the rotation vector ``x``, ``y``, ``z`` (rad, world axes) from its start.

        ``name`` is the output's.
        """
        self._sink("turn", body, name, x=x, y=y, z=z)

    def lamp(self, name: str, value: Source, *, color: str = "green") -> None:
        """Show the truth value ``value`` to the operator as a lamp called ``name``, of a ``color`` when lit."""
        self.insert(SINKS["lamp"](value=self._wire(value), color=color), name)

    def gauge(
        self, name: str, value: Source, *, range: tuple[float, float] | None = None, unit: str | None = None
    ) -> None:
        """Show the number ``value`` to the operator as a gauge called ``name``.

        Its scale is ``range``, in the gauge's unit; ``unit`` is that of the signal unless given.
        """
        self.insert(SINKS["gauge"](value=self._wire(value), range=range, unit=unit), name)

    def _sink(self, tag: str, on: Joint | Body | Coupling | Quantity | str, name: str, **given: object) -> None:
        item = str(on.item) if isinstance(on, Quantity) else on if isinstance(on, str) else on.name
        kind = SINKS[tag]
        where = next(field for field in ("body", "coupling", "joint") if field in kind.__struct_fields__)
        wires = {field: self._plain(value) for field, value in given.items()}
        self.insert(kind(**{where: item}, **wires), name or f"{item.replace('.', ' ')} {tag}")

    # --- using ------------------------------------------------------------------------------------------------------

    def check(self, scene: Scene | None = None) -> Network:
        """Check names, types, units and loops, with a scene also what is read and set there; SceneError if not."""
        try:
            return make_network(self.spec, scene)
        except SceneError as error:
            raise SceneError(f"diagram '{self.name}': {error}") from None

    def start(self, simulation: ControlledPlant | None = None, *, world: int = 0) -> Controller:
        """Connect the diagram to a world of a simulation, which then evaluates it as it steps.

        Without a simulation a diagram that needs none runs by itself, a tick at a time.
        """
        network = self.check(None if simulation is None else simulation.scene)
        controller = Controller(self, network, simulation, self.period, self.functions, world)
        if simulation is not None:
            simulation.attach(controller)
        return controller

    def draw(self, file: str | Path, *, values: Mapping[str, Value] | None = None) -> Path:
        """Draw the diagram to an SVG or PNG file, with the values of a controller if they are given."""
        from .picture import draw

        return draw(self, Path(file), values)

    def svg(self, *, values: Mapping[str, Value] | None = None) -> str:
        """The picture as SVG text, with the ``values`` of a controller if they are given.

        Elements of class value carry the name of their signal in data-signal.
        """
        from .picture import svg

        return svg(self, values)

    def inner(self, name: str) -> Diagram:
        """A diagram that is used in this one, by name; for looking at it."""
        if name not in self.diagrams:
            raise SceneError(f"there is no diagram '{name}'{nearest(name, self.diagrams)}")
        spec, made = self.diagrams[name], Diagram(name)
        made.inputs, made.blocks, made.results = dict(spec.inputs), dict(spec.blocks), dict(spec.outputs)
        made.diagrams, made.sheet = self.diagrams, spec.sheet
        return made

    def outputs_of(self, name: str) -> tuple[str, ...]:
        """The outputs of a block by name."""
        block = self.blocks.get(name)
        if isinstance(block, Use):
            return tuple(self.diagrams[block.diagram].outputs)
        return () if block is None else block.outputs()

    def _wire(self, given: Source) -> Wire:
        if isinstance(given, Pin):
            if given.diagram is not self:
                raise SceneError(
                    f"{given!r} belongs to another diagram; give this one an input, and connect it where it is used"
                )
            return given.wire
        return given

    def _plain(self, given: Content) -> object:
        if isinstance(given, (tuple, list)):
            return tuple(self._plain(item) for item in given)
        return self._wire(given)

    def _check_new(self, name: str) -> None:
        for what, taken in (("an input", self.inputs), ("a block", self.blocks), ("an output", self.outputs)):
            if name in taken:
                raise SceneError(f"there is {what} '{name}' already; give the second one another name")
