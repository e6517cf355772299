"""What a name stands for, remembered: a model that was opened before is opened again without importing its library and torch.

A record holds the files that it rests on. It is used while all of them are as they were, the same version of the library is
installed, and the hub's cache points to the same commit; `--rehash` forgets all records.
"""

import json
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from eyechart.files.hashing import HashMemory, identity_of

Source = TypeVar("Source")

_FORM = 1  # of the record; raised when it changes


def known_source(
    spec: str,
    package: str,
    hashes: HashMemory,
    *,
    find: Callable[[], Source],
    files: Callable[[Source], Iterable[Path]],
    to_json: Callable[[Source], Any],
    from_json: Callable[[Any], Source],
) -> Source:
    """The source of a model from its record, or found by its library and recorded.

    Args:
        spec: The model.
        package: The package that finds it, as it is installed.
        hashes: Where records are kept.
        find: Finds the source; loads the library.
        files: The files and folders that the source rests on.
        to_json: The source as JSON.
        from_json: The source from that JSON.
    """
    try:
        key = json.dumps([_FORM, spec, package, version(package)])
    except PackageNotFoundError:  # the package is there, but not its metadata
        return find()
    recorded = hashes.note(key)
    if recorded is not None:
        record = json.loads(recorded)
        if _stamps([Path(path) for path, *_ in record["files"]]) == record["files"]:
            return from_json(record["source"])
    source = find()
    stamps = _stamps([*files(source), *_refs(files(source))])
    if stamps is not None:
        try:
            hashes.set_note(key, json.dumps({"source": to_json(source), "files": stamps}))
        except TypeError:  # a configuration that is no JSON: it is found anew each time
            return source
    return source


def _stamps(paths: Iterable[Path]) -> list[list[object]] | None:
    """Place, size, times and inode of each file; None where one is gone."""
    try:
        found = [identity_of(path) for path in paths]
    except OSError:
        return None
    return [[str(path), i.place, i.size, i.mtime_ns, i.inode, i.ctime_ns] for path, i in zip(paths, found, strict=True)]


def _refs(paths: Iterable[Path]) -> list[Path]:
    """The files of the hub's cache that say which commit a branch is at, for files that are in a snapshot."""
    homes = {path.parents[2] for path in paths if len(path.parents) > 2 and path.parents[1].name == "snapshots"}
    return sorted(ref for home in homes if (home / "refs").is_dir() for ref in (home / "refs").iterdir())
