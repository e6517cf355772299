"""Damaged files are set aside, never deleted: what they held is encoded again, and they stay for whoever wants to look."""

import time
from pathlib import Path

from eyechart.files.atomic import write_json
from eyechart.notice import Notice
from eyechart.store.disk_errors import storing
from eyechart.store.epoch import begin_new, model_of

FOLDER = "damaged"


def set_aside(path: Path, store: Path, reason: str) -> Notice:
    """Move a file out of the way, with its reason beside it. Another process may have been quicker; that is as good.
    Where the file is a model's, a new generation of the model's vectors begins."""
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
                str(path), f"{reason}; another process has moved it already", "its vectors are encoded again when needed"
            )
        write_json(target.with_name(target.name + ".json"), {"from": str(path.relative_to(store)), "reason": reason})
    return Notice(str(path), reason, f"set aside as {target}; what it held is encoded again when it is needed")
