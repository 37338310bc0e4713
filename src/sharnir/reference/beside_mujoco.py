"""A scene and MuJoCo's model of the same robot over the same time, side by side.

MuJoCo steps by RK4 with a tenth of the step, so that what is told is the difference of the models (soft equalities,
limits and contacts there) more than that of the steps. Nothing is asked of the motors of either.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import SceneError
from ..scene.scene import Scene
from ..scene.values import Plain
from ..simulation.simulation import Simulation
from ..spatial import Array
from .compare import Difference

if TYPE_CHECKING:
    from mujoco import MjModel

FINER = 10  # steps of MuJoCo in one of ours


def beside_mujoco(scene: Scene, file: Path, time: float, dt: float, settings: Plain) -> list[Difference]:
    """How far the moving bodies are from those of the same names in MuJoCo's model of a file, m."""
    try:
        import mujoco
    except ImportError:
        raise SceneError("MuJoCo is not installed; install it with: pip install 'sharnir[import]'") from None
    run = Simulation(scene, dt=dt, **settings).run(time)
    model = mujoco.MjModel.from_xml_path(str(file))
    # as the importer calls them: by number where they have no name, and without dots
    ids = {(str(model.body(i).name) or f"body {i}").replace(".", "_"): i for i in range(1, model.nbody)}
    shared = {name: ids[name] for name, body in scene.bodies.items() if name in ids and not body.spec.fixed}
    if not shared:
        raise SceneError(f"{file} and the scene share no body by name; give the file that the scene was read from")
    first = run[scene.bodies[next(iter(shared))].position]
    times = np.asarray(first.time.values, float)
    theirs = _paths(model, list(shared.values()), times, dt / FINER)
    found = []
    for place, name in enumerate(shared):
        ours = np.asarray(run[scene.bodies[name].position].values).reshape(len(times), 3)
        found.append(_difference(name, times, ours, theirs[:, place]))
    return found


def _paths(model: MjModel, ids: list[int], times: Array, dt: float) -> Array:
    """Where the frames of bodies are at given times, [time, body, 3]."""
    import mujoco

    model.opt.timestep, model.opt.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    out = np.zeros((len(times), len(ids), 3))
    made = 0
    for k, at in enumerate(times):
        steps = round(at / dt) - made
        if steps > 0:
            mujoco.mj_step(model, data, steps)
            made += steps
        mujoco.mj_kinematics(model, data)
        out[k] = data.xpos[ids]
    return out


def _difference(name: str, times: Array, ours: Array, theirs: Array) -> Difference:
    apart = np.linalg.norm(ours - theirs, axis=1)
    worst = int(np.argmax(apart))
    span = float(np.linalg.norm(np.ptp(ours, axis=0)))
    return Difference(f"{name} place", "m", float(apart[worst]), float(times[worst]), float(apart[-1]), span)
