"""A bank of pictures: every file with transparency in a folder is an object, named by its file name."""

import os
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image

from eyechart.data.file_pictures import file_pictures, printable
from eyechart.data.picture import EXTENSIONS, BrokenPicture, Decoding
from eyechart.errors import DataError
from eyechart.files.hashing import hash_bytes
from eyechart.files.text import nearest_sibling
from eyechart.notice import Notice
from eyechart.world.card_shadow import card_shadow
from eyechart.world.cutout import Cutout, cut_out
from eyechart.world.kept_maps import kept
from eyechart.world.scene import Camera, Thing
from eyechart.world.sprites import Map, Sprite

_VARIANT = re.compile(r"[-_]\d+$| ?\(\d+\)$")


@dataclass(frozen=True, eq=False, repr=False)
class FolderBank:
    """A bank of cut-outs.

    `cutouts` are sorted by name; several of one name are variants. `notices` list pictures that were set aside."""

    names: tuple[str, ...]
    cutouts: tuple[Cutout, ...]
    notices: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        """The bank by its content: equal banks give equal pictures."""
        return f"FolderBank({self.digest})"

    @cached_property
    def digest(self) -> str:
        """A hash of all names and pixels."""
        parts = (
            part
            for cutout in self.cutouts
            for part in (cutout.name.encode(), repr(cutout.box).encode(), cutout.picture.tobytes())
        )
        return hash_bytes(b"".join(map(hash_bytes, parts))).hex()

    def variants(self, name: str) -> list[int]:
        """The indices of its pictures."""
        return [number for number, cutout in enumerate(self.cutouts) if cutout.name == name]

    def card(self, number: int, area: float) -> Thing:
        """A picture as an object that covers the share `area` of the scene, at its center."""
        cutout = self.cutouts[number]
        return Thing(cutout.name, color="", texture="", size=cutout.size_of(area), stretch=cutout.stretch, picture=number)

    def sprite(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Sprite:
        return _sprite(self._of(thing), width, height)

    def shadow(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Map:
        sheet = Image.fromarray(_shadow(self._of(thing), light, camera.elevation))
        return np.asarray(sheet.resize((width, height), Image.Resampling.BILINEAR), dtype=np.float32)

    def _of(self, thing: Thing) -> Cutout:
        if thing.picture is None:
            raise ValueError(f"{thing.name!r} is a solid, and this is a bank of pictures")
        return self.cutouts[thing.picture]


@kept(256 * 2**20, Sprite.weight)
def _sprite(cutout: Cutout, width: int, height: int) -> Sprite:
    return cutout.sprite(width, height)


@lru_cache(maxsize=2000)
def _shadow(cutout: Cutout, light: str, elevation: float) -> Map:
    return card_shadow(cutout.outline(96), cutout.stretch, light, elevation)


def open_bank(folder: Path) -> FolderBank:
    """The pictures of a folder, without its subfolders.

    A picture that cannot be read, or is a link out of the folder, is set aside with a notice. DataError for a picture without
    transparency, for an unusable name, and where no picture is left."""
    files = _picture_files(folder)
    pictures = file_pictures(folder, pa.array([os.fsencode(file.name) for file in files], pa.binary()))
    decoding, cutouts, notices = Decoding(), [], []
    for row, file in enumerate(files):
        where = printable(str(file))
        try:
            picture = decoding.decode_cutout(pictures.read(row))
            cutouts.append(cut_out(_name(file), picture if picture is not None else Image.new("RGBA", (1, 1), "black")))
        except BrokenPicture as error:
            notices.append(Notice(where, f"set aside: {error.reason}", "save the picture again, or remove it"))
        except OSError as error:
            notices.append(Notice(where, f"set aside: {error.strerror or error}", "put the file itself into the folder"))
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
    if not cutouts:
        raise DataError(f"{folder}: none of its {len(files)} pictures can be used; the first: {notices[0]}")
    cutouts.sort(key=lambda cutout: cutout.name)
    return FolderBank(_distinct([cutout.name for cutout in cutouts], folder), tuple(cutouts), tuple(notices))


def _picture_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        what = "this is a file" if folder.exists() else f"there is no such folder{nearest_sibling(folder)}"
        raise DataError(f"{folder}: {what}; a bank is a folder of pictures with transparency")
    found = sorted(folder.iterdir(), key=lambda file: os.fsencode(file.name))
    files = [file for file in found if file.suffix.lower() in EXTENSIONS and not file.name.startswith(".")]
    if not files:
        below = "; pictures in subfolders are not read" if any(entry.is_dir() for entry in found) else ""
        raise DataError(f"{folder}: it contains no pictures{below}; add PNG or WebP files with transparency")
    return files


def _name(file: Path) -> str:
    """'fire_hydrant-2.webp' → 'fire hydrant'."""
    bare = _VARIANT.sub("", unicodedata.normalize("NFC", file.stem)).replace("_", " ")
    name = " ".join(bare.split())
    if not name or not name.isprintable() or not any(sign.isalnum() for sign in name):
        raise DataError(f"{name!r} is not the name of an object; name the file after what it shows, such as 'fire hydrant.png'")
    return name


def _distinct(names: list[str], folder: Path) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise DataError(f"{folder}: the names {other!r} and {name!r} differ only in case; use one spelling")
    return tuple(seen.values())
