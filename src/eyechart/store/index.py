"""The index of keys: sorted runs in memory, searched for many keys at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.store.segment import KEY, Block, Keys

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True)
class _Run:
    """Keys sorted by their first eight bytes, which are faster to search than all 32; full keys are compared last."""

    heads: npt.NDArray[np.uint64]
    keys: Keys
    block: Numbers
    row: Numbers


def _heads(keys: Keys) -> npt.NDArray[np.uint64]:
    return keys.view(">u8").reshape(len(keys), 4)[:, 0].astype(np.uint64)


def _sorted(run: _Run) -> _Run:
    order = np.argsort(run.heads, kind="stable")  # stable: of two equal keys, the first stays first
    return _Run(run.heads[order], run.keys[order], run.block[order], run.row[order])


def _joined(first: _Run, second: _Run) -> _Run:
    return _sorted(
        _Run(
            np.concatenate([first.heads, second.heads]),
            np.concatenate([first.keys, second.keys]),
            np.concatenate([first.block, second.block]),
            np.concatenate([first.row, second.row]),
        )
    )


def as_keys(keys: Sequence[bytes]) -> Keys:
    joined = b"".join(keys)
    if len(joined) != 32 * len(keys) or set(map(len, keys)) - {32}:
        raise ValueError("every key must have 32 bytes")
    return np.frombuffer(joined, dtype=KEY)


class KeyIndex:
    """An index of blocks. Where a key is in two blocks, the first one takes precedence.

    A new block becomes a run, and runs of similar size are merged, so that adding stays cheap with a million keys."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._runs: list[_Run] = []

    def __len__(self) -> int:
        """The number of keys, duplicates included."""
        return sum(len(run.keys) for run in self._runs)

    def blocks_of(self, block: Numbers) -> list[Block]:
        """The blocks with these numbers, each once; -1 is none."""
        return [self._blocks[int(number)] for number in np.unique(block[block >= 0])]

    def add(self, blocks: Sequence[Block]) -> None:
        if not blocks:
            return
        sizes = [len(block.keys) for block in blocks]
        keys = np.concatenate([block.keys for block in blocks])
        number = np.repeat(np.arange(len(blocks), dtype=np.int32) + np.int32(len(self._blocks)), sizes)
        row = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
        runs = [*self._runs, _sorted(_Run(_heads(keys), keys, number, row))]
        while len(runs) > 1 and len(runs[-2].keys) <= 2 * len(runs[-1].keys):
            runs[-2:] = [_joined(runs[-2], runs[-1])]
        # Assigned last, blocks first, so that Ctrl-C at any line leaves a consistent index.
        self._blocks = [*self._blocks, *blocks]
        self._runs = runs

    def find(self, keys: Keys) -> tuple[Numbers, Numbers]:
        """(block, row) of each key; block is -1 where the key is missing."""
        block = np.full(len(keys), -1, dtype=np.int32)
        row = np.zeros(len(keys), dtype=np.int32)
        open_ = np.arange(len(keys))
        for run in self._runs:
            at = _search(run, keys[open_])
            hit = at >= 0
            block[open_[hit]] = run.block[at[hit]]
            row[open_[hit]] = run.row[at[hit]]
            open_ = open_[~hit]
            if len(open_) == 0:
                break
        return block, row

    def read(self, block: Numbers, row: Numbers, width: int) -> Floats:
        """The vectors at these places, read block by block."""
        out = np.empty((len(block), width), dtype=np.float32)
        order = np.lexsort((row, block))
        edges = np.flatnonzero(np.diff(block[order], prepend=-1))
        for places in np.split(order, edges[1:]) if len(order) else []:
            out[places] = self._blocks[block[places[0]]].vectors[row[places]]
        return out


def _search(run: _Run, keys: Keys) -> npt.NDArray[np.int64]:
    """Position of each key in the run, -1 where it is missing."""
    heads = _heads(np.ascontiguousarray(keys))
    at = np.searchsorted(run.heads, heads).astype(np.int64)
    found = np.full(len(keys), -1, dtype=np.int64)
    open_ = np.arange(len(keys))
    # Different keys may share their first eight bytes: go on until the key, or another prefix, is found. One round is usual.
    while len(open_):
        inside = at[open_] < len(run.heads)
        open_ = open_[inside]
        open_ = open_[run.heads[at[open_]] == heads[open_]]
        same = run.keys[at[open_]] == keys[open_]
        found[open_[same]] = at[open_[same]]
        open_ = open_[~same]
        at[open_] += 1
    return found
