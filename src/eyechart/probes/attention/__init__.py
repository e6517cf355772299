"""Attention: how much of the class token's attention lies on the largest thing of a scene, and whether that is just its area."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.attention.exhibits import block_exhibits, density_exhibit, head_exhibits, share_exhibit
from eyechart.probes.attention.findings import block_findings, head_findings, usual_findings
from eyechart.probes.attention.maps import map_exhibits
from eyechart.probes.attention.metrics import METRICS
from eyechart.probes.attention.object_attention import Attended, attend, has_masks
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.objects import Scenes, shown

USUAL = 3  # things in the scenes of the paper's figure
BLOCKS = ("last", "all")


@dataclass(frozen=True)
class Settings:
    """`pictures`: so many scenes of each number of things, drawn at random; 0 takes all. `blocks`: "last", or "all" for every
    block beside it. `heads`: report every head by itself, of the same blocks. `objects`: the number of things that the headline
    and the page speak of; 0 takes three, or the most frequent number. `least`: scenes that a number of things needs. `shown`:
    maps on the page."""

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
            raise ValueError("pictures, objects, shown and seed are whole numbers from 0 up, least from 2 up")


@probe(
    version=2,
    needs=("images", "objects", "attention"),
    settings=Settings(),
    metrics=METRICS,
    headline=("large_object_attention", "large_object_density_difference"),
)
def attention(inputs: ProbeInput[Settings]) -> Answer:
    """How much of the attention goes to the largest thing, and is it more than its area?

    Weights of the last block from the class token to the patches, spread evenly over each patch, are summed within the things'
    exact masks. The sum grows with the area by construction; divided by the area, 1 is what an average spot gets.
    """
    settings: Settings = inputs.settings
    if inputs.windows is None:
        raise NotApplicable("the model does not say which part of a picture it sees, so its attention cannot be laid over masks")
    if not has_masks(inputs):
        raise NotApplicable("the objects of the dataset have no masks")
    every_block = settings.blocks == "all" and inputs.block_attention is not None
    there = shown(inputs.dataset)
    few = [_sample(scenes, settings) for scenes in there.scenes if len(scenes) >= settings.least]
    looked = [attend(inputs, scenes, there.names, every_block=every_block) for scenes in few]
    seen = [one for one in looked if len(one.scenes) >= settings.least]
    if not seen:
        raise NotApplicable(f"fewer than {settings.least} pictures show equally many things of which the network sees something")
    findings = [f for one in seen for f in usual_findings(one)]
    if every_block:
        findings += [f for one in seen for f in block_findings(one)]
    if settings.heads:
        findings += [f for one in seen for f in head_findings(one, every_block=False)]
    if every_block and settings.heads:
        findings += [f for one in seen for f in head_findings(one, every_block=True)]
    counts = {one.scenes.count: one for one in seen}
    most = max(seen, key=lambda one: len(one.scenes)).scenes.count
    count = next((n for n in (settings.objects, USUAL) if n in counts), most)
    exhibits = [
        share_exhibit(findings, count),
        density_exhibit(findings, count),
        *block_exhibits(findings, count),
        *head_exhibits(findings, count),
        *map_exhibits(
            inputs, counts[count], there.names, shown=settings.shown, every_block=every_block, every_head=settings.heads
        ),
    ]
    return Answer([*_headline(findings, count), *findings], exhibits, _notices(inputs, looked))


def _sample(scenes: Scenes, settings: Settings) -> Scenes:
    if not settings.pictures or len(scenes) <= settings.pictures:
        return scenes
    chosen = np.zeros(len(scenes), np.bool_)
    chosen[np.random.default_rng([settings.seed, scenes.count]).permutation(len(scenes))[: settings.pictures]] = True
    return scenes.subset(chosen)


def _headline(findings: Sequence[Finding], count: int) -> list[Finding]:
    where = {"objects": count}
    share = next(f for f in findings if f.metric == "object_attention" and f.slice == {**where, "size_rank": 1})
    lead = next(f for f in findings if f.metric == "attention_density_difference" and f.slice == where)
    return [replace(share, metric="large_object_attention", slice=where), replace(lead, metric="large_object_density_difference")]


def _notices(inputs: ProbeInput[Settings], looked: Sequence[Attended]) -> list[Notice]:
    notices = []
    cropped = sum(one.cropped for one in looked)
    if cropped:
        what = f"{counted(cropped, 'scene')} left out, as the network's crop shows nothing of one of its things"
        notices.append(Notice(inputs.dataset.name, what, "give square pictures to see them whole"))
    if inputs.settings.blocks == "all" and inputs.block_attention is None:
        what = f"{inputs.model} gives the attention of its last block only, so the other blocks are left out"
        notices.append(Notice(inputs.dataset.name, what, "an ONNX folder gives it if exported with --all-blocks"))
    return notices
