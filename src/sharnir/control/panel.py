"""The operator's console as data: groups of widgets bound to the inputs and values of a diagram, and a key map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from ..errors import SceneError, nearest
from ..scene.values import Description, bounds, one_of
from .blocks import SignalKind

if TYPE_CHECKING:
    from ..scene.scene import Scene
    from .diagram import Diagram
    from .spec import InputSpec


COLUMNS = 6  # of a group's grid, unless it says otherwise
Theme = Literal["plain", "steel", "night", "contrast"]


class Widget(Description, frozen=True, kw_only=True, tag_field="type"):
    """Base of all widgets. ``label`` is what the operator reads; without one it is the name of what is bound.

    ``place`` is its column and row on the grid of its group, from 0, and how many columns and rows it takes; without
    one it goes where there is room.
    """

    takes: ClassVar[tuple[str, ...]] = ()  # types of the inputs it sets
    shows: ClassVar[tuple[str, ...]] = ()  # types of the values it shows

    label: str = ""
    place: tuple[int, int, int, int] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.place is not None and (min(self.place) < 0 or min(self.place[2:]) < 1):
            raise SceneError(
                f"{type(self).__name__} place is {self.place}; give column and row from 0, columns and rows from 1"
            )

    def inputs(self) -> tuple[str, ...]:
        """The inputs that it sets."""
        return (getattr(self, "input"),) if self.takes else ()  # noqa: B009

    def values(self) -> tuple[str, ...]:
        """The values that it shows."""
        return (getattr(self, "value"),) if self.shows else ()  # noqa: B009


class Ranged(Widget, frozen=True, kw_only=True):
    """Base of widgets with a scale: ``range`` is that of the input or gauge unless it is given."""

    range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.range is not None and None in bounds(self.range, f"{type(self).__name__} range"):
            raise SceneError(f"{type(self).__name__} range is {self.range}; give two numbers")


class SliderWidget(Ranged, frozen=True, tag="slider"):
    """Sets a number. One that ``springs`` goes back to the input's initial value when it is let go."""

    takes = ("real", "int")

    input: str
    springs: bool = False
    vertical: bool = False


class KnobWidget(Ranged, frozen=True, tag="knob"):
    """Sets a number by turning."""

    takes = ("real", "int")

    input: str


class SwitchWidget(Widget, frozen=True, tag="switch"):
    """Sets a truth value, which stays."""

    takes = ("bool",)

    input: str


class ButtonWidget(Widget, frozen=True, tag="button"):
    """True while it is pressed."""

    takes = ("bool",)

    input: str
    color: str = ""


class SelectorWidget(Widget, frozen=True, tag="selector"):
    """Sets a whole number by choosing one of the input's choices."""

    takes = ("int",)

    input: str


class JoystickWidget(Widget, frozen=True, tag="joystick"):
    """Sets two numbers: ``x`` to the right and ``y`` upwards. It springs back to their initial values."""

    takes = ("real",)

    x: str
    y: str

    def inputs(self) -> tuple[str, ...]:
        return (self.x, self.y)


class LampWidget(Widget, frozen=True, tag="lamp"):
    """Shows a truth value."""

    shows = ("bool",)

    value: str
    color: str = "green"


class GaugeWidget(Ranged, frozen=True, tag="gauge"):
    """Shows a number with its unit."""

    shows = ("real", "int")

    value: str


class PlotWidget(Widget, frozen=True, tag="plot"):
    """Draws values over the last ``seconds``: among the telemetry, or on the console where it has a ``place``."""

    shows = ("real", "int", "bool")

    signals: tuple[str, ...]
    seconds: float = 20.0

    def values(self) -> tuple[str, ...]:
        return self.signals


class TextWidget(Widget, frozen=True, tag="text"):
    """A ``text`` for the operator to read."""

    text: str


class CameraWidget(Widget, frozen=True, tag="camera"):
    """What a ``camera`` of the scene sees, by its name."""

    camera: str


AnyWidget = (
    SliderWidget
    | KnobWidget
    | SwitchWidget
    | ButtonWidget
    | SelectorWidget
    | JoystickWidget
    | LampWidget
    | GaugeWidget
    | PlotWidget
    | TextWidget
    | CameraWidget
)

Action = Literal["hold", "toggle", "step", "set"]


class KeyBinding(Description, frozen=True):
    """What a key or a button of a gamepad does to an ``input``.

    ``key`` is a browser's KeyboardEvent.code ("KeyW", "Space", "ArrowUp"), or "Gamepad0" and so on. ``action`` is what
    becomes of ``value`` (in the input's unit): "hold" sets it while the key is pressed and the initial value after,
    "toggle" turns a truth value over, "step" adds it, "set" sets it.
    """

    key: str
    input: str
    action: Action = "hold"
    value: float | bool = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.action, Action, f"key '{self.key}' action")


class AxisBinding(Description, frozen=True):
    """An ``axis`` of a gamepad, by number: -1 to 1 becomes the range of the ``input``.

    ``dead_zone`` is the share of 1 around the middle that counts as nothing; ``invert`` turns it.
    """

    axis: int
    input: str
    invert: bool = False
    dead_zone: float = 0.1


class Group(Description, frozen=True):
    """``widgets`` under one ``title``, on a grid of so many ``columns``."""

    title: str
    widgets: tuple[AnyWidget, ...]
    columns: int = COLUMNS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.columns <= 24:
            raise SceneError(f"group '{self.title}' has {self.columns} columns; give 1 to 24")
        for i, widget in enumerate(self.widgets):
            if widget.place is not None and widget.place[0] + widget.place[2] > self.columns:
                raise SceneError(
                    f"group '{self.title}', widget {i + 1}: place {widget.place} goes beyond its {self.columns} columns"
                )


class Plate(Description, frozen=True):
    """A plate on a ``body`` (or on "world") that shows the console in the 3D view, to be worked there.

    ``position`` is its middle (m) and ``faces`` the direction that it looks in, both in the body's frame; ``size`` is
    its width and height (m). Its upper edge is the one nearer to the body's z axis, or y where it lies flat.
    """

    body: str = "world"
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    faces: tuple[float, float, float] = (1.0, 0.0, 0.0)
    size: tuple[float, float] = (0.4, 0.3)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not any(self.faces):
            raise SceneError("plate faces is (0, 0, 0); give the direction that it looks in, such as [1, 0, 0]")
        if min(self.size) <= 0.0:
            raise SceneError(f"plate size is {self.size} m; give a width and a height above zero")


class Panel(Description, frozen=True):
    """A console with a ``title``: ``groups`` of widgets from left to right, ``keys`` and ``axes`` of a gamepad.

    ``theme`` is how it looks: plain as the page, steel, night (dark, for dim rooms) or contrast. With a ``plate`` it is
    also in the 3D view.
    """

    title: str = ""
    groups: tuple[Group, ...] = ()
    keys: tuple[KeyBinding, ...] = ()
    axes: tuple[AxisBinding, ...] = ()
    theme: Theme = "plain"
    plate: Plate | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.theme, Theme, "panel theme")

    def widgets(self) -> Iterator[tuple[str, AnyWidget]]:
        """Every widget with how errors call it."""
        for group in self.groups:
            for i, widget in enumerate(group.widgets):
                yield f"panel group '{group.title}', widget {i + 1} ({widget.__struct_config__.tag})", widget

    def check(self, diagram: Diagram, scene: Scene | None = None) -> None:
        """Refuse bindings to what the ``diagram`` (with the ``scene``) does not have, or has of another type."""
        kinds: dict[str, SignalKind] = diagram.check(scene).kinds
        if self.plate is not None and scene is not None and self.plate.body not in ("world", *scene.bodies):
            hint = nearest(self.plate.body, ("world", *scene.bodies))
            raise SceneError(f"panel plate: there is no body '{self.plate.body}'{hint}")
        for what, widget in self.widgets():
            if isinstance(widget, CameraWidget) and scene is not None and widget.camera not in scene.cameras:
                raise SceneError(f"{what}: there is no camera '{widget.camera}'{nearest(widget.camera, scene.cameras)}")
            for name in widget.inputs():
                _check_input(what, name, diagram.inputs, widget.takes)
            for name in widget.values():
                if name not in kinds:
                    raise SceneError(f"{what}: there is no value '{name}'{nearest(name, kinds)}")
                if kinds[name].type not in widget.shows:
                    raise SceneError(f"{what}: '{name}' is {kinds[name].type}; it shows {' or '.join(widget.shows)}")
        seen: dict[str, str] = {}
        for key in self.keys:
            wanted = ("bool",) if key.action == "toggle" else ("bool", "real", "int")
            _check_input(f"panel key '{key.key}'", key.input, diagram.inputs, wanted)
            if key.key in seen:
                raise SceneError(f"panel key '{key.key}' is bound to '{seen[key.key]}' and '{key.input}'; choose one")
            seen[key.key] = key.input
        for axis in self.axes:
            _check_input(f"panel axis {axis.axis}", axis.input, diagram.inputs, ("real", "int"))


def _check_input(what: str, name: str, inputs: dict[str, InputSpec], types: tuple[str, ...]) -> None:
    if name not in inputs:
        raise SceneError(f"{what}: there is no input '{name}'{nearest(name, inputs)}")
    if inputs[name].type not in types:
        raise SceneError(f"{what}: input '{name}' is {inputs[name].type}; it sets {' or '.join(types)}")
