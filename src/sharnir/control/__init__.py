"""Function blocks, diagrams and the operator's console as data.

A diagram has inputs, blocks and outputs. It is built in Python or read from a scene file, checked, and run beside a
simulation:

    d = sh.Diagram(period=0.01)
    throttle = d.input("throttle", range=(-1, 1))
    d.drive(axle, d.rate_limit(throttle, rise=2.0))

    controller = d.start(simulation)           # or scene.diagram = d before Simulation(scene), or run(control=d)
    controller.inputs["throttle"] = 0.3        # checked, brought within its range
    simulation.step(10)                        # ticks the diagram whenever a control period begins
    controller.values["axle drive"]            # every input, block and output by name
    controller.kind("axle drive")              # its type and unit
    state = controller.snapshot()              # simulation.snapshot() and reset() include it
    controller.restore(state)

``diagram.inputs`` maps names to :class:`InputSpec`: type (real, int, bool), unit, range, initial, choices, momentary,
note. ``controller.inputs`` is a mapping of their values.

The console is a :class:`Panel`: groups of widgets, each bound to an input or to values by name (``widget.inputs()``,
``widget.values()``), keys and axes of a gamepad. A scene may hold one. For one that holds none:

    diagram = scene.diagram or default_diagram(scene)      # an input per drive and servo, a gauge per joint
    panel = scene.panel or default_panel(diagram, scene)   # a widget per input and output, keys

Faults, prepared in ``scene.faults`` or added while running:

    board = FaultBoard(simulation)
    board.add("left motor dead", DriveLoss("axle"))
    board.inject("left motor dead")
    board.active
    board.clear("left motor dead")
"""

from .blocks import BLOCKS, AnyBlock, SignalKind
from .controller import Controller, ControllerState
from .defaults import default_diagram, default_panel
from .diagram import Diagram
from .faults import AnyFault, BrakeFailure, DriveLoss, ExtraFriction, FaultBoard, Gust, RopeBreak
from .panel import AxisBinding, Group, KeyBinding, Panel
from .pin import Pin
from .spec import DiagramSpec, InputSpec, SubDiagramSpec

__all__ = [
    "BLOCKS",
    "AnyBlock",
    "AnyFault",
    "AxisBinding",
    "BrakeFailure",
    "Controller",
    "ControllerState",
    "Diagram",
    "DiagramSpec",
    "DriveLoss",
    "ExtraFriction",
    "FaultBoard",
    "Group",
    "Gust",
    "InputSpec",
    "KeyBinding",
    "Panel",
    "Pin",
    "RopeBreak",
    "SignalKind",
    "SubDiagramSpec",
    "default_diagram",
    "default_panel",
]
