"""What the console costs: a run at 500 Hz with 50 bodies and a rope, watched by two browsers that only read.

    python -m benchmarks.console                  half a minute
    python -m benchmarks.console --minutes 60     the soak: an hour of driving, does memory grow?

The browsers are plain websocket clients in a process of their own, so that drawing in software does not count.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import sharnir as sh
from sharnir.runtime.frames import HEADER

BODIES, DT = 50, 0.002
WATCHERS = 2
SETTLE = 5.0  # s before anything counts
SAMPLES_AFTER = 0.2  # of the time; memory is compared from here on
SENDS = 20  # inputs a second from the one who drives
MOTOR = sh.DcDrive(stall_torque=1.5, idle_speed=300.0, time_constant=0.02, ratio=50.0)


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


def child_of(pid: int) -> int:
    """The physics process: the child that runs longest on the processor."""
    children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return max(children, key=cpu_seconds)


def watch(host: str, cookie: str, drives: bool, seconds: float, told: Any) -> None:
    """A browser: reads frames; the one who drives sends inputs, too. Tells how it went."""
    from websockets.sync.client import connect

    place = {name: i for i, name in enumerate(HEADER)}
    headers = {"Cookie": cookie, "Origin": f"http://{host}"}
    frames, sizes, number, sent, rows = 0, 0, 0, 0.0, []
    with connect(f"ws://{host}/link?client={drives}", additional_headers=headers, max_size=None) as socket:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            message = socket.recv(timeout=5)
            if isinstance(message, str):
                continue
            frames, sizes = frames + 1, sizes + len(message)
            header = np.frombuffer(message, "<f8", len(HEADER))
            rows.append((header[place["jitter"]], header[place["misses"]], header[place["factor"]]))
            if drives and time.monotonic() - sent > 1 / SENDS:
                number, sent = number + 1, time.monotonic()
                values = {f"hinge {arm}-0 voltage": 0.2 * np.sin(0.5 * sent + arm) for arm in range(BODIES // 5)}
                command = {"do": "set", "values": values}
                socket.send(json.dumps({"number": number, "seen": header[place["clock"]], "command": command}))
    told.put((drives, frames, sizes, rows[len(rows) // 5 :]))


def measure(seconds: float, rate: float) -> dict[str, float]:
    """Drive for a while, and return the figures."""
    with tempfile.TemporaryDirectory() as folder:
        file = machine().save(Path(folder) / "machine.json")
        command = [sys.executable, "-m", "sharnir", "drive", str(file), "--no-browser", "--dt", str(DT)]
        command += ["--runs", folder + "/runs", "--view-rate", f"{rate:g}"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = re.search(r"http://(\S+)/\?token=(\S+)", server.stdout.readline())
        assert url is not None
        host = url[1]
        connection = http.client.HTTPConnection(host)
        connection.request("GET", f"/?token={url[2]}")
        cookie = str(connection.getresponse().getheader("set-cookie")).split(";")[0]
        context = multiprocessing.get_context("spawn")
        told = context.Queue()
        clients = [
            context.Process(target=watch, args=(host, cookie, k == 0, seconds + SETTLE, told)) for k in range(WATCHERS)
        ]
        for client in clients:
            client.start()
        time.sleep(SETTLE)
        physics = child_of(server.pid)
        before = {pid: cpu_seconds(pid) for pid in (server.pid, physics)}
        time.sleep(SAMPLES_AFTER * seconds)
        memory = {pid: megabytes(pid) for pid in before}
        time.sleep((1 - SAMPLES_AFTER) * seconds - 0.5)
        after = {pid: cpu_seconds(pid) for pid in before}
        grown = {pid: megabytes(pid) - memory[pid] for pid in before}
        heard = [told.get(timeout=30) for _ in clients]
        for client in clients:
            client.join()
        server.send_signal(signal.SIGINT)
        server.wait(10)
    _, frames, sizes, rows = next(entry for entry in heard if entry[0])
    jitter, misses, factor = np.array(rows).T
    return {
        "bytes a frame": sizes / frames,
        "frames a second to each browser": frames / (seconds + SETTLE),
        "server, share of a core, %": 100 * (after[server.pid] - before[server.pid]) / (seconds - 0.5),
        "physics, share of a core, %": 100 * (after[physics] - before[physics]) / (seconds - 0.5),
        "steps begin late by, 99th percentile, ms": 1e3 * float(np.median(jitter)),
        "deadlines missed, % of steps": 100 * float(misses[-1] - misses[0]) / (seconds / DT * 0.8),
        "real-time factor": float(np.median(factor)),
        "server, memory grown, MB": grown[server.pid],
        "physics, memory grown, MB": grown[physics],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--rate", type=float, default=30.0, help="frames a second (30)")
    options = parser.parse_args()
    for name, value in measure(60 * options.minutes, options.rate).items():
        print(f"{name:45} {value:10.3f}")


if __name__ == "__main__":
    main()
