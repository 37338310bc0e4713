"""Kernels for the CPU as object files: found by what they are made of, loaded in milliseconds, compiled where missing.

Warp's own cache knows a kernel only once all of its device functions are made and translated, seconds of Python. Here
an object has the name of everything it depends on: the source text of the packages below, Warp, the target and the
features. A file of that name is the right one, and its code goes into an empty shell (``shells.py``). Objects travel
in the wheel (``ahead.py``) or lie in Warp's cache folder; what is in neither is compiled by a process of its own
(``compiling.py``), so that several are compiled side by side.

On a GPU kernels are made in this process, and Warp keeps them.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ..device import load_warp
from ..model.features import ALL_SHAPES, Features
from ..model.integrator import Integrator
from ..model.precision import Precision, precision_of
from . import shells
from .indexing import OF_ALL_WORLDS, OF_ONE_WORLD

PACKAGE = Path(__file__).parent.parent
PACKAGED = PACKAGE / "kernels"  # objects that came with the wheel, or were compiled ahead in a checkout
SOURCES = ("dynamics", "model", "scene")  # what device code, or a number written into it, can come from
# A call by value hands over whole tables, 20 kB, unless the compiler puts the function into its caller. It does so up
# to this size: small scenes step in 0.6 to 0.85 of the time, but a kernel with contacts would compile for minutes.
ONE_PIECE = (
    "-march=native -mllvm=-inline-threshold=1000000 -mllvm=-inline-cold-callsite-threshold=3000"
    " -mllvm=-slp-recursion-max-depth=4"
)
# With contacts functions of this size still are: KRT-100 steps in 0.91 of the time and compiles in 1.2 of it.
LARGE_PIECES = ONE_PIECE.replace("-inline-threshold=1000000", "-inline-threshold=6000")
NATIVE = "-march=native"
X86_V3 = "-target-cpu x86-64-v3"
X86_V3_FLAGS = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}  # as Linux calls them
# By measurement (benchmarks/gpu.py): threads of a block, and blocks that must fit a multiprocessor together, which
# bounds the registers of a thread: few for sequential impulses, more for the direct kernel, most with contacts, ropes.
GPU_BLOCK = 128
GPU_BLOCKS_TOGETHER = {"sequential": 4, "direct": 3, "large": 2}
NOTICE_AFTER = 1.0  # s; objects load sooner
# By measurement, of one core.
SECONDS = {
    "ropes": 40,
    "contacts": 30,
    "step": 15,
    "measure": 4,
    "sensors": 5,
    "beams": 12,
    "distances": 12,
    "cast": 12,
}


class Kernel(Protocol):
    """A kernel as Warp has it."""

    module: Any


@dataclass(frozen=True)
class KernelKind:
    """One of the kernels: its shell, and where its device function is made."""

    shell: Callable[..., Kernel]
    code: str  # module in this package
    maker: str
    by_features: bool = True

    def function(self, p: Precision, features: Features | None) -> object:
        """Its device function."""
        make = getattr(importlib.import_module(self.code, __package__), self.maker)
        return make(p, features) if self.by_features else make(p)


KINDS = {
    "step": KernelKind(shells.step_shell, ".pipeline", "make_step"),
    "measure": KernelKind(shells.measure_shell, ".measure", "make_measure", by_features=False),
    "sensors": KernelKind(shells.sensors_shell, ".sensing", "make_sensors", by_features=False),
    "beams": KernelKind(shells.beams_shell, ".sensing", "make_beams"),
    "distances": KernelKind(shells.distances_shell, ".contacts.rays", "make_distances"),
    "cast": KernelKind(shells.cast_shell, ".contacts.rays", "make_cast"),
}


@dataclass(frozen=True)
class Wanted:
    """A kernel for the CPU, by all that makes it differ from others of the same source."""

    kind: str
    precision: str
    features: Features | None = None

    @staticmethod
    def of(kind: str, precision: str, features: Features) -> Wanted:
        """The kernel of a kind that serves a scene of these features."""
        if not KINDS[kind].by_features:
            return Wanted(kind, precision)
        return Wanted(kind, precision, features if kind == "step" else ALL_SHAPES)

    @property
    def portable(self) -> bool:
        """Whether it serves many scenes, and so runs on every machine of the baseline with the same bits."""
        return self.kind != "step" or (self.features is not None and self.features.general)

    @property
    def in_one_piece(self) -> bool:
        """Whether the compiler puts all device functions into one."""
        return not self.portable and self.features is not None and self.features.small

    @property
    def flags(self) -> str:
        """What the compiler is told."""
        if self.portable:
            return baseline()
        if self.in_one_piece:
            return ONE_PIECE
        return NATIVE if self.features is None or self.features.ropes else LARGE_PIECES

    @property
    def name(self) -> str:
        """Of everything that its code depends on."""
        return _name_of(self)

    def made(self, module: str) -> Kernel:
        """The kernel itself, all device functions made.

        Where functions stay functions they take the tables by reference: by value every call would copy them. In one
        piece there are no copies, and by value the compiler knows that no store changes a table.
        """
        p = precision_of(self.precision, by_reference=not self.in_one_piece)
        kind = KINDS[self.kind]
        kernel = kind.shell(p, kind.function(p, self.features), module)
        load_warp().set_module_options(self.options, kernel.module)
        return kernel

    @property
    def options(self) -> dict[str, object]:
        """Of its module; file and function have no hash of their own, the name says it all."""
        preamble = OF_ONE_WORLD if self.kind == "step" else OF_ALL_WORLDS
        indexing = load_warp().ModuleBuildOptions(extra_cpu_preamble=preamble)
        named = {"strip_hash": True, "block_dim": 1}
        return named | {"cpu_compiler_flags": self.flags, "extra_build_options": indexing}

    @property
    def described(self) -> str:
        """In words."""
        f = self.features
        if f is None or self.kind != "step":
            return f"the kernel '{self.kind}'"
        size = "ropes" if f.ropes else "contacts" if f.contacts else "mechanisms"
        solver = "direct" if f.direct else "sequential"
        order = ", fourth order" if f.fourth_order else ""
        far = "" if f.reach or not f.direct else ", long chains"
        whose = "general step" if f.general else "step of this kind of scene"
        return f"the {whose}: {size}, {solver}, {f.integrator.code}{order}{far}"

    @property
    def seconds(self) -> int:
        """Roughly how long a core needs to compile it."""
        f = self.features
        if f is None or self.kind != "step":
            return SECONDS[self.kind]
        return SECONDS["ropes" if f.ropes else "contacts" if f.contacts else "step"]

    def as_text(self) -> str:
        """For the command line of the process that compiles it."""
        return json.dumps(asdict(self) | {"features": None if self.features is None else _plain(self.features)})

    @staticmethod
    def from_text(text: str) -> Wanted:
        """The reverse."""
        read = json.loads(text)
        if read["features"] is not None:
            given = read["features"]
            sets = {name: frozenset(given[name]) for name in SETS}
            read["features"] = Features(**given | sets | {"integrator": Integrator(**given["integrator"])})
        return Wanted(**read)


SETS = ("contact_kinds", "catches")  # features that are sets of names


def _plain(features: Features) -> dict[str, object]:
    """Features as JSON has them, in one order."""
    read = {field.name: getattr(features, field.name) for field in fields(features)}
    return read | {name: sorted(read[name]) for name in SETS} | {"integrator": asdict(features.integrator)}


@cache
def baseline() -> str:
    """The compiler's flags for kernels that are to run on other machines, too: x86-64-v3, or any 64-bit ARM."""
    if platform.machine() in ("aarch64", "arm64"):
        return ""
    info = Path("/proc/cpuinfo")
    found = info.read_text(encoding="utf-8") if info.is_file() else ""
    flags = next((line for line in found.splitlines() if line.startswith("flags")), "")
    return X86_V3 if set(flags.split()) >= X86_V3_FLAGS else NATIVE


@cache
def source_digest() -> bytes:
    """Of the text that kernels are made of."""
    made = hashlib.sha256()
    for folder in SOURCES:
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            made.update(f"{file.relative_to(PACKAGE).as_posix()}\n".encode() + file.read_bytes())
    return made.digest()


@cache
def _name_of(wanted: Wanted) -> str:
    wp = load_warp()
    target = wp.get_cpu_kernel_cache_key(cpu_compiler_flags=wanted.flags)
    parts = (source_digest().hex(), wp.config.version, target, wanted.flags, wanted.as_text())
    return f"{wanted.kind}_{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:20]}"


# --- finding and loading ----------------------------------------------------------------------------------------------


def cache_folder() -> Path:
    """Where objects are kept that were compiled on this machine."""
    return Path(load_warp().config.kernel_cache_dir) / "sharnir"


def meta_file(folder: Path, name: str) -> Path:
    """The file that Warp wants beside an object; it is written last, so it says that all is there."""
    return folder / f"wp_sharnir_{name}.meta"


def folder_of(wanted: Wanted) -> Path | None:
    """Where its object lies, if there is one."""
    return next((folder for folder in (PACKAGED, cache_folder()) if meta_file(folder, wanted.name).is_file()), None)


def is_packaged(wanted: Wanted) -> bool:
    """Whether its object came with the wheel."""
    return meta_file(PACKAGED, wanted.name).is_file()


def _load(wanted: Wanted) -> Kernel:
    """The kernel of an object: a shell with its code."""
    wp = load_warp()
    kernel = KINDS[wanted.kind].shell(precision_of(wanted.precision), None, f"sharnir_{wanted.name}")
    wp.set_module_options(wanted.options, kernel.module)
    wp.load_aot_module(kernel.module, device="cpu", module_dir=folder_of(wanted))
    return kernel


class Asked:
    """A kernel that was asked for; if it must be compiled, that goes on meanwhile."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._kernel: Kernel | None = None
        self._child = None if folder_of(wanted) else compile_apart(wanted)

    def get(self) -> Kernel:
        """The kernel, as soon as it is there."""
        if self._kernel is None:
            if self._child is not None:
                self._wait(self._child)
            self._kernel = _load(self._wanted)
        return self._kernel

    def _wait(self, child: subprocess.Popen[bytes]) -> None:
        with announced(self._wanted):
            _, said = child.communicate()
        if child.returncode != 0:
            del _asked[self._wanted.name]
            raise RuntimeError(f"{self._wanted.described} could not be compiled:\n{said.decode()}")


_asked: dict[str, Asked] = {}  # of this process, so that none is compiled or loaded twice


class AskedOfWarp:
    """The same for a GPU, where Warp compiles in this process."""

    def __init__(self, kind: str, p: Precision, features: Features) -> None:
        self._what = kind, p, features

    def get(self) -> Kernel:
        """The kernel; it is compiled when it is first launched."""
        return gpu_kernel(*self._what)


def ask(kind: str, p: Precision, features: Features, device: str) -> Asked | AskedOfWarp:
    """Ask for a kernel."""
    if device != "cpu":
        return AskedOfWarp(kind, p, features)
    wanted = Wanted.of(kind, p.name, features)
    if wanted.name not in _asked:
        _asked[wanted.name] = Asked(wanted)
    return _asked[wanted.name]


def tables_in_memory(features: Features, device: str) -> bool:
    """Whether the kernels find the tables in the GPU's memory, not among their arguments.

    Arguments are the faster, as long as no function that refers to them is left to be called: then every thread would
    have to keep a copy for it.
    """
    return device != "cpu" and features.large


@cache
def gpu_kernel(kind: str, p: Precision, features: Features) -> Kernel:
    """A kernel as Warp keeps it itself."""
    made = KINDS[kind]
    if kind != "step":
        return made.shell(p, made.function(p, features), "unique")
    shell = shells.in_memory_shell if features.large else shells.gpu_step_shell
    size = "large" if features.large else "direct" if features.direct else "sequential"
    return shell(p, made.function(p, features), "unique", launch_bounds=(GPU_BLOCK, GPU_BLOCKS_TOGETHER[size]))


# --- compiling --------------------------------------------------------------------------------------------------------


def compile_apart(wanted: Wanted, into: Path | None = None, background: bool = False) -> subprocess.Popen[bytes]:
    """Start a process that compiles a kernel into the cache, or a folder; in the background it outlives this one."""
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-P", "-m", f"{__package__}.compiling", wanted.as_text(), str(cache_folder())]
    command += [] if into is None else ["--into", str(into)]
    if background:
        nowhere = subprocess.DEVNULL
        command.append("--background")
        return subprocess.Popen(
            command, env=environment, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)


_started: set[str] = set()


def compile_in_background(wanted: Wanted) -> None:
    """Have a kernel compiled for later, once in the life of this process."""
    if wanted.name in _started:
        return
    _started.add(wanted.name)
    child = compile_apart(wanted, background=True)
    threading.Thread(target=child.wait, name="sharnir-kernels", daemon=True).start()  # no zombie stays behind


@contextmanager
def announced(wanted: Wanted) -> Iterator[None]:
    """Say on standard error what is being compiled, if it takes longer than loading it."""
    begun, done = time.monotonic(), threading.Event()

    def show() -> None:
        """One line; on a terminal it counts the seconds."""
        if done.wait(NOTICE_AFTER):
            return
        text = f"Compiling {wanted.described}, once: about {wanted.seconds} s ..."
        if not sys.stderr.isatty():
            print(text, file=sys.stderr, flush=True)
            return
        while not done.wait(1.0):
            print(f"\r{text} {time.monotonic() - begun:.0f} s ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr, flush=True)

    shown = threading.Thread(target=show, daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()
