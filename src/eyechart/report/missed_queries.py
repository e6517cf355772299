"""Queries of retrieval that are missed, as the page's gallery shows them: captions and pictures without a correct result."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.attributes import has_attribute
from eyechart.findings.prediction_groups import PredictionGroup
from eyechart.findings.run import Run
from eyechart.report.data_files import DataFiles
from eyechart.report.gallery_files import CHUNK
from eyechart.report.thumbnails import Place

MISSED = "missed-"  # how the name of the exhibit begins; the direction follows, as in the names of metrics
MOST_ROWS = 50_000
TITLES = {"text_to_image": "captions that miss their picture", "image_to_text": "pictures that miss their caption"}
NOUNS = {"text_to_image": "caption", "image_to_text": "picture"}


@dataclass(frozen=True)
class MissedQueries:
    """The missed queries of one model, dataset and direction.

    key: Its name in data files.
    title: What it is called in the list of datasets.
    group: Model and dataset.
    direction: As in the names of metrics.
    table: id, caption, rank, ids, first_caption and attributes of each query; the largest rank first.
    files: The pattern of the files with all rows.
    """

    key: str
    title: str
    group: PredictionGroup
    direction: str
    table: pa.Table
    files: str

    @property
    def leads(self) -> bool:
        """Whether it belongs to the leading prompt set: captions need no prompts."""
        return True

    @property
    def kept(self) -> int:
        return min(MOST_ROWS, int(self.table.num_rows))

    @property
    def noun(self) -> str:
        """What a query is."""
        return NOUNS[self.direction]

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes of pictures, as "name=value"."""
        return frozenset(pc.list_flatten(self.table["attributes"]).unique().to_pylist())

    @property
    def listed(self) -> str:
        """How to list all of them; the pattern of the files follows."""
        return f"every missed {self.noun}, read"

    def count(self, k: int, where: tuple[str, ...]) -> int:
        """Queries with all these attributes and no correct result among the first k."""
        chosen = self.table["rank"].to_numpy() > k
        for text in where:
            chosen &= has_attribute(self.table, text)
        return int(np.sum(chosen))


Missed = Mapping[tuple[str, str, str], MissedQueries]  # model, dataset and direction → missed queries


def missed_queries_of(run: Run) -> Missed:
    """The missed queries of a run; empty where no probe has stored any."""
    found: dict[tuple[str, str, str], MissedQueries] = {}
    for placed in run.exhibits:
        direction = placed.exhibit.name.removeprefix(MISSED)
        if placed.exhibit.name.startswith(MISSED) and direction in TITLES:
            title = f"{placed.dataset}, {TITLES[direction]}"
            group = PredictionGroup(placed.model, placed.dataset, placed.dataset, "exam", title, None, ())
            key = f"q{len(found)}"
            files = f"RUN/exhibits/{placed.probe}/*-{placed.exhibit.name}-*.parquet"
            found[placed.model, placed.dataset, direction] = MissedQueries(
                key, title, group, direction, placed.exhibit.table, files
            )
    return found


def write_missed_queries(missed: MissedQueries, thumbnails: dict[Place, str], files: DataFiles) -> None:
    """Write the rows in chunks, and what the page must know of them."""
    table, dataset = missed.table, missed.group.dataset
    attributes = sorted(missed.attributes)
    tag = {text: place for place, text in enumerate(attributes)}
    kept = missed.kept
    chunks = math.ceil(kept / CHUNK)

    def file_of(id: str) -> str:
        return thumbnails.get((dataset, id), "").removeprefix("pictures/").removesuffix(".jpg")

    for chunk in range(chunks):
        rows = table.slice(chunk * CHUNK, min(CHUNK, kept - chunk * CHUNK)).to_pydict()
        first = [of[0] if of else None for of in rows["ids"]]
        content: dict[str, Any] = {
            "id": rows["id"],
            "caption": rows["caption"],
            "rank": rows["rank"],
            "first": [id or caption for id, caption in zip(first, rows["first_caption"], strict=True)],
            "firstPicture": [file_of(id) if id else "" for id in first],
            "attributes": [[tag[text] for text in texts] for texts in rows["attributes"]],
            "picture": [file_of(id) for id in rows["id"]],
        }
        files.write(f"{missed.key}-{chunk}", content)
    about = {
        "key": missed.key,
        "dataset": dataset,
        "model": missed.group.model,
        "queries": missed.noun,
        "attributes": attributes,
        "chunks": chunks,
        "kept": kept,
        "total": table.num_rows,
        "command": missed.files,
        "listed": missed.listed,
    }
    files.write(missed.key, about)
