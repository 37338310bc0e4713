"""Tendons of a MuJoCo model.

A fixed tendon has the length L = sum of c_i q_i. It is a spool here: a link that weighs next to nothing and turns, or
slides, by L, coupled to the joints. What the tendon carries, limits, spring, friction and actuators, the spool does. A
spatial tendon between two sites is a strut with its spring and its limits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import spatial
from ..scene.elements.spring import Spring
from ..scene.joints import Frame, Strut
from ..spatial import Array
from .report import ImportReport
from .tree import Connection, Coupling, Kind, Link, Loop, Tree

JOINT, SITE = 1, 3  # of mjtWrap
TENDON = 3  # of mjtTrn: an actuator on a tendon
TENDON_EQUALITY = 3  # of mjtEq
LEAST_LENGTH = 1e-6  # m: struts that are shorter have no direction


class Tendons:
    """The tendons of a model, by their number: the spools of those that are fixed in ``spools``."""

    def __init__(self, model: Any, joint_names: dict[int, str], report: ImportReport) -> None:
        self.model, self.joint_names, self.report = model, joint_names, report
        self.spools: dict[int, str] = {}

    def add(self, tree: Tree, bodies: list[str]) -> None:
        """Add all tendons that do something."""
        for i in range(self.model.ntendon):
            first, count = int(self.model.tendon_adr[i]), int(self.model.tendon_num[i])
            parts = range(first, first + count)
            kinds = {int(self.model.wrap_type[k]) for k in parts}
            name = str(self.model.tendon(i).name) or f"tendon {i}"
            where = f"tendon '{name}'"
            if kinds == {JOINT}:
                if self._acts(i):
                    self._spool(tree, i, name, where)
                else:
                    self.report.ignore(where, "tendon", "carries nothing and measures only", "sensing")
            elif kinds == {SITE} and count == 2:
                self._strut(tree, i, parts, name, where, bodies)
            else:
                self.report.ignore(where, "tendon", "runs over pulleys, bodies or several sites", "motion")

    def _acts(self, i: int) -> bool:
        model = self.model
        driven = np.any((model.actuator_trntype == TENDON) & (model.actuator_trnid[:, 0] == i))
        carries = any(_first(getattr(model, f"tendon_{what}")[i]) for what in ("stiffness", "damping", "frictionloss"))
        return bool(driven or carries or model.tendon_limited[i])

    def terms(self, i: int) -> dict[str, float]:
        """The factors of joints in the length of a fixed tendon; none of a spatial one."""
        first, count = int(self.model.tendon_adr[i]), int(self.model.tendon_num[i])
        found: dict[str, float] = {}
        for k in range(first, first + count):
            if self.model.wrap_type[k] != JOINT:
                return {}
            joint = self.joint_names[int(self.model.wrap_objid[k])]
            found[joint] = found.get(joint, 0.0) + float(self.model.wrap_prm[k])
        return found

    def couple(self, tree: Tree, i: int, where: str) -> None:
        """An equality of tendons, L1 - l1 = c0 + c1 (L2 - l2) with l their lengths where the model stands, as one of
        joints."""
        model = self.model
        one, other = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        c = [float(value) for value in model.eq_data[i, :5]]
        terms, offset = self.terms(one), float(model.tendon_length0[one]) + c[0]
        if other >= 0:
            offset -= c[1] * float(model.tendon_length0[other])
            for joint, factor in self.terms(other).items():
                terms[joint] = terms.get(joint, 0.0) - c[1] * factor
            if any(c[2:]):
                self.report.ignore(where, "polycoef", "is not linear; what is linear in it is taken", "motion")
        terms = {joint: factor for joint, factor in terms.items() if factor != 0.0}
        if not terms or (other >= 0 and not self.terms(other)):
            self.report.ignore(where, "equality", "is of spatial tendons", "motion")
            return
        name = str(model.equality(i).name) or str(model.tendon(one).name) or f"equality {i}"
        tree.couplings.append(Coupling(name, terms, offset, where))

    def _spool(self, tree: Tree, i: int, name: str, where: str) -> None:
        model, terms = self.model, self.terms(i)
        hinges = all(tree.joints[joint].kind == "revolute" for joint in terms)
        kind: Kind = "revolute" if hinges else "prismatic"
        label = name if name not in tree.joints and name not in tree.links else f"tendon {name}"
        spool = Connection(label, kind, tree.root, label, where, axis=_across(model.opt.gravity))
        spool.start = sum(factor * tree.joints[joint].start for joint, factor in terms.items())
        spool.damping = _first(model.tendon_damping[i])
        spool.friction = _first(model.tendon_frictionloss[i])
        spool.stiffness, spool.rest = _first(model.tendon_stiffness[i]), self._rest(i, where)
        spool.armature = float(model.tendon_armature[i]) if hasattr(model, "tendon_armature") else 0.0
        if model.tendon_limited[i]:
            spool.low, spool.high = map(float, model.tendon_range[i])
        tree.links[label] = Link(label, where, light=True)
        tree.joints[label] = spool
        tree.couplings.append(Coupling(label, {label: 1.0} | {j: -c for j, c in terms.items()}, 0.0, where))
        self.spools[i] = label

    def _rest(self, i: int, where: str) -> float:
        low, high = (float(end) for end in self.model.tendon_lengthspring[i])
        if low != high and _first(self.model.tendon_stiffness[i]):
            self.report.repair(where, "springlength", f"is free from {low:g} to {high:g}; rests at {high:g} now")
        return high

    def _spring(self, i: int, stiffness: float, damping: float) -> Spring:
        """The spring of a strut, without force between the two lengths of the file."""
        low, high = (float(end) for end in self.model.tendon_lengthspring[i])
        if low == high or not stiffness:
            return Spring(stiffness, damping, rest=high)
        table = ((low - 1.0, -stiffness), (low, 0.0), (high, 0.0), (high + 1.0, stiffness))
        return Spring(damping=damping, rest=0.0, table=table)

    def _strut(self, tree: Tree, i: int, parts: range, name: str, where: str, bodies: list[str]) -> None:
        """A spring and limits between two sites; MuJoCo's tendons push as well, as struts do."""
        model = self.model
        sites = [int(model.wrap_objid[k]) for k in parts]
        a, b = (bodies[int(model.site_bodyid[s])] for s in sites)
        frames = [Frame(position=_vector(model.site_pos[s])) for s in sites]
        stiffness, damping = _first(model.tendon_stiffness[i]), _first(model.tendon_damping[i])
        limited = bool(model.tendon_limited[i])
        if not (stiffness or damping or limited):
            self.report.ignore(where, "tendon", "carries nothing and measures only", "sensing")
            return
        if float(model.tendon_length0[i]) < LEAST_LENGTH:
            self.report.ignore(where, "tendon", "its two sites coincide", "motion")
            return
        if _first(model.tendon_frictionloss[i]):
            self.report.ignore(where, "frictionloss", "a strut has none", "motion")
        low, high = (float(end) for end in model.tendon_range[i])
        spring = self._spring(i, stiffness, damping) if stiffness or damping else None
        limits = (low if low > 0.0 else None, high) if limited else None
        strut = Strut(frame_a=frames[0], frame_b=frames[1])
        tree.loops.append(Loop(name, strut, a, b, where, spring, limits))


def _first(value: Any) -> float:
    """A number, or the linear one of a polynomial."""
    return float(np.ravel(value)[0])


def _across(gravity: Any) -> Array:
    """A direction across gravity, along which nothing weighs."""
    down = np.asarray(gravity, float)
    return spatial.rotate(spatial.frame_rotation(down), (1.0, 0.0, 0.0)) if np.any(down) else np.array([1.0, 0.0, 0.0])


def _vector(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)
