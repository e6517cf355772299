"""Captions that list things in search of their pictures, and pictures in search of such captions, in several ways to say them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Floats, Indices
from eyechart.data.dataset import Dataset
from eyechart.metrics.ranking.retrieval import retrieval_ranks
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.objects import ObjectScenes, object_scenes
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.trials import Tried, all_ways
from eyechart.repair.captions.vectors import AS_IS, listing_vectors
from eyechart.repair.captions.wordings import Listing, listed

KS = (1, 5, 10)
LEAST = 20  # captions in a part: with fewer, a share is a matter of one


@dataclass(frozen=True, eq=False)
class Queries:
    """The captions of a dataset: `texts`, each once; `listings` of those that list things, None for others. `meaning[j]`: equal
    for texts that list the same things in another order. `text_of`, `rows`: of every caption that stands under a picture.
    `large_first`: whether such a caption names the largest thing of its picture first; None where sizes are not known."""

    texts: list[str]
    listings: list[Listing | None]
    meaning: Indices
    text_of: Indices
    rows: Indices
    large_first: Flags | None

    @property
    def lists(self) -> Flags:
        return np.array([one is not None for one in self.listings], np.bool_)


def queries_of(dataset: Dataset) -> Queries:
    captions = captions_of(dataset)
    number = {text: place for place, text in enumerate(captions.distinct)}
    there = object_scenes(dataset)
    listings = [listed(text, frozenset(there.names)) for text in captions.distinct]
    keys = [text if one is None else one.meaning for text, one in zip(captions.distinct, listings, strict=True)]
    codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    meaning = np.array([codes[key] for key in keys], np.int64)
    text_of = np.array([number[text] for text in captions.texts], np.int64)
    largest = _largest(there)
    asked = zip(text_of, captions.rows, strict=True)
    first = np.array([_begins(listings[text], largest.get(int(row))) for text, row in asked], np.bool_)
    return Queries(captions.distinct, listings, meaning, text_of, captions.rows, first if largest else None)


def _largest(there: ObjectScenes) -> dict[int, str]:
    """The name of the largest thing of every picture of several."""
    return {
        int(row): there.names[objects[order[0]]]
        for scenes in there.scenes
        for row, objects, order in zip(scenes.rows, scenes.objects, scenes.by_size, strict=True)
    }


def _begins(listing: Listing | None, name: str | None) -> bool:
    return listing is not None and name is not None and f" {listing.things[0].casefold()}".endswith(f" {name}")


def retrieve(inputs: ProbeInput[Any], queries: Queries, members: Flags, settings: CaptionSettings) -> list[Tried]:
    """Both directions among some of the pictures. Only captions that list things are said anew, and only they and their pictures
    ask; all are looked for. Where two captions list the same, either is right for the pictures of both."""
    there = members[queries.rows]
    rows = queries.rows[there]
    texts, text_of = np.unique(queries.text_of[there], return_inverse=True)
    pictures, first, picture_of = np.unique(inputs.clusters[rows], return_index=True, return_inverse=True)
    asking = queries.lists[texts][text_of]
    if not asking.any() or len(pictures) < 2:
        return []
    right = _right_pairs(queries.meaning[texts], text_of, picture_of)
    images = inputs.images[rows[first]]
    ranks = {way: retrieval_ranks(images, _said(inputs, queries, texts, way, settings), right) for way in all_ways(settings)}
    asked = np.unique(picture_of[asking])
    found = []
    for k in (k for k in KS if k < len(pictures)):
        hits = {way: of.of_texts[text_of[asking]] < k for way, of in ranks.items()}
        found.append(Tried("retrieval", f"text → image, R@{k}", hits, rows[asking], k == 1))
    if queries.large_first is not None:
        found += _by_order(found[0], queries.large_first[there][asking])
    for k in (k for k in KS if k < len(texts)):
        hits = {way: of.of_images[asked] < k for way, of in ranks.items()}
        found.append(Tried("retrieval", f"image → text, R@{k}", hits, rows[first[asked]], k == 1))
    return found


def _by_order(tried: Tried, large_first: Flags) -> list[Tried]:
    """The same by whether the largest thing is named first, where there are enough of both."""
    parts = {"large named first": large_first, "large named later": ~large_first}
    if min(part.sum() for part in parts.values()) < LEAST:
        return []
    return [
        Tried(tried.purpose, f"{tried.name}, {name}", {way: h[part] for way, h in tried.hits.items()}, tried.rows[part], False)
        for name, part in parts.items()
    ]


def _right_pairs(meaning: Indices, text_of: Indices, picture_of: Indices) -> tuple[Indices, Indices]:
    """Every text with the pictures of all captions that mean the same."""
    of_meaning: dict[int, set[int]] = {}
    for text, picture in zip(text_of, picture_of, strict=True):
        of_meaning.setdefault(int(meaning[text]), set()).add(int(picture))
    pairs = [(text, picture) for text, m in enumerate(meaning) for picture in sorted(of_meaning[int(m)])]
    return np.array([t for t, _ in pairs], np.int64), np.array([p for _, p in pairs], np.int64)


def _said(inputs: ProbeInput[Any], queries: Queries, texts: Indices, way: str, settings: CaptionSettings) -> Floats:
    vectors = inputs.texts([queries.texts[j] for j in texts])
    listings = {place: one for place, j in enumerate(texts) if (one := queries.listings[j]) is not None}
    if way == AS_IS or not listings:
        return vectors
    vectors = vectors.copy()
    vectors[list(listings)] = listing_vectors(list(listings.values()), way, inputs.texts, settings.most)
    return vectors
