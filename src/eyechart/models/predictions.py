"""`predictions:FILE`: answers that a model or a person gave for each picture, from CSV, TSV, JSON Lines or Parquet.

    predictions:answers.csv
    predictions:trials.csv,id=imagename,label=object_response,after=_
    predictions:ResNet50.csv,answers=index

A row has the id of a picture and a label, or `labels` and `scores`: the best k labels, and a score of each. Several rows of one
id are its best k labels, if they have scores. An empty label or null is no answer, and so are "na", "n/a", "nan", "none" and
"null" where no class is called so.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any

from eyechart.errors import DataError, UsageError, did_you_mean, explained_on
from eyechart.files.hashing import HashMemory
from eyechart.models.card import ModelCard
from eyechart.models.encoder import PicturePrediction
from eyechart.models.predictions_table import read_rows
from eyechart.models.weights import fingerprint

READING_VERSION = 1  # increases whenever the same file would be read differently
EXAMPLE = "predictions:answers.csv"
PAGE = "models"  # of the guide, which explains these files
NO_ANSWER = frozenset({"na", "n/a", "nan", "none", "null"})  # compared without case, where no class is called so
# The names of columns that are understood without an option, in the order in which they are tried.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id", "file_name", "filename", "image", "imagename", "path", "picture"),
    "label": (
        "label", "labels", "predicted", "prediction", "predictions", "predicted_class", "predicted_label", "answer", "response",
        "object_response", "top5_labels",
    ),
    "score": (
        "score", "scores", "probability", "probabilities", "confidence", "predicted_probability", "top5_probabilities",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class PredictionOptions:
    """How a file of predictions is read.

    id: The column with the id of the picture.
    label: The column with the label, or the list of labels.
    score: The column with the score, or the list of scores.
    after: Ids are what follows the last occurrence of this text.
    answers: "label" where answers are labels or names of classes, "index" where they are numbers of classes, from 0.
    """

    id: str = ""
    label: str = ""
    score: str = ""
    after: str = ""
    answers: str = "label"

    def __post_init__(self) -> None:
        if self.answers not in ("label", "index"):
            raise UsageError(f"predictions: answers={self.answers}; write answers=label or answers=index")


@dataclass(frozen=True, eq=False)
class PredictionsFile:
    """A file of predictions as a model: it answers for the pictures in the file, and does nothing else.

    spec: How it was opened.
    card: Its name.
    fingerprint: Over the content of the file and the options.
    file: The file.
    predictions: The prediction of each picture, by the id in the file.
    """

    spec: str
    card: ModelCard
    fingerprint: str
    file: Path
    predictions: Mapping[str, PicturePrediction]

    def row_of(self, id: str) -> str:
        """The id in the file that answers for a picture."""
        return id if id in self.predictions else id.rpartition("/")[2]

    @explained_on(PAGE)
    def look_up_predictions(self, ids: Sequence[str]) -> list[PicturePrediction]:
        """The prediction of each picture: by its id, or by its file name where the file has no folders."""
        known = self.predictions
        keys = [self.row_of(id) for id in ids]
        missing = [id for id, key in zip(ids, keys, strict=True) if key not in known]
        if missing:
            raise DataError(
                f"{self.file}: no prediction for the picture {missing[0]!r}{did_you_mean(missing[0], known)} "
                f"({len(missing):,} of {len(ids):,} are missing); add rows, with an empty label where there is no answer"
            )
        if len(set(keys)) < len(keys):
            first: dict[str, str] = {}
            for id, key in zip(ids, keys, strict=True):
                if first.setdefault(key, id) != id:
                    raise DataError(f"{self.file}: {key!r} could be {first[key]!r} or {id!r}; write the whole id of each picture")
        return [known[key] for key in keys]


@explained_on(PAGE)
def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> PredictionsFile:
    """Open a file of predictions. `device`, `precision` and `threads` have no effect."""
    path, options = _parse(name)
    rows = read_rows(path)
    try:
        first = next(rows)
    except StopIteration:
        raise DataError(f"{path}: it has no rows; write one row per picture, with its id and label") from None
    columns = {what: _column(path, what, getattr(options, what), list(first[1])) for what in _COLUMNS}
    digest = fingerprint({"predictions": hashes.file(path), "reading": READING_VERSION, "options": vars(options)})
    card = ModelCard(name=path.name, backend="predictions", notes=("predictions from a file",))
    return PredictionsFile(f"predictions:{name}", card, digest, path, _collect(path, _chain(first, rows), columns, options))


def _parse(name: str) -> tuple[Path, PredictionOptions]:
    """The file and the options after commas. A comma may also be part of the path."""
    known = [f.name for f in fields(PredictionOptions)]
    parts, given = name.split(","), dict[str, str]()
    while len(parts) > 1 and "=" in parts[-1] and not Path(",".join(parts)).is_file():
        key, _, value = parts.pop().partition("=")
        if key not in known:
            hint = did_you_mean(key, known)
            raise UsageError(f"predictions:{name}: unknown option {key!r}{hint} (options: {', '.join(known)}, as NAME=VALUE)")
        given[key] = value
    path = Path(",".join(parts))
    if not path.is_file():
        raise UsageError(f"predictions:{path}: there is no such file; give a CSV, TSV, JSON Lines or Parquet file")
    return path, PredictionOptions(**given)


def _column(path: Path, what: str, wanted: str, columns: Sequence[str]) -> str | None:
    """The column for id, label or score. There may be none for the score."""
    if wanted:
        if wanted not in columns:
            hint = did_you_mean(wanted, columns)
            raise DataError(f"{path}: there is no column {wanted!r}{hint} (there are: {', '.join(columns)})")
        return wanted
    found = next((name for name in _COLUMNS[what] if name in columns), None)
    if found is None and what != "score":
        raise DataError(
            f"{path}: no column is called {_COLUMNS[what][0]!r} (there are: {', '.join(columns)}); "
            f"name it after the file: predictions:{path.name},{what}=COLUMN"
        )
    return found


def _chain(first: tuple[int, dict[str, Any]], rest: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, dict[str, Any]]]:
    yield first
    yield from rest


def _collect(
    path: Path,
    rows: Iterator[tuple[int, dict[str, Any]]],
    columns: Mapping[str, str | None],
    options: PredictionOptions,
) -> dict[str, PicturePrediction]:
    found: dict[str, list[tuple[str, float | None]]] = {}
    places: dict[str, int] = {}
    for number, row in rows:
        where = f"{path}, row {number}"
        id = row.get(columns["id"] or "")
        if id is None or not str(id).strip():
            raise DataError(f"{where}: it has no id; write the id of the picture")
        key = str(id)
        key = key.rpartition(options.after)[2] if options.after else key
        answers = _answers(where, row.get(columns["label"] or ""), row.get(columns["score"]) if columns["score"] else None)
        if key in found:
            if any(score is None for _, score in (*found[key], *answers)):
                raise DataError(
                    f"{where}: the picture {key!r} is already in row {places[key]}; keep one row, or give each a score"
                )
            found[key] += answers
        else:
            found[key], places[key] = answers, number
    numbered = options.answers == "index"
    return {key: _ordered(f"{path}, picture {key!r}", answers, numbered) for key, answers in found.items()}


def _answers(where: str, labels: Any, scores: Any) -> list[tuple[str, float | None]]:
    """The labels of a row, each with its score. No answer is an empty list."""
    many = labels if isinstance(labels, list) else [labels]
    values = scores if isinstance(scores, list) else [scores] * len(many) if scores in (None, "") else [scores]
    if len(values) != len(many):
        raise DataError(f"{where}: it has {len(many)} labels and {len(values)} scores; give one score per label")
    found = [(_label(where, label), _score(where, score)) for label, score in zip(many, values, strict=True)]
    return [(label, score) for label, score in found if label]


def _label(where: str, label: Any) -> str:
    if label is None:
        return ""
    if isinstance(label, bool) or not isinstance(label, str | int):
        raise DataError(f"{where}: the label {label!r:.60} is neither text nor a whole number; write labels as text")
    return str(label).strip()


def _score(where: str, score: Any) -> float | None:
    if score is None or score == "":
        return None
    try:
        value = float(score)
    except (TypeError, ValueError):
        value = float("nan")
    if isinstance(score, bool) or not isfinite(value):
        raise DataError(f"{where}: the score {score!r:.60} is not a finite number; leave it empty where there is none")
    return value


def _ordered(where: str, answers: list[tuple[str, float | None]], numbered: bool) -> PicturePrediction:
    """Best first: by score, or in the order of the file where no label has one."""
    labels = [label for label, _ in answers]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise DataError(f"{where}: the label {twice!r} is listed twice; keep it once")
    if numbered and (wrong := next((label for label in labels if not label.isdecimal()), None)) is not None:
        raise DataError(f"{where}: {wrong!r} is not the number of a class; leave out answers=index, or write numbers from 0")
    scores = [score for _, score in answers if score is not None]
    if scores and len(scores) < len(answers):
        raise DataError(f"{where}: {len(answers) - len(scores)} of its labels have no score; give all of them one, or none")
    if not scores:
        return PicturePrediction(tuple(labels), None, numbered)
    best = sorted(range(len(labels)), key=lambda place: -scores[place])
    return PicturePrediction(tuple(labels[i] for i in best), tuple(scores[i] for i in best), numbered)
