# ruff: noqa: E501 - one input a line
"""Seeded mutations of files: of bytes, and of the structure of JSON, TOML, CSV, Parquet, npy and safetensors."""

import io
import json
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BIG = "@@BIG@@"  # becomes an integer of 5,000 digits, which Python refuses to write itself
DEEP = "@@DEEP@@"  # becomes 100,000 brackets
DEEPISH = "@@DEEPISH@@"  # becomes 400 brackets: deep, but below Python's limit
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, -(2**63) - 1, 1.5, -0.0, 1e308, float("nan"), float("inf"), "", " ", "a", "\0", "é",
    "\ud800", "‮", "../../etc/passwd", "/etc/passwd", "x" * 300, "a/b", ".", "..", "http://[::1", [], {}, [[]], [None], {"": 1},
    {"a": {"b": []}}, [1, "a"], ["a", 1], [[1, 2], [3]], BIG, DEEP, DEEPISH, "1" * 400, "9" * 5000,
)  # fmt: skip

Mutation = Callable[[bytes, random.Random], bytes]


def mutate(name: str, data: bytes, rng: random.Random) -> bytes:
    """The content of a file with one to three mutations that suit its name."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kinds = _BY_ENDING.get(name.rpartition(".")[2].lower(), ())
        change = rng.choice(kinds) if kinds and rng.random() < 0.75 else mutate_bytes
        try:
            data = change(data, rng)
        except Exception:  # noqa: BLE001 - libraries raise anything over what earlier mutations left
            data = mutate_bytes(data, rng)  # the file no longer has this structure
    return data


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return rng.randbytes(rng.randrange(64))
    at, kind = rng.randrange(len(data)), rng.randrange(8)
    changed = bytearray(data)
    if kind == 0:
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        return data[:at]
    elif kind == 2:
        changed[at:at] = rng.randbytes(rng.randrange(1, 16))
    elif kind == 3:
        end = min(len(data), at + rng.randrange(1, 64))
        changed[at:end] = bytes([rng.choice((0, 255, 0x80, 0x7F))]) * (end - at)
    elif kind == 4:
        del changed[at : at + rng.randrange(1, 64)]
    elif kind == 5:
        changed[at : at + 8] = rng.choice((2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1, 0, 1)).to_bytes(8, "little")
    elif kind == 6:
        other = rng.randrange(len(data))
        changed[at : at + 32] = data[other : other + 32]
    else:
        for _ in range(rng.randrange(1, 20)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def mutate_json(data: bytes, rng: random.Random) -> bytes:
    return _json_text(_changed(json.loads(data), rng)).encode("utf-8", "surrogatepass")


def mutate_lines(data: bytes, rng: random.Random) -> bytes:
    """One line of JSON objects."""
    lines = data.decode().splitlines()
    place = rng.randrange(len(lines))
    lines[place] = _json_text(_changed(json.loads(lines[place]), rng))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _changed(content: Any, rng: random.Random) -> Any:
    """The content with one node replaced, removed, repeated or renamed."""
    nodes: list[tuple[Any, Any]] = []
    waiting = [content]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
        nodes += [(node, key) for key in keys]
        waiting += [node[key] for key in keys]
    if not nodes or rng.random() < 0.05:
        return rng.choice(ODD)
    node, key = rng.choice(nodes)
    kind = rng.randrange(6)
    if kind <= 2:
        node[key] = rng.choice(ODD)
    elif kind == 3:
        del node[key]
    elif kind == 4 and isinstance(node, dict):
        node[rng.choice(("", "a", "id", f"{key}_"))] = node.pop(key)
    elif kind == 4:
        node.append(node[key])
    else:
        other, there = rng.choice(nodes)
        node[key] = json.loads(json.dumps(other[there])) if there in other or isinstance(other, list) else None
    return content


def _json_text(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=True)
    text = text.replace(f'"{DEEP}"', "[" * 50_000 + "]" * 50_000).replace(f'"{DEEPISH}"', "[" * 200 + "]" * 200)
    return text.replace(f'"{BIG}"', "9" * 5000)


_TOML = (
    "1", "-1", "9" * 5000, "1e999", "nan", "true", '""', '"a"', '"\\u0000"', "[]", "{}", "[1, 'a']", "[[]]", "{a = {b = 1}}",
    "1979-05-27", "07:32:00", "0x" + "f" * 5000, "[" * 3000 + "]" * 3000, "[" * 200 + "]" * 200, "'../../x'", "[{}]", "['a', 'a']",
    '"\U0001f600"', "1_000", "inf",
)  # fmt: skip


def mutate_toml(data: bytes, rng: random.Random) -> bytes:
    lines = data.decode().splitlines()
    place, kind = rng.randrange(len(lines)), rng.randrange(5)
    if kind <= 1 and "=" in lines[place]:
        lines[place] = f"{lines[place].partition('=')[0]}= {rng.choice(_TOML)}"
    elif kind == 2:
        del lines[place]
    elif kind == 3:
        lines.insert(
            place, rng.choice((*lines, "[a]", "[[models]]", "a.b.c = 1", "x = 1", '"" = 2', ".".join("a" * 2000) + " = 1"))
        )
    else:
        lines[place] = re.sub(r"\w+", rng.choice(("x", "gate", "models", "1", '"')), lines[place], count=1)
    return "\n".join(lines).encode()


_CELLS = ("", " ", '"', "a,b", "9" * 5000, "nan", "inf", "-1", "1e999", "\0", "../x", "/etc/passwd", "x" * 140_000, "é", "‮", "[", "{}",
          '"[1, 2"', "http://a/b.png", "\r", "[[]]", "1;2", "C:\\x")  # fmt: skip


def mutate_cells(data: bytes, rng: random.Random) -> bytes:
    """A cell, a row or the header of CSV or TSV."""
    separator = "\t" if b"\t" in data else ","
    rows = [line.split(separator) for line in data.decode().splitlines()]
    row = rng.choice(rows)
    kind = rng.randrange(6)
    if kind <= 2:
        row[rng.randrange(len(row))] = rng.choice(_CELLS)
    elif kind == 3:
        row.append(rng.choice(_CELLS))
    elif kind == 4:
        row.pop()
    else:
        rows.insert(rng.randrange(len(rows)), list(rng.choice(rows)))
    return "\n".join(separator.join(cells) for cells in rows).encode()


def _odd_columns(rows: int) -> list[pa.Array]:
    one = [
        pa.array([1], pa.int64()), pa.array([1.5]), pa.array([float("nan")]), pa.array([None], pa.null()), pa.array(["a"]),
        pa.array([None], pa.string()), pa.array([b"\xff\xfe"]), pa.array([[1, 2]]), pa.array([["a"]]), pa.array([{"a": 1}]),
        pa.array([{"bytes": b"x", "path": "a.png"}]), pa.array([{"bytes": None, "path": None}]), pa.array([{"path": 1}]),
        pa.array([True]), pa.array([2**63 - 1]), pa.array([0], pa.timestamp("us")), pa.array([1], pa.date32()),
        pa.array(["a"]).dictionary_encode(), pa.array([[["a"]]]), pa.array([[(1)]], pa.large_list(pa.int8())), pa.array(["a"], pa.large_string()),
        pa.array([1], pa.decimal128(38, 0)), pa.array([b"abcd"], pa.binary(4)), pa.array([1], pa.duration("s")), pa.array([""]),
        pa.array(["../x"]), pa.array([[[1.0, 2.0]]]), pa.array([[[1.0]]]), pa.array([[]], pa.list_(pa.float32())),
    ]  # fmt: skip
    return [pa.concat_arrays([column] * rows) if rows else column[:0] for column in one]


def mutate_parquet(data: bytes, rng: random.Random) -> bytes:
    """A column of another type, another name, or none; rows repeated or removed."""
    table = pq.read_table(io.BytesIO(data))
    place, kind = rng.randrange(table.num_columns), rng.randrange(6)
    name = table.column_names[place]
    if kind <= 2:
        table = table.set_column(place, name, rng.choice(_odd_columns(table.num_rows)))
    elif kind == 3:
        names = list(table.column_names)
        names[place] = rng.choice(("", "id", "label", "path", "image", "attr.x", "\0", names[0], "é", "vector", "caption_1"))
        table = table.rename_columns(names)
    elif kind == 4:
        table = table.remove_column(place) if rng.random() < 0.5 else table.slice(0, rng.randrange(table.num_rows + 1))
    else:
        table = pa.concat_tables([table, table.slice(0, 1)])
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def mutate_npy(data: bytes, rng: random.Random) -> bytes:
    """An npz with another array, or with another header in one of its arrays."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = rng.choice(list(arrays))
    odd: tuple[Any, ...] = (
        np.array(1), np.array([]), np.zeros((0, 3)), np.array(["a"]), np.array([b"\xff"]), np.array([1j]), np.array([True]),
        np.full((2, 3), np.nan), np.array([np.inf, 1]), np.zeros((2, 3), ">f4"), np.zeros((2, 3), "f2"), np.zeros((2, 3), "i8"),
        np.zeros((1, 2, 3)), np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]), np.array(["2020-01-01"], "M8[D]"),
    )  # fmt: skip
    if rng.random() < 0.5:
        arrays[name] = rng.choice(odd)
    elif rng.random() < 0.5:
        arrays[rng.choice(("", "a", "texts", "name"))] = arrays.pop(name)
    out = io.BytesIO()
    np.savez(out, **{key or "_": value for key, value in arrays.items()})
    found = out.getvalue()
    if rng.random() < 0.4:  # headers lie uncompressed in the archive
        begin = found.find(b"{'descr'")
        header = found[begin : found.find(b"\n", begin)]
        new = re.sub(rb"\(.*?\)", rng.choice((b"(-1,)", b"(9,9)", b"()", b"(1,", b"[1]", b"(" * 20)), header, count=1)
        new = re.sub(rb"'<[^']*'", rng.choice((b"'|O'", b"'<f8'", b"[]", b"'V9'", b"None")), new, count=1)
        found = found.replace(header, new.ljust(len(header))[: len(header)])
    return found


def mutate_safetensors(data: bytes, rng: random.Random) -> bytes:
    """The header's JSON."""
    length = int.from_bytes(data[:8], "little")
    header = mutate_json(data[8 : 8 + length], rng)
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


_BY_ENDING: dict[str, tuple[Mutation, ...]] = {
    "json": (mutate_json,),
    "jsonl": (mutate_lines,),
    "toml": (mutate_toml,),
    "csv": (mutate_cells,),
    "tsv": (mutate_cells,),
    "parquet": (mutate_parquet,),
    "npz": (mutate_npy,),
    "safetensors": (mutate_safetensors,),
}
