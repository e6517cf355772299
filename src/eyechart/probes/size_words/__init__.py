"""Size words: is the name of a large thing heard better than that of a small one, in the same place of the same caption?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.metrics.scenes.object_ranks import object_ranks
from eyechart.notice import Notice, counted
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.size_words.metrics import METRICS
from eyechart.probes.size_words.words import LARGE, MEDIUM, SMALL
from eyechart.probes.tasks.caption_recall import ORDINALS
from eyechart.probes.tasks.template_captions import joined

BESIDE = 3  # medium things in every caption
LEAST = 20  # pairs


@dataclass(frozen=True)
class Settings:
    """`large`, `medium`, `small`: names of things of these sizes. `pairs`: how many pairs of captions for each position."""

    large: tuple[str, ...] = LARGE
    medium: tuple[str, ...] = MEDIUM
    small: tuple[str, ...] = SMALL
    pairs: int = 400
    seed: int = 0

    def __post_init__(self) -> None:
        named = [*self.large, *self.medium, *self.small]
        if len(set(named)) < len(named):
            raise ValueError("a name stands in the lists of sizes twice; leave it in one")
        if min(len(self.large), len(self.small)) < 3 or len(self.medium) < BESIDE + 2:
            raise ValueError(f"large and small are lists of 3 names at least, medium of {BESIDE + 2}")
        if self.pairs < LEAST or self.seed < 0:
            raise ValueError(f"pairs is a whole number from {LEAST} up, seed from 0 up")

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.large, *self.medium, *self.small)


@dataclass(frozen=True)
class CaptionPairs:
    """Captions [pairs, 4] of numbers of names, alike but for the one at `position`: a large thing or a small one."""

    position: int
    large: Indices
    small: Indices

    def said(self, names: Sequence[str]) -> list[str]:
        return [joined([names[i] for i in row]) for row in np.concatenate([self.large, self.small]).tolist()]

    def subset(self, chosen: npt.NDArray[np.bool_]) -> "CaptionPairs":
        return CaptionPairs(self.position, self.large[chosen], self.small[chosen])

    @property
    def together(self) -> Indices:
        """Every name that a pair is made of."""
        return np.column_stack([self.large, self.small[:, self.position]])


def made_pairs(settings: Settings, position: int) -> CaptionPairs:
    """The same sets of names for every position."""
    rng = np.random.default_rng(settings.seed)
    sizes = (len(settings.large), len(settings.medium), len(settings.small))
    one = [_dealt(rng, n, settings.pairs, 1)[:, 0] for n in (sizes[0], sizes[2])]
    others = _dealt(rng, sizes[1], settings.pairs, BESIDE) + sizes[0]
    put = [np.insert(others, position, number, axis=1) for number in (one[0], one[1] + sizes[0] + sizes[1])]
    return CaptionPairs(position, *put)


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    settings: Settings = request.settings
    return [*settings.names, *(t for k in range(BESIDE + 1) for t in made_pairs(settings, k).said(settings.names))]


@probe(
    version=2,
    needs=("texts",),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("large_object_first_share", "large_object_first_lead"),
    prompts=False,
)
def size_words(inputs: ProbeInput[Settings]) -> Answer:
    """Is the name of a large thing heard better than that of a small one?

    Captions of four names, of which three are of medium things, in pairs that differ in one name: a large thing or a small one.
    Counted is how often that name is the nearest to the caption (claim 1 of Abbasi et al., 2025, who ask with it in first place).
    """
    settings: Settings = inputs.settings
    targets = inputs.texts(settings.names)
    findings: list[Finding] = []
    heard = 0.0
    every = [made_pairs(settings, position) for position in range(BESIDE + 1)]
    whole = ~np.any([inputs.truncated(pairs.said(settings.names)).reshape(2, -1).any(axis=0) for pairs in every], axis=0)
    if whole.sum() < LEAST:
        raise NotApplicable("captions of four names are longer than the model's context")
    for position, pairs in enumerate(pairs.subset(whole) for pairs in every):
        said = pairs.said(settings.names)
        ranks = object_ranks(inputs.texts(said), targets, np.concatenate([pairs.large, pairs.small]))
        heard += float(ranks.recall.mean()) / (BESIDE + 1)
        findings += _findings(ranks.top[:, position].reshape(2, -1).astype(np.float64), pairs)
    headline = [
        replace(f, metric=f.metric.replace("large_object_", "large_object_first_"), slice={})
        for f in findings
        if f.slice["position"] == 1 and f.metric in ("large_object_share", "large_object_lead")
    ]
    notices = [*_left_out(inputs, int((~whole).sum())), *_notices(inputs, heard, len(settings.names))]
    return Answer([*headline, *findings], [_exhibit(findings)], notices)


def _findings(hits: npt.NDArray[np.float64], pairs: CaptionPairs) -> list[Finding]:
    where: dict[str, object] = {"position": pairs.position + 1}
    found = []
    for metric, values, names in (("large_object_share", hits[0], pairs.large), ("small_object_share", hits[1], pairs.small)):
        value, (low, high) = named_share(values, names)
        found.append(Finding(metric=metric, value=value, n=len(values), low=low, high=high, slice=where, interval=HOW))
    value, (low, high) = named_share(hits[0] - hits[1], pairs.together, bounds=(-1.0, 1.0))
    baseline = "the same captions with a small thing in its place"
    lead = Finding(
        metric="large_object_lead", value=value, n=hits.shape[1], low=low, high=high, slice=where, interval=HOW, baseline=baseline
    )
    return [*found, lead]


def _exhibit(findings: Sequence[Finding]) -> Exhibit:
    rows = [f for f in findings if f.metric in ("large_object_share", "small_object_share")]
    table = pa.table(
        {
            "position": [ORDINALS[int(str(f.slice["position"])) - 1] for f in rows],
            "name of": [f"a {f.metric.removesuffix('_share')} thing" for f in rows],
            "share": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
            "captions": [f.n for f in rows],
        }
    )
    lead = next(f for f in findings if f.metric == "large_object_lead" and f.slice["position"] == 1)
    sure = lead.low is not None and lead.high is not None and not lead.low <= 0 <= lead.high
    told = f"{100 * (lead.value or 0.0):+.1f} points".replace("-", "−")
    seen = (
        f"In first place, the name of a large thing is heard best {told} more often than that of a small one."
        if sure
        else f"In first place, large and small things are not told apart ({told}, an interval that holds 0)."
    )
    return Exhibit(
        "sizes",
        "Names of large and of small things among medium ones",
        seen,
        table,
        chart=charts.dots_with_intervals(
            category="position",
            value="share",
            low="low",
            high="high",
            color="name of",
            value_title="share of captions that the name is nearest to",
            zero=True,
        ),
    )


def _left_out(inputs: ProbeInput[Settings], pairs: int) -> list[Notice]:
    if not pairs:
        return []
    what = f"{counted(pairs, 'pair')} of captions left out: in some place they are longer than {inputs.model}'s context"
    return [Notice(inputs.dataset.name, what, "give shorter names (size_words.large, medium, small)")]


def _notices(inputs: ProbeInput[Settings], heard: float, names: int) -> list[Notice]:
    by_chance = (BESIDE + 1) / names
    if heard > min(2 * by_chance, (1 + by_chance) / 2):  # of few names guessing hears many
        return []
    what = f"{inputs.model} hears {heard:.0%} of the names of a caption, where guessing would hear {by_chance:.0%}"
    return [Notice(inputs.dataset.name, what, "give names that the model knows (size_words.large, medium, small)")]


def _dealt(rng: np.random.Generator, names: int, rows: int, count: int) -> Indices:
    """[rows, count] names, no two alike in a row, each about as often as any other."""
    per_deal = names // count
    permutations = [rng.permutation(names)[: per_deal * count].reshape(-1, count) for _ in range(-(-rows // per_deal))]
    return np.concatenate(permutations)[:rows].astype(np.int64)
