"""The pictures of a run as the page's gallery reads them: what one model predicted for each picture of one dataset.

Everything is bounded: rows of one gallery, rows of all galleries, and rows of a data file. Where rows are left out, the page says
how many there are and which command lists them all. Errors come first, so what is left out are correct predictions.
"""

import math
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.arrays import Flags
from eyechart.findings.attributes import has_attribute
from eyechart.findings.prediction_groups import PredictionGroup, prediction_groups, read_group
from eyechart.findings.predictions import read_predictions
from eyechart.findings.run import Run
from eyechart.report.data_files import DataFiles
from eyechart.report.thumbnails import Place

MOST_ROWS = 50_000  # of one gallery
MOST_ROWS_OF_ALL = 400_000
LEAST_ROWS = 1_000  # of one gallery, however many there are
CHUNK = 10_000  # rows of one data file
_COLUMNS = (
    "id", "class", "predicted_class", "rank", "confidence", "margin", "ood_score", "top5_classes", "top5_probabilities",
    "attributes",
)  # fmt: skip


@dataclass(frozen=True)
class Gallery:
    """The predictions of one model on one dataset, under the leading prompt set.

    key: Its name in data files.
    group: Model, dataset and prompt set.
    table: All rows, in the order in which they are shown: errors first, the surest first; then close decisions.
    classes: The class names that rows refer to.
    attributes: The attributes of pictures, as "name=value".
    limit: How many rows the page gets.
    """

    key: str
    group: PredictionGroup
    table: pa.Table
    classes: tuple[str, ...]
    attributes: frozenset[str]
    limit: int

    @property
    def kept(self) -> int:
        return min(self.limit, int(self.table.num_rows))

    @property
    def wrong(self) -> int:
        """Rows with a wrong prediction."""
        return int(pc.sum(pc.greater(self.table["rank"], 1)).as_py() or 0)

    def count(self, where: Collection[str]) -> int:
        """Pictures that have all these attributes."""
        return int(self._with_all(where).sum())

    def count_labeled(self, where: Collection[str]) -> int:
        """Pictures with a label that have all these attributes."""
        return int((np.asarray(self.table["rank"].is_valid().to_numpy(), np.bool_) & self._with_all(where)).sum())

    def _with_all(self, where: Collection[str]) -> Flags:
        flags = np.ones(self.table.num_rows, np.bool_)
        for text in where:
            flags &= self._with_attribute(text)
        return flags

    def _with_attribute(self, text: str) -> Flags:
        if text not in self._flags:
            self._flags[text] = has_attribute(self.table, text)
        return self._flags[text]

    @cached_property
    def _flags(self) -> dict[str, Flags]:
        return {}

    @property
    def labeled(self) -> int:
        return int(self.table.num_rows - self.table["rank"].null_count)


Galleries = Mapping[tuple[str, str, str | None], Gallery]  # model, dataset and class design → gallery


def galleries_of(run: Run) -> Galleries:
    """(model, dataset, class design) → gallery; the design is None for the classes of a dataset. Empty without predictions."""
    if run.folder is None or not run.predictions_file.is_file():
        return {}
    file = read_predictions(run.predictions_file)
    chosen: dict[tuple[str, str, str | None], PredictionGroup] = {}
    for group in prediction_groups(file, designs=True):
        if group.prompts is None or group.prompts in run.prompts[:1]:
            place = (group.model, group.dataset, group.design)
            # Of shifted pictures, the predictions that were compared: among the classes of the examined dataset.
            if place not in chosen or (group.of != group.dataset and chosen[place].of == group.dataset):
                chosen[place] = group
    limit = min(MOST_ROWS, max(LEAST_ROWS, MOST_ROWS_OF_ALL // max(1, len(chosen))))
    return {
        place: _gallery(f"g{number}", group, read_group(file, group, _COLUMNS), limit)
        for number, (place, group) in enumerate(chosen.items())
    }


def _gallery(key: str, group: PredictionGroup, table: pa.Table, limit: int) -> Gallery:
    rank = table["rank"].fill_null(0).to_numpy()
    confidence = np.nan_to_num(table["confidence"].to_numpy().astype(float), nan=0.0)
    margin = np.nan_to_num(table["margin"].to_numpy().astype(float), nan=2.0)
    wrong = rank > 1
    order = np.lexsort((np.where(wrong, -confidence, margin), ~wrong))
    names = {
        str(name) for column in ("class", "predicted_class") for name in table[column].unique().to_pylist() if name is not None
    }
    names |= {str(name) for name in pc.unique(pc.list_flatten(table["top5_classes"])).to_pylist() if name is not None}
    attributes = frozenset(pc.list_flatten(table["attributes"]).unique().to_pylist())
    return Gallery(key, group, table.take(pa.array(order)), tuple(sorted(names)), attributes, limit)


def write_gallery(gallery: Gallery, thumbnails: dict[Place, str], files: DataFiles) -> dict[str, Any]:
    """Write the rows in chunks; what the page must know of the gallery."""
    table, dataset = gallery.table, gallery.group.dataset
    code = {name: place for place, name in enumerate(gallery.classes)}
    attributes = sorted(gallery.attributes)
    tag = {text: place for place, text in enumerate(attributes)}
    chunks = math.ceil(gallery.kept / CHUNK)
    for chunk in range(chunks):
        rows = table.slice(chunk * CHUNK, min(CHUNK, gallery.kept - chunk * CHUNK))
        ids = rows["id"].to_pylist()
        top = [[code[n] for n in names if n is not None] for names in rows["top5_classes"].to_pylist()]
        shares = [[_thousandths(p) for p in of if p is not None] for of in rows["top5_probabilities"].to_pylist()]
        content = {
            "id": ids,
            "true": [-1 if name is None else code[name] for name in rows["class"].to_pylist()],
            "predicted": [code[name] for name in rows["predicted_class"].to_pylist()],
            "rank": rows["rank"].to_pylist(),
            "confidence": [_thousandths(v) for v in rows["confidence"].to_pylist()],
            "margin": [_thousandths(v) for v in rows["margin"].to_pylist()],
            "ood": [float(f"{v:.4g}") if math.isfinite(v) else None for v in rows["ood_score"].to_pylist()],
            "top": top,
            "shares": shares,
            "attributes": [[tag[text] for text in texts] for texts in rows["attributes"].to_pylist()],
            "picture": [thumbnails.get((dataset, id), "").removeprefix("pictures/").removesuffix(".jpg") for id in ids],
        }
        files.write(f"{gallery.key}-{chunk}", content)
    return {
        "key": gallery.key,
        "dataset": dataset,
        "model": gallery.group.model,
        "role": gallery.group.role,
        "design": gallery.group.design,
        "classes": list(gallery.classes),
        "attributes": attributes,
        "chunks": chunks,
        "kept": gallery.kept,
        "total": table.num_rows,
        "wrong": gallery.wrong,
        "labeled": gallery.labeled,
        "command": list_command(gallery.group),
    }


def confusion_cells(gallery: Gallery) -> list[list[int]]:
    """[true class, predicted class, pictures] of every pair of classes that occurs; all rows are counted."""
    code = {name: place for place, name in enumerate(gallery.classes)}
    counted = (
        gallery.table.select(["class", "predicted_class"]).group_by(["class", "predicted_class"]).aggregate([([], "count_all")])
    )
    rows = zip(*(counted[name].to_pylist() for name in ("class", "predicted_class", "count_all")), strict=True)
    return sorted([code[true], code[taken], n] for true, taken, n in rows if true is not None)


def list_command(group: PredictionGroup) -> str:
    """The command that lists every prediction of a group."""
    design = f" --design {shlex.quote(group.design)}" if group.design else ""
    return f"eyechart predictions RUN --model {shlex.quote(group.model)} --dataset {shlex.quote(group.dataset)}{design}"


def _thousandths(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else round(1000 * value)
