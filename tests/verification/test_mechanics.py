"""Mass matrix, bias, Jacobians, forward and inverse dynamics against Pinocchio and MuJoCo, to 1e-9."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from oracles import TYPES, mujoco_of, put, random_tree, rates_map, se3

import sharnir as sh

TIGHT = 1e-9  # of the largest entry


def near(found: np.ndarray, wanted: np.ndarray) -> None:
    scale = np.max(np.abs(wanted), initial=1.0)
    np.testing.assert_allclose(np.asarray(found) / scale, wanted / scale, rtol=0, atol=TIGHT)


@pytest.mark.parametrize("floating", [False, True], ids=["held", "floating"])
@pytest.mark.parametrize("count", [2, 5, 11, 30])
def test_a_random_tree_agrees_with_pinocchio(count, floating):
    tree = random_tree(100 * count + floating, count, floating=floating)
    data = tree.model.createData()
    random = np.random.default_rng(count)
    q = pin.integrate(tree.model, pin.neutral(tree.model), random.uniform(-1.2, 1.2, tree.model.nv))
    v, a = random.normal(size=tree.model.nv), random.normal(size=tree.model.nv)
    sim = sh.Simulation(tree.scene, ignored_warnings=["odd-units"])
    put(tree, sim, data, q, v)
    back, back_rate = rates_map(tree, data, v)

    pin.computeAllTerms(tree.model, data, q, v)
    mass = np.triu(data.M) + np.triu(data.M, 1).T
    order = ordered(tree, sim)
    near(sim.mass_matrix(), (back.T @ mass @ back)[np.ix_(order, order)])
    near(sim.bias(), (back.T @ (data.nle + mass @ back_rate))[order])

    u = np.linalg.solve(back, v)[order]
    acceleration = np.zeros_like(a)
    acceleration[order] = a
    torque = pin.rnea(tree.model, data, q, v, back @ acceleration + back_rate)
    near(sim.inverse_dynamics(a), (back.T @ torque)[order])
    near(sim.forward_dynamics((back.T @ torque)[order]), a)

    joint = tree.joints[-1]
    point = np.array([0.1, -0.2, 0.3])
    jacobian = sim.jacobian(joint.b, point)
    placed = data.oMi[tree.last[joint.b.name]]
    at = (placed * se3(joint.frame_b.inverse())).act(point)
    local = pin.getJointJacobian(tree.model, data, tree.last[joint.b.name], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    shifted = local.copy()
    shifted[:3] += np.cross(local[3:].T, at - placed.translation).T
    near(jacobian, (shifted @ back)[:, order])
    near(jacobian.values @ u, shifted @ v)


def ordered(tree, sim) -> list[int]:
    """The places of Sharnir's freedoms among Pinocchio's velocities."""
    places = {}
    for joint in tree.joints:
        start = tree.model.joints[tree.first[joint.name]].idx_v
        names = [c.name for c in joint.type.coordinates if c.name != "swing"]
        places |= {f"{joint.name}.{name}": start + k for k, name in enumerate(names)}
    parts = [f"base.{part}.{axis}" for part in ("velocity", "angular_velocity") for axis in "xyz"]
    places |= {name: k for k, name in enumerate(parts)}
    return [places[str(label)] for label in sim.bias().freedom.values]


@pytest.mark.parametrize("count", [2, 8, 30])
def test_a_random_tree_agrees_with_mujoco(count):
    tree = random_tree(7 * count, count, types=tuple(kind for kind in TYPES if kind != "spherical"))
    model = mujoco_of(tree)
    data = mujoco.MjData(model)
    random = np.random.default_rng(count)
    data.qpos, data.qvel = random.uniform(-1.2, 1.2, model.nq), random.normal(size=model.nv)
    mujoco.mj_forward(model, data)
    sim = sh.Simulation(tree.scene, ignored_warnings=["odd-units"])
    q, v = np.zeros(tree.model.nq), np.zeros(tree.model.nv)
    names = [model.joint(i).name for i in range(model.njnt)]
    for joint in tree.joints:
        start = tree.model.joints[tree.first[joint.name]].idx_v
        for k in range(len(joint.type.coordinates)):
            i = names.index(f"{joint.name}.{k}")
            q[start + k], v[start + k] = data.qpos[i], data.qvel[i]
    put(tree, sim, tree.model.createData(), q, v)
    order = [names.index(name) for name in mujoco_names(tree, sim)]
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    near(sim.mass_matrix(), full[np.ix_(order, order)])
    near(sim.bias(), data.qfrc_bias[order])
    near(sim.forward_dynamics(np.zeros(model.nv)), data.qacc[order])


def mujoco_names(tree, sim) -> list[str]:
    """The names of Sharnir's freedoms in MuJoCo's model."""
    names = {f"{j.name}.{c.name}": f"{j.name}.{k}" for j in tree.joints for k, c in enumerate(j.type.coordinates)}
    return [names[str(label)] for label in sim.bias().freedom.values]
