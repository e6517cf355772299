"""Damaged files are set aside, never deleted. Their vectors are encoded again when needed."""

import time
from pathlib import Path

from eyechart.files.atomic import write_json
from eyechart.notice import Notice
from eyechart.store.disk_errors import storing
from eyechart.store.epoch import begin_new, model_of

FOLDER = "damaged"


def set_aside(path: Path, store: Path, reason: str) -> Notice:
    """Move a damaged file to the folder `damaged`, with the reason in a JSON file.

    Another process may have moved it already. Where the file belongs to a model, the model's epoch increases first."""
    fingerprint = model_of(store, path)
    if fingerprint:
        begin_new(store, fingerprint)
    place = store / FOLDER / path.parent.relative_to(store)
    target = place / f"{path.name}.{time.time_ns()}"
    with storing(path, "set a damaged file aside"):
        place.mkdir(parents=True, exist_ok=True)
        try:
            path.replace(target)
        except FileNotFoundError:
            return Notice(
                str(path), f"{reason}; another process has moved it already", "its content is encoded or asked again when needed"
            )
        write_json(target.with_name(target.name + ".json"), {"from": str(path.relative_to(store)), "reason": reason})
    return Notice(str(path), reason, f"set aside as {target}; its content is encoded or asked again when needed")
