"""The geoms of a MuJoCo model: as shapes of bodies, as terrain, and what touches what."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..errors import SceneError
from ..scene.materials import DEFAULT, MOST_GROUPS, Contact, Material
from ..scene.meshes import READABLE, ConvexHull, Mesh, convex_hull
from ..scene.shapes import AnyShape, Box, Capsule, Cylinder, Ellipsoid, Sphere
from ..scene.surfaces import HeightField, Plane, TerrainSpec
from ..scene.values import Plain
from ..spatial import Array, Pose
from .looks import Paint, corners
from .mjcf_pictures import Pictures, text_at
from .pieces import convex_pieces
from .report import ImportReport
from .robot_files import Places
from .tree import Tree

if TYPE_CHECKING:
    from mujoco import MjModel

OVERLAP = 1e-3  # m: bodies that overlap their base by more pass through it
PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # of mjtGeom
SHOWN_GROUPS = 3  # MuJoCo shows the groups 0, 1 and 2
PLAIN = (0.5, 0.5, 0.5, 1.0)  # the colour of a geom that has none
Mask = tuple[int, int]


class Geoms:
    """The geoms of a model."""

    def __init__(
        self, model: MjModel, places: Places, folders: list[Path], report: ImportReport, decompose: bool
    ) -> None:
        self.model, self.places, self.report = model, places, report
        self.folders, self.decompose = folders, decompose
        self.pictures = Pictures(model, places.robot, self._named)

    def _of(self, body: int) -> range:
        first = int(self.model.body_geomadr[body])
        return range(first, first + int(self.model.body_geomnum[body])) if first >= 0 else range(0)

    def _collides(self, g: int) -> bool:
        return bool(self.model.geom_contype[g] or self.model.geom_conaffinity[g])

    def _where(self, g: int) -> str:
        name = str(self.model.geom(g).name)
        return f"geom '{name}'" if name else f"geom {g}"

    def shapes(self, body: int) -> list[AnyShape]:
        """The shapes of a body; planes and height fields are terrain."""
        found = []
        for g in self._of(body):
            if self._is_ground(g):
                if body > 0 and self._collides(g):
                    self.report.ignore(self._where(g), "geom", "terrain cannot move", "contact")
                elif not self._collides(g):
                    found += self._sheet(g)
                continue
            found += self._wrapped(g, self._shapes(g))
        return found

    def _sheet(self, g: int) -> list[AnyShape]:
        """A plane that is only seen, as the rectangle that MuJoCo draws."""
        given = self._look(g)
        x, y = (float(size) for size in self.model.geom_size[g][:2])
        if not given["visible"]:
            return []
        if self.model.geom_type[g] == HFIELD or min(x, y) <= 0.0:
            self.report.ignore(self._where(g), "geom", "ground that nothing touches and that has no end", "looks")
            return []
        pose = Pose(self.model.geom_pos[g].copy(), np.roll(self.model.geom_quat[g], -1))
        outline = ((-x, -y, 0.0), (x, -y, 0.0), (x, y, 0.0), (-x, y, 0.0))
        return [Mesh(vertices=outline, triangles=((0, 1, 2), (0, 2, 3)), **given | _place(pose))]

    def _wrapped(self, g: int, shapes: list[AnyShape]) -> list[AnyShape]:
        """Shapes of a geom, the seen ones of which wear the pictures of a cube, where its material has one."""
        material = int(self.model.geom_matid[g])
        sides = self.pictures.sides(material) if material >= 0 else None
        seen = next((shape for shape in shapes if shape.visible), None)
        if sides is None or seen is None:
            return shapes
        given: Plain = {name: getattr(seen, name) for name in ("roughness", "metalness", "glow")}
        pose = Pose(self.model.geom_pos[g].copy(), np.roll(self.model.geom_quat[g], -1))
        surface = None
        if self.model.geom_type[g] == MESH:
            import trimesh

            surface = trimesh.Trimesh(*_mesh_arrays(self.model, int(self.model.geom_dataid[g])), process=False)
        touched = [msgspec.structs.replace(shape, visible=False) for shape in shapes if shape.collides]
        return [*touched, *self.pictures.wrapped(g, surface, sides, given | _place(pose))]

    def _shapes(self, g: int) -> list[AnyShape]:
        model, size = self.model, [float(s) for s in self.model.geom_size[g]]
        kind = int(model.geom_type[g])
        pose = Pose(model.geom_pos[g].copy(), np.roll(model.geom_quat[g], -1))
        given = self._look(g) | _place(pose)
        if kind == SPHERE:
            return [Sphere(radius=size[0], **given)]
        if kind == CAPSULE:
            return [Capsule(radius=size[0], length=2.0 * size[1], **given)]
        if kind == CYLINDER:
            return [Cylinder(radius=size[0], length=2.0 * size[1], **given)]
        if kind == BOX:
            return [Box(x=2.0 * size[0], y=2.0 * size[1], z=2.0 * size[2], **given)]
        if kind == ELLIPSOID:
            return [Ellipsoid(x=size[0], y=size[1], z=size[2], **given)]
        if kind == MESH:
            return self._mesh(g, pose, given)
        self.report.ignore(self._where(g), "geom", "is a surface that is not read", "contact")
        return []

    def _mesh(self, g: int, pose: Pose, given: Plain) -> list[AnyShape]:
        """A mesh to be seen, by its file where we can read that as MuJoCo does, and its hull to be touched."""
        model, m = self.model, int(self.model.geom_dataid[g])
        vertices, faces = _mesh_arrays(model, m)
        collides, visible = given.pop("collides"), given.pop("visible")
        found: list[AnyShape] = []
        if collides:
            pieces = self._pieces(vertices, faces)
            if not pieces:
                self.report.ignore(self._where(g), "mesh", "is flat, so nothing touches it", "contact")
            found += [ConvexHull(points=corners(piece), visible=False, **_place(pose)) for piece in pieces]
        if not visible:
            return found
        file = self._file(int(model.mesh_pathadr[m]))
        if file is None or file.suffix.lower() not in READABLE:
            triangles = tuple((int(a), int(b), int(c)) for a, b, c in faces)
            return [*found, Mesh(vertices=corners(vertices), triangles=triangles, collides=False, **given)]
        x, y, z = (float(part) for part in model.mesh_scale[m])
        inner = Pose(model.mesh_pos[m].copy(), np.roll(model.mesh_quat[m], -1))  # MuJoCo centres and turns meshes
        given |= _place(pose @ inner.inverse())
        scale = x if x == y == z > 0.0 else (x, y, z)
        return [*found, Mesh(file=str(file), scale=scale, collides=False, **given)]

    def _pieces(self, vertices: Array, faces: Array) -> list[Array]:
        """Corners of what is touched: of the convex hull, as in MuJoCo, or of convex pieces; none of a flat mesh."""
        try:
            hull = np.asarray(convex_hull(vertices).vertices)
        except SceneError:
            return []
        if not self.decompose:
            return [hull]
        import trimesh

        return convex_pieces(trimesh.Trimesh(vertices, faces, process=False))

    def _file(self, address: int) -> Path | None:
        """The file of an asset, by the place of its name in the model."""
        if address < 0:
            return None
        return self._named(text_at(self.model, address))

    def _named(self, name: str) -> Path | None:
        """The file of a name; None where there is none."""
        for folder in self.folders:
            try:
                return self.places.find(name, "an asset", folder)
            except FileNotFoundError:
                continue
        return None

    def _look(self, g: int) -> Plain:
        """Colour and texture, and whether a geom is seen and touched."""
        model, m = self.model, int(self.model.geom_matid[g])
        rgba = tuple(float(part) for part in model.geom_rgba[g])
        if m >= 0 and np.allclose(rgba, PLAIN):
            rgba = tuple(float(part) for part in model.mat_rgba[m])
        collides = self._collides(g)
        shown = bool(rgba[3] > 0.0 and model.geom_group[g] < SHOWN_GROUPS)
        given: Plain = {"collides": collides, "visible": shown}
        texture = self.pictures.flat(m) if m >= 0 else None
        paint = Paint.of(rgba) if not np.allclose(rgba, PLAIN) else Paint()
        if texture is not None:
            paint = Paint(None, str(texture))
            if model.mat_texuniform[m]:
                self.report.ignore(self._where(g), "texuniform", "flat pictures are laid on as they are", "looks")
        if m >= 0:
            numbers = [float(getattr(model, f"mat_{name}")[m]) for name in ("roughness", "metallic", "emission")]
            paint = paint.finished(*numbers)
        return given | paint.fields()

    # --- terrain ----------------------------------------------------------------------------------------------------

    def terrains(self) -> dict[str, tuple[TerrainSpec, Material]]:
        """Planes and height fields that never move, with their materials."""
        found: dict[str, tuple[TerrainSpec, Material]] = {}
        for g in self._of(0):
            kind = self.model.geom_type[g]
            if kind not in (PLANE, HFIELD) or not self._collides(g):
                continue
            name = (str(self.model.geom(g).name) or "ground").replace(".", "_")
            while name in found:
                name += " 2"
            pose = Pose(self.model.geom_pos[g].copy(), np.roll(self.model.geom_quat[g], -1))
            if kind == PLANE and np.any(self.model.geom_size[g][:2]):
                self.report.ignore(self._where(g), "size", "a plane has no end here", "contact")
            surface: Any = Plane() if kind == PLANE else self._heights(g)
            look = self._look(g)
            color = None if look.get("texture") else look.get("color")
            found[name] = (TerrainSpec(surface=surface, color=color, **_place(pose)), self._material(g))
        return found

    def _heights(self, g: int) -> HeightField:
        """MuJoCo's rows run along y, ours along x; what lies below its base is solid."""
        model, h = self.model, int(self.model.geom_dataid[g])
        rows, columns = int(model.hfield_nrow[h]), int(model.hfield_ncol[h])
        start = int(model.hfield_adr[h])
        x, y, top, _ = (float(size) for size in model.hfield_size[h])
        heights = top * np.asarray(model.hfield_data[start : start + rows * columns]).reshape(rows, columns).T
        spacing = (2.0 * x / (columns - 1), 2.0 * y / (rows - 1))
        return HeightField(heights=tuple(map(tuple, heights.tolist())), spacing=spacing)

    # --- contact ----------------------------------------------------------------------------------------------------

    def _material(self, g: int) -> Material:
        sliding, spinning, rolling = (float(part) for part in self.model.geom_friction[g])
        condim = int(self.model.geom_condim[g])
        return Material(
            friction=sliding if condim >= 3 else 0.0,
            spinning_friction=spinning if condim >= 4 else 0.0,
            rolling_friction=rolling if condim >= 6 else 0.0,
        )

    def set_contacts(self, tree: Tree, names: list[str], excluded: list[tuple[int, int]]) -> None:
        """Materials and masks of what is welded together, by its first body; ``excluded`` are pairs of bodies.

        Two geoms touch if the type of one meets the affinity of the other. Bodies of the same two masks are a group,
        and ignore the groups that they do not meet.
        """
        welded: dict[int, list[int]] = {}
        for i in range(len(names)):
            welded.setdefault(int(self.model.body_weldid[i]), []).append(i)
        floor = next((self._mask(g) for g in self._of(0) if self.model.geom_type[g] == PLANE), (1, 1))
        masks: dict[str, Mask] = {}
        for first, bodies in welded.items():
            touching = [g for i in bodies for g in self._of(i) if self._collides(g) and not self._is_ground(g)]
            if touching:
                masks[names[first]] = self._met(tree, names[first], touching)
        passing = self._passing(names, excluded, masks)
        own = self._own_groups(passing, len(set(masks.values())))
        for name, mask in masks.items():
            ignored = [_group(other, floor) for other in sorted({*masks.values(), floor}) if not _meet(mask, other)]
            ignored += [f"body {a}" for pair in passing if name in pair for a in pair if a != name and a in own]
            groups = (_group(mask, floor), *([f"body {name}"] if name in own else []))
            tree.links[name].contact = Contact(groups=groups, ignores=tuple(dict.fromkeys(ignored)))

    def _is_ground(self, g: int) -> bool:
        return self.model.geom_type[g] in (PLANE, HFIELD)

    def _met(self, tree: Tree, name: str, touching: list[int]) -> Mask:
        """The material of a body, which is told to its link, and its mask."""
        tree.links[name].material = self._material(touching[0])
        if len({self._material(g) for g in touching}) > 1:
            self.report.ignore(f"body '{name}'", "friction", "its geoms differ; the first holds", "contact")
        found = {self._mask(g) for g in touching}
        if len(found) > 1:
            self.report.ignore(f"body '{name}'", "contype, conaffinity", "its geoms differ; all meet", "contact")
        kinds, affinities = (int(np.bitwise_or.reduce(bits)) for bits in zip(*found, strict=True))
        return kinds, affinities

    def _passing(
        self, names: list[str], excluded: list[tuple[int, int]], masks: dict[str, Mask]
    ) -> list[tuple[str, str]]:
        """Pairs that pass through each other: excluded ones, and parents where several joints are between.

        As in MuJoCo, what is welded to the parent counts as the parent, and the world does not.
        """
        weld, parents = self.model.body_weldid, self.model.body_parentid
        pairs = [(int(weld[a]), int(weld[b])) for a, b in excluded]
        for i in range(1, len(names)):
            above = int(weld[parents[i]])
            if weld[i] == i and self.model.body_jntnum[i] > 1 and above > 0:
                pairs.append((above, i))
        pairs += [(0, i) for i in self._stuck_in_base()]
        named = [(names[a], names[b]) for a, b in dict.fromkeys(pairs) if a != b]
        return [(a, b) for a, b in named if a in masks and b in masks]

    def _stuck_in_base(self) -> list[int]:
        """Bodies on a base that is welded to the world, and which they overlap: MuJoCo's soft contacts bear with it."""
        import mujoco

        model = self.model
        data = mujoco.MjData(model)
        mujoco.mj_fwdPosition(model, data)
        found: dict[int, None] = {}
        for contact in data.contact[: data.ncon]:
            if contact.dist > -OVERLAP:
                continue
            ends = [int(model.geom_bodyid[g]) for g in contact.geom]
            for fixed, other in (ends, ends[::-1]):
                moving = int(model.body_weldid[other])
                base = int(model.body_parentid[moving])
                if fixed > 0 and base > 0 and model.body_weldid[fixed] == model.body_weldid[base] == 0 < moving:
                    found[moving] = None
        for i in found:
            name = str(model.body(i).name) or f"body {i}"
            why = "overlaps the base that it hangs on, which is welded to the world; they pass through each other now"
            self.report.repair(f"body '{name}'", "contact", why, "contact")
        return list(found)

    def _own_groups(self, passing: list[tuple[str, str]], used: int) -> set[str]:
        """Bodies that need a group of their own, so that each pair has one; those of most pairs first."""
        own: set[str] = set()
        left = list(passing)
        while left and len(own) + used + 1 < MOST_GROUPS:
            count = Counter(name for pair in left for name in pair)
            own.add(count.most_common(1)[0][0])
            left = [pair for pair in left if not own & {*pair}]
        if left:
            self.report.ignore("contact", f"{len(left)} exclusions", "there are too many groups", "contact")
        return own

    def _mask(self, g: int) -> Mask:
        return int(self.model.geom_contype[g]), int(self.model.geom_conaffinity[g])


def _meet(a: Mask, b: Mask) -> bool:
    return bool(a[0] & b[1] or b[0] & a[1])


def _group(mask: Mask, floor: Mask) -> str:
    return DEFAULT if mask == floor else f"mask {mask[0]} {mask[1]}"


def _mesh_arrays(model: MjModel, m: int) -> tuple[Array, Array]:
    first, count = int(model.mesh_vertadr[m]), int(model.mesh_vertnum[m])
    face, faces = int(model.mesh_faceadr[m]), int(model.mesh_facenum[m])
    return np.array(model.mesh_vert[first : first + count], float), np.array(model.mesh_face[face : face + faces])


def _place(pose: Pose) -> Plain:
    return {"position": tuple(pose.position.tolist()), "rotation": tuple(pose.rotation.tolist())}
