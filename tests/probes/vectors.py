"""Models given by their vectors: probes see nothing else."""

import numpy as np
import pyarrow as pa
from tests.probes.answering import BARE, NoPictures

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput


def given_by_vectors(images, classes, truth, settings, *, names=None, columns=None, name="exam", role="exam", **more):
    """`classes` [C, d]: their vectors, called class-0, class-1, … unless `names` says otherwise; `truth`: -1 for no label."""
    names = names or [f"class-{c}" for c in range(len(classes))]
    listed = ClassList("test", tuple(PictureClass(n, n) for n in names))
    labels = pa.array([None if t < 0 else names[int(t)] for t in truth], pa.string())
    table = pa.table({"id": [f"{name}-{i}" for i in range(len(truth))], "label": labels, **(columns or {})})
    heard = unit(np.asarray(classes, np.float32))
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset(name, table, NoPictures(len(truth)), listed, role=role),
        images=unit(np.asarray(images, np.float32)),
        clusters=more.pop("clusters", np.arange(len(truth))),
        texts=lambda texts: heard[[names.index(t) for t in texts]],
        prompts=more.pop("prompts", (BARE,)),
        settings=settings,
        **more,
    )
