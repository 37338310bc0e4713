"""A slack rope is twisted: it buckles out of its line and winds up around itself ([002], knots when twisting).

One end is clamped to a wall, the other to a chuck that may slide along the line and turns by eight turns. A straight
rope would carry them all as twist; this one leaves its line and trades twist for writhe, and because it cannot pass
through itself it ends as a plectoneme. The turns are accounted for (Calugareanu's theorem): turns = twist + writhe.
"""

import numpy as np

import sharnir as sh

LENGTH, ELEMENTS, TURNS = 1.0, 60, 8.0
BENDING, TWISTING = 2e-3, 3e-3  # N m^2
SPEED = 2 * np.pi  # rad/s of the chuck


def experiment() -> sh.Experiment:
    """The scene, its inputs and its figures."""
    scene = sh.Scene("rope knot", gravity=(0, 0, -0.2))
    chuck = scene.body("chuck", mass=0.2, inertia=(1e-4, 1e-4, 1e-4), position=(LENGTH * 0.9, 0, 0))
    guide = scene.joint("guide", sh.Cylindrical(axis=(1, 0, 0), anchor=(LENGTH * 0.9, 0, 0)), scene.world, chuck)
    along = (1.0, 0.0, 0.0)
    rope = scene.rope(
        "rope",
        [(0, 0, 0), (LENGTH * 0.9, 0, 0)],
        length=LENGTH,
        elements=ELEMENTS,
        radius=0.005,
        density=1000.0,
        bending=BENDING,
        twisting=TWISTING,
        damping=0.02,
        start=sh.Tie(body="world", clamped=True, direction=along),
        end=sh.Tie(body=chuck, clamped=True, direction=along),
        contact=True,
    )

    def figures(run: sh.Trajectory) -> list[sh.Figure]:
        nodes = run.data["node_position"].values[-1]
        turns = run[guide.coordinate("angle")].values[-1] / (2 * np.pi)
        twist, writhe = twist_of(run.data["bone"].values[-1]), writhe_of(nodes)
        return [
            sh.Figure("writhe", abs(writhe), "", at_least=0.5 * TURNS, at_most=TURNS),
            sh.Figure("turns - twist - writhe", turns - twist - writhe, "", expected=0.0, tolerance=0.5),
            sh.Figure("error of length", run[rope.stretch].values.max(), "", expected=0.0, tolerance=1e-3),
            sh.Figure("nearest strands", nearest_strands(nodes) / 0.01, "diameters", at_least=1.0, at_most=1.25),
        ]

    return sh.Experiment(
        scene,
        time=10.0,
        dt=0.002,
        torque={guide.effort("angle"): lambda t: 0.03 if t < 6 else 0.02},
        plots=[(rope.elastic_energy, rope.node(ELEMENTS // 2))],
        figures=figures,
    )


def twist_of(bones: np.ndarray) -> float:
    """Turns of twist: the turn about its axis from each element to the next."""
    a, b = bones[:-1], bones[1:]
    z = a[:, 3] * b[:, 2] - a[:, 2] * b[:, 3] - a[:, 0] * b[:, 1] + a[:, 1] * b[:, 0]
    w = np.sum(a * b, axis=1)
    return float(np.sum(2 * np.arctan2(z * np.sign(w), np.abs(w))) / (2 * np.pi))


def writhe_of(nodes: np.ndarray) -> float:
    """Gauss's integral over all pairs of elements, each taken at its middle."""
    middle, step = (nodes[1:] + nodes[:-1]) / 2, np.diff(nodes, axis=0)
    apart = middle[:, None] - middle[None]
    distance = np.linalg.norm(apart, axis=-1)
    np.fill_diagonal(distance, np.inf)
    triple = np.einsum("ijk,ijk->ij", np.cross(step[:, None], step[None]), apart)
    return float(np.sum(triple / distance**3) / (4 * np.pi))


def nearest_strands(nodes: np.ndarray) -> float:
    """The smallest distance (m) between middles of elements that are at least six apart along the rope."""
    middle = (nodes[1:] + nodes[:-1]) / 2
    distance = np.linalg.norm(middle[:, None] - middle[None], axis=-1)
    number = np.arange(len(middle))
    return float(distance[np.abs(number[:, None] - number[None]) >= 6].min())


if __name__ == "__main__":
    experiment().show()
