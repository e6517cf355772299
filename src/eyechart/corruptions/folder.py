"""Corrupted copies of a user's pictures: `<corruption>/<severity>/<path of the picture>`, and `corrupted.json` with the settings.

Existing files are never replaced: an interrupted run continues, and other corruptions can be added later.
"""

import errno
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from eyechart.corruptions import CORRUPTIONS, CORRUPTIONS_VERSION, Picture, corrupt, find_corruption
from eyechart.corruptions.copies import CorruptionSettings, picture_seed, resized
from eyechart.corruptions.depth_maps import DepthMaps
from eyechart.corruptions.same_format import encode_as, name_after_change
from eyechart.data.file_pictures import FilePictures, printable
from eyechart.data.formats.folder import read_folder
from eyechart.data.picture import Decoding, memory_for
from eyechart.data.published.corruption_folders import WRITTEN
from eyechart.errors import DataError, EyechartError, StoreError, UsageError
from eyechart.files.atomic import atomic_path, is_unfinished, remove_abandoned, write_json
from eyechart.files.records import Table, read_json
from eyechart.progress import Progress, Task


@dataclass(frozen=True)
class CorruptionReport:
    """The result of corrupting a folder.

    written: Pictures that were written.
    kept: Pictures that existed already.
    set_aside: Pictures that could not be corrupted, with the reason.
    shortest: The median shorter side in pixels.
    """

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
    settings: CorruptionSettings | None = None,
    depth: Path | None = None,
    split: str | None = None,
    workers: int = 1,
) -> CorruptionReport:
    """Write every picture of a folder under every corruption at every severity.

    Args:
        source: The folder of pictures.
        out: The folder to write to.
        corruptions: Names of corruptions; None for all, those that need depth only if `depth` is given.
        severities: Severities from 1 to 5.
        progress: Shows the progress.
        settings: Size, seed and quality.
        depth: A folder of depth maps.
        split: The split of the folder to read.
        workers: The number of threads.
    """
    settings = settings or CorruptionSettings()
    maps = None if depth is None else DepthMaps(depth)
    names = _chosen(corruptions, maps)
    _refuse_nested(source, out)
    pictures = read_folder(source, split=split).pictures
    assert isinstance(pictures, FilePictures)
    paths = [Path(os.fsdecode(value)) for value in pictures.paths.to_pylist()]
    _refuse_same([name_after_change(path) for path in paths])
    _prepare(out, settings)
    work = _Work(pictures, paths, out, names, tuple(sorted(set(severities))), settings, maps)
    with (
        progress.task("corrupting", len(paths) * len(names) * len(work.severities), "pictures") as task,
        ThreadPoolExecutor(max(1, workers)) as pool,
    ):
        try:
            done = list(pool.map(lambda row: work.corrupt_row(row, task), range(len(paths))))
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
    settings: CorruptionSettings
    maps: DepthMaps | None

    def corrupt_row(self, row: int, task: Task) -> _Done:
        """Write all missing versions of one picture. A bad picture does not stop the others; a failing disk does."""
        cells = [(name, severity, self._place(name, severity, row)) for name in self.names for severity in self.severities]
        missing = [cell for cell in cells if not os.path.lexists(cell[2])]
        task.advance(len(cells) - len(missing))
        if not missing:
            return _Done(kept=len(cells))
        try:
            picture = self._picture(row)
            deep = any(CORRUPTIONS[name].needs_depth for name, _, _ in missing)
            depth = self.maps.read(self.paths[row], picture.size) if deep and self.maps is not None else None
            seed = picture_seed(self.settings.seed, self.paths[row])
            for name, severity, place in missing:
                corrupted = corrupt(np.asarray(picture), name, severity, depth=depth, seed=seed)
                self._write(corrupted, place)
                task.advance()
        except StoreError:
            raise
        except (EyechartError, OSError) as error:
            return _Done(kept=len(cells) - len(missing), reason=str(error))
        return _Done(len(missing), len(cells) - len(missing), min(picture.size))

    def _place(self, name: str, severity: int, row: int) -> Path:
        return self.out / name / str(severity) / name_after_change(self.paths[row])

    def _picture(self, row: int) -> Image.Image:
        data = self.pictures.read(row)
        with memory_for(data):
            return resized(Decoding().decode(data), self.settings.size)

    def _write(self, corrupted: Picture, place: Path) -> None:
        data = encode_as(corrupted, place.suffix, self.settings.quality)
        if not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(self.out)):
            raise StoreError(f"{printable(str(place.parent))} leads out of {self.out}; remove the link")
        try:
            with atomic_path(place) as unfinished:
                unfinished.write_bytes(data)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise DataError("its name is too long for the output folder; shorten it") from error
            where = printable(str(place))
            raise StoreError(
                f"{where} cannot be written ({error.strerror or error}); choose a folder with enough space"
            ) from error


def _chosen(corruptions: Sequence[str] | None, maps: DepthMaps | None) -> tuple[str, ...]:
    if corruptions is None:
        return tuple(name for name, c in CORRUPTIONS.items() if maps is not None or not c.needs_depth)
    chosen = list({(c := find_corruption(name)).name: c for name in corruptions}.values())
    for corruption in chosen:
        if corruption.needs_depth and maps is None:
            free = ", ".join(name for name, c in CORRUPTIONS.items() if not c.needs_depth)
            raise UsageError(f"{corruption.name} needs depth maps; give their folder with --depth, or choose from {free}")
    return tuple(c.name for c in chosen)


def _refuse_nested(source: Path, out: Path) -> None:
    real, place = Path(os.path.realpath(source)), Path(os.path.realpath(out))
    if place.is_relative_to(real) or real.is_relative_to(place):
        raise UsageError(f"{out} is inside {source} or contains it; choose another folder, so that no picture is corrupted twice")


def _refuse_same(names: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for name in names:
        if name in seen:
            raise DataError(f"{printable(str(name))}: two pictures would be written under this name; rename one of them")
        seen.add(name)


def _prepare(out: Path, settings: CorruptionSettings) -> None:
    """Create the folder, or check that it was written with the same settings."""
    about = {"made_by": "eyechart corrupt", "corruptions_version": CORRUPTIONS_VERSION, **asdict(settings)}
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; give a folder")
    path = out / WRITTEN
    if out.is_dir() and (path.is_file() or all(map(is_unfinished, out.iterdir()))):
        remove_abandoned(out)  # of a run that was killed
    if not path.is_file():
        if out.is_dir() and any(out.iterdir()):
            raise UsageError(f"{out} contains files that `eyechart corrupt` did not write; choose a new or empty folder")
        try:
            write_json(path, about)
        except OSError as error:
            raise StoreError(f"{out} cannot be written ({error.strerror or error}); choose another folder") from error
        return
    there = Table(str(path), read_json(path, error=UsageError, remedy="choose a new folder")).content
    for key, value in about.items():
        if there.get(key) != value:
            before = there.get(key)
            raise UsageError(f"{out} was written with {key} {before!r}, not {value!r}; choose another folder or the same setting")
