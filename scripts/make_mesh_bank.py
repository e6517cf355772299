"""Render a bank of 50 everyday objects from the 3D models of Debian's package sweethome3d-furniture.

    apt-get download sweethome3d-furniture && dpkg-deb -x sweethome3d-furniture_*.deb furniture
    python -m venv blender && blender/bin/pip install bpy
    blender/bin/python scripts/make_mesh_bank.py furniture/usr/share/sweethome3d/furniture meshes

Writes `meshes/scenes` (several views of every object, with transparency), `meshes/targets` (one view that `scenes` does not have)
and `meshes/LICENSES.txt`. Both folders are banks for `eyechart world render --bank`. bpy is Blender as a Python module, under the
GPL; Eyechart itself never imports it. Nothing else than bpy is needed here.
"""

import argparse
import csv
import math
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OBJECTS = Path(__file__).resolve().parent / "meshes" / "objects.csv"
SCENE_VIEWS = (35.0, -50.0)  # degrees around the vertical axis; 0 is the front
TARGET_VIEW = -20.0
ELEVATION, ELEVATION_OF_FLAT = 20.0, 55.0  # degrees; what lies on the ground is seen from above
FLAT = 0.22  # height over the longer side, below which an object is flat


@dataclass(frozen=True)
class Mesh:
    """One object of the bank.

    name: The name of its pictures.
    archive: The .sh3f file without its ending.
    model: The path of the OBJ file in it.
    creator: As the catalog states it.
    license: As the catalog states it.
    rotation: Nine numbers by row, where the catalog turns the model.
    """

    name: str
    archive: str
    model: str
    creator: str
    license: str
    rotation: tuple[float, ...] | None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("furniture", type=Path, help="the folder with the .sh3f files")
    parser.add_argument("out", type=Path, help="a new or empty folder")
    parser.add_argument("--side", type=int, default=256, help="side of a picture (default: 256)")
    parser.add_argument("--samples", type=int, default=32, help="rays per pixel (default: 32)")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="render these objects alone")
    args = parser.parse_args()
    if args.out.exists() and any(args.out.iterdir()):
        parser.error(f"{args.out} is not empty")
    meshes = [mesh for mesh in read_meshes(args.furniture) if not args.only or mesh.name in args.only]
    for part in ("scenes", "targets"):
        (args.out / part).mkdir(parents=True)
    start = time.monotonic()
    for mesh in meshes:
        _render(mesh, args)
    (args.out / "LICENSES.txt").write_text(licenses(meshes), encoding="utf-8")
    print(f"{len(meshes)} objects in {time.monotonic() - start:.0f} s")
    return 0


def read_meshes(furniture: Path) -> list[Mesh]:
    """The objects of objects.csv, with what their catalogs say about them."""
    catalogs: dict[str, dict[str, str]] = {}
    found = []
    for row in csv.DictReader(OBJECTS.open(encoding="utf-8")):
        archive = row["archive"]
        if archive not in catalogs:
            with zipfile.ZipFile(furniture / f"{archive}.sh3f") as file:
                catalogs[archive] = properties(file.read("PluginFurnitureCatalog.properties").decode("latin-1"))
        catalog = catalogs[archive]
        number = next((key.removeprefix("model#") for key, value in catalog.items() if value == row["model"]), None)
        if number is None:
            raise SystemExit(f"{archive}.sh3f has no model {row['model']}; version 1.8 of the package is expected")
        rotation = catalog.get(f"modelRotation#{number}")
        found.append(
            Mesh(
                row["name"],
                archive,
                row["model"],
                catalog.get(f"creator#{number}", "unknown"),
                catalog["license"],
                tuple(map(float, rotation.split())) if rotation else None,
            )
        )
    return found


def properties(text: str) -> dict[str, str]:
    """The keys and values of a Java properties file without continued lines."""
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line and not line.lstrip().startswith(("#", "!")))
    return {key.strip(): value.strip() for key, _, value in pairs}


def licenses(meshes: list[Mesh]) -> str:
    lines = [f"{mesh.name}: {mesh.creator}; {mesh.license} ({mesh.archive}.sh3f, {mesh.model.split('/')[-1]})" for mesh in meshes]
    head = "Pictures rendered from 3D models of Debian's package sweethome3d-furniture (https://www.sweethome3d.com)."
    return "\n".join([head, "Changed: rendered from several sides with a transparent background.", "", *lines, ""])


def _render(mesh: Mesh, args: argparse.Namespace) -> None:
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(args.furniture / f"{mesh.archive}.sh3f") as file:
            inside = mesh.model.lstrip("/").rsplit("/", 1)[0] + "/"
            for entry in file.namelist():
                if entry.startswith(inside) and ".." not in entry:
                    file.extract(entry, folder)
        bpy.ops.wm.obj_import(filepath=str(Path(folder) / mesh.model.lstrip("/")), forward_axis="NEGATIVE_Z", up_axis="Y")
        flat = _normalize(mesh)
        _light()
        camera = _camera(args.side, args.samples)
        elevation = ELEVATION_OF_FLAT if flat else ELEVATION
        views = [("scenes", f"{mesh.name}-{n}", turn) for n, turn in enumerate(SCENE_VIEWS, start=1)]
        for part, name, turn in [*views, ("targets", mesh.name, TARGET_VIEW)]:
            _aim(camera, turn, elevation)
            bpy.context.scene.render.filepath = str(args.out / part / f"{name.replace(' ', '_')}.png")
            bpy.ops.render.render(write_still=True)


def _normalize(mesh: Mesh) -> bool:
    """Turn the model as its catalog says, and move it into a unit sphere at the origin. Returns whether it is flat."""
    import bpy
    from mathutils import Matrix, Vector

    objects = [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]
    turn = Matrix.Identity(4)
    if mesh.rotation is not None:
        r = mesh.rotation
        # The catalog's axes are those of the file, with y upwards.
        to_blender = Matrix(((1, 0, 0), (0, 0, -1), (0, 1, 0)))
        turn = (to_blender @ Matrix((r[:3], r[3:6], r[6:])) @ to_blender.transposed()).to_4x4()
    for thing in objects:
        thing.matrix_world = turn @ thing.matrix_world
    bpy.context.view_layer.update()
    corners = [thing.matrix_world @ Vector(corner) for thing in objects for corner in thing.bound_box]
    low = Vector(tuple(min(corner[i] for corner in corners) for i in range(3)))
    high = Vector(tuple(max(corner[i] for corner in corners) for i in range(3)))
    move = Matrix.Scale(2 / (high - low).length, 4) @ Matrix.Translation(-(low + high) / 2)
    for thing in objects:
        thing.matrix_world = move @ thing.matrix_world
    size = high - low
    return size.z < FLAT * max(size.x, size.y)


def _light() -> None:
    """A broad lamp from the upper left, as in the scenes of `eyechart world render`, and an even sky."""
    import bpy

    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (1.0, 1.0, 1.0, 1.0)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.7
    bpy.context.scene.world = world
    lamp = bpy.data.lights.new("lamp", "SUN")
    lamp.energy, lamp.angle = 2.2, 0.3
    thing = bpy.data.objects.new("lamp", lamp)
    thing.rotation_euler = (math.radians(40), 0.0, math.radians(-35))
    bpy.context.scene.collection.objects.link(thing)


def _camera(side: int, samples: int) -> Any:
    import bpy

    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.seed = 0
    scene.cycles.use_denoising = True
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.film_transparent = True
    scene.render.resolution_x = scene.render.resolution_y = side
    scene.render.image_settings.file_format, scene.render.image_settings.color_mode = "PNG", "RGBA"
    scene.view_settings.view_transform = "Standard"
    data = bpy.data.cameras.new("camera")
    data.type, data.ortho_scale = "ORTHO", 2.05
    camera = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    return camera


def _aim(camera: Any, turn: float, elevation: float) -> None:
    """Look at the origin from the front, turned about the vertical axis. The lamp turns with it, as if the object did."""
    import bpy

    a, e = math.radians(turn), math.radians(elevation)
    camera.location = (5 * math.sin(a) * math.cos(e), -5 * math.cos(a) * math.cos(e), 5 * math.sin(e))
    camera.rotation_euler = (math.pi / 2 - e, 0.0, a)
    bpy.data.objects["lamp"].rotation_euler[2] = math.radians(-35) + a


if __name__ == "__main__":
    sys.exit(main())
