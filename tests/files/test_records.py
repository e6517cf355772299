"""TOML and JSON records: what is accepted, and that every refusal names file, key and reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pytest

from eyechart.errors import DataError, UsageError
from eyechart.files import records
from eyechart.files.records import MOST_BYTES, Table, parse_toml, read_json, read_toml


@dataclass(frozen=True)
class Part:
    label: str
    weight: float = 1.0


@dataclass(frozen=True)
class Example:
    name: str
    count: int = 1
    rate: float = 0.5
    shape: Literal["round", "square"] = "round"
    tags: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    either: str | tuple[str, ...] | None = None


def made(**content):
    return Table("x.toml", content).into(Example)


def test_a_record_gets_its_defaults():
    assert made(name="a") == Example("a")


def test_values_are_converted_to_the_types_of_the_record():
    found = made(name="a", rate=2, tags=["b"], parts=[{"label": "c", "weight": 3}], texts={"d": "e"}, either=["f"])
    assert found == Example("a", rate=2.0, tags=("b",), parts=(Part("c", 3.0),), texts={"d": "e"}, either=("f",))
    assert isinstance(found.rate, float)


@pytest.mark.parametrize(
    "content, message",
    [
        ({}, "x.toml: name is missing; add it"),
        ({"name": "a", "cuont": 2}, r"x.toml: cuont is not a known key; did you mean 'count'\? \(known: count, either"),
        ({"name": 3}, "x.toml: name is 3; it must be a text"),
        ({"name": "a", "count": True}, "x.toml: count is True; it must be a whole number"),
        ({"name": "a", "count": 1.5}, "count is 1.5; it must be a whole number"),
        ({"name": "a", "rate": float("inf")}, "rate is inf; it must be a finite number"),
        ({"name": "a", "rate": "fast"}, "rate is 'fast'; it must be a number"),
        ({"name": "a", "shape": "rond"}, r"shape is 'rond'; did you mean 'round'\? It must be one of round, square"),
        ({"name": "a", "tags": "b"}, "tags is 'b'; it must be a list of texts"),
        ({"name": "a", "tags": ["b", 2]}, r"tags\[1\] is 2; it must be a text"),
        ({"name": "a", "texts": {"b": 1}}, r"texts\.b is 1; it must be a text"),
        ({"name": "a", "parts": [{"weight": 1}]}, r"parts\[0\]\.label is missing"),
        ({"name": "a", "either": 1}, "either is 1; it must be a text or a list of texts"),
    ],
)
def test_a_refusal_names_file_key_and_reason(content, message):
    with pytest.raises(UsageError, match=message):
        made(**content)


def test_what_is_not_a_table_is_refused():
    with pytest.raises(DataError, match=r"x\.json: it is \[1\]; it must be a table of keys and values"):
        Table("x.json", [1], error=DataError)


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"a": 1,}', "row 1: not valid JSON"),
        ('{"a": 1, "a": 2}', "the key 'a' is repeated in one object"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_damaged_json_is_refused_with_the_remedy(tmp_path, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message + r".*; fetch it again"):
        read_json(path, remedy="fetch it again")


def test_damaged_toml_is_refused(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text("a = ")
    with pytest.raises(UsageError, match=r"x\.toml: not valid TOML"):
        read_toml(path)


def test_a_missing_file_and_another_encoding_are_refused(tmp_path):
    (tmp_path / "plan.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=r"plan\.toml: it is not UTF-8 text; save it as UTF-8"):
        read_toml(tmp_path / "plan.toml")
    with pytest.raises(UsageError, match=r"there is no such file; did you mean 'plan.toml'"):
        read_toml(tmp_path / "plans.toml")


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "x.json"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(DataError, match="17 MB, more than the 17 MB of such a file"):
        read_json(path)


DEEP = {
    "key": ".".join("a" * 60_000) + " = 1",
    "spaces": " . ".join("a" * 101) + " = 1",
    "quoted": ".".join(['"a.\\"b"', "'c'"] * 51) + " = 1",
    "table": "[" + ".".join("a" * 60_000) + "]",
    "tables": "[[" + ".".join("a" * 60_000) + "]]",
    "inline": "x = {" + ".".join("a" * 60_000) + " = 1}",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_a_dotted_key_of_many_parts_is_refused_before_it_is_parsed(text, monkeypatch):
    """Python's parser takes gigabytes for a key of 60,000 parts."""
    monkeypatch.setattr(records.tomllib, "loads", lambda text: pytest.fail("it was parsed"))
    with pytest.raises(UsageError, match=r"a\.toml: not valid TOML: nested too deeply"):
        parse_toml(text, "a.toml")


def test_dots_elsewhere_are_no_deep_key():
    values = {
        "text": "...".join("a" * 300),
        "words": "One. Two words. " * 200,
        "path": "/".join(["a.b"] * 300),
        "long": "a" * 10**6,
    }
    text = "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items()) + f"\nlist = [{'1.5, ' * 1000}]\n"
    assert parse_toml(text, "a.toml") == {**values, "list": [1.5] * 1000}
    assert parse_toml(".".join("a" * 99) + " = 1", "a.toml")
