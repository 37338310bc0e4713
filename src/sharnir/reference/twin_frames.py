"""What the exact twin recorded, as the frames of a trajectory.

Forces are those of the instant, where a simulation has the mean over its step; impulses are these forces times the
interval between frames, and for limits and flanks of couplings also the impacts within it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.layout import layout_of
from ..quantities.frames import Frames, still_frames
from ..spatial import IDENTITY, Array, rotate
from .mechanism import quaternions
from .modes import Modes
from .system import Evaluation, System


class TwinRecording:
    """Frames of a run, filled one batch of instants after the other."""

    def __init__(self, system: System, modes: Modes, times: Array, dt: float) -> None:
        self.system, self.modes, self.times, self.dt = system, modes, times, dt
        scene = system.scene
        self.layout = layout_of(scene)
        count = len(times)
        shape = {
            "center": (len(scene.bodies), 3),
            "rotation": (len(scene.bodies), 4),
            "center_velocity": (len(scene.bodies), 3),
            "angular_velocity": (len(scene.bodies), 3),
            "twist": (len(self.layout.coordinates),),
            "effort": (len(self.layout.coordinates),),
            "reaction": (len(scene.joints), 3),
            "reaction_torque": (len(scene.joints), 3),
            "limit_impulse": (len(self.layout.limits),),
            "friction_impulse": (len(self.layout.frictions), 3),
            "stuck": (len(self.layout.frictions),),
            "voltage": (len(self.layout.softs),),
            "coupling_effort": (len(self.layout.couplings),),
            "actuator_effort": (len(self.layout.actuators),),
            "actuator_a": (len(self.layout.actuators),),
            "actuator_b": (len(self.layout.actuators),),
        }
        self.data = {name: np.zeros((count, *rest)) for name, rest in shape.items()}
        self._fixed_bodies()
        self.done = 0

    def _fixed_bodies(self) -> None:
        for i, body in enumerate(self.system.scene.bodies.values()):
            self.data["rotation"][:, i] = IDENTITY
            if body.spec.fixed:
                self.data["center"][:, i] = body.pose.position
                self.data["rotation"][:, i] = body.pose.rotation

    def fill(self, e: Evaluation) -> None:
        """Record the next instants from their evaluation."""
        system = self.system
        here = slice(self.done, self.done + len(e.rates))
        places = [i for i, body in enumerate(system.scene.bodies.values()) if not body.spec.fixed]
        m = e.motion
        for place, i in enumerate(places):
            self.data["center"][here, i] = m.x[:, place]
            self.data["rotation"][here, i] = _unbroken(self.data["rotation"][: here.start, i], m.rotation[:, place])
            self.data["center_velocity"][here, i] = m.v[:, place]
            self.data["angular_velocity"][here, i] = m.w[:, place]
        self._fill_movers(here)
        for i, axis in enumerate(system.efforts.axes.values()):
            self.data["twist"][here, i] = axis.value(m)
        self.data["effort"][here] = system.efforts.inputs_at(self.times[here])
        for d, drive in enumerate(system.efforts.drives):
            place = self.layout.softs.index(drive.axis.label)
            self.data["voltage"][here, place] = np.clip(e.wanted[:, d], -1.0, 1.0)
        for a, actuator in enumerate(system.efforts.actuators):
            place, law = self.layout.actuators.index(actuator.axis.label), actuator.law
            self.data["actuator_effort"][here, place] = e.actuated[:, a]
            for name, state in zip(("actuator_a", "actuator_b"), range(law.states), strict=False):
                self.data[name][here, place] = law.unit * e.inside[:, law.first + state]
        self._fill_forces(here, e)
        self.done = here.stop

    def _fill_movers(self, here: slice) -> None:
        """What leads a body is where that body is."""
        bodies = list(self.system.scene.bodies.values())
        for led in self.system.leading.bodies.values():
            moved, body = bodies.index(led.mover.weld.a), bodies.index(led.mover.body)
            turn, spin = self.data["rotation"][here, body], self.data["angular_velocity"][here, body]
            arm = rotate(turn, led.mover.body.center)
            self.data["rotation"][here, moved], self.data["angular_velocity"][here, moved] = turn, spin
            self.data["center"][here, moved] = self.data["center"][here, body] - arm
            self.data["center_velocity"][here, moved] = self.data["center_velocity"][here, body] - np.cross(spin, arm)

    def _fill_forces(self, here: slice, e: Evaluation) -> None:
        system, mechanism, frictions = self.system, self.system.mechanism, self.system.frictions
        direction = e.motion.direction
        for i, (kind, place) in enumerate(system.keys):
            force = e.multipliers[:, i]
            if kind == "lock":
                name = "reaction" if mechanism.linear[place] else "reaction_torque"
                self.data[name][here, mechanism.row_joint[place]] += force[:, None] * direction[:, place]
            elif kind == "gear":
                self.data["coupling_effort"][here, place] += force
            elif kind == "limit" and place < system.efforts.stops:
                self.data["limit_impulse"][here, place] += force * self.dt
            elif kind == "limit":
                self.data["coupling_effort"][here, system.limit_rows[place] - len(mechanism.rows)] += force
        for p, element in enumerate(frictions.element):
            label = frictions.labels[element]
            if label in self.layout.frictions:  # dry ones; viscous friction is not recorded
                place = self.layout.frictions.index(label)
                force = e.friction_force[:, p, None] * direction[:, frictions.row[p]]
                self.data["friction_impulse"][here, place] += force * self.dt
                self.data["stuck"][here, place] = frictions.sticking[element]

    def fill_blows(self) -> None:
        """Add the impacts at limits since the last instant to the next one."""
        if self.modes.impulses and self.done < len(self.times):
            for limit, impulse in self.modes.impulses.items():
                if limit < self.system.efforts.stops:
                    self.data["limit_impulse"][self.done, limit] += impulse
                else:  # of a flank
                    place = self.system.limit_rows[limit] - len(self.system.mechanism.rows)
                    self.data["coupling_effort"][self.done, place] += impulse / self.dt
        self.modes.impulses.clear()

    def frames(self) -> Frames:
        """The frames so far, of one world."""
        used = self.done
        frames = still_frames(self.system.scene, self.times[:used], 1, self.dt)
        raw = dict(frames.raw)
        for name, values in self.data.items():
            raw[name] = np.expand_dims(values[:used], 2)
        raw["low_impulse"] = raw.pop("limit_impulse")
        return replace(frames, raw=raw)


def _unbroken(before: Array, matrices: Array) -> Array:
    """Quaternions of rotation matrices, each of the sign nearest to the one before it."""
    q = np.vstack([before[-1:] if len(before) else IDENTITY[None], quaternions(matrices)])
    signs = np.where(np.einsum("ki,ki->k", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
    return np.asarray(q[1:] * np.cumprod(signs)[:, None])
