"""What a control diagram costs: 200 blocks of all kinds, and 100 signals of a running simulation."""

from __future__ import annotations

import time
from statistics import median

import sharnir as sh
from sharnir.control import Controller

from .report import Bar, Section
from .timing import interleaved

BLOCKS, BLOCKS_LIMIT = 200, 100.0  # µs for one evaluation
JOINTS = 50
PERIOD = 0.002  # s


def mixed() -> sh.Diagram:
    """Loops of a controller as one finds them: shaping, PID, logic and timers; twelve blocks each."""
    d = sh.Diagram("mixed", period=PERIOD)
    stick = d.input("stick", range=(-1, 1), initial=0.4)
    enable = d.input("enable", initial=True)
    before = stick
    while len(d.blocks) < BLOCKS - 12:
        wanted = d.rate_limit(d.dead_zone(stick, 0.05), rise=2.0)
        measured = d.low_pass(before, t=0.05)
        error = abs(wanted - measured)
        u = d.pid(wanted, measured, kp=0.5, ki=1.0, kd=0.01, tf=0.02)
        ready = d.ton(error < 0.3, pt=0.1)
        held = d.sr(ready, ~enable)
        before = d.limit(-1.0, d.sel(held, 0.0, u), 1.0)
    while len(d.blocks) < BLOCKS:
        before = before * 0.5
    d.gauge("out", before)
    return d


def many_signals() -> tuple[sh.Simulation, Controller]:
    """A simulation of 50 hinges, its angles and rates read, half of their sum shown."""
    scene = sh.Scene("signals")
    for i in range(JOINTS):
        link = scene.body(f"link{i}", sh.Box(0.5, 0.08, 0.08, mass=2.0), position=(0.25, i, 0))
        scene.joint(f"hinge{i}", sh.Revolute(axis=(0, 1, 0), anchor=(0, i, 0)), scene.world, link)
    d = sh.Diagram("signals")
    for joint in scene.joints.values():
        d.signal(joint.angle)
        d.signal(joint.speed)
    simulation = sh.Simulation(scene, dt=PERIOD)
    controller = d.start(simulation)
    simulation.detach(controller)  # ticked by hand below
    return simulation, controller


def run(quick: bool) -> list[Section]:
    """One section."""
    blocks = mixed().start()
    simulation, signals = many_signals()
    one = next(iter(simulation.scene.joints.values())).angle

    def evaluate(count: int) -> None:
        for _ in range(count):
            blocks.tick()

    def read(count: int) -> None:
        for _ in range(count):
            signals.reset()
            signals.tick()

    def start_over(count: int) -> None:
        for _ in range(count):
            signals.reset()

    def get(count: int) -> None:
        for _ in range(count):
            simulation.get(one)

    actions = {"evaluate": evaluate, "read": read, "start over": start_over, "get": get}
    steps = {"evaluate": 200, "read": 200, "start over": 200, "get": 5}
    times = interleaved(actions, steps=steps, blocks=20 if quick else 60, clock=time.thread_time_ns)
    evaluated, slow = median(times["evaluate"]), median(times["get"])
    reading = median(times["read"]) - median(times["start over"])
    return [
        Section(
            title="Function blocks",
            columns=["", "µs"],
            rows=[
                [f"a diagram of {BLOCKS} blocks, evaluated", f"{evaluated:.1f}"],
                [f"{2 * JOINTS} angles and rates of a simulation, read by a diagram", f"{reading:.1f}"],
                ["one angle by Simulation.get", f"{slow:.1f}"],
            ],
            notes=["Processor time of the thread: what other programs take meanwhile does not count."],
            bars=[Bar(f"a diagram of {BLOCKS} blocks", evaluated, BLOCKS_LIMIT, "µs")],
            data={"blocks": BLOCKS, "evaluate_us": evaluated, "read_100_us": reading, "get_us": slow},
        )
    ]
