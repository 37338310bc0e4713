"""Tendons of a MuJoCo model.

A fixed tendon has the length L = sum of c_i q_i. It is a spool here: a link that weighs next to nothing and turns, or
slides, by L, coupled to the joints. What the tendon carries, limits, spring, friction and actuators, the spool does.

A spatial tendon between two sites is a strut with its spring and its limits. One over several sites, through pulleys,
or with an actuator has a strut without force from site to site, and a spool that slides by the sum of their lengths,
each over the divisor of its pulley.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import spatial
from ..scene.elements.spring import Spring
from ..scene.joints import Frame, Strut
from ..scene.values import as_vec3
from ..spatial import Array
from .report import ImportReport
from .tree import Connection, Coupling, Kind, Link, Loop, Tree

if TYPE_CHECKING:
    from mujoco import MjModel

JOINT, PULLEY, SITE = 1, 2, 3  # of mjtWrap
TENDON = 3  # of mjtTrn: an actuator on a tendon
TENDON_EQUALITY = 3  # of mjtEq
POLYNOMIAL = "is a polynomial of the rate or the coordinate; what is linear in it is taken"
LEAST_LENGTH = 1e-6  # m: struts that are shorter have no direction


class Tendons:
    """The tendons of a model, which starts at ``qpos``, by their number: their spools in ``spools``."""

    def __init__(self, model: MjModel, qpos: Array, joint_names: dict[int, str], report: ImportReport) -> None:
        self.model, self.qpos, self.joint_names, self.report = model, qpos, joint_names, report
        self.spools: dict[int, str] = {}

    def add(self, tree: Tree, bodies: list[str]) -> None:
        """Add all tendons that do something."""
        for i in range(self.model.ntendon):
            first, count = int(self.model.tendon_adr[i]), int(self.model.tendon_num[i])
            parts = range(first, first + count)
            kinds = {int(self.model.wrap_type[k]) for k in parts}
            name = str(self.model.tendon(i).name) or f"tendon {i}"
            where = f"tendon '{name}'"
            for what in ("stiffness", "damping"):
                if np.any(getattr(self.model, f"tendon_{what}poly")[i]):
                    self.report.ignore(where, what, POLYNOMIAL, "motion")
            if kinds == {JOINT}:
                if self._acts(i):
                    self._spool(tree, i, name, where)
                else:
                    self.report.ignore(where, "tendon", "carries nothing and measures only", "sensing")
            elif kinds == {SITE} and count == 2 and self._is_strut(i):
                with self.report.naming(where):
                    self._strut(tree, i, parts, name, where, bodies)
            elif not kinds <= {SITE, PULLEY}:
                self.report.ignore(where, "tendon", "wraps around a body", "motion")
            elif self._acts(i) or self._is_equal(i):
                self._line(tree, i, parts, name, where, bodies)
            else:
                self.report.ignore(where, "tendon", "carries nothing and measures only", "sensing")

    def _acts(self, i: int) -> bool:
        carried = ("stiffness", "damping", "frictionloss")
        acts = any(float(getattr(self.model, f"tendon_{what}")[i]) for what in carried)
        return acts or self._is_driven(i) or bool(self.model.tendon_limited[i])

    def _is_driven(self, i: int) -> bool:
        model = self.model
        return bool(np.any((model.actuator_trntype == TENDON) & (model.actuator_trnid[:, 0] == i)))

    def _is_equal(self, i: int) -> bool:
        """Whether an equality ties its length."""
        pairs = np.column_stack([self.model.eq_obj1id, self.model.eq_obj2id])
        return bool(np.any(pairs[self.model.eq_type == TENDON_EQUALITY] == i))

    def _is_strut(self, i: int) -> bool:
        """Whether it carries nothing that a strut does not."""
        carried = self.model.tendon_frictionloss[i] or self.model.tendon_armature[i]
        return not (self._is_driven(i) or self._is_equal(i) or carried)

    def terms(self, i: int) -> dict[str, float]:
        """The factors of joints in the length of a tendon; none of a spatial one without a spool."""
        if i in self.spools and self.model.wrap_type[self.model.tendon_adr[i]] != JOINT:
            return {self.spools[i]: 1.0}
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
            self.report.ignore(where, "equality", "is of tendons that wrap around bodies", "motion")
            return
        name = str(model.equality(i).name) or str(model.tendon(one).name) or f"equality {i}"
        tree.couplings.append(Coupling(name, terms, offset, where))

    def _spool(self, tree: Tree, i: int, name: str, where: str) -> None:
        """The spool of a fixed tendon."""
        terms = self.terms(i)
        hinges = all(tree.joints[joint].kind == "revolute" for joint in terms)
        start = sum(factor * tree.joints[joint].start for joint, factor in terms.items())
        self._wind(tree, i, name, where, "revolute" if hinges else "prismatic", start, terms, 0.0)

    def _wind(
        self,
        tree: Tree,
        i: int,
        name: str,
        where: str,
        kind: Kind,
        start: float,
        terms: dict[str, float],
        constant: float,
    ) -> None:
        """A link that moves by the sum of ``terms`` and a ``constant``, with all that the tendon carries."""
        model = self.model
        label = name if name not in tree.joints and name not in tree.links else f"tendon {name}"
        spool = Connection(label, kind, tree.root, label, where, axis=_across(model.opt.gravity), start=start)
        spool.damping = float(model.tendon_damping[i])
        spool.friction = float(model.tendon_frictionloss[i])
        spool.stiffness, spool.rest = float(model.tendon_stiffness[i]), self._rest(i, where)
        spool.armature = float(model.tendon_armature[i])
        if model.tendon_limited[i]:
            spool.low, spool.high = map(float, model.tendon_range[i])
        tree.links[label] = Link(label, where, light=True)
        tree.joints[label] = spool
        tree.couplings.append(Coupling(label, {label: 1.0} | {j: -c for j, c in terms.items()}, constant, where))
        self.spools[i] = label

    def _line(self, tree: Tree, i: int, parts: range, name: str, where: str, bodies: list[str]) -> None:
        """A spatial tendon as struts from site to site and a spool that slides by the sum of their lengths."""
        import mujoco

        model = self.model
        data = mujoco.MjData(model)
        data.qpos[:] = self.qpos
        mujoco.mj_fwdPosition(model, data)
        struts: list[Loop] = []
        terms: dict[str, float] = {}
        constant, divisor, last = 0.0, 1.0, -1
        for k in parts:
            if model.wrap_type[k] == PULLEY:
                divisor, last = float(model.wrap_prm[k]), -1
                continue
            site, before = int(model.wrap_objid[k]), last
            last = site
            if before < 0:
                continue
            a, b = (int(model.site_bodyid[s]) for s in (before, site))
            length = float(np.linalg.norm(data.site_xpos[site] - data.site_xpos[before]))
            if model.body_weldid[a] == model.body_weldid[b]:
                constant += length / divisor
                continue
            if length < LEAST_LENGTH:
                self.report.ignore(where, "tendon", "two of its sites coincide", "motion")
                return
            frames = [Frame(position=as_vec3(model.site_pos[s])) for s in (before, site)]
            strut = Strut(frame_a=frames[0], frame_b=frames[1])
            struts.append(Loop(f"{name} line {len(struts) + 1}", strut, bodies[a], bodies[b], where))
            terms[struts[-1].name] = 1.0 / divisor
        tree.loops += struts
        self._wind(tree, i, name, where, "prismatic", float(data.ten_length[i]), terms, constant)

    def _rest(self, i: int, where: str) -> float:
        low, high = (float(end) for end in self.model.tendon_lengthspring[i])
        if low != high and float(self.model.tendon_stiffness[i]):
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
        frames = [Frame(position=as_vec3(model.site_pos[s])) for s in sites]
        stiffness, damping = float(model.tendon_stiffness[i]), float(model.tendon_damping[i])
        limited = bool(model.tendon_limited[i])
        if not (stiffness or damping or limited):
            self.report.ignore(where, "tendon", "carries nothing and measures only", "sensing")
            return
        if float(model.tendon_length0[i]) < LEAST_LENGTH:
            self.report.ignore(where, "tendon", "its two sites coincide", "motion")
            return
        low, high = (float(end) for end in model.tendon_range[i])
        spring = self._spring(i, stiffness, damping) if stiffness or damping else None
        limits = (low if low > 0.0 else None, high) if limited else None
        strut = Strut(frame_a=frames[0], frame_b=frames[1])
        tree.loops.append(Loop(name, strut, a, b, where, spring, limits))


def _across(gravity: object) -> Array:
    """A direction across gravity, along which nothing weighs."""
    down = np.asarray(gravity, float)
    return spatial.rotate(spatial.frame_rotation(down), (1.0, 0.0, 0.0)) if np.any(down) else np.array([1.0, 0.0, 0.0])
