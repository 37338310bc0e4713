"""Sharnir: articulated robots in real time. SI units, right-handed, z up, quaternions (x, y, z, w)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import ControlFault, SceneError, SimulationFault, SimulationWarning
from .scene.body import Body, BodySpec
from .scene.camera import Camera, CameraSpec
from .scene.compose import Part
from .scene.couplings import (
    BeltDrive,
    Coupling,
    CouplingSpec,
    Differential,
    Gear,
    Gearbox,
    Mimic,
    Planetary,
    Prescribed,
    RackAndPinion,
    Screw,
    WeightedSum,
)
from .scene.elements.actuators import (
    ForceMap,
    HydraulicCylinder,
    IdealActuator,
    Muscle,
    PneumaticSpring,
    TorqueMotor,
)
from .scene.elements.drive import DcDrive, PositionServo, SpeedServo
from .scene.elements.friction_laws import Coulomb, Dahl, Load, LuGre, Stribeck, Viscous
from .scene.elements.limits import Cone, SwingTwist
from .scene.elements.spring import Spring
from .scene.joint import Joint, JointSpec
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
from .scene.meshes import ConvexHull, Mesh
from .scene.mover import Mover
from .scene.quantity import Quantity
from .scene.ray import Ray, RaySpec
from .scene.relief import HalfRound, Ramp, Roughness, Sine, Stairs
from .scene.rope import Eyelet, Rope, RopeSpec, Tie, Winch
from .scene.ruler import Ruler, RulerSpec
from .scene.scene import Scene
from .scene.sensors import (
    Encoder,
    ForceTorque,
    Imu,
    Lidar,
    Noise,
    PoseSensor,
    PressurePad,
    RangeFinder,
    Sensor,
    SensorSpec,
    Tachometer,
)
from .scene.shapes import Box, Capsule, Cylinder, Ellipsoid, Sphere, Wheel
from .scene.surfaces import HeightField, Plane, Terrain, TerrainSpec
from .scene.tyres import Belt, Tyre

if TYPE_CHECKING:
    from .analysis.freedoms import Freedoms
    from .analysis.linear import Linear
    from .assemblies.anti_roll_bar import AntiRollBar
    from .assemblies.axle import Axle, BuiltAxle
    from .assemblies.beam_axle import BeamAxle
    from .assemblies.final_drive import FinalDrive
    from .assemblies.hitch import BallHitch, Drawbar, FifthWheel, RopeHitch
    from .assemblies.springing import BumpStops, Coil, Leaf, Torsion
    from .assemblies.steering import AckermannLinkage, Rack, WheelSteering
    from .assemblies.suspensions import (
        Corner,
        DoubleTrailingArm,
        DoubleWishbone,
        Kingpin,
        MacPherson,
        SlidingPillar,
        Suspension,
        SwingAxle,
        TrailingArm,
    )
    from .assemblies.track import BuiltTrack, BuiltTracks, Tracks
    from .assemblies.vehicle import BuiltVehicle, Towing, Vehicle
    from .assemblies.walking_beam import BuiltBeams, WalkingBeam
    from .assemblies.wheel import RoadWheel
    from .control.diagram import Diagram
    from .experiment import Experiment, Figure
    from .record.charts import Chart
    from .record.trajectory import Trajectory
    from .simulation.outcomes import Report, Snapshot, Touch
    from .simulation.ray_casting import RayHits
    from .simulation.simulation import Simulation
    from .studies import Study

__version__ = "0.1.0"

# Loaded when first used: they bring in Warp or xarray, which take longer than everything above together, or are
# needed by few.
_LAZY = {
    "AckermannLinkage": "assemblies.steering",
    "AntiRollBar": "assemblies.anti_roll_bar",
    "Axle": "assemblies.axle",
    "BeamAxle": "assemblies.beam_axle",
    "FinalDrive": "assemblies.final_drive",
    "BallHitch": "assemblies.hitch",
    "BuiltAxle": "assemblies.axle",
    "BuiltBeams": "assemblies.walking_beam",
    "BuiltTrack": "assemblies.track",
    "BuiltTracks": "assemblies.track",
    "BuiltVehicle": "assemblies.vehicle",
    "BumpStops": "assemblies.springing",
    "Chart": "record.charts",
    "Coil": "assemblies.springing",
    "Corner": "assemblies.suspensions",
    "Diagram": "control.diagram",
    "DoubleTrailingArm": "assemblies.suspensions",
    "DoubleWishbone": "assemblies.suspensions",
    "Drawbar": "assemblies.hitch",
    "Experiment": "experiment",
    "FifthWheel": "assemblies.hitch",
    "Figure": "experiment",
    "Freedoms": "analysis.freedoms",
    "Kingpin": "assemblies.suspensions",
    "Leaf": "assemblies.springing",
    "Linear": "analysis.linear",
    "MacPherson": "assemblies.suspensions",
    "Rack": "assemblies.steering",
    "RayHits": "simulation.ray_casting",
    "Report": "simulation.outcomes",
    "RoadWheel": "assemblies.wheel",
    "RopeHitch": "assemblies.hitch",
    "Simulation": "simulation.simulation",
    "SlidingPillar": "assemblies.suspensions",
    "Snapshot": "simulation.outcomes",
    "Study": "studies",
    "Suspension": "assemblies.suspensions",
    "SwingAxle": "assemblies.suspensions",
    "Torsion": "assemblies.springing",
    "Touch": "simulation.outcomes",
    "Towing": "assemblies.vehicle",
    "Tracks": "assemblies.track",
    "TrailingArm": "assemblies.suspensions",
    "Trajectory": "record.trajectory",
    "Vehicle": "assemblies.vehicle",
    "WalkingBeam": "assemblies.walking_beam",
    "WheelSteering": "assemblies.steering",
}

__all__ = [
    "AckermannLinkage",
    "AntiRollBar",
    "Axle",
    "BallHitch",
    "BeamAxle",
    "Belt",
    "BeltDrive",
    "Body",
    "BodySpec",
    "Box",
    "BuiltAxle",
    "BuiltBeams",
    "BuiltTrack",
    "BuiltTracks",
    "BuiltVehicle",
    "BumpStops",
    "Camera",
    "CameraSpec",
    "Capsule",
    "Chart",
    "Coil",
    "Cone",
    "Contact",
    "ControlFault",
    "ConvexHull",
    "Corner",
    "Coulomb",
    "Coupling",
    "CouplingSpec",
    "Cylinder",
    "Cylindrical",
    "Dahl",
    "DcDrive",
    "Diagram",
    "Differential",
    "Distance",
    "DoubleTrailingArm",
    "DoubleWishbone",
    "Drawbar",
    "Ellipsoid",
    "Encoder",
    "Experiment",
    "Eyelet",
    "FifthWheel",
    "Figure",
    "FinalDrive",
    "Fixed",
    "ForceMap",
    "ForceTorque",
    "Frame",
    "Freedoms",
    "Gear",
    "Gearbox",
    "HalfRound",
    "HeightField",
    "HydraulicCylinder",
    "IdealActuator",
    "Imu",
    "Joint",
    "JointSpec",
    "Kingpin",
    "Leaf",
    "Lidar",
    "Linear",
    "Load",
    "LuGre",
    "MacPherson",
    "Material",
    "Mesh",
    "Mimic",
    "Mover",
    "Muscle",
    "Noise",
    "Part",
    "Planar",
    "Plane",
    "Planetary",
    "PneumaticSpring",
    "PoseSensor",
    "PositionServo",
    "Prescribed",
    "PressurePad",
    "Prismatic",
    "Quantity",
    "Rack",
    "RackAndPinion",
    "Ramp",
    "RangeFinder",
    "Ray",
    "RayHits",
    "RaySpec",
    "Report",
    "Revolute",
    "RoadWheel",
    "Rope",
    "RopeHitch",
    "RopeSpec",
    "Roughness",
    "Ruler",
    "RulerSpec",
    "Scene",
    "SceneError",
    "Screw",
    "Sensor",
    "SensorSpec",
    "Simulation",
    "SimulationFault",
    "SimulationWarning",
    "Sine",
    "SlidingPillar",
    "Snapshot",
    "SpeedServo",
    "Sphere",
    "Spherical",
    "Spring",
    "Stairs",
    "Stribeck",
    "Strut",
    "Study",
    "Suspension",
    "SwingAxle",
    "SwingTwist",
    "Tachometer",
    "Terrain",
    "TerrainSpec",
    "Tie",
    "TorqueMotor",
    "Torsion",
    "Touch",
    "Towing",
    "Tracks",
    "TrailingArm",
    "Trajectory",
    "Tyre",
    "Universal",
    "Vehicle",
    "Viscous",
    "WalkingBeam",
    "WeightedSum",
    "Wheel",
    "WheelSteering",
    "Winch",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module 'sharnir' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
