"""Which of several objects a scene's vector is nearest to (TOR, IOR): a caption of four names among all names, a picture of
four objects among pictures or names of single objects.

Slots distinguish the objects: position in the caption, or rank of size.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Floats, Indices

TIE = 1e-6  # cosines nearer than this are equal: a product of float32 vectors is rounded about so much
_BLOCK = 1 << 22  # scores held at once


@dataclass(frozen=True)
class ObjectRanks:
    """Ranks of a scene's objects among all targets.

    top: [scenes, n] the credit of slot k, 1 where its object is the nearest target; targets tied for the nearest share it.
    found: [scenes] how many of the scene's n objects are among its n nearest targets.
    own: [scenes, n] the credit of slot k among the scene's own objects alone, whatever other targets are nearer.
    precision: [scenes] average precision: the mean over the objects of (objects up to its rank) / rank. Its mean is MAP.
    ndcg: [scenes] Σ 1/log₂(1 + rank) over the objects, divided by what ranks 1 … n would give (Järvelin and Kekäläinen, 2002).
    """

    top: Floats
    found: npt.NDArray[np.int8]
    own: Floats
    precision: Doubles
    ndcg: Doubles

    @property
    def kept(self) -> Flags:
        """Scenes whose n best targets are exactly their n objects: what conditional shares are taken over."""
        kept: Flags = self.found == self.top.shape[1]
        return kept

    @property
    def recall(self) -> Floats:
        """[scenes]: the part of the objects that are among the n best targets; its mean is the top-n accuracy."""
        return (self.found / np.float32(self.top.shape[1])).astype(np.float32)

    def shares(self) -> npt.NDArray[np.float64]:
        """[n]: the share of scenes nearest to the object in slot k. They sum to 1 minus the share of other targets."""
        return np.asarray(self.top.mean(axis=0, dtype=np.float64))

    def kept_shares(self) -> npt.NDArray[np.float64]:
        """[n]: the same among kept scenes alone; they sum to 1. NaN where none is kept."""
        kept = self.kept
        return np.asarray(self.top[kept].mean(axis=0, dtype=np.float64)) if kept.any() else np.full(self.top.shape[1], np.nan)

    def by(self, slots: Indices) -> "ObjectRanks":
        """The same ranks under other slots: `slots[i, k]` is the present slot of what stands in slot k, so that scenes ranked by
        position are read by size without another product."""
        slots = np.asarray(slots)
        top, own = (np.take_along_axis(credit, slots, axis=1) for credit in (self.top, self.own))
        return ObjectRanks(top, self.found, own, self.precision, self.ndcg)


def object_ranks(scenes: Floats | Iterable[Floats], targets: Floats, objects: Indices) -> ObjectRanks:
    """Rank unit target vectors [t, d] for unit scene vectors [N, d], in one array or in blocks of rows.

    `objects` [N, n] holds the target numbers of the objects that each scene shows, slot by slot. Names are matched once, as whole
    words, when they are numbered. An object is in one slot only. Ties that decide whether an object is among the n nearest count
    against it. Scores are held in blocks; n + 1 numbers per scene are kept.
    """
    objects = np.asarray(objects, np.int64)
    _check(objects, len(targets))
    columns = np.ascontiguousarray(targets.T)
    blocks = (scenes,) if isinstance(scenes, np.ndarray) else scenes
    start, parts = 0, []
    for rows in _small(blocks, len(targets)):
        of_rows = objects[start : start + len(rows)]
        if len(of_rows) < len(rows):
            raise ValueError(f"objects names those of {len(objects)} scenes, and there are more vectors")
        parts.append(ranks_by_scores(rows @ columns, of_rows))
        start += len(rows)
    if start != len(objects):
        raise ValueError(f"objects names those of {len(objects)} scenes, and there are {start} vectors")
    names = ("top", "found", "own", "precision", "ndcg")
    return ObjectRanks(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def ranks_by_scores(scores: Floats, objects: Indices) -> ObjectRanks:
    """The same from scores [N, t] as they are, however they were made. The scores are changed."""
    n = objects.shape[1]
    own = np.take_along_axis(scores, objects, axis=1)
    np.put_along_axis(scores, objects, np.float32(-np.inf), axis=1)  # what is left are the other targets
    tie = np.float32(TIE)
    best = np.maximum(own.max(axis=1), scores.max(axis=1))
    tied = own >= best[:, None] - tie
    ways = tied.sum(axis=1)
    rivals = np.flatnonzero(scores.max(axis=1) >= best - tie)
    ways[rivals] += (scores[rivals] >= best[rivals, None] - tie).sum(axis=1)
    found = np.full(len(scores), n, np.int8)
    mixed = np.flatnonzero(scores.max(axis=1) >= own.min(axis=1) - tie)  # where another target comes between the objects
    others, rest = scores[mixed], -np.sort(-own[mixed], axis=1)  # the best first: k of them come before the one in column k
    before = np.stack([(others >= rest[:, k, None] - tie).sum(axis=1) + k for k in range(n)], axis=1)
    found[mixed] = (before < n).sum(axis=1)
    ranks = np.tile(np.arange(1, n + 1), (len(scores), 1))  # of the objects, the best first; ties count against them
    ranks[mixed] = before + 1
    precision = (np.arange(1, n + 1) / ranks).mean(axis=1)
    ndcg = (1 / np.log2(1 + ranks)).sum(axis=1) / (1 / np.log2(1 + np.arange(1, n + 1))).sum()
    leads = own >= own.max(axis=1, keepdims=True) - tie
    alone = leads / leads.sum(axis=1, keepdims=True)
    return ObjectRanks((tied / ways[:, None]).astype(np.float32), found, alone.astype(np.float32), precision, ndcg)


def _small(blocks: Iterable[Floats], targets: int) -> Iterator[Floats]:
    rows = max(1, _BLOCK // max(targets, 1))
    for block in blocks:
        for start in range(0, len(block), rows):
            yield block[start : start + rows]


def _check(objects: Indices, targets: int) -> None:
    if objects.ndim != 2 or 0 in objects.shape:
        raise ValueError("objects is a table of one row a scene and one column a slot, at least one of each")
    if objects.min() < 0 or objects.max() >= targets:
        raise ValueError(f"objects are numbers of the {targets} targets, from 0")
    ordered = np.sort(objects, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        raise ValueError(f"scene {twice[0]} has one object in two slots")
