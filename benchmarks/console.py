"""What the console costs, and whether the physics keeps time behind it, driven and watched by two browsers.

    python -m benchmarks.console                  half a minute of 50 bodies and a rope at 500 Hz
    python -m benchmarks.console --minutes 60     the soak: an hour of driving, does memory grow?
    python -m benchmarks.console --scene krt100_rough --minutes 10 --browser
    python -m benchmarks.console --scene krt100_rough --browser operator      pictures a second on one page

The two browsers are plain websocket clients in processes of their own, so that drawing in software does not count.
With ``--browser`` they only watch: three pages are open in Chromium, the operator's, which drives, a watcher's, and
the instructor's with a sixth of the processor; ``--browser operator`` opens his alone. Every quarter of a minute the
operator's window loses the focus while he drives: how long it takes until the physics holds the drives, by the run's
log, and until his page has a frame that shows it, and whether they ever are, are figures, too. A page that is drawing
in software sees such a frame when its picture is done. A deadline missed while they start up counts as well, after the
first seconds in which everything settles; so does every time that the operator is taken for lost. Two figures tell
what of a missed deadline is the machine's, which on a virtual one may be all of it: a bare loop beside the physics, of
the same priority and period; and the run made again from its log, bit for bit, three times, where a step counts with
the shortest of its times.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import multiprocessing
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.runtime.commands import Hold
from sharnir.runtime.frame_bytes import HEADER
from sharnir.runtime.journal import LoggedRun
from sharnir.runtime.pacing import Pacer
from sharnir.runtime.process import go_first
from sharnir.runtime.replay import Replay

BODIES = 50
WATCHERS = 2
SETTLE = 5.0  # s before anything counts
SAMPLES_AFTER = 0.2  # of the time; memory is compared from here on
LEAVES = 3.0  # s at the end
DRIVE = """(values) => {
    const { link } = sharnir;
    if (link.chain.state === "held") link.send({ do: "enable" });
    else for (const [name, value] of Object.entries(values)) link.set(name, value);
}"""
BEAT = 0.04  # s between two signs of life
THROTTLED = 6  # times slower
LETS_GO_EVERY = 15.0  # s
HELD_WITHIN = 5.0  # s, beyond which a safe state counts as missed
# What happens when the window loses the focus while something is held: when that was (s since 1970), and after how many
# ms a frame shows the drives held.
LET_GO = """async (within) => {
    const { link } = sharnir;
    if (!link.mayDrive) return null; // the drives are held already
    const [begun, at] = [performance.now(), Date.now() / 1000];
    const held = new Promise((done) => link.on("sample", (f) => f.held !== 0 && done(performance.now() - begun)));
    const late = new Promise((done) => setTimeout(() => done(Infinity), within));
    link.grip("keys", link.reader.layout.inputs[0], true);
    dispatchEvent(new Event("blur"));
    return [at, await Promise.race([held, late])];
}"""
DRAWN = "() => window.sharnir?.view?.drawn ?? 0"
HEAP = "() => performance.memory.usedJSHeapSize / 1e6"  # MB
SENDS = 20  # inputs a second from the one who drives
REPEATS = 3  # of the run, to see how long its steps take by themselves
BARE_WORK = 0.1  # of the period: what a loop works that does nothing else than keeping time
# What a figure should be at least and at most on a machine that has nothing else to do, and lets the physics go first.
BARS = {
    "pictures a second, operator": (10.0, math.inf),
    "frames a second to each browser": (15.0, math.inf),
    "server, share of a core, %": (0.0, 5.0),
    "steps begin late by, 99th percentile, ms": (0.0, 1.0),
    "real-time factor": (0.98, 1.02),
    "server, memory grown, MB": (-math.inf, 4.0),
    "physics, memory grown, MB": (-math.inf, 1.0),
    "operator taken for lost": (0.0, 0.0),
    "safe states missed": (0.0, 0.0),
    "safe state after, longest, ms": (0.0, 300.0),
}
PAGES = "open pages in Chromium: three, one of them throttled, or the operator's alone"
MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


def beyond(name: str, value: float) -> bool:
    """Whether a figure is beyond its bar, where it has one."""
    low, high = BARS.get(name, (-math.inf, math.inf))
    return not low <= value <= high


def machine() -> sh.Scene:
    """Ten arms of five links, the first link of each driven, and a rope of 60 nodes."""
    scene = sh.Scene("fifty bodies")
    held, ends = sh.Tie(body="world"), [(0.0, 1.0, 3.0), (3.0, 1.0, 3.0)]
    scene.rope("line", ends, radius=0.01, density=1000.0, length=3.6, elements=59, start=held, end=held)
    for arm in range(BODIES // 5):
        last = scene.world
        for k in range(5):
            shape = sh.Capsule(radius=0.03, length=0.24, mass=0.5)
            body = scene.body(f"link {arm}-{k}", shape, position=(0.4 * arm, 0, 3 - 0.3 * k - 0.15))
            hinge = sh.Revolute(axis=(0, 1, 0), anchor=(0.4 * arm, 0, 3 - 0.3 * k))
            drive = MOTOR if k == 0 else None
            scene.joint(f"hinge {arm}-{k}", hinge, last, body, drive=drive, friction=sh.Coulomb(0.01))
            last = body
    return scene


def swing_arms(t: float) -> dict[str, float]:
    """The inputs of the arms at a time (s): all swing."""
    return {f"hinge {arm}-0 voltage": 0.2 * math.sin(0.5 * t + arm) for arm in range(BODIES // 5)}


def drive_around(_: float) -> dict[str, float]:
    """The inputs of a robot at any time: circles, which stay on the terrain."""
    return {"forward": 0.7, "turn": 0.5}


@dataclass(frozen=True)
class Driven:
    """What is driven: a robot by its name, or a scene to be made; its step (s) and its inputs over time."""

    dt: float
    inputs: Callable[[float], dict[str, float]]
    made: Callable[[], sh.Scene] | None = None


SCENES = {"arms": Driven(0.002, swing_arms, machine), "krt100_rough": Driven(0.005, drive_around)}


def cpu_seconds(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """Memory of a process that no other shares."""
    return (
        sum(int(n) for n in re.findall(r"^Private_\w+:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M))
        / 1e3
    )


def stolen_seconds() -> float:
    """Time so far that a virtual machine's processors were taken away by their host."""
    return int(Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")


def child_of(pid: int) -> int:
    """The physics process: the child that runs longest on the processor."""
    children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return max(children, key=cpu_seconds)


@dataclass
class Seen:
    """What a page in Chromium has seen: pictures drawn, how many a second since it had settled, with how much processor
    time of all of the browser (ms each), and of which share of the pixels along a side at the end; how its memory grew
    (MB); when it has let go of what it held (s since 1970), and how long after that it saw the drives held (ms)."""

    drawn: int
    rate: float
    cost: float
    share: float
    grown: float
    let_go: list[tuple[float, float]]


def browser_seconds(processes: Any) -> float:
    """Processor time so far of a browser, all of its processes together."""
    return float(sum(each["cpuTime"] for each in processes.send("SystemInfo.getProcessInfo")["processInfo"]))


def browse(link: str, cookie: str, seconds: float, role: str, scene: str, told: Any) -> None:
    """Chromium with a page open: the operator's drives, the instructor's has a sixth of the processor."""
    from playwright.sync_api import sync_playwright

    from sharnir.view.pictures import ARGUMENTS, chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        if role == "instructor":
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLED})
        if role == "watcher":  # his link is used up by those that only count frames
            name, _, value = cookie.partition("=")
            page.context.add_cookies([{"name": name, "value": value, "url": link}])
        page.goto(link, timeout=90_000)
        begun = time.monotonic()
        heap, held, lets_go, settled = 0.0, [], LETS_GO_EVERY, (0, begun, 0.0)
        processes = browser.new_browser_cdp_session()
        while (passed := time.monotonic() - begun) < seconds:
            if role == "operator" and page.evaluate("() => Boolean(window.sharnir?.started)"):
                page.evaluate(DRIVE, SCENES[scene].inputs(passed))
                if passed > lets_go:
                    lets_go = passed + LETS_GO_EVERY
                    held.append(page.evaluate(LET_GO, 1e3 * HELD_WITHIN))
            if not heap and passed > SETTLE + SAMPLES_AFTER * seconds:
                heap = page.evaluate(HEAP)
                settled = page.evaluate(DRAWN), time.monotonic(), browser_seconds(processes)
            page.wait_for_timeout(1e3 / SENDS)
        drawn, grown = page.evaluate(DRAWN), page.evaluate(HEAP) - heap
        pictures = max(drawn - settled[0], 1)
        rate = pictures / (time.monotonic() - settled[1])
        cost = 1e3 * (browser_seconds(processes) - settled[2]) / pictures
        share = page.evaluate("() => window.sharnir?.view?.quality?.share ?? 0")
        told.put((role, Seen(drawn, rate, cost, share, grown, [tuple(each) for each in held if each is not None])))
        browser.close()


def beat(host: str, headers: dict[str, str], key: str, until: float) -> None:
    """What a browser's worker does."""
    from websockets.sync.client import connect

    with connect(f"ws://{host}/beat?key={key}", additional_headers=headers) as socket:
        while time.monotonic() < until:
            socket.send(json.dumps({"page": 0.0}))
            time.sleep(BEAT)


def watch(host: str, cookie: str, scene: str, seconds: float, told: Any) -> None:
    """A browser: reads frames; the one who drives sends inputs, too. Tells how it went."""
    from websockets.sync.client import connect

    place = {name: i for i, name in enumerate(HEADER)}
    headers = {"Cookie": cookie, "Origin": f"http://{host}"}
    inputs, begun = SCENES[scene].inputs, time.monotonic()
    frames, sizes, number, sent, rows = 0, 0, 0, 0.0, []
    with connect(f"ws://{host}/link", additional_headers=headers, max_size=None) as socket:
        hello = json.loads(socket.recv(timeout=30))
        drives = hello["driving"]  # the first to come, where he is an operator
        until = begun + SETTLE + seconds
        threading.Thread(target=beat, args=(host, headers, hello["key"], until), daemon=True).start()
        while time.monotonic() < until:
            message = socket.recv(timeout=30)
            if isinstance(message, str):
                continue
            frames, sizes = frames + 1, sizes + len(message)
            header = np.frombuffer(message, "<f8", len(HEADER))
            if time.monotonic() > begun + SETTLE:
                rows.append([header[place[name]] for name in ("jitter", "misses", "factor", "tick", "worst", "held")])
            if drives and time.monotonic() - sent > 1 / SENDS:
                number, sent = number + 1, time.monotonic()
                given = {"do": "enable"} if header[place["held"]] else {"do": "set", "values": inputs(sent - begun)}
                socket.send(json.dumps({"number": number, "seen": header[place["clock"]], "command": given}))
    told.put((drives, frames, sizes, rows))


def exchanged(link: str) -> tuple[str, str]:
    """The host of a one-time link, and the cookie that it is exchanged for."""
    host, _, path = link.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host)
    connection.request("GET", f"/{path}")
    return host, str(connection.getresponse().getheader("set-cookie")).split(";")[0]


def bare_loop(seconds: float, period: float, work: float, told: Any) -> None:
    """What the machine itself allows: a loop of the physics' priority that waits, works for a while, and counts."""
    go_first()
    pacer = Pacer(period)
    time.sleep(SETTLE)
    pacer.restart()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        select.select([], [], [], max(pacer.wait, 0.0))
        begun = pacer.begin()
        while time.perf_counter() < begun + work:
            pass
        pacer.end(begun)
    told.put((pacer.misses, pacer.worst))


def longest_step_repeated(folder: Path, times: int) -> float:
    """The longest step (s) of a run that is made again ``times``: each step counts with the shortest of its times."""
    best = np.full(1, np.nan)
    for _ in range(times):
        replay, took, last = Replay(LoggedRun(folder)), [], time.perf_counter()
        for _ in replay:
            now = time.perf_counter()
            took.append(now - last)
            last = now
        if replay.differs_at is not None:
            raise RuntimeError(f"the run was not repeated bit for bit: it differs at tick {replay.differs_at}")
        best = np.fmin(best, took[2:])  # before the first step: nothing; in it: loading the kernel
    return float(np.max(best))


def measure(seconds: float, rate: float, scene: str = "arms", browser: str = "", repeats: int = 0) -> dict[str, float]:
    """Drive for a while, and return the figures; the run is made again ``repeats`` times."""
    driven = SCENES[scene]
    with tempfile.TemporaryDirectory() as folder:
        name = scene if driven.made is None else str(driven.made().save(Path(folder) / "machine.json"))
        command = [sys.executable, "-m", "sharnir", "drive", name, "--no-browser", "--dt", str(driven.dt)]
        command += ["--runs", folder + "/runs", "--view-rate", f"{rate:g}"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        operator, instructor, watcher = (server.stdout.readline().rpartition(" ")[2].strip() for _ in range(3))
        host, cookie = exchanged(watcher if browser else operator)
        context = multiprocessing.get_context("spawn")
        told = context.Queue()
        clients = [context.Process(target=watch, args=(host, cookie, scene, seconds, told)) for _ in range(WATCHERS)]
        links = {"operator": operator, "watcher": f"http://{host}/", "instructor": instructor}
        links = {role: link for role, link in links.items() if browser in ("all", role)}
        looking = context.Queue()
        pages = [
            context.Process(target=browse, args=(link, cookie, seconds + SETTLE - 2, role, scene, looking))
            for role, link in links.items()
        ]
        counted = context.Queue()
        bare = context.Process(target=bare_loop, args=(seconds, driven.dt, BARE_WORK * driven.dt, counted))
        for client in [*clients, *pages, bare]:
            client.start()
        time.sleep(SETTLE)
        physics = child_of(server.pid)
        before = {pid: cpu_seconds(pid) for pid in (server.pid, physics)}
        stolen = stolen_seconds()
        time.sleep(SAMPLES_AFTER * seconds)
        memory = {pid: megabytes(pid) for pid in before}
        time.sleep((1 - SAMPLES_AFTER) * seconds - 0.5)
        after = {pid: cpu_seconds(pid) for pid in before}
        stolen = stolen_seconds() - stolen
        grown = {pid: megabytes(pid) - memory[pid] for pid in before}
        heard = [told.get(timeout=90) for _ in clients]
        bare_misses, bare_worst = counted.get(timeout=90)
        seen: dict[str, Seen] = dict(looking.get(timeout=90) for _ in pages)
        for client in [*clients, *pages, bare]:
            client.join()
        server.send_signal(signal.SIGINT)
        server.wait(60)
        run = next(Path(folder, "runs").iterdir())
        end = max(entry.at for entry in LoggedRun(run).entries()) - LEAVES  # when he leaves at the end he is
        held_at = [(e.at, e.command.reason) for e in LoggedRun(run).entries() if isinstance(e.command, Hold)]
        holds = [reason for at, reason in held_at if at < end]
        repeated = longest_step_repeated(run, repeats)
    _, frames, sizes, rows = max(heard)  # of the one who drives, if there is one among them
    jitter, misses, factor, ticks, worst, held = np.array(rows).T
    return {
        "bytes a frame": sizes / frames,
        "frames a second to each browser": frames / (seconds + SETTLE),
        "server, share of a core, %": 100 * (after[server.pid] - before[server.pid]) / (seconds - 0.5),
        "physics, share of a core, %": 100 * (after[physics] - before[physics]) / (seconds - 0.5),
        "steps begin late by, 99th percentile, ms": 1e3 * float(np.median(jitter)),
        "steps": float(ticks[-1] - ticks[0]),
        "deadlines missed": float(misses[-1] - misses[0]),
        "longest step, ms": 1e3 * float(worst[-1]),
        "longest step when the run is repeated, ms": 1e3 * repeated,
        "deadlines missed by a bare loop": float(bare_misses),
        "longest turn of a bare loop, ms": 1e3 * bare_worst,
        "processor time taken by the host, ms": 1e3 * stolen,
        "real-time factor": float(np.median(factor)),
        "operator taken for lost": float(sum("connection is lost" in reason for reason in holds)),
        "operator's page frozen for two seconds": float(sum("respond" in reason for reason in holds)),
        "share of frames with the drives held, %": 100 * float(np.mean(held != 0)),
        "server, memory grown, MB": grown[server.pid],
        "physics, memory grown, MB": grown[physics],
    } | looked(seen, [at for at, reason in held_at if "lost the focus" in reason])


def looked(seen: dict[str, Seen], held_at: list[float]) -> dict[str, float]:
    """The figures of the pages in Chromium, where there were any, and of the drives that were held at times (s)."""
    if not seen:
        return {}
    rounding = 1e-3  # s, of the times in the log
    let_go = seen["operator"].let_go
    after = [
        1e3 * next((at - begun for at in held_at if -rounding <= at - begun < HELD_WITHIN), math.inf)
        for begun, _ in let_go
    ]
    return {
        **{f"pictures drawn, {role}": float(page.drawn) for role, page in seen.items()},
        **{f"pictures a second, {role}": page.rate for role, page in seen.items()},
        **{f"processor time a picture, {role}, ms": page.cost for role, page in seen.items()},
        **{f"share of the pixels along a side, {role}, %": 100 * page.share for role, page in seen.items()},
        **{f"page's memory grown, {role}, MB": page.grown for role, page in seen.items()},
        "safe states": float(len(after)),
        "safe states missed": float(sum(math.isinf(each) for each in after)),
        "safe state after, median, ms": float(np.median(after)) if after else math.nan,
        "safe state after, longest, ms": max(after, default=math.nan),
        "shown on the operator's page after, median, ms": float(
            np.median([shown for _, shown in let_go] or [math.nan])
        ),
        "shown on the operator's page after, longest, ms": max((shown for _, shown in let_go), default=math.nan),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=30.0, help="frames a second (30)")
    parser.add_argument("--scene", choices=SCENES, default="arms", help="what is driven")
    parser.add_argument("--browser", nargs="?", const="all", default="", choices=("all", "operator"), help=PAGES)
    options = parser.parse_args()
    figures = measure(60 * options.minutes, options.rate, options.scene, options.browser, REPEATS)
    for name, value in figures.items():
        print(f"{name:45} {value:10.3f}{'   beyond its bar' if beyond(name, value) else ''}")


if __name__ == "__main__":
    main()
