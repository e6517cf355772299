"""Captions of a dataset that mention a given number of object names."""

from collections.abc import Sequence

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
    captions, number = captions_of(dataset), {name: place for place, name in enumerate(names)}
    find = NameFinder({wording: number[name] for wording, name in all_wordings({name: name for name in names}).items()})
    found = [
        (text, row, mentioned)
        for text, row in zip(captions.texts, captions.rows, strict=True)
        if len(mentioned := find(text)) == count
    ]
    kept = np.sort(np.random.default_rng([seed, count]).permutation(len(found))[:most])
    rows = [found[i] for i in kept]
    objects = np.array([mentioned for _, _, mentioned in rows], np.int64).reshape(-1, count)
    return TemplateCaptions(REAL, objects, np.array([row for _, row, _ in rows], np.int64), tuple(text for text, _, _ in rows))
