"""Scenes given by their things and vectors, for probes that look for things among targets."""

import numpy as np
import pyarrow as pa
from tests.probes.answering import NoPictures

from eyechart.data.dataset import Dataset
from eyechart.metrics.scenes.object_ranks import ObjectRanks
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput


def objects_column(names, areas, across=None):
    """`names` and `areas` by picture; things stand from left to right in their order unless `across` says otherwise."""
    across = across or [np.linspace(0.1, 0.9, len(of)) for of in names]
    return pa.array(
        [
            [{"name": n, "area": float(a), "x": float(x)} for n, a, x in zip(*one, strict=True)]
            for one in zip(names, areas, across, strict=True)
        ]
    )


def staged(
    objects, vectors, settings, *, name="scenes", role="exam", heard=None, texts=None, clusters=None, columns=None, **more
):
    """`objects`: the column, or None; `heard`: names that the model has vectors for, `texts` their vectors."""
    table = {"id": [f"{name}-{i}" for i in range(len(vectors))], **(columns or {})}
    if objects is not None:
        table["objects"] = objects
    heard = list(heard or ())
    said = None if texts is None else unit(np.asarray(texts, np.float32))
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset(name, pa.table(table), NoPictures(len(vectors)), role=role),
        images=unit(np.asarray(vectors, np.float32)),
        clusters=np.arange(len(vectors)) if clusters is None else np.asarray(clusters),
        texts=lambda wanted: said[[heard.index(text) for text in wanted]],
        prompts=(),
        settings=settings,
        can_encode=lambda wanted: set(wanted) <= set(heard),
        **more,
    )


def drawn_scenes(rng, count, n, names, ratios=(1, 12)):
    """`n` different things in each of `count` scenes, of random areas in random places."""
    shown = [[names[i] for i in rng.permutation(len(names))[:n]] for _ in range(count)]
    return shown, 0.01 * np.exp(rng.uniform(*np.log(ratios), (count, n)))


def weighing(rng, shown, areas, names, power, right=0.0):
    """Vectors of an encoder that knows all things of a scene and gives each a weight with Gumbel noise, so that the chance of a
    thing to be the nearest is proportional to area^power · exp(right · place), place being 0 for the leftmost, 1 for the last."""
    vectors = np.zeros((len(shown), len(names)))
    for vector, of, area in zip(vectors, shown, areas, strict=True):
        place = np.linspace(0, 1, len(of))
        vector[[names.index(n) for n in of]] = 40 + power * np.log(area) + right * place + rng.gumbel(size=len(of))
    return vectors


def object_ranks_of(top, found):
    """Ranks whose nearest target is always an object of the scene, so that all are before any other target."""
    return ObjectRanks(top, found, top, np.ones(len(top)), np.ones(len(top)))
