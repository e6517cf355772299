"""Captions of a dataset that mention a given number of object names."""

from collections.abc import Sequence

import numpy as np

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.name_finder import name_finder
from eyechart.probes.tasks.template_captions import REAL, TemplateCaptions


def real_captions(dataset: Dataset, names: Sequence[str], count: int, *, most: int, seed: int) -> TemplateCaptions:
    """The captions that mention exactly `count` of the names, at most `most`, drawn at random.

    Captions of one picture form one set, because they vary together.
    """
    captions, find = captions_of(dataset), name_finder(names)
    found = [
        (text, row, mentioned)
        for text, row in zip(captions.texts, captions.rows, strict=True)
        if len(mentioned := find(text)) == count
    ]
    kept = np.sort(np.random.default_rng([seed, count]).permutation(len(found))[:most])
    rows = [found[i] for i in kept]
    objects = np.array([mentioned for _, _, mentioned in rows], np.int64).reshape(-1, count)
    return TemplateCaptions(REAL, objects, np.array([row for _, row, _ in rows], np.int64), tuple(text for text, _, _ in rows))
