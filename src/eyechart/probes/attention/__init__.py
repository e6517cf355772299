"""Attention: the share of the class token's attention on the largest object of a scene, and whether its area explains it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.attention.exhibits import block_exhibits, density_exhibit, head_exhibits, share_exhibit
from eyechart.probes.attention.findings import block_findings, head_findings, last_block_findings
from eyechart.probes.attention.maps import map_exhibits
from eyechart.probes.attention.metrics import METRICS
from eyechart.probes.attention.object_attention import ObjectAttention, has_masks, object_attention
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.objects import Scenes, object_scenes

DEFAULT_OBJECTS = 3  # objects in the scenes of the paper's figure
BLOCKS = ("last", "all")


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `attention`.

    pictures: Scenes of each number of objects, drawn at random; 0 takes all.
    blocks: "last", or "all" for every block as well.
    heads: Report every head of these blocks too.
    objects: The number of objects of the headline and the charts; 0 takes three, or the most frequent number.
    least: Scenes that a number of objects needs to be reported.
    shown: Attention maps on the page.
    seed: The seed of the sample.
    """

    pictures: int = 120
    blocks: str = "last"
    heads: bool = False
    objects: int = 0
    least: int = 20
    shown: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        if self.blocks not in BLOCKS:
            raise ValueError(f"blocks is {self.blocks!r}; choose one of {', '.join(BLOCKS)}")
        if min(self.pictures, self.objects, self.shown, self.seed) < 0 or self.least < 2:
            raise ValueError("pictures, objects, shown and seed must be at least 0, and least at least 2")


@probe(
    version=2,
    needs=("objects", "attention"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    headline=("large_object_attention", "large_object_density_ratio"),
)
def attention(inputs: ProbeInput[Settings]) -> Answer:
    """Does the class token attend most to the largest object, and more than its area explains?

    The attention from the class token to the patches in the last block is spread evenly over each patch and summed within the
    masks of the objects. This sum grows with the area by construction. Divided by the area, 1 is the average of the picture.
    """
    settings: Settings = inputs.settings
    if inputs.windows is None:
        raise NotApplicable("the crop that the model sees is unknown, so its attention cannot be compared with masks")
    if not has_masks(inputs):
        raise NotApplicable("the objects of the dataset have no masks")
    every_block = settings.blocks == "all" and inputs.block_attention is not None
    scene_set = object_scenes(inputs.dataset)
    samples = [_sample(scenes, settings) for scenes in scene_set.scenes if len(scenes) >= settings.least]
    measured = [object_attention(inputs, scenes, scene_set.names, every_block=every_block) for scenes in samples]
    reported = [one for one in measured if len(one.scenes) >= settings.least]
    if not reported:
        raise NotApplicable(
            f"fewer than {settings.least} pictures have the same number of objects, all visible in the model's crop"
        )
    findings = [f for one in reported for f in last_block_findings(one)]
    if every_block:
        findings += [f for one in reported for f in block_findings(one)]
    if settings.heads:
        findings += [f for one in reported for f in head_findings(one, every_block=False)]
    if every_block and settings.heads:
        findings += [f for one in reported for f in head_findings(one, every_block=True)]
    counts = {one.scenes.count: one for one in reported}
    most = max(reported, key=lambda one: len(one.scenes)).scenes.count
    count = next((n for n in (settings.objects, DEFAULT_OBJECTS) if n in counts), most)
    exhibits = [
        share_exhibit(findings, count),
        density_exhibit(findings, count),
        *block_exhibits(findings, count),
        *head_exhibits(findings, count),
        *map_exhibits(
            inputs, counts[count], scene_set.names, shown=settings.shown, every_block=every_block, every_head=settings.heads
        ),
    ]
    return Answer([*_headline(findings, count), *findings], exhibits, _notices(inputs, measured))


def _sample(scenes: Scenes, settings: Settings) -> Scenes:
    if not settings.pictures or len(scenes) <= settings.pictures:
        return scenes
    chosen = np.zeros(len(scenes), np.bool_)
    chosen[np.random.default_rng([settings.seed, scenes.count]).permutation(len(scenes))[: settings.pictures]] = True
    return scenes.subset(chosen)


def _headline(findings: Sequence[Finding], count: int) -> list[Finding]:
    where = {"objects": count}
    share = next(f for f in findings if f.metric == "object_attention" and f.slice == {**where, "size_rank": 1})
    ratio = next(f for f in findings if f.metric == "attention_density_ratio" and f.slice == where)
    return [
        replace(share, metric="large_object_attention", slice=where),
        replace(ratio, metric="large_object_density_ratio"),
    ]


def _notices(inputs: ProbeInput[Settings], measured: Sequence[ObjectAttention]) -> list[Notice]:
    notices = []
    cropped = sum(one.cropped for one in measured)
    if cropped:
        what = f"{counted(cropped, 'scene')} left out because the model's crop does not show all objects"
        notices.append(Notice(inputs.dataset.name, what, "use square pictures, which are not cropped"))
    if inputs.settings.blocks == "all" and inputs.block_attention is None:
        what = f"{inputs.model} gives the attention of its last block only, so the other blocks are left out"
        notices.append(Notice(inputs.dataset.name, what, "export the ONNX folder with --all-blocks"))
    return notices
