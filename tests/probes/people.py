"""People with attributes, and a model that calls them what it is told to."""

import numpy as np
import pyarrow as pa
from tests.probes.answering import BARE, NoPictures

from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput


def people(called, names, settings, *, clusters=None, classes: ClassList | None = None, label=None, **attributes):
    """`called[i]`: the number of the name that picture i is nearest to; `names` are all that can be said."""
    axes = np.eye(len(names), dtype=np.float32)
    columns = {f"attr.{name}": list(values) for name, values in attributes.items()}
    if label is not None:
        columns["label"] = list(label)
    table = pa.table({"id": [f"p{i}" for i in range(len(called))], **columns})
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", table, NoPictures(len(called)), classes),
        images=axes[np.asarray(called)],
        clusters=np.arange(len(called)) if clusters is None else np.asarray(clusters),
        texts=lambda texts: axes[[names.index(t) for t in texts]],
        prompts=(BARE,),
        settings=settings,
    )
