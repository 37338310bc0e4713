"""What the elements of an axis cost: an arm with drives, springs, limits and LuGre friction beside simpler ones."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np

import sharnir as sh

from .ours import SharnirRun
from .report import Bar, Section
from .timing import interleaved, ratio

LINKS = 6
DT = 0.005  # s
EVERYTHING = {"friction", "spring", "drive", "limits"}
SELVES: dict[str, set[str]] = {
    "drive, spring, limits, LuGre": EVERYTHING,
    "without friction": EVERYTHING - {"friction"},
    "bare hinges": set(),
}


def arm(carried: set[str]) -> sh.Scene:
    """Six links of 0.5 m and 2 kg on hinges that turn about y and z in turn, level at the start."""
    scene = sh.Scene("arm")
    elements: dict[str, Any] = {
        "friction": sh.LuGre(0.5, 0.8, 0.01, 1e4, damping=10.0, viscous=0.05),
        "spring": sh.Spring(20.0, 1.0),
        "drive": sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0),
        "limits": (-2.0, 2.0),
    }
    before = scene.world
    for i in range(LINKS):
        x = 0.5 * i
        link = scene.body(f"link{i}", sh.Box(0.5, 0.08, 0.08, mass=2.0), position=(x + 0.25, 0, 0))
        hinge = sh.Revolute(axis=(0, 1, 0) if i % 2 == 0 else (0, 0, 1), anchor=(x, 0, 0))
        scene.joint(f"hinge{i}", hinge, before, link, **{name: elements[name] for name in carried})
        before = link
    return scene


class DrivenRun(SharnirRun):
    """The arm with its drives swinging to and fro, so that every friction slides, sticks and turns back."""

    def __init__(self, carried: set[str]) -> None:
        scene = arm(carried)
        super().__init__(scene, DT)
        self._drives = sum(len(joint.drives) for joint in scene.joints.values())
        self._made = 0

    def step(self, count: int) -> None:
        """Steps in one call, at a voltage that changes from call to call."""
        self._made += 1
        voltages = 0.5 * np.sin(0.3 * self._made + np.arange(self._drives))
        self._simulation.control.drive_input.numpy()[:, 0] = voltages
        super().step(count)


def run(quick: bool) -> list[Section]:
    """One section."""
    section = Section(
        title=f"An arm of {LINKS} hinges, dt {DT * 1000:g} ms, direct solver, default accuracy",
        columns=["", "µs/step"],
        rows=[],
    )
    contenders = {name: DrivenRun(carried) for name, carried in SELVES.items()}
    times = interleaved(
        {name: contender.step for name, contender in contenders.items()}, steps=50, blocks=20 if quick else 60
    )
    for name in contenders:
        section.rows.append([name, f"{median(times[name]):.2f}"])
        section.data[name] = {"us_per_step": median(times[name])}
    full, frictionless, bare = contenders
    low, middle, high = ratio(times[full], times[frictionless])
    section.bars = [Bar("every element against the same without friction", middle, 1.6, "×")]
    section.notes.append(f"Round by round: half of the rounds from {low:.2f} to {high:.2f}")
    section.notes.append(f"Every element against bare hinges: {ratio(times[full], times[bare])[1]:.2f} ×")
    return [section]
