"""Exact retrieval ranks in both directions, in blocks: the whole matrix of scores is never held."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices

TIE = 1e-6  # cosines nearer than this are equal: a product of float32 vectors is rounded about so much
_BLOCK = 1 << 23  # scores held at once


@dataclass(frozen=True)
class Ranks:
    """Ranks of the first correct result.

    of_texts: For each text, how many wrong pictures come before the first correct one.
    of_images: For each picture, how many wrong texts come before the first correct one; -1 for a picture without a text.
    first: The picture that each text retrieves first.
    """

    of_texts: Indices
    of_images: Indices
    first: Indices


def retrieval_ranks(images: Floats, texts: Floats, right: tuple[Indices, Indices]) -> Ranks:
    """Rank unit picture vectors [n, d] by unit text vectors [m, d], and the reverse.

    `right` holds the matching pairs, as text numbers and picture numbers; every text is in at least one. The rank of a query is
    the number of wrong results that score as high as its best correct result, or higher: ties count against the model. Other
    correct results do not count."""
    of_text, of_image = (part[np.argsort(right[0], kind="stable")] for part in right)
    count, (m, n) = len(of_text), (len(texts), len(images))
    if count == 0 or not np.array_equal(np.unique(of_text), np.arange(m)):
        raise ValueError("every text needs a picture that it is right for")
    best_text = np.full(n, np.inf, np.float32)  # of each picture, the score of its best right text; nothing reaches infinity
    best_text[of_image] = -np.inf
    np.maximum.at(best_text, of_image, _pair_scores(images, texts, of_text, of_image))

    before_text, before_image = np.empty(m, np.int64), np.zeros(n, np.int64)
    first = np.empty(m, np.int64)
    rows = max(1, _BLOCK // n)
    columns = np.ascontiguousarray(images.T)
    for start in range(0, m, rows):
        scores = texts[start : start + rows] @ columns
        own = slice(*np.searchsorted(of_text, (start, start + rows)))
        row, column = of_text[own] - start, of_image[own]
        pair = scores[row, column]
        best_image = np.full(len(scores), -np.inf, np.float32)
        np.maximum.at(best_image, row, pair)
        first[start : start + rows] = scores.argmax(axis=1)
        # Everything that reaches the best right answer, less the right ones among it.
        near = best_image - np.float32(TIE)
        reach = (scores >= near[:, None]).sum(axis=1)
        before_text[start : start + rows] = reach - np.bincount(row, pair >= near[row], len(scores)).astype(np.int64)
        near = best_text - np.float32(TIE)
        before_image += (scores >= near).sum(axis=0) - np.bincount(column, pair >= near[column], n).astype(np.int64)
    return Ranks(before_text, np.where(np.isinf(best_text), -1, before_image), first)


def _pair_scores(images: Floats, texts: Floats, of_text: Indices, of_image: Indices) -> Floats:
    """The score of each matching pair."""
    scores = np.empty(len(of_text), np.float32)
    step = max(1, _BLOCK // max(images.shape[1], 1))
    for start in range(0, len(of_text), step):
        part = slice(start, start + step)
        scores[part] = np.einsum("pd,pd->p", texts[of_text[part]], images[of_image[part]])
    return scores


def clear_of_chance(recall: float, chance: float) -> bool:
    """Whether recall is more than twice chance, or more than halfway from chance to 1 where chance is high.

    >>> clear_of_chance(0.082, 0.05), clear_of_chance(0.2, 0.05), clear_of_chance(0.9, 0.6)
    (False, True, True)
    """
    return recall > min(2 * chance, (1 + chance) / 2)


def chance_of_recall(candidates: int, right: npt.ArrayLike, k: int) -> float:
    """R@k by chance: the mean over queries of 1 − C(N − r, k) / C(N, k), with r correct results among N candidates.

    >>> round(chance_of_recall(1000, [1], 10), 4)
    0.01
    """
    wrong = candidates - np.asarray(right, float)
    steps = np.arange(min(k, candidates))
    missed = np.clip((wrong[:, None] - steps) / (candidates - steps), 0, 1).prod(axis=1)
    return float((1 - missed).mean())
