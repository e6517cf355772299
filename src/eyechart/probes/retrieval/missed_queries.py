"""The queries that R@k counts as missed: captions and pictures without a correct result among the first k."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings.attributes import attribute_lists
from eyechart.findings.exhibit import Exhibit
from eyechart.probes.contract import ProbeInput
from eyechart.probes.retrieval.queries import Direction, Retrieved
from eyechart.probes.tasks.attribute_texts import attribute_texts
from eyechart.probes.tasks.captions import Captions
from eyechart.probes.tasks.missed_rows import MOST, SCHEMA

NAMED = 400  # pictures of which the first caption is looked up


def missed_queries(inputs: ProbeInput[Any], captions: Captions, retrieved: Retrieved) -> list[Exhibit]:
    """For each direction the queries that miss at 1, the largest rank first; none where nothing is missed.

    A row names the picture and its caption, the rank of the first correct result, and what ranks first: a picture (`ids`) or a
    caption. The page shows them where R@k is opened.
    """
    texts, pictures = retrieved.from_text, retrieved.from_image
    ids = inputs.dataset.ids()
    missed = _missed(texts)
    found = [[ids[row]] for row in retrieved.found[missed]]
    made = [_exhibit(inputs, texts, missed, [captions.texts[query] for query in missed], found, [None] * len(missed))]
    missed = _missed(pictures)
    own: dict[int, str] = {}
    for text, row in zip(captions.texts, captions.rows.tolist(), strict=True):
        own.setdefault(row, text)
    shown = [own[row] for row in pictures.rows[missed].tolist()]
    first = _first_captions(inputs, retrieved, pictures.rows[missed[:NAMED]])
    made.append(_exhibit(inputs, pictures, missed, shown, [[]] * len(missed), [*first, *[None] * (len(missed) - len(first))]))
    return [exhibit for exhibit in made if exhibit.table.num_rows]


def _missed(one: Direction) -> Indices:
    order = np.argsort(-one.ranks, kind="stable")
    return np.asarray(order[: int((one.ranks > 0).sum())][:MOST], np.int64)


def _first_captions(inputs: ProbeInput[Any], retrieved: Retrieved, rows: Indices) -> list[str]:
    """The caption that ranks first for each of these pictures."""
    texts = retrieved.candidates.texts
    vectors = inputs.texts(texts)
    return [texts[place] for place in (inputs.images[rows] @ vectors.T).argmax(axis=1)]


def _exhibit(
    inputs: ProbeInput[Any],
    one: Direction,
    missed: Indices,
    captions: Sequence[str],
    found: Sequence[Sequence[str]],
    first: Sequence[str | None],
) -> Exhibit:
    rows, ids = one.rows[missed], inputs.dataset.ids()
    attributes = {name: values.take(rows) for name, values in attribute_texts(inputs.dataset).items()}
    columns = [
        pa.array([ids[row] for row in rows], pa.string()),
        pa.array(captions, pa.string()),
        pa.array(one.ranks[missed] + 1, pa.int64()),
        pa.array(found, pa.list_(pa.string())),
        pa.array(first, pa.string()),
        attribute_lists(attributes, len(missed)),
    ]
    sentence = f"{len(missed):,} of {len(one.ranks):,} queries have no correct result in the first place."
    return Exhibit(f"missed-{one.name}", f"Missed queries, {one.title}", sentence, pa.table(columns, SCHEMA), "pictures")
