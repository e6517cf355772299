"""Vectors of captions that do not depend on the order of the objects."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.metrics.classification.predictions import ensembles
from eyechart.metrics.vectors import unit
from eyechart.repair.captions.listings import MOST, Listing, locate_objects

AS_IS = "as is"
WAYS = ("orders", "parts", "both")
_BATCH = 512  # captions that are encoded together

Encode = Callable[[list[str]], npt.ArrayLike]  # texts → vectors [n, d] of any length


def caption_vectors(
    encode: Encode, captions: Sequence[str], objects: Sequence[Sequence[str]], *, way: str = "orders", most: int = MOST
) -> Floats:
    """Unit vectors [n, d] of captions, each the mean over variants of the caption.

    Args:
        encode: Encodes texts to vectors [n, d] of any length.
        captions: The captions.
        objects: The objects of each caption, in the caption's words: ['a red cube', 'a star'].
        way: "orders", the mean over permutations of the objects; "parts", the mean over single-object captions; "both", the mean
            of the two.
        most: Most permutations of one caption.

    >>> known = {"cube and star": [1.0, 0.0], "star and cube": [0.0, 1.0]}
    >>> caption_vectors(lambda texts: [known[t] for t in texts], ["star and cube"], [["star", "cube"]]).round(3).tolist()
    [[0.7070000171661377, 0.7070000171661377]]
    """
    if len(captions) != len(objects):
        raise DataError(f"{len(captions)} captions, but objects of {len(objects)}; give the objects of every caption")
    found = [locate_objects(caption, names) for caption, names in zip(captions, objects, strict=True)]

    def text_vectors(texts: Sequence[str]) -> Floats:
        vectors = np.asarray(encode(list(texts)), np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise DataError(f"`encode` returned an array of shape {vectors.shape} for {len(texts)} texts; expected [n, d]")
        return vectors

    blocks = [listing_vectors(found[i : i + _BATCH], way, text_vectors, most) for i in range(0, len(found), _BATCH)]
    return np.concatenate(blocks) if blocks else np.empty((0, 0), np.float32)


def listing_vectors(listings: Sequence[Listing], way: str, texts: Callable[[Sequence[str]], Floats], most: int = MOST) -> Floats:
    """Unit vectors [n, d] of listings; each distinct text is encoded once."""
    if way not in (AS_IS, *WAYS):
        raise UsageError(f"there is no way {way!r} to encode captions; choose from {', '.join(WAYS)}{did_you_mean(way, WAYS)}")
    of_listings = [variants(one, way, most) for one in listings]
    distinct = list(dict.fromkeys(text for lists in of_listings for averaged in lists for text in averaged))
    row = {text: number for number, text in enumerate(distinct)}
    vectors = texts(distinct)
    means = []
    for of_mean in zip(*of_listings, strict=True):
        rows = [row[text] for averaged in of_mean for text in averaged]
        means.append(ensembles(vectors[rows], np.array([len(averaged) for averaged in of_mean])))
    return means[0] if len(means) == 1 else unit(means[0] + means[1])


def variants(one: Listing, way: str, most: int = MOST) -> tuple[list[str], ...]:
    """The texts to average; two lists where the mean of two means is taken."""
    if way == AS_IS:
        return ([one.caption],)
    of_way = {"orders": one.permuted(most), "parts": one.single_objects()}
    return (of_way["orders"], of_way["parts"]) if way == "both" else (of_way[way],)
