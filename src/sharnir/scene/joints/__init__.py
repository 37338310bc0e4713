"""Joint types, one short file each. See ``docs/adding-a-joint-type.md``."""

from .cylindrical import Cylindrical
from .distance import Distance
from .fixed import Fixed
from .joint_type import Basis, Coordinate, CoordinateKind, Frame, FreeAxes, JointType
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spherical import Spherical
from .strut import Strut
from .universal import Universal

AnyJoint = Revolute | Prismatic | Spherical | Fixed | Cylindrical | Universal | Planar | Distance | Strut

__all__ = [
    "AnyJoint",
    "Basis",
    "Coordinate",
    "CoordinateKind",
    "Cylindrical",
    "Distance",
    "Fixed",
    "Frame",
    "FreeAxes",
    "JointType",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Strut",
    "Universal",
]
