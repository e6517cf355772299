"""Token rows as a prefix tree, so that a causal text encoder computes each distinct prefix once.

In a causal text encoder the state at a position depends only on the tokens up to it. Two prompts with the same prefix
('a photo of a …') share the states of that prefix, and what follows the end token is never read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.models.encoder import Tokens


@dataclass(frozen=True)
class Branch:
    """Rows of one length that add the same number of new nodes. These nodes are numbered consecutively from `start`, row by row;
    `path[r, p]` is the node at position `p` of the branch's row `r`."""

    start: int
    own: int
    path: Tokens


@dataclass(frozen=True)
class PromptTree:
    """A prefix tree: `tokens[k]` and `positions[k]` of every node; `ends[i]` is the node of row i's last token."""

    tokens: Tokens
    positions: Tokens
    ends: Tokens
    branches: tuple[Branch, ...]


def shared_beginnings(rows: Sequence[Tokens]) -> npt.NDArray[np.int64]:
    """The length of the common prefix of each row with the row before it; 0 for the first."""
    shared = np.zeros(len(rows), np.int64)
    for i in range(1, len(rows)):
        shorter = min(len(rows[i - 1]), len(rows[i]))
        differs = np.flatnonzero(rows[i - 1][:shorter] != rows[i][:shorter])
        shared[i] = differs[0] if len(differs) else shorter
    return shared


def plant(rows: Sequence[Tokens]) -> PromptTree:
    """The tree of rows sorted by their tokens. In this order, a row's longest shared prefix is with the row before it."""
    shared = shared_beginnings(rows)
    lengths = np.array([len(row) for row in rows], np.int64)
    own = lengths - shared
    start_of_row = np.zeros(len(rows), np.int64)
    groups: list[tuple[int, int, Tokens]] = []
    size = 0
    for count, length in sorted({(int(o), int(n)) for o, n in zip(own, lengths, strict=True) if o}):
        members = np.flatnonzero((own == count) & (lengths == length))
        start_of_row[members] = size + count * np.arange(len(members))
        groups.append((size, count, members))
        size += count * len(members)

    tokens = np.zeros(size, np.int64)
    positions = np.zeros(size, np.int64)
    paths: list[Tokens] = []
    for i, row in enumerate(rows):
        nodes = np.arange(start_of_row[i], start_of_row[i] + own[i])
        tokens[nodes] = row[shared[i] :]
        positions[nodes] = np.arange(shared[i], lengths[i])
        paths.append(np.concatenate([paths[-1][: shared[i]], nodes]) if shared[i] else nodes)
    branches = tuple(Branch(start, count, np.stack([paths[i] for i in members])) for start, count, members in groups)
    return PromptTree(tokens, positions, np.array([path[-1] for path in paths], np.int64), branches)


def groves(rows: Sequence[Tokens], most_nodes: int) -> Iterator[tuple[Tokens, PromptTree]]:
    """The rows sorted by their tokens and divided into trees of about `most_nodes` nodes at most, each with the positions of
    its rows in `rows`."""
    order = sorted(range(len(rows)), key=lambda i: rows[i].tolist())
    inherited = shared_beginnings([rows[i] for i in order])
    begin, nodes = 0, 0
    for end, i in enumerate(order):
        fresh = len(rows[i]) - (int(inherited[end]) if end > begin else 0)
        if end > begin and nodes + fresh > most_nodes:
            yield np.array(order[begin:end], np.int64), plant([rows[j] for j in order[begin:end]])
            begin, nodes, fresh = end, 0, len(rows[i])
        nodes += fresh
    if order:
        yield np.array(order[begin:], np.int64), plant([rows[j] for j in order[begin:]])
