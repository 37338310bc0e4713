"""MuJoCo's own identification, ``mujoco.sysid``, on the logs of ``friction_logs``: dry friction, a delay."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.studies.logs import Log

from ..contender import NotInstalled
from ..friction_logs import Machine
from .mujoco_peer import mjcf


@dataclass(frozen=True)
class Answer:
    """What it found: the numbers, and the half widths of their 95 % intervals."""

    values: dict[str, float]
    widths: dict[str, float]


def identify(
    machine: Machine,
    log: Log,
    ranges: Mapping[str, tuple[float, float]],
    start: Mapping[str, float],
    dt: float,
    weights: Mapping[str, float],
) -> Answer:
    """Least squares from a start: numbers ``JOINT.friction``, ``JOINT.viscous`` and ``delay`` (s), within ranges.

    ``dt`` is the step (s). Its own defaults: Gauss-Newton, and the integrator ``implicitfast``, which treats damping
    implicitly. Residuals are weighed by the noise of each joint, as ours are. Its sensors are those of the state before
    a step, under the time after it: the delay that it finds is less by ``dt``, and may be below zero.
    """
    mujoco, sysid = _loaded()
    spec = mujoco.MjSpec.from_string(mjcf_with_motors(machine, dt))
    model = spec.compile()
    params, transform = sysid.ParameterDict(), sysid.SignalTransform(normalize=False)
    for name, (low, high) in ranges.items():
        parameter = sysid.Parameter(name, start[name], low, high, modifier=_modifier(name))
        params.add(parameter)
        if name == "delay":
            transform.delay("*", parameter)
    transform.set_sensor_weights({f"{joint}_angle": weights[joint] for joint in machine.joints})
    torque = np.column_stack([log.columns[f"{joint} torque"] for joint in machine.joints])
    angle = np.column_stack([log.columns[f"{joint} angle"] for joint in machine.joints])
    data = mujoco.MjData(model)
    begin = sysid.create_initial_state(model, data.qpos, data.qvel, data.act)
    measured = sysid.TimeSeries.from_names(log.time, angle, model)
    sequence = sysid.ModelSequences("arm", spec, "log", begin, sysid.TimeSeries(log.time, torque), measured)
    residual = sysid.build_residual_fn(models_sequences=[sequence], modify_residual=transform.apply)
    with contextlib.redirect_stdout(io.StringIO()):  # it tells every iteration, whatever one asks
        found, result = sysid.optimize(initial_params=params, residual_fn=residual, verbose=False)
    left, _, _ = residual(result.x, found)
    _, widths = sysid.calculate_intervals(left, np.asarray(result.jac))
    values = {name: float(found[name].value[0]) for name in ranges}
    return Answer(values, dict(zip(ranges, map(float, widths), strict=True)))


def mjcf_with_motors(machine: Machine, dt: float) -> str:
    """The machine as MJCF, with a motor and an encoder in every joint."""
    from xml.etree import ElementTree

    text = mjcf(
        machine.scene([None] * len(machine.joints)), {"timestep": str(dt), "integrator": "implicitfast"}, {}, {}
    )
    root = ElementTree.fromstring(text)
    motors, sensors = ElementTree.SubElement(root, "actuator"), ElementTree.SubElement(root, "sensor")
    for joint in machine.joints:
        ElementTree.SubElement(motors, "motor", name=f"{joint}_motor", joint=joint)
        ElementTree.SubElement(sensors, "jointpos", name=f"{joint}_angle", joint=joint)
    return ElementTree.tostring(root, encoding="unicode")


def _modifier(name: str) -> Any:
    joint, _, what = name.partition(".")
    if not what:
        return None

    def modify(spec: Any, parameter: Any) -> None:
        value, found = float(parameter.value[0]), spec.joint(joint)
        if what == "friction":
            found.frictionloss = value
        else:
            found.damping = value if np.ndim(found.damping) == 0 else [value, 0.0, 0.0]

    return modify


def _loaded() -> tuple[Any, Any]:
    try:
        import mujoco
        from mujoco import sysid

        sysid.optimize  # noqa: B018  it is there only where its own packages are
    except (ImportError, AttributeError):
        raise NotInstalled("mujoco[sysid]") from None
    return mujoco, sysid
