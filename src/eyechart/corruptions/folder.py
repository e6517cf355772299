"""A user's pictures under corruptions: `<corruption>/<severity>/<path of the picture>`, and `corrupted.json`, which says how.

Nothing that is there is ever replaced: a run that was cut off goes on where it stopped, and other corruptions can be added later.
"""

import errno
import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from eyechart.corruptions import CORRUPTIONS, CORRUPTIONS_VERSION, Picture, corrupt, find_corruption
from eyechart.corruptions.depth_maps import DepthMaps
from eyechart.corruptions.same_format import encode_as, name_after_change
from eyechart.data.file_pictures import FilePictures, printable
from eyechart.data.formats.folder import read_folder
from eyechart.data.picture import Decoding
from eyechart.errors import DataError, EyechartError, StoreError, UsageError
from eyechart.files.atomic import atomic_path, write_text
from eyechart.progress import Progress, Task

ABOUT = "corrupted.json"


@dataclass(frozen=True)
class Spoiling:
    """size: the shorter side is brought down to so many pixels first (None: pictures as they are). seed: every picture's own
    random numbers follow from it and from the picture's path. quality: of JPEG pictures; others are kept without loss."""

    size: int | None = None
    seed: int = 0
    quality: int = 95


@dataclass(frozen=True)
class CorruptionReport:
    """`set_aside`: pictures that could not be corrupted, with the reason. `shortest`: the median shorter side, in pixels."""

    written: int
    kept: int
    set_aside: tuple[tuple[str, str], ...]
    shortest: int


def corrupt_folder(
    source: Path,
    out: Path,
    corruptions: Sequence[str] | None,
    severities: Sequence[int],
    progress: Progress,
    *,
    spoiling: Spoiling | None = None,
    depth: Path | None = None,
    split: str | None = None,
    workers: int = 1,
) -> CorruptionReport:
    """Write every picture of a folder under every corruption at every severity. `corruptions` None: all that can be made, those
    that need depth only where `depth` names a folder of maps."""
    spoiling = spoiling or Spoiling()
    maps = None if depth is None else DepthMaps(depth)
    names = _chosen(corruptions, maps)
    _refuse_nested(source, out)
    pictures = read_folder(source, split=split).pictures
    assert isinstance(pictures, FilePictures)
    paths = [Path(os.fsdecode(value)) for value in pictures.paths.to_pylist()]
    _refuse_same([name_after_change(path) for path in paths])
    _prepare(out, spoiling)
    work = _Work(pictures, paths, out, names, tuple(sorted(set(severities))), spoiling, maps)
    with (
        progress.task("corrupting", len(paths) * len(names) * len(work.severities), "pictures") as task,
        ThreadPoolExecutor(max(1, workers)) as pool,
    ):
        try:
            done = list(pool.map(lambda row: work.spoil(row, task), range(len(paths))))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    sides = [d.side for d in done if d.side]
    lost = tuple((printable(str(path)), d.reason) for path, d in zip(paths, done, strict=True) if d.reason)
    return CorruptionReport(sum(d.written for d in done), sum(d.kept for d in done), lost, int(np.median(sides)) if sides else 0)


@dataclass(frozen=True)
class _Done:
    written: int = 0
    kept: int = 0
    side: int = 0
    reason: str = ""


@dataclass(frozen=True)
class _Work:
    pictures: FilePictures
    paths: list[Path]
    out: Path
    names: tuple[str, ...]
    severities: tuple[int, ...]
    spoiling: Spoiling
    maps: DepthMaps | None

    def spoil(self, row: int, task: Task) -> _Done:
        """All versions of one picture that are not there yet. What is wrong with a picture does not stop the others; what is
        wrong with the place to write to does."""
        cells = [(name, severity, self._place(name, severity, row)) for name in self.names for severity in self.severities]
        missing = [cell for cell in cells if not os.path.lexists(cell[2])]
        task.advance(len(cells) - len(missing))
        if not missing:
            return _Done(kept=len(cells))
        try:
            picture = self._picture(row)
            deep = any(CORRUPTIONS[name].needs_depth for name, _, _ in missing)
            depth = self.maps.read(self.paths[row], picture.size) if deep and self.maps is not None else None
            seed = _seed(self.spoiling.seed, self.paths[row])
            for name, severity, place in missing:
                spoiled = corrupt(np.asarray(picture), name, severity, depth=depth, seed=seed)
                self._write(spoiled, place)
                task.advance()
        except StoreError:
            raise
        except (EyechartError, OSError) as error:
            return _Done(kept=len(cells) - len(missing), reason=str(error))
        return _Done(len(missing), len(cells) - len(missing), min(picture.size))

    def _place(self, name: str, severity: int, row: int) -> Path:
        return self.out / name / str(severity) / name_after_change(self.paths[row])

    def _picture(self, row: int) -> Image.Image:
        picture = Decoding().decode(self.pictures.read(row))
        size = self.spoiling.size
        if size is None or min(picture.size) <= size:
            return picture
        scale = size / min(picture.size)
        wide, high = (max(1, round(side * scale)) for side in picture.size)
        return picture.resize((wide, high), Image.Resampling.BICUBIC)

    def _write(self, spoiled: Picture, place: Path) -> None:
        data = encode_as(spoiled, place.suffix, self.spoiling.quality)
        if not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(self.out)):
            raise StoreError(f"{printable(str(place.parent))} leads out of {self.out}; remove the link")
        try:
            with atomic_path(place) as unfinished:
                unfinished.write_bytes(data)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise DataError("its name is too long to write another picture under it; shorten it") from error
            where = printable(str(place))
            raise StoreError(
                f"{where} cannot be written ({error.strerror or error}); name a folder with room to write to"
            ) from error


def _chosen(corruptions: Sequence[str] | None, maps: DepthMaps | None) -> tuple[str, ...]:
    if corruptions is None:
        return tuple(name for name, c in CORRUPTIONS.items() if maps is not None or not c.needs_depth)
    chosen = [find_corruption(name) for name in dict.fromkeys(corruptions)]
    for corruption in chosen:
        if corruption.needs_depth and maps is None:
            free = ", ".join(name for name, c in CORRUPTIONS.items() if not c.needs_depth)
            raise UsageError(f"{corruption.name} needs depth maps; give their folder with --depth, or choose among {free}")
    return tuple(c.name for c in chosen)


def _refuse_nested(source: Path, out: Path) -> None:
    real, place = Path(os.path.realpath(source)), Path(os.path.realpath(out))
    if place.is_relative_to(real) or real.is_relative_to(place):
        raise UsageError(f"{out} lies in {source} or around it, where its pictures would be corrupted again; name another folder")


def _refuse_same(names: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{printable(str(name))}: two pictures would be written under this name; rename one of them")
        seen.add(name)


def _prepare(out: Path, spoiling: Spoiling) -> None:
    """Make the folder, or make sure that it is one of ours and was made alike."""
    about = {"made_by": "eyechart corrupt", "corruptions_version": CORRUPTIONS_VERSION, **asdict(spoiling)}
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; name a folder")
    path = out / ABOUT
    if not path.is_file():
        if out.is_dir() and any(out.iterdir()):
            raise UsageError(f"{out} holds files that `eyechart corrupt` did not write; name a new or empty folder")
        try:
            write_text(path, json.dumps(about, indent=1) + "\n")
        except OSError as error:
            raise StoreError(f"{out} cannot be written ({error.strerror or error}); name another folder") from error
        return
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error}); name a new folder") from None
    for key, value in about.items():
        if not isinstance(there, dict) or there.get(key) != value:
            before = there.get(key) if isinstance(there, dict) else there
            raise UsageError(f"{out} was made with {key} {before!r}, not {value!r}; name another folder, or choose the same")


def _seed(seed: int, path: Path) -> int:
    digest = hashlib.sha256(f"{seed}/".encode() + os.fsencode(path.as_posix())).digest()
    return int.from_bytes(digest[:4], "big")
