"""Where a repair leaves its files: looked at before anything is encoded, for nobody wants to learn of it an hour later."""

import os
from pathlib import Path

from eyechart.errors import StoreError, UsageError
from eyechart.report.exhibit_page import MARK

SUFFIX = ".safetensors"


def page_folder(out: Path) -> Path:
    return out.with_name(f"{out.stem}-page")


def ledger_file(out: Path) -> Path:
    """Scores of templates while they are weighed; gone when the classifier is there."""
    return out.with_name(f".{out.stem}-weighing.jsonl")


def prepare_classifier_file(out: Path) -> None:
    """Make the folder of the file, and say what is in the way."""
    if out.suffix != SUFFIX:
        raise UsageError(
            f"{out}: the classifier is a safetensors file; give --out a name such as {out.stem or 'repaired'}{SUFFIX}"
        )
    if out.is_dir():
        raise UsageError(f"{out} is a folder; give --out the name of a file in it, such as {out / f'repaired{SUFFIX}'}")
    prepare_page_folder(page_folder(out))


def prepare_page_folder(place: Path) -> None:
    """Pages are written anew into a folder of their own; one that holds anything else is left alone."""
    if place.exists() and not (place.is_dir() and ((place / MARK).is_file() or not any(place.iterdir()))):
        raise UsageError(f"{place} holds files that are not such a page; move it, or give --out another name")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{place.parent} cannot be made ({error.strerror}); give --out another folder") from error
    if not os.access(place.parent, os.W_OK):
        raise StoreError(f"{place.parent} cannot be written to; give --out another folder")
