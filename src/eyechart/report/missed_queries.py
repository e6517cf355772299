"""What is missed, as the page's gallery shows it: queries of retrieval without a correct result, and trials with a false caption
preferred.
"""

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

MISSED = "missed-"  # how the name of the exhibit begins; the direction of retrieval follows, or the metric that counts trials
MOST_ROWS = 50_000
TITLES = {
    "text_to_image": "captions that miss their picture",
    "image_to_text": "pictures that miss their caption",
    "caption_accuracy": "pictures that prefer a foil",
    "scenario_1": "false caption preferred in scenario 1",
    "scenario_2": "false caption preferred in scenario 2",
    "trial_accuracy": "false caption preferred",
}
NOUNS = {"text_to_image": "caption", "image_to_text": "picture", "caption_accuracy": "picture"}
TRIAL = "trial"  # the noun of the others
TRIALS = ("caption_accuracy", "scenario_1", "scenario_2", "trial_accuracy")


@dataclass(frozen=True)
class MissedQueries:
    """The missed queries or trials of one model and dataset.

    key: Its name in data files.
    title: What it is called in the list of datasets.
    group: Model and dataset.
    direction: The direction of retrieval as in the names of metrics, or the metric that counts trials.
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
        """What a query or trial is."""
        return NOUNS.get(self.direction, TRIAL)

    @property
    def are_trials(self) -> bool:
        """Whether each row is a choice between a true and a false caption."""
        return self.direction in TRIALS

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
        "trials": missed.are_trials,
        "attributes": attributes,
        "chunks": chunks,
        "kept": kept,
        "total": table.num_rows,
        "command": missed.files,
        "listed": missed.listed,
    }
    files.write(missed.key, about)
