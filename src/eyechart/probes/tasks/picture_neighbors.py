"""Pictures to look at first, and their nearest neighbors in the space of picture vectors.

The page has no vectors, so a probe that classifies pictures stores the neighbors of a bounded number of them as an exhibit. The
page shows small copies of these pictures; of a small dataset that is every picture.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Floats, Indices
from eyechart.findings.exhibit import Exhibit
from eyechart.metrics.classification.top_classes import TopClasses
from eyechart.notice import counted
from eyechart.probes.contract import ProbeInput

NAME = "neighbors"  # how the exhibit's name begins
EVERY = 400  # datasets of at most this many pictures are kept whole
CHOSEN = 160  # pictures of a larger dataset
NEIGHBORS = 4  # of each picture
_BLOCK = 256  # pictures compared with all others at once


def pictures_to_show(truth: Indices, top: TopClasses, most: int) -> Indices:
    """Rows in the order in which a person would look at them.

    Errors come first, spread over the cells of the confusion matrix: the surest one of each cell, then the second of each, and so
    on. Correct predictions follow, those with the smallest margin first.

    Args:
        truth: The true class of each row; -1 where it is unknown.
        top: What was predicted.
        most: How many rows.
    """
    predicted = top.predicted
    sure = -top.rank.astype(float) if top.probabilities is None else top.probabilities[:, 0].astype(float)
    wrong = np.flatnonzero((truth >= 0) & (predicted != truth))
    wrong = wrong[np.argsort(-sure[wrong], kind="stable")]
    seen: dict[tuple[int, int], int] = {}
    turn = np.empty(len(wrong), np.int64)
    for place, row in enumerate(wrong):
        cell = (int(truth[row]), int(predicted[row]))
        turn[place] = seen[cell] = seen.get(cell, -1) + 1
    wrong = wrong[np.argsort(turn, kind="stable")]
    rest = np.setdiff1d(np.arange(len(truth)), wrong)
    margin = np.nan_to_num(top.margin[rest].astype(float), nan=np.inf)
    rest = rest[np.argsort(margin, kind="stable")]
    return np.concatenate([wrong, rest])[:most]


def nearest_neighbors(images: Floats, clusters: Indices, queries: Indices, k: int) -> tuple[Indices, Floats]:
    """For each query the k rows with the highest cosine, highest first, and the cosines.

    Copies of the query, which have the same cluster, are no neighbors of it. Where there are fewer than k others, the last places
    are -1 and NaN.

    Args:
        images: [n, d] unit vectors.
        clusters: Equal numbers mark rows that show the same picture.
        queries: The rows that are asked about.
        k: How many neighbors.
    """
    found, cosines = np.full((len(queries), k), -1, np.int64), np.full((len(queries), k), np.nan)
    for start in range(0, len(queries), _BLOCK):
        rows = queries[start : start + _BLOCK]
        block = images[rows] @ images.T
        block[clusters[rows][:, None] == clusters[None, :]] = -np.inf
        of_row, place = np.arange(len(rows)), slice(start, start + len(rows))
        for neighbor in range(min(k, block.shape[1])):  # the highest, k times: far faster than a partition of the row
            best = block.argmax(axis=1)
            near = block[of_row, best]
            found[place, neighbor] = np.where(np.isfinite(near), best, -1)
            cosines[place, neighbor] = np.where(np.isfinite(near), near, np.nan)
            block[of_row, best] = -np.inf
    return found, cosines


def neighbor_exhibit(
    inputs: ProbeInput[Any], top: TopClasses, titles: Sequence[str], under: dict[str, str], rows: Indices | None = None
) -> Exhibit:
    """Pictures to look at with their neighbors and attributes, as an exhibit. A model without vectors has no neighbors.

    Args:
        inputs: The pictures.
        top: What was predicted for each.
        titles: The name of each class that can be predicted.
        under: The slice of the classifier.
        rows: The rows that were predicted; None for all.
    """
    predicted_rows = np.arange(len(inputs.dataset)) if rows is None else rows
    truth = inputs.dataset.label_indices()[predicted_rows]
    chosen = pictures_to_show(truth, top, EVERY if len(truth) <= EVERY else CHOSEN)
    queries = predicted_rows[chosen]
    has_vectors = inputs.images.ndim == 2 and inputs.images.shape[1] > 0
    near, cosines = np.full((len(queries), 0), -1), np.empty((len(queries), 0), np.float32)
    if has_vectors:
        near, cosines = nearest_neighbors(inputs.images, inputs.clusters, queries, NEIGHBORS)
    ids = inputs.dataset.ids()
    attributes = _attributes(inputs, queries)
    shown = [
        {
            "id": ids[queries[place]],
            "ids": [ids[i] for i in near[place] if i >= 0],
            "true": titles[truth[row]] if truth[row] >= 0 else None,
            "predicted": titles[top.predicted[row]],
            "cosines": [float(c) for c in cosines[place] if np.isfinite(c)],
            "attributes": attributes[place],
        }
        for place, row in enumerate(chosen)
    ]
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("ids", pa.list_(pa.string())),
            ("true", pa.string()),
            ("predicted", pa.string()),
            ("cosines", pa.list_(pa.float32())),
            ("attributes", pa.string()),
        ]
    )
    wrong = int(((truth[chosen] >= 0) & (top.predicted[chosen] != truth[chosen])).sum())
    listed = f"{counted(len(queries), 'picture')}, {counted(wrong, 'error')} first"
    sentence = f"{listed}, each with the {NEIGHBORS} pictures of the dataset that have the most similar vectors."
    title = "Nearest neighbors" if has_vectors else "Pictures to look at first"
    table = pa.Table.from_pylist(shown, schema)
    return Exhibit(
        "-".join([NAME, *under.values()]), title, sentence if has_vectors else f"{listed}.", table, "pictures", slice=under
    )


def _attributes(inputs: ProbeInput[Any], rows: Indices) -> list[str]:
    """The attributes of each row as text: 'color: red · size: large'."""
    columns = [name for name in inputs.dataset.table.column_names if name.startswith(("attr.", "factor."))]
    chosen = inputs.dataset.table.select(["id", *columns]).take(pa.array(rows)).to_pylist()
    return [" · ".join(f"{name.split('.', 1)[1]}: {row[name]}" for name in columns if row[name] is not None) for row in chosen]
