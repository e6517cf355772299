"""Text encoders that hear as they are told, for probes that ask about texts alone."""

import numpy as np
import pyarrow as pa
import pytest

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.models.open import open_model
from eyechart.probes.contract import ProbeInput, truncates_none
from eyechart.probes.first_object import Settings, first_object
from eyechart.world.zoo import present


class NoPictures:
    def __len__(self):
        return 1

    def take(self, rows):
        return self


def named(names, **columns):
    """A dataset of these classes."""
    classes = ClassList("test", tuple(PictureClass(n, n) for n in names))
    size = len(next(iter(columns.values()))) if columns else 1
    return Dataset("test", pa.table({"id": [str(i) for i in range(size)], **columns}), NoPictures(), classes)


def encodable(dataset, encode, settings, *, truncated=truncates_none):
    """`encode` gives the vectors of a list of texts."""
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=dataset,
        images=np.empty((len(dataset), 0), np.float32),
        clusters=np.arange(len(dataset)),
        texts=lambda texts: unit(np.asarray(encode(list(texts)), np.float32)),
        prompts=(),
        settings=settings,
        truncated=truncated,
    )


class Weighted:
    """Names along directions of their own; a caption is the sum of its names, one of which is twice as loud: which, is drawn with
    the chances `weights` of the positions, or those that `chances` gives for names [n, positions]. All are heard, one best."""

    def __init__(self, names, weights=None, *, seed=0, chances=None):
        self.number = {name: i for i, name in enumerate(names)}
        self.axes = np.eye(len(names), dtype=np.float32)
        self.rng = np.random.default_rng(seed)
        self.chances = chances or (lambda said: np.broadcast_to(np.asarray(weights) / np.sum(weights), said.shape))

    def __call__(self, texts):
        said = np.array([[self.number[name] for name in text.split(" and ")] for text in texts])
        vectors = self.axes[said].sum(axis=1)
        if said.shape[1] > 1:
            drawn = (self.rng.random(len(said))[:, None] > self.chances(said).cumsum(axis=1)).sum(axis=1)
            vectors += self.axes[np.take_along_axis(said, drawn.clip(0, said.shape[1] - 1)[:, None], axis=1)[:, 0]]
        return vectors


def first_object_of(model):
    """What `first_object` finds of a model of the zoo: 400 bare captions of four names."""
    if model not in present():
        pytest.skip(f"zoo:{model} is not here")
    opened = open_model(f"zoo:{model}")
    settings = Settings(counts=(4,), focus=4, styles=("bare",), captions=400)
    dataset = named([c.name for c in read_classes("simco-18")])
    return first_object.ask(encodable(dataset, lambda texts: opened.encode_texts(opened.tokenize(texts).ids), settings)).findings
