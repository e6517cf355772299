"""Small copies of pictures, each written once next to the page."""

import hashlib
from pathlib import Path
from typing import Any

from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.run import Run

Place = tuple[str, str]  # dataset and id
FOLDER = "pictures"
SHOWN = 60  # cards in the gallery of an exhibit
IN_A_CARD = 6  # pictures in a card


def picture_ids(row: dict[str, Any]) -> list[str]:
    """The pictures that a row of an exhibit names."""
    ids = [row.get("id"), *(row.get("ids") or ())]
    return [str(i) for i in ids if i is not None][:IN_A_CARD]


def source(row: dict[str, Any], placed: PlacedExhibit) -> str:
    """The dataset that a row's pictures come from."""
    return str(row.get("dataset") or placed.dataset)


def write_thumbnails(run: Run, folder: Path) -> dict[Place, str]:
    """Write every small copy that the run has; picture → its path relative to the page."""
    places: dict[Place, str] = {}
    for placed in run.exhibits:
        if placed.exhibit.kind == "pictures" and "drawn" in placed.exhibit.table.column_names:
            for jpeg in placed.exhibit.table["drawn"].to_pylist()[:SHOWN]:
                if isinstance(jpeg, bytes):
                    places[drawn_place(jpeg)] = _write(jpeg, folder)
    for placed in run.exam_exhibits("pictures"):
        for row in placed.exhibit.table.select(["dataset", "id", "jpeg"]).to_pylist():
            if row["jpeg"]:
                places[row["dataset"], row["id"]] = _write(row["jpeg"], folder)
    return places


def drawn_place(jpeg: bytes) -> Place:
    """The key of a picture that belongs to no dataset."""
    return "", hashlib.sha256(jpeg).hexdigest()[:20]


def _write(jpeg: bytes, folder: Path) -> str:
    # Named by content: an id is user text and no file name, and equal pictures share a file.
    name = f"{drawn_place(jpeg)[1]}.jpg"
    folder.mkdir(exist_ok=True)
    if not (folder / name).exists():
        (folder / name).write_bytes(jpeg)
    return f"{FOLDER}/{name}"
