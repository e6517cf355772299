"""Models that answer as they are told, for probes that see nothing but vectors.

Class c points along axis c, and a picture along the axis of its answer, a little along that of its second thought. Texts are the
class names as they are (prompts `bare`)."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput
from eyechart.prompts.prompt_set import PromptSet

BARE = PromptSet("bare", ("{}",), "test")


class NoPictures:
    """Pictures that nobody looks at."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def take(self, rows):
        return NoPictures(len(rows))


def class_list(labels, names=None, same_as=None):
    names, same_as = names or labels, same_as or [()] * len(labels)
    return ClassList("test", tuple(PictureClass(*c[:2], (), tuple(c[2])) for c in zip(labels, names, same_as, strict=True)))


def answering(
    answers,
    truth,
    classes,
    settings,
    *,
    heard=None,
    second=None,
    columns=None,
    name="test",
    role="exam",
    benchmark=None,
    clusters=None,
    ids=None,
):
    """`answers` and `second` are indices into `heard`, the names that the model knows (those of `classes` where not given);
    `truth` into `classes`, -1 for none."""
    heard = heard or [c.name for c in classes]
    axes = np.eye(len(heard), dtype=np.float32)
    images = axes[np.asarray(answers)]
    if second is not None:
        images = np.float32(0.8) * images + np.float32(0.6) * axes[np.asarray(second)]
    labels = pa.array([None if t < 0 else classes[int(t)].label for t in truth], pa.string())
    ids = [f"{name}-{i}" for i in range(len(truth))] if ids is None else ids
    dataset = Dataset(
        name,
        pa.table({"id": ids, "label": labels, **(columns or {})}),
        NoPictures(len(truth)),
        classes,
        role=role,
        benchmark=benchmark,
    )
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=dataset,
        images=images,
        clusters=np.arange(len(truth)) if clusters is None else np.asarray(clusters),
        texts=lambda texts: axes[[heard.index(t) for t in texts]],
        prompts=(BARE,),
        settings=settings,
    )


def among(inputs, *others):
    """The first dataset with all of them around it, as the exam hands it to a probe that compares."""
    return replace(inputs, companions={g.dataset.name: g for g in (inputs, *others)})


def only(answer, metric, **slice):
    """The one finding of this metric on this slice, whatever else the slice says."""
    (finding,) = [f for f in answer.findings if f.metric == metric and slice.items() <= dict(f.slice).items()]
    return finding
