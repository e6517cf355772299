"""Class lists: those that ship with Eyechart, and files that users write."""

import csv
import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from unicodedata import normalize

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.file_pictures import printable
from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.files.records import parse_json
from eyechart.files.text import read_text

_LISTS = files("eyechart.data") / "class_lists"
_HEAD = ["label", "name", "synonyms"]


def class_list_names() -> list[str]:
    """The names of the class lists that ship with Eyechart."""
    return sorted(entry.name.removesuffix(".json") for entry in _LISTS.iterdir() if entry.name.endswith(".json"))


def read_classes(spec: str | Path) -> ClassList:
    """Read a class list by its name (`imagenet-1k`) or from a file.

    Args:
        spec: A list's name, or a file:
            .txt: one name per line, or label, name and synonyms separated by tabs;
            .csv, .tsv: columns label, name and synonyms (separated by '|'); the header may be left out;
            .json: [name, …], {label: name} or {label: [name, synonym, …]}.

    Raises:
        UsageError: If there is neither a list nor a file of this name.
        DataError: If the file cannot be used; the message names the row.

    Example:
        >>> read_classes("imagenet-1k")[0].name
        'tench'
    """
    if str(spec) in class_list_names():
        return _named(str(spec))
    path = Path(spec)
    if not path.is_file():
        known = ", ".join(class_list_names())
        hint = did_you_mean(str(spec), class_list_names())
        raise UsageError(f"classes {str(spec)!r}: neither a class list ({known}) nor a file of class names{hint}")
    readers = {".json": _json_rows, ".csv": _csv_rows, ".tsv": _csv_rows}
    rows = readers.get(path.suffix.lower(), _text_rows)(path)
    classes = tuple(_distinct(rows, path))
    if not classes:
        raise DataError(f"{path}: it contains no class names; write one per line")
    return ClassList(printable(path.stem), classes, source=f"file {printable(path.name)}")


def _named(name: str) -> ClassList:
    about = parse_json((_LISTS / f"{name}.json").read_text(encoding="utf-8"), f"{name}.json")
    classes = tuple(
        PictureClass(
            label=row.get("wnid") or row["label"],
            name=row["name"],
            synonyms=tuple(row.get("synonyms", ())),
            same_as=tuple(row.get("same_as", ())),
        )
        for row in about["classes"]
    )
    return ClassList(about["name"], classes, f"{about['source']}; license: {about['license']}")


Row = tuple[str, list[str]]  # place for messages; label, name, synonyms …


def _distinct(rows: Iterator[Row], path: Path) -> Iterator[PictureClass]:
    first: dict[str, str] = {}
    for where, texts in rows:
        label, name, *synonyms = [normalize("NFC", text).strip() for text in texts]
        if any("\ud800" <= sign <= "\udfff" for text in texts for sign in text):
            raise DataError(f"{path}, {where}: {texts[0]!r} contains a lone surrogate (U+D800 to U+DFFF); write it as UTF-8")
        if not label or not name:
            raise DataError(f"{path}, {where}: the {'name' if label else 'label'} is empty; fill it in or remove the row")
        if label in first:
            raise DataError(f"{path}, {where}: label {label!r} is already used in {first[label]}; remove one of the two")
        first[label] = where
        yield PictureClass(label, name, tuple(synonym for synonym in synonyms if synonym))


def _text_rows(path: Path) -> Iterator[Row]:
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            cells = line.split("\t")
            yield f"row {number}", cells if len(cells) > 1 else [line, line]


def _csv_rows(path: Path) -> Iterator[Row]:
    reader = csv.reader(
        io.StringIO(read_text(path), newline=""), delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True
    )
    head = _HEAD
    number = 1
    try:
        for cells in reader:
            where, number = f"row {number}", reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            named = [cell.strip().lower() for cell in cells]
            if where == "row 1" and ("name" in named or (len(named) > 1 and set(named) <= set(_HEAD))):
                if odd := [cell for cell in named if cell not in _HEAD or named.count(cell) > 1]:
                    raise DataError(
                        f"{path}, row 1: column {odd[0]!r} is not one of {', '.join(_HEAD)}, each once; rename or remove it"
                    )
                head = named
                continue
            if len(cells) > len(head):
                raise DataError(
                    f"{path}, {where}: {len(cells)} columns instead of {len(head)} ({', '.join(head)}); quote the commas"
                )
            row = dict(zip(head, cells, strict=False))
            # A single column holds names, which are also the labels.
            name = row.get("name", row.get("label", ""))
            yield where, [row.get("label", name), name, *row.get("synonyms", "").split("|")]
    except csv.Error as error:
        raise DataError(f"{path}, row {number}: not readable as a table ({error}); check the quotes there") from None


def _json_rows(path: Path) -> Iterator[Row]:
    content = parse_json(read_text(path), str(path), remedy="write a list of names, or an object of labels and names")
    if not isinstance(content, list | dict):
        raise DataError(f"{path}: neither a list of names nor an object of labels and names")
    entries = content.items() if isinstance(content, dict) else [(entry, entry) for entry in content]
    for number, (label, names) in enumerate(entries, 1):
        texts = [names] if isinstance(names, str) else names
        if not isinstance(label, str) or not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
            raise DataError(f"{path}, entry {number}: a class is a name, or a label with its name or its [name, synonym, …]")
        yield f"entry {number}", [label, *texts]
