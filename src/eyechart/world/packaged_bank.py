"""Banks from published packages: which of their pictures shows which object."""

import csv
import io
from importlib.resources import files
from pathlib import Path

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.errors import DataError, StoreError, UsageError
from eyechart.files.atomic import atomic_folder, remove_abandoned
from eyechart.notice import shortened

_SOURCE = """Pictures of @lobehub/fluent-emoji-3d (npm), copied under the names of what they show.
Fluent Emoji by Microsoft Corporation, MIT license: https://github.com/microsoft/fluentui-emoji
Packaged by LobeHub, MIT license: https://github.com/lobehub/fluent-emoji
"""


def names_and_files(kind: str) -> dict[str, str]:
    """The file of every object, from `banks/<kind>.csv`: {'person': '1f9cd.webp', …}."""
    text = files("eyechart.world").joinpath("banks", f"{kind}.csv").read_text(encoding="utf-8")
    return {row["name"]: f"{row['code']}.webp" for row in csv.DictReader(io.StringIO(text))}


def copy_bank(kind: str, package: Path, out: Path) -> list[str]:
    """Copy the pictures of a package to `out` under the names of their objects; returns these names.

    Links out of the package are not followed."""
    wanted = names_and_files(kind)
    assets = package / "assets"
    if not assets.is_dir():
        raise DataError(f"{package}: it contains no folder assets/; give the unpacked package (npm pack, then tar -xzf)")
    remove_abandoned(out.parent, below=False)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} exists and is not empty; choose a new or empty folder")
    pictures = file_pictures(assets, pa.array(list(wanted.values()), pa.string()))
    contents, missing = {}, []
    for row, name in enumerate(wanted):
        try:
            contents[f"{name}.webp"] = pictures.read(row)
        except OSError as error:
            missing.append(f"{wanted[name]} ({name}): {error.strerror or error}")
    if missing:
        raise DataError(
            f"{assets}: {len(missing)} of {len(wanted)} pictures cannot be read: {shortened(missing)}; download version 1.1.0"
        )
    try:
        with atomic_folder(out) as made:
            for file, content in contents.items():
                (made / file).write_bytes(content)
            (made / "SOURCE.txt").write_text(_SOURCE, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{out} cannot be written ({error.strerror or error}); choose another folder") from error
    return list(wanted)
