"""Matching of labels to classes, and notices about what does not fit."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean
from eyechart.notice import Notice

_WNID = re.compile(r"n\d{8}")
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")  # longer ones are names, not numbers


@dataclass(frozen=True)
class Labeled:
    """A dataset's table after its labels were matched.

    table: The table with labels as the class list spells them.
    classes: The classes; None where there are none.
    notices: What was odd.
    classes_from: Where the classes come from, for the protocol.
    """

    table: pa.Table
    classes: ClassList | None
    notices: tuple[Notice, ...]
    classes_from: str


def attach_classes(reading: RawDataset, given: ClassList | None) -> Labeled:
    labels = _labels_of(reading)
    if given is not None:
        table, matched = _matched(reading, given)
        return Labeled(table, given, tuple(_odd(reading, table, given)), f"{given.name}, {matched}")
    if not labels:
        empty = "label" in reading.table.column_names
        notices = [Notice(reading.where_all, "the column of labels is empty", "fill it in to measure accuracy")] if empty else []
        return Labeled(reading.table, None, tuple(notices), "none")
    classes, classes_from, notices = _own(labels, reading.where_all)
    return Labeled(reading.table, classes, (*notices, *_odd(reading, reading.table, classes)), classes_from)


def label_order(labels: Iterable[str]) -> list[str]:
    """Sorted as text, or as numbers where all are whole numbers ('10' after '9')."""
    found = list(dict.fromkeys(labels))
    if all(_WHOLE.fullmatch(label) for label in found):
        return sorted(found, key=int)
    return sorted(found)


def _labels_of(reading: RawDataset) -> list[str]:
    """All labels. Declared labels keep their order, since label numbers refer to it."""
    if reading.numbers is not None:
        return list(reading.labels)
    there = pc.unique(reading.table.column("label")).drop_null().to_pylist() if "label" in reading.table.column_names else []
    return label_order([*reading.labels, *there])


def _own(labels: list[str], where: str) -> tuple[ClassList, str, list[Notice]]:
    """Classes from the labels alone; WordNet ids get their names, and folder names become words."""
    if all(_WNID.fullmatch(label) for label in labels):
        known = {entry.label: entry for entry in read_classes("imagenet-1k")}
        unknown = [label for label in labels if label not in known]
        if not unknown:
            what = f"the labels are WordNet ids: the {len(labels)} classes get their names from imagenet-1k"
            remedy = "for all of its 1,000 classes, give imagenet-1k as classes"
            source = "imagenet-1k names for the WordNet ids of the data"
            return (
                ClassList("imagenet-1k", tuple(known[label] for label in labels), source),
                source,
                [Notice(where, what, remedy)],
            )
        what = f"the labels are WordNet ids, {len(unknown)} of them unknown to imagenet-1k, first {unknown[0]}"
        return _named(labels), "labels", [Notice(where, what, "give a file of class names")]
    notices = []
    if all(_WHOLE.fullmatch(label) for label in labels):
        notices.append(Notice(where, "the labels are numbers, and prompts contain these numbers", "give a file of class names"))
    return _named(labels), "labels, '_' read as a space", notices


def _named(labels: list[str]) -> ClassList:
    return ClassList("labels", tuple(PictureClass(label, _words(label)) for label in labels), source="labels of the data")


def _words(label: str) -> str:
    return " ".join(label.replace("_", " ").split()) or label


def _matched(reading: RawDataset, classes: ClassList) -> tuple[pa.Table, str]:
    """Labels as the list spells them: by label, else by name, else as numbers that count the list from 0."""
    if "label" not in reading.table.column_names:
        return reading.table, "no labels in the data"
    encoded = reading.table.column("label").combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    meant, how = _by_text(texts, classes), "matched by label or name"
    if None in meant:
        # Where some labels are names of the list, the others are errors, not numbers.
        foreign = not any(meant)
        if foreign and all(_WHOLE.fullmatch(text) and int(text) < len(classes) for text in texts):
            meant, how = [classes[int(text)].label for text in texts], "matched by number, counted from 0"
        elif foreign and reading.numbers is not None and len(reading.labels) == len(classes):
            number = {text: index for index, text in enumerate(reading.labels)}
            meant, how = [classes[number[text]].label for text in texts], "matched by number, counted from 0"
        else:
            numbers = foreign and all(_WHOLE.fullmatch(text) for text in texts)
            wrong = max(texts, key=int) if numbers else texts[meant.index(None)]
            raise DataError(_unknown(reading, encoded, wrong, classes))
    column = pa.chunked_array([pa.array(meant, pa.string()).take(encoded.indices)])
    return reading.table.set_column(reading.table.schema.get_field_index("label"), "label", column), how


def _by_text(texts: list[str], classes: ClassList) -> list[str | None]:
    labels = {entry.label for entry in classes}
    names: dict[str, str | None] = {}
    for entry in classes:
        for spelled in dict.fromkeys((_words(entry.label), *entry.names)):
            # A name that two classes share is ambiguous.
            names[spelled] = entry.label if names.get(spelled, entry.label) == entry.label else None
    return [text if text in labels else names.get(text) or names.get(_words(text)) for text in texts]


def _unknown(reading: RawDataset, encoded: pa.DictionaryArray, label: str, classes: ClassList) -> str:
    code = encoded.dictionary.index(label).as_py()
    row = encoded.indices.index(code).as_py()
    hint = did_you_mean(label, [name for entry in classes for name in (entry.label, *entry.names)])
    counted = "; numbers count the list from 0" if _WHOLE.fullmatch(label) else "; add it to the list or correct the label"
    known = _by_text(encoded.dictionary.to_pylist(), classes)
    others = sum(found is None for found in known) - 1
    more = f" (nor are {others} other labels)" if others > 0 else ""
    return f"{reading.where(row)}: label {label!r} is not among the {len(classes)} class names{hint or counted}{more}"


def _odd(reading: RawDataset, table: pa.Table, classes: ClassList) -> list[Notice]:
    notices = []
    where = reading.where_all
    if "label" in table.column_names:
        column = table.column("label")
        there = set(pc.unique(column).drop_null().to_pylist())
        if column.null_count:
            notices.append(Notice(where, f"{column.null_count} of {len(column)} rows have no label", "they count in no accuracy"))
        without = [entry.label for entry in classes if entry.label not in there]
        if without and there:
            listed = ", ".join(without[:5]) + (", …" if len(without) > 5 else "")
            what = f"{len(without)} of {len(classes)} classes have no picture: {listed}"
            notices.append(Notice(where, what, "they can still be predicted; remove them from the class list if they should not"))
    if len(classes) == 1:
        notices.append(
            Notice(
                where,
                f"only one class, {classes[0].label!r}: every prediction would be correct",
                "give the names of other classes",
            )
        )
    return notices
