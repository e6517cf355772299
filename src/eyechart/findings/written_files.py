"""Hashes of the files of a run and the names of its exhibits, in the metadata of its findings, so that damage is noticed.

The findings have a checksum of their own (`files/parquet.py`). `protocol.json` is a text, and the pages of the predictions have
checksums, but not what lies between them; without these hashes a flipped bit there would go unnoticed.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eyechart.errors import StoreError
from eyechart.files.hashing import hash_bytes, hash_file

PREDICTIONS, PROTOCOL = "predictions", "protocol"
_KEY = b"eyechart.files"
_EXHIBITS = b"eyechart.exhibits"


def file_metadata(predictions: Path, protocol: Mapping[str, Any], exhibits: Iterable[str]) -> dict[bytes, bytes]:
    """The metadata for the findings of a run.

    Args:
        predictions: The file of the predictions.
        protocol: The content of the protocol.
        exhibits: The files of the exhibits, relative to their folder.
    """
    content = {PREDICTIONS: hash_file(predictions).hex(), PROTOCOL: _hash(protocol)}
    return {_KEY: json.dumps(content).encode(), _EXHIBITS: json.dumps(sorted(exhibits)).encode()}


def check_exhibits(folder: Path, metadata: Mapping[bytes, bytes] | None) -> None:
    """Refuse a folder of exhibits where one that the findings were written with is missing. An exhibit has its own checksum.

    Results without that folder, such as the baseline of a gate, are a copy that was made without exhibits.
    """
    if not folder.is_dir():
        return
    try:
        names = json.loads((metadata or {}).get(_EXHIBITS, b"[]"))
    except ValueError:
        return
    for name in names if isinstance(names, list) else []:
        if not (folder / str(name)).is_file():
            raise StoreError(f"{folder / str(name)}: it is missing; examine again with the same command to write it")


def written_hashes(metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    """The hashes in the metadata of findings; empty in results of an older version."""
    try:
        content = json.loads((metadata or {}).get(_KEY, b"{}"))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def check_protocol(path: Path, protocol: Mapping[str, Any], hashes: Mapping[str, str]) -> None:
    """Refuse a protocol that the findings were not written with. Its content counts, not its line ends."""
    if PROTOCOL in hashes and hashes[PROTOCOL] != _hash(protocol):
        raise _damaged(path)


def check_predictions(path: Path, hashes: Mapping[str, str]) -> None:
    """Refuse predictions that the findings were not written with."""
    if PREDICTIONS in hashes and path.is_file() and hashes[PREDICTIONS] != hash_file(path).hex():
        raise _damaged(path)


def _damaged(path: Path) -> StoreError:
    return StoreError(
        f"{path}: it is damaged, or not from the same run as findings.parquet; examine again with the same command to write both"
    )


def _hash(protocol: Mapping[str, Any]) -> str:
    return hash_bytes(json.dumps(protocol, ensure_ascii=True).encode()).hex()
