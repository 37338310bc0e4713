"""Sharnir: articulated robots in real time. SI units, right-handed, z up, quaternions (x, y, z, w)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ControlFault, SceneError, SimulationFault
from .scene.body import Body
from .scene.elements.drive import DcDrive, PositionServo, SpeedServo
from .scene.elements.friction import Coulomb, Dahl, Load, LuGre, Stribeck, Viscous
from .scene.elements.limits import Cone, SwingTwist
from .scene.elements.spring import Spring
from .scene.joint import Joint
from .scene.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Frame,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Strut,
    Universal,
)
from .scene.materials import Contact, Material
from .scene.quantity import Quantity
from .scene.scene import Scene
from .scene.shapes import Box, Capsule, ConvexHull, Cylinder, Mesh, Sphere, Wheel
from .scene.terrain import Plane, Terrain
from .scene.tyre import Belt, Tyre

if TYPE_CHECKING:
    from .control.diagram import Diagram
    from .experiment import Experiment, Figure
    from .record.trajectory import Trajectory
    from .simulation import Simulation, Snapshot

__version__ = "0.1.0"

# Loaded when first used: Warp, xarray and the function blocks take longer than everything above together.
_LAZY = {
    "Diagram": "control.diagram",
    "Experiment": "experiment",
    "Figure": "experiment",
    "Simulation": "simulation",
    "Snapshot": "simulation",
    "Trajectory": "record.trajectory",
}

__all__ = [
    "Belt",
    "Body",
    "Box",
    "Capsule",
    "Cone",
    "Contact",
    "ControlFault",
    "ConvexHull",
    "Coulomb",
    "Cylinder",
    "Cylindrical",
    "Dahl",
    "DcDrive",
    "Diagram",
    "Distance",
    "Experiment",
    "Figure",
    "Fixed",
    "Frame",
    "Joint",
    "Load",
    "LuGre",
    "Material",
    "Mesh",
    "Planar",
    "Plane",
    "PositionServo",
    "Prismatic",
    "Quantity",
    "Revolute",
    "Scene",
    "SceneError",
    "Simulation",
    "SimulationFault",
    "Snapshot",
    "SpeedServo",
    "Sphere",
    "Spherical",
    "Spring",
    "Stribeck",
    "Strut",
    "SwingTwist",
    "Terrain",
    "Trajectory",
    "Tyre",
    "Universal",
    "Viscous",
    "Wheel",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module 'sharnir' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
