"""Captions of a dataset that mention a given number of object names."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.name_finder import NameFinder
from eyechart.probes.tasks.template_captions import REAL, TemplateCaptions
from eyechart.probes.tasks.wordings import all_wordings


def real_captions(dataset: Dataset, names: Sequence[str], count: int, *, most: int, seed: int) -> TemplateCaptions:
    """The captions that mention exactly `count` of the names, in the singular or plural, at most `most`, drawn at random.

    Captions of one picture form one set, because they vary together.
    """
    captions = captions_of(dataset)
    found = [
        (text, row, mentioned)
        for text, row, mentioned in zip(
            captions.texts, captions.rows, _mentions(tuple(captions.texts), tuple(names)), strict=True
        )
        if len(mentioned) == count
    ]
    kept = np.sort(np.random.default_rng([seed, count]).permutation(len(found))[:most])
    rows = [found[i] for i in kept]
    objects = np.array([mentioned for _, _, mentioned in rows], np.int64).reshape(-1, count)
    return TemplateCaptions(REAL, objects, np.array([row for _, row, _ in rows], np.int64), tuple(text for text, _, _ in rows))


@lru_cache(maxsize=2)  # asked for once for each number of names, by the texts of a probe and by the probe itself
def _mentions(texts: tuple[str, ...], names: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """The numbers of the names that each text mentions, in the order of their first occurrence."""
    number = {name: place for place, name in enumerate(names)}
    find = NameFinder({wording: number[name] for wording, name in all_wordings({name: name for name in names}).items()})
    return tuple(tuple(find(text)) for text in texts)
