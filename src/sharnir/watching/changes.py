"""What was changed in a scene after it was compiled, and so does not act."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import SimulationWarning
from ..scene.scene import Scene
from ..scene.values import Plain


def described(scene: Scene) -> Plain:
    """The descriptions of everything that is compiled, by what it is."""
    kinds: dict[str, Plain] = {
        "body": scene.bodies,
        "joint": scene.joints,
        "coupling": scene.couplings,
        "rope": scene.ropes,
        "terrain": scene.terrains,
        "ray": scene.rays,
        "sensor": scene.sensors,
    }
    things = {f"{kind} '{name}'": thing.spec for kind, items in kinds.items() for name, thing in items.items()}
    materials = {f"material '{name}'": material for name, material in scene.materials.named.items()}
    return {"gravity": scene.gravity} | things | materials


def changed(compiled: Plain, scene: Scene) -> Iterator[SimulationWarning]:
    """Every difference between what was compiled and the scene as it is now."""
    now = described(scene)
    for what in compiled.keys() | now.keys():
        before, after = compiled.get(what), now.get(what)
        if before is after or (what == "gravity" and before == after):
            continue
        how = "was added to" if before is None else "was taken out of" if after is None else "was changed in"
        remedy = "set it with sim.set(scene.gravity_vector, ...), or " if what == "gravity" else ""
        yield SimulationWarning(
            "scene-changed",
            what,
            f"{how} scene '{scene.name}' after its Simulation was made, which goes on without it; "
            f"{remedy}make a new Simulation",
        )
