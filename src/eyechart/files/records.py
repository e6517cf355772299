"""TOML and JSON files that hold records: read with a size limit, and validated by the type hints of a dataclass.

Every error names the file, the key, the reason and, where there is one, the nearest known key:
`plan.toml: models[0].devise is not a known key; did you mean 'device'? (known: device, name, precision, spec)`.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from math import inf, isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from eyechart.errors import DataError, EyechartError, UsageError, did_you_mean
from eyechart.files.readable import require_regular
from eyechart.files.text import nearest_sibling

T = TypeVar("T")
Error = type[EyechartError]

MOST_BYTES = 16 << 20  # far more than any record; a larger file is something else
MOST_DEPTH = 100  # of tables in tables; code that walks through a deeper one would exceed Python's stack
MOST_CHECKED = 64 << 20  # characters of a text whose depth is checked; walking through more would take seconds
_REQUIRED: Any = object()
# A dotted key of more parts than `MOST_DEPTH`. Python's parser takes time and memory by the square of their number: 120 kB, 6 GB.
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DEEP_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_DEPTH}}}")


def read_toml(path: Path, *, error: Error = UsageError, remedy: str = "") -> dict[str, Any]:
    """The content of a TOML file."""
    return parse_toml(_read(path, error, remedy, MOST_BYTES), str(path), error=error)


def read_json(
    path: Path, *, error: Error = DataError, remedy: str = "", most_bytes: int | None = MOST_BYTES, unique: bool = True
) -> Any:
    """The content of a JSON file.

    Args:
        path: The file.
        error: The class of the error that is raised.
        remedy: What to do where the file cannot be read, such as "fetch it again".
        most_bytes: The size limit; None for none.
        unique: Whether a key that is repeated in an object is an error.
    """
    return parse_json(_read(path, error, remedy, most_bytes), str(path), error=error, remedy=remedy, unique=unique)


def parse_toml(text: str, where: str, *, error: Error = UsageError) -> dict[str, Any]:
    """The content of a TOML text; `where` names it in errors."""
    try:
        if _DEEP_KEY.search(text):
            raise RecursionError
        content = tomllib.loads(text)
        _check_depth(content)
        return content
    except RecursionError:
        raise error(f"{where}: not valid TOML: nested too deeply") from None
    except ValueError as reason:  # also an integer of thousands of digits
        raise error(f"{where}: not valid TOML: {reason}") from None


def parse_json(
    text: str, where: str, *, error: Error = DataError, remedy: str = "", unique: bool = True, row: bool = True
) -> Any:
    """The content of a JSON text; `where` names it in errors, with the row of the text unless `row` is False."""
    try:
        content = json.loads(text, object_pairs_hook=unique_keys if unique else None)
        if len(text) <= MOST_CHECKED:
            _check_depth(content)
        if "\\ud" in text or "\\uD" in text:
            _check_surrogates(content)
        return content
    except json.JSONDecodeError as reason:
        at = f", row {reason.lineno}" if row else ""
        raise error(f"{where}{at}: not valid JSON ({reason.msg}){_then(remedy)}") from None
    except RecursionError:
        raise error(f"{where}: not valid JSON (nested too deeply){_then(remedy)}") from None
    except ValueError as reason:
        raise error(f"{where}: not valid JSON ({reason}){_then(remedy)}") from None


@dataclass(frozen=True)
class Table:
    """A table of a file, with checks of its keys and values.

    where: The file, for errors.
    content: The keys and values.
    key: The table's own key in the file, such as `models[0]`; empty for the file as a whole.
    error: The class of the errors that are raised.
    """

    where: str
    content: Mapping[str, Any]
    key: str = ""
    error: Error = UsageError

    def __post_init__(self) -> None:
        if not isinstance(self.content, dict):
            what = f"{self.key} is" if self.key else "it is"
            raise self.error(f"{self.where}: {what} {_shown(self.content)}; it must be a table of keys and values")

    def fail(self, key: str, reason: str) -> EyechartError:
        """The error for one key: file, key and reason."""
        return self.error(f"{self.where}: {self._path(key)} {reason}")

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that are not known."""
        known = sorted(known)
        for key in self.content:
            if key not in known:
                raise self.fail(key, f"is not a known key{did_you_mean(key, known)} (known: {', '.join(known)})")

    def get(self, key: str, hint: Any, default: Any = _REQUIRED) -> Any:
        """The value of a key, checked against a type hint. A key without a default must be there; null counts as absent."""
        value = self.content.get(key)
        if value is not None:
            return self._convert(key, value, hint)
        if default is _REQUIRED:
            raise self.fail(key, "is missing; add it")
        return default

    def table(self, key: str) -> "Table | None":
        """The table under a key; None where there is none."""
        return None if self.content.get(key) is None else Table(self.where, self.content[key], self._path(key), self.error)

    def into(self, kind: type[T], **known: Any) -> T:
        """The record that the table describes.

        Args:
            kind: A dataclass. Its fields are the known keys; a field without a default is required.
            **known: Values of fields that the table may leave out.
        """
        hints, given = get_type_hints(kind), dict(known)
        own = [field for field in fields(kind) if field.init]  # type: ignore[arg-type]
        self.only(field.name for field in own)
        for field in own:
            required = field.default is MISSING and field.default_factory is MISSING and field.name not in known
            if required or self.content.get(field.name) is not None:
                given[field.name] = self.get(field.name, hints[field.name])
        return kind(**given)

    def _path(self, key: str) -> str:
        return f"{self.key}.{key}" if self.key else key

    def _convert(self, key: str, value: Any, hint: Any) -> Any:
        if hint is Any:
            return value
        if isinstance(value, float) and not isfinite(value):
            raise self.fail(key, f"is {value}; it must be a finite number")
        if isinstance(value, int) and abs(value) >= 1 << 63 and hint is not float:
            raise self.fail(key, "is a whole number of more than 63 bits; choose a smaller one")
        choices = _options(hint)
        for choice in choices:
            done = self._try(key, value, choice)
            if done is not _REQUIRED:
                return done
        literals = [word for choice in choices if get_origin(choice) is Literal for word in get_args(choice)]
        meant = did_you_mean(value, literals) if isinstance(value, str) else ""
        raise self.fail(key, f"is {_shown(value)}{meant or '; it'} must be {_words(hint)}".replace("? must", "? It must"))

    def _try(self, key: str, value: Any, hint: Any) -> Any:
        """The value as this type has it; `_REQUIRED` where it is of another."""
        origin, inside = get_origin(hint), get_args(hint)
        if origin is Literal:
            return value if value in inside else _REQUIRED
        if origin in (tuple, list):
            if not isinstance(value, list):
                return _REQUIRED
            parts = [self._convert(f"{key}[{place}]", one, inside[0]) for place, one in enumerate(value)]
            return tuple(parts) if origin is tuple else parts
        if origin is not None and issubclass(origin, Mapping):
            if not isinstance(value, dict):
                return _REQUIRED
            return {name: self._convert(f"{key}.{name}", one, inside[1]) for name, one in value.items()}
        if is_dataclass(hint) and isinstance(hint, type):
            return Table(self.where, value, self._path(key), self.error).into(hint) if isinstance(value, dict) else _REQUIRED
        if hint is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value) if abs(value) < 1 << 63 else inf
        fits = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
        return value if fits else _REQUIRED


def _options(hint: Any) -> list[Any]:
    """The types of a union, without None; a record among other types is one that only Python code gives."""
    if get_origin(hint) not in (Union, UnionType):
        return [hint]
    members = [member for member in get_args(hint) if member is not NoneType]
    return [member for member in members if not is_dataclass(member)] or members


_PLAIN = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_SEVERAL = {str: "texts", int: "whole numbers", float: "numbers"}


def _words(hint: Any) -> str:
    """How a type is called in an error."""
    options = _options(hint)
    if len(options) > 1:
        return " or ".join(dict.fromkeys(_words(option) for option in options))
    (hint,) = options
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(map(str, inside))}"
    if origin in (tuple, list):
        return f"a list of {_SEVERAL.get(inside[0], 'tables')}"
    if origin is not None:
        return f"a table of {_SEVERAL.get(inside[1], 'tables')}"
    return _PLAIN.get(hint, "a table")


def _read(path: Path, error: Error, remedy: str, most_bytes: int | None) -> str:
    require_regular(path, error=error)
    try:
        size = path.stat().st_size
        if most_bytes is not None and size > most_bytes:
            raise error(f"{path}: {size / 1e6:,.0f} MB, more than the {most_bytes / 1e6:.0f} MB of such a file{_then(remedy)}")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise error(f"{path}: there is no such file{_then(remedy) or nearest_sibling(path)}") from None
    except UnicodeDecodeError:
        raise error(f"{path}: it is not UTF-8 text{_then(remedy) or '; save it as UTF-8'}") from None
    except OSError as reason:
        raise error(f"{path}: cannot be read ({reason.strerror or reason}){_then(remedy)}") from reason


def _check_depth(content: Any) -> None:
    """RecursionError for what is nested more than `MOST_DEPTH` deep."""
    level = [content] if isinstance(content, dict | list) else []
    for _ in range(MOST_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise RecursionError


def _check_surrogates(content: Any) -> None:
    """ValueError for half of a surrogate pair, which is no text: it cannot be stored or printed."""
    try:
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text has a lone surrogate, half of a character") from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` of json: the object, or a ValueError for a repeated key, which readers resolve differently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} is repeated in one object")
    return found


def _then(remedy: str) -> str:
    return f"; {remedy}" if remedy else ""


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # a TOML integer in another base may have more digits than Python writes
        text = "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:79]}…"
