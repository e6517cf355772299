"""Vectors of captions that do not depend on the order in which things are named."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.metrics.classification.predictions import ensembles
from eyechart.metrics.vectors import unit
from eyechart.repair.captions.wordings import MOST, Listing, listing

AS_IS = "as is"
WAYS = ("orders", "parts", "both")
_AT_ONCE = 512  # captions whose texts are encoded together

Encode = Callable[[list[str]], npt.ArrayLike]  # texts → vectors [n, d] of any length


def caption_vectors(
    encode: Encode, captions: Sequence[str], things: Sequence[Sequence[str]], *, way: str = "orders", most: int = MOST
) -> Floats:
    """[n, d], unit length: captions as a mean over other ways to say them.

    things[i]: what captions[i] names, in its own words (['a red cube', 'a star']). way: "orders", the mean over the orders of the
    things; "parts", the mean over captions of one thing each; "both", the mean of these two. most: orders of one caption.

    >>> heard = {"cube and star": [1.0, 0.0], "star and cube": [0.0, 1.0]}
    >>> caption_vectors(lambda texts: [heard[t] for t in texts], ["star and cube"], [["star", "cube"]]).round(3).tolist()
    [[0.7070000171661377, 0.7070000171661377]]
    """
    if len(captions) != len(things):
        raise DataError(f"{len(captions)} captions and things of {len(things)}; give the things of every caption")
    found = [listing(caption, of_caption) for caption, of_caption in zip(captions, things, strict=True)]

    def texts(asked: Sequence[str]) -> Floats:
        vectors = np.asarray(encode(list(asked)), np.float32)
        if vectors.ndim != 2 or len(vectors) != len(asked):
            raise DataError(f"`encode` gave an array of shape {vectors.shape} for {len(asked)} texts; expected [n, d]")
        return vectors

    blocks = [listing_vectors(found[i : i + _AT_ONCE], way, texts, most) for i in range(0, len(found), _AT_ONCE)]
    return np.concatenate(blocks) if blocks else np.empty((0, 0), np.float32)


def listing_vectors(listings: Sequence[Listing], way: str, texts: Callable[[Sequence[str]], Floats], most: int = MOST) -> Floats:
    """[n, d], unit length, for captions whose things are known; each text is asked for once."""
    if way not in (AS_IS, *WAYS):
        raise UsageError(f"no way to say captions is called {way!r}; choose from {', '.join(WAYS)}{did_you_mean(way, WAYS)}")
    said = [wordings(one, way, most) for one in listings]
    distinct = list(dict.fromkeys(text for of_one in said for texts_of_mean in of_one for text in texts_of_mean))
    row = {text: number for number, text in enumerate(distinct)}
    heard = texts(distinct)
    means = []
    for of_mean in zip(*said, strict=True):
        rows = [row[text] for of_one in of_mean for text in of_one]
        means.append(ensembles(heard[rows], np.array([len(of_one) for of_one in of_mean])))
    return means[0] if len(means) == 1 else unit(means[0] + means[1])


def wordings(one: Listing, way: str, most: int = MOST) -> tuple[list[str], ...]:
    """The texts whose mean is taken; two lists where the mean of two means is."""
    if way == AS_IS:
        return ([one.caption],)
    of_way = {"orders": one.in_orders(most), "parts": one.alone()}
    return (of_way["orders"], of_way["parts"]) if way == "both" else (of_way[way],)
