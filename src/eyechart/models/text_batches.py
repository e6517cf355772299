"""Batches of token rows of one length each, so that no padding is needed."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from eyechart.models.encoder import Tokens

TOKENS_PER_BATCH = 4096


def by_length(
    ids: Sequence[Tokens], budget: int = TOKENS_PER_BATCH
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Batches as (positions in `ids`, rows stacked to [n, length]), shortest rows first.

    A batch has at most `budget` tokens, but at least one row. Rows of a length keep their order, so that the same texts always
    form the same batches."""
    lengths = np.fromiter((len(row) for row in ids), dtype=np.int64, count=len(ids))
    order = np.argsort(lengths, kind="stable")
    lengths = lengths[order]
    start = 0
    while start < len(order):
        length = int(lengths[start])
        same = int(np.searchsorted(lengths, length, side="right"))
        stop = min(same, start + max(1, budget // max(1, length)))
        places = order[start:stop].astype(np.int64)
        yield places, np.stack([np.asarray(ids[place], dtype=np.int64) for place in places])
        start = stop
