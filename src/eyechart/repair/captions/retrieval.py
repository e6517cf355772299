"""Retrieval in both directions, with captions encoded in several ways."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Floats, Indices
from eyechart.data.dataset import Dataset
from eyechart.metrics.ranking.retrieval import retrieval_ranks
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.objects import ObjectScenes, object_scenes
from eyechart.repair.captions.listings import Listing, parse_listing
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.trial_results import TrialResults, all_ways
from eyechart.repair.captions.vectors import AS_IS, listing_vectors

KS = (1, 5, 10)
LEAST = 20  # captions of a part: with fewer, one caption decides a share


@dataclass(frozen=True, eq=False)
class Queries:
    """The captions of a dataset.

    texts: The distinct captions.
    listings: The listing of each text; None for a text that is not a list of objects.
    meaning: Equal for texts that list the same objects in another order.
    text_of: The text of each caption of a picture.
    rows: The picture of each caption.
    large_first: Whether each caption names the largest object first; None where sizes are unknown.
    """

    texts: list[str]
    listings: list[Listing | None]
    meaning: Indices
    text_of: Indices
    rows: Indices
    large_first: Flags | None

    @property
    def is_listing(self) -> Flags:
        return np.array([one is not None for one in self.listings], np.bool_)


def queries_of(dataset: Dataset) -> Queries:
    captions = captions_of(dataset)
    number = {text: place for place, text in enumerate(captions.distinct)}
    objects = object_scenes(dataset)
    listings = [parse_listing(text, frozenset(objects.names)) for text in captions.distinct]
    keys = [text if one is None else one.canonical for text, one in zip(captions.distinct, listings, strict=True)]
    codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    meaning = np.array([codes[key] for key in keys], np.int64)
    text_of = np.array([number[text] for text in captions.texts], np.int64)
    largest = _largest(objects)
    pairs = zip(text_of, captions.rows, strict=True)
    first = np.array([_starts_with(listings[text], largest.get(int(row))) for text, row in pairs], np.bool_)
    return Queries(captions.distinct, listings, meaning, text_of, captions.rows, first if largest else None)


def _largest(objects: ObjectScenes) -> dict[int, str]:
    """Row → the name of its largest object, for pictures with several objects."""
    return {
        int(row): objects.names[of_row[order[0]]]
        for scenes in objects.scenes
        for row, of_row, order in zip(scenes.rows, scenes.objects, scenes.by_size, strict=True)
    }


def _starts_with(listing: Listing | None, name: str | None) -> bool:
    return listing is not None and name is not None and f" {listing.objects[0].casefold()}".endswith(f" {name}")


def retrieve(inputs: ProbeInput[Any], queries: Queries, members: Flags, settings: CaptionSettings) -> list[TrialResults]:
    """Retrieval in both directions among some of the pictures.

    Only captions that list objects are encoded differently, and only they and their pictures are queries; all captions and
    pictures are candidates. Where two captions list the same objects, either is correct for the pictures of both.
    """
    chosen = members[queries.rows]
    rows = queries.rows[chosen]
    texts, text_of = np.unique(queries.text_of[chosen], return_inverse=True)
    pictures, first, picture_of = np.unique(inputs.clusters[rows], return_index=True, return_inverse=True)
    is_query = queries.is_listing[texts][text_of]
    if not is_query.any() or len(pictures) < 2:
        return []
    correct = _correct_pairs(queries.meaning[texts], text_of, picture_of)
    images = inputs.images[rows[first]]
    ranks = {
        way: retrieval_ranks(images, _text_vectors(inputs, queries, texts, way, settings), correct) for way in all_ways(settings)
    }
    query_pictures = np.unique(picture_of[is_query])
    found = []
    for k in (k for k in KS if k < len(pictures)):
        hits = {way: of_way.of_texts[text_of[is_query]] < k for way, of_way in ranks.items()}
        found.append(TrialResults("retrieval", f"text → image, R@{k}", hits, rows[is_query], k == 1))
    if queries.large_first is not None:
        found += _by_order(found[0], queries.large_first[chosen][is_query])
    for k in (k for k in KS if k < len(texts)):
        hits = {way: of_way.of_images[query_pictures] < k for way, of_way in ranks.items()}
        found.append(TrialResults("retrieval", f"image → text, R@{k}", hits, rows[first[query_pictures]], k == 1))
    return found


def _by_order(results: TrialResults, large_first: Flags) -> list[TrialResults]:
    """The same by whether the largest object is named first, where there are enough of both."""
    parts = {"large named first": large_first, "large named later": ~large_first}
    if min(part.sum() for part in parts.values()) < LEAST:
        return []
    return [
        TrialResults(
            results.purpose,
            f"{results.name}, {name}",
            {way: hits[part] for way, hits in results.hits.items()},
            results.rows[part],
            counts=False,
        )
        for name, part in parts.items()
    ]


def _correct_pairs(meaning: Indices, text_of: Indices, picture_of: Indices) -> tuple[Indices, Indices]:
    """Every text with the pictures of all captions of the same meaning."""
    of_meaning: dict[int, set[int]] = {}
    for text, picture in zip(text_of, picture_of, strict=True):
        of_meaning.setdefault(int(meaning[text]), set()).add(int(picture))
    pairs = [(text, picture) for text, m in enumerate(meaning) for picture in sorted(of_meaning[int(m)])]
    return np.array([t for t, _ in pairs], np.int64), np.array([p for _, p in pairs], np.int64)


def _text_vectors(inputs: ProbeInput[Any], queries: Queries, texts: Indices, way: str, settings: CaptionSettings) -> Floats:
    vectors = inputs.texts([queries.texts[j] for j in texts])
    listings = {place: one for place, j in enumerate(texts) if (one := queries.listings[j]) is not None}
    if way == AS_IS or not listings:
        return vectors
    vectors = vectors.copy()
    vectors[list(listings)] = listing_vectors(list(listings.values()), way, inputs.texts, settings.most)
    return vectors
