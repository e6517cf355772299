"""Where a repair writes its files. The paths are checked before anything is encoded."""

import os
from pathlib import Path

from eyechart.errors import StoreError, UsageError
from eyechart.report.exhibit_page import MARK

SUFFIX = ".safetensors"


def page_folder(out: Path) -> Path:
    return out.with_name(f"{out.stem}-page")


def score_file(out: Path) -> Path:
    """Scores of templates while they are computed; deleted once the classifier is written."""
    return out.with_name(f".{out.stem}-weighing.jsonl")


def prepare_classifier_file(out: Path) -> None:
    """Create the folder of the file; UsageError where something is in the way."""
    if out.suffix != SUFFIX:
        name = f"{out.stem or 'repaired'}{SUFFIX}"
        raise UsageError(f"{out}: the classifier is a safetensors file; give --out a name such as {name}")
    if out.is_dir():
        raise UsageError(f"{out} is a folder; give --out the name of a file in it, such as {out / f'repaired{SUFFIX}'}")
    prepare_page_folder(page_folder(out))


def prepare_page_folder(place: Path) -> None:
    """Create the parent folder. A folder that contains anything but an earlier page is never overwritten."""
    if place.exists() and not (place.is_dir() and ((place / MARK).is_file() or not any(place.iterdir()))):
        raise UsageError(f"{place} contains files that are not an Eyechart page; move it, or give --out another name")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{place.parent} cannot be created ({error.strerror}); give --out another folder") from error
    if not os.access(place.parent, os.W_OK):
        raise StoreError(f"{place.parent} is not writable; give --out another folder")
