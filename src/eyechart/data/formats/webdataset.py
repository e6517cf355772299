"""WebDataset shards: uncompressed tars in which files with the same name and different endings form one sample."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from eyechart.data.columns import CAPTIONS, LABEL, find_roles
from eyechart.data.file_pictures import printable
from eyechart.data.formats.tar_index import Member, index_tar, read_member
from eyechart.data.formats.text_table import json_column
from eyechart.data.picture import EXTENSIONS
from eyechart.data.reading import RawDataset, check_ids
from eyechart.data.rows import make_rows
from eyechart.errors import DataError
from eyechart.files.hashing import Identity, identity_of
from eyechart.files.records import parse_json
from eyechart.files.remote import RemotePath
from eyechart.notice import Notice

_PICTURES = frozenset(extension.removeprefix(".") for extension in EXTENSIONS)
_LARGEST_TEXT = 16 << 20


@dataclass(frozen=True)
class TarPictures:
    """Pictures in tars.

    members: The tar and the member of every picture.
    """

    members: Sequence[tuple[Path | RemotePath, Member]]

    def __len__(self) -> int:
        return len(self.members)

    def read(self, row: int) -> bytes:
        path, member = self.members[row]
        if isinstance(path, RemotePath):
            return path.read_range(member.offset, member.size)
        with path.open("rb") as file:
            return read_member(file, member)

    def identity(self, row: int) -> Identity | None:
        path, member = self.members[row]
        return identity_of(path, f"{member.offset}+{member.size}")

    def place(self, row: int) -> str:
        path, member = self.members[row]
        return f"{path}!{member.name}"

    def take(self, rows: Sequence[int]) -> "TarPictures":
        return TarPictures([self.members[row] for row in rows])


@dataclass
class _Sample:
    shard: Path | RemotePath
    key: str
    parts: dict[str, Member] = field(default_factory=dict)  # by ending


@dataclass
class _Found:
    members: list[tuple[Path | RemotePath, Member]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)  # samples without a picture, by what they hold


def read_webdataset(paths: Sequence[Path] | Sequence[RemotePath], *, columns: Mapping[str, str] | None = None) -> RawDataset:
    """Read tars. A sample's key is its name up to the first dot.

    Labels come from `.cls`, captions from `.txt`, attributes from `.json`. `columns` may name the picture's ending, as in
    image=ENDING, where a sample has several pictures."""
    columns = dict(columns or {})
    ending = columns.pop("image", None)
    found = _Found()
    for path in paths:
        samples = _samples(path)
        with path.open("rb") as file:
            for sample in samples:
                if picture := _picture(sample, ending):
                    found.members.append((path, picture))
                    found.keys.append(sample.key)
                    found.rows.append(_attributes(sample, file))
                else:
                    found.without[", ".join(sorted(sample.parts))] += 1
    if not found.keys:
        raise DataError(f"{paths[0]}: it contains no pictures (looked for {ending or ', '.join(sorted(_PICTURES))})")
    return _reading(paths, found, columns)


def _reading(paths: Sequence[Path] | Sequence[RemotePath], found: _Found, columns: dict[str, str]) -> RawDataset:
    pictures, keys, rows = TarPictures(found.members), found.keys, found.rows
    ids_from = "key"
    if len(set(keys)) < len(keys) and len({path.name for path in paths}) == len(paths):
        # Some writers start counting again in every shard.
        keys = [f"{printable(path.stem)}/{key}" for (path, _), key in zip(pictures.members, keys, strict=True)]
        ids_from = "shard and key"
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns_found = {"__key__": pa.array(keys, pa.string()), "__place__": pa.array(keys, pa.string())}
    columns_found |= {name: json_column([row.get(name) for row in rows], name, pictures.place) for name in names}
    table = pa.table(columns_found)
    roles = find_roles(table.schema, str(paths[0]), {"path": "__place__", "id": "__key__", **columns})
    check_ids(table.column("__key__"), pictures.place, "rename one of the two members")
    made = make_rows(table, roles, pictures.place)
    notices = []
    if found.without:
        kinds = "; ".join(f"{count} of {parts}" for parts, count in found.without.most_common(3))
        notices.append(Notice(str(paths[0]), f"{found.without.total()} samples without a picture ignored: {kinds}"))
    if roles.unread:
        notices.append(
            Notice(
                str(paths[0]),
                f"lists of numbers left unread: {', '.join(roles.unread)}",
                "rename one to attr.NAME to have it read",
            )
        )
    named = {role: name for role, name in roles.describe().items() if role not in ("path", "id")}
    reader = {"kind": "webdataset", "files": len(paths), "ids": ids_from, "columns": named}
    where_all = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    return RawDataset(where_all, made.table, pictures, pictures.place, notices=tuple(notices), reader=reader)


def _samples(path: Path | RemotePath) -> list[_Sample]:
    samples: dict[str, _Sample] = {}
    for member in index_tar(path):
        folder, _, name = member.name.removeprefix("./").rpartition("/")
        stem, _, ending = name.partition(".")
        if not stem:  # hidden files, such as those that macOS adds
            continue
        key = f"{folder}/{stem}" if folder else stem
        sample = samples.setdefault(key, _Sample(path, key))
        if ending.lower() in sample.parts:
            raise DataError(f"{path}!{member.name}: the shard contains this member twice; write the shard again with one of them")
        sample.parts[ending.lower()] = member
    return list(samples.values())


def _picture(sample: _Sample, ending: str | None) -> Member | None:
    if ending is not None:
        return sample.parts.get(ending.lower())
    named = [part for part in sample.parts if part in _PICTURES]
    named = named or [part for part in sample.parts if part.rpartition(".")[2] in _PICTURES]
    if len(named) > 1:
        raise DataError(
            f"{sample.shard}!{sample.key}: several pictures ({', '.join(named)}); choose one with --column image=ENDING"
        )
    return sample.parts[named[0]] if named else None


def _attributes(sample: _Sample, file: BinaryIO) -> dict[str, Any]:
    row: dict[str, Any] = {}
    if member := sample.parts.get("json"):
        row = parse_json(_text(sample, member, file), f"{sample.shard}!{member.name}", unique=False, row=False)
        if not isinstance(row, dict):
            raise DataError(f"{sample.shard}!{member.name}: not a JSON object; write one, with a key for every attribute")
    # .cls and .txt take precedence over the same information in .json.
    for ending, name, others in (("cls", "label", LABEL), ("txt", "captions", CAPTIONS)):
        if member := sample.parts.get(ending):
            row = {key: value for key, value in row.items() if key not in others}
            row[name] = _text(sample, member, file).strip()
    return {key: value for key, value in row.items() if key not in ("__key__", "__place__")}


def _text(sample: _Sample, member: Member, file: BinaryIO) -> str:
    where = f"{sample.shard}!{member.name}"
    if member.size > _LARGEST_TEXT:
        raise DataError(f"{where}: {member.size} bytes are too many for a label or a caption; remove it from the shard")
    try:
        return read_member(file, member).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{where}: not UTF-8; write it as UTF-8") from None
