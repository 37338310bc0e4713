"""Which kernels a simulation is stepped by: those of its own kind of scene, or the general ones that came with Sharnir.

Special kernels step faster; general ones need no compiler. Where a special kernel does with fewer operations the two
round differently, so a run says which it was made with (``Simulation.kernels``), logs and studies keep it, and
a process that has begun with one of them for a kind of scene stays with it: the same scene gives the same bits.
"""

from __future__ import annotations

import os

from ..dynamics.compiled import PACKAGED, Wanted, compile_in_background, folder_of, is_packaged
from ..model.compile import Compiled, compile_scene
from ..scene.scene import Scene
from ..scene.values import Plain
from .settings import check_named

KERNELS = ("auto", "special", "general")
_decided: dict[Wanted, bool] = {}  # whether general ones, by the special kernel that is not there yet


def kernels_asked_for(given: object = None) -> str:
    """One of KERNELS: the setting of a simulation, or what ``SHARNIR_KERNELS`` says."""
    wanted = os.environ.get("SHARNIR_KERNELS", "auto") if given is None else given
    check_named("SHARNIR_KERNELS" if given is None else "kernels", wanted, KERNELS)
    return str(wanted)


def compile_for(scene: Scene, solver: str, integrator: str, precision: str, device: str, given: object) -> Compiled:
    """Check a scene and write it down as arrays, for the kernels that it is going to be stepped by.

    ``auto`` means general ones if they came with Sharnir and the special one is not on this machine yet; it is
    compiled in the background, for the next program.
    """
    wanted = kernels_asked_for(given)
    if wanted == "general":
        return compile_scene(scene, solver, integrator, general=True, device=device)
    special = compile_scene(scene, solver, integrator, device=device)
    if wanted == "special" or device != "cpu" or not PACKAGED.is_dir():
        return special
    own = Wanted.of("step", precision, special.features)
    if own not in _decided:
        _decided[own] = False
        if folder_of(own) is None:
            general = compile_scene(scene, solver, integrator, general=True)
            _decided[own] = is_packaged(Wanted.of("step", precision, general.features))
    if not _decided[own]:
        return special
    compile_in_background(own)
    return compile_scene(scene, solver, integrator, general=True)


def kind_of(compiled: Compiled) -> str:
    """What the kernels of a compiled scene are called."""
    return "general" if compiled.features.general else "special"


def kernels_for(scene: Scene, settings: Plain) -> str:
    """``special`` or ``general``: what a simulation of a scene with these settings will be stepped by."""
    wanted = kernels_asked_for(settings.get("kernels"))
    if wanted != "auto" or not PACKAGED.is_dir():
        return "special" if wanted == "auto" else wanted
    solver, integrator = settings.get("solver", "direct"), settings.get("integrator", "leapfrog")
    precision, device = settings.get("precision", "float64"), settings.get("device", "cpu")
    return kind_of(compile_for(scene, solver, integrator, precision, device, wanted))
