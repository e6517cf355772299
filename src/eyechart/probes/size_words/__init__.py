"""Size words: whether the text encoder favors names of large objects over small ones at the same position of a caption."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent, signed_points
from eyechart.metrics.ranking.retrieval import clear_of_chance
from eyechart.metrics.scenes.object_ranks import object_ranks
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.size_words.metrics import METRICS
from eyechart.probes.size_words.words import LARGE, MEDIUM, SMALL
from eyechart.probes.tasks.number_words import ORDINALS
from eyechart.probes.tasks.share_findings import named_share_finding
from eyechart.probes.tasks.template_captions import join_names

MEDIUM_OBJECTS = 3  # in every caption
LEAST = 20  # pairs
_SIZES = {"large_object_share": "large object", "small_object_share": "small object"}


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `size_words`.

    large: Names of large objects.
    medium: Names of medium objects.
    small: Names of small objects.
    pairs: Pairs of captions for each position.
    seed: The seed of the captions.
    """

    large: tuple[str, ...] = LARGE
    medium: tuple[str, ...] = MEDIUM
    small: tuple[str, ...] = SMALL
    pairs: int = 400
    seed: int = 0

    def __post_init__(self) -> None:
        named = [*self.large, *self.medium, *self.small]
        if len(set(named)) < len(named):
            raise ValueError("a name occurs twice in the lists large, medium and small; remove one")
        if min(len(self.large), len(self.small)) < 3 or len(self.medium) < MEDIUM_OBJECTS + 2:
            raise ValueError(f"large and small need at least 3 names, medium at least {MEDIUM_OBJECTS + 2}")
        if self.pairs < LEAST or self.seed < 0:
            raise ValueError(f"pairs must be at least {LEAST}, seed at least 0")

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.large, *self.medium, *self.small)


@dataclass(frozen=True)
class CaptionPairs:
    """Pairs of captions that differ in the name at one position.

    position: That position.
    large: Numbers of the names of the captions with a large object there [pairs, 4].
    small: The same with a small object there.
    """

    position: int
    large: Indices
    small: Indices

    def texts(self, names: Sequence[str]) -> list[str]:
        """The captions with a large object, then those with a small one."""
        return [join_names([names[i] for i in row]) for row in np.concatenate([self.large, self.small]).tolist()]

    def subset(self, chosen: npt.NDArray[np.bool_]) -> "CaptionPairs":
        return CaptionPairs(self.position, self.large[chosen], self.small[chosen])

    @property
    def all_names(self) -> Indices:
        """Every name in each pair [pairs, 5]."""
        return np.column_stack([self.large, self.small[:, self.position]])


def caption_pairs(settings: Settings, position: int) -> CaptionPairs:
    """Draw pairs of captions: the same sets of names for every position."""
    rng = np.random.default_rng(settings.seed)
    sizes = (len(settings.large), len(settings.medium), len(settings.small))
    one = [_draw(rng, n, settings.pairs, 1)[:, 0] for n in (sizes[0], sizes[2])]
    others = _draw(rng, sizes[1], settings.pairs, MEDIUM_OBJECTS) + sizes[0]
    put = [np.insert(others, position, number, axis=1) for number in (one[0], one[1] + sizes[0] + sizes[1])]
    return CaptionPairs(position, *put)


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    settings: Settings = request.settings
    return [*settings.names, *(t for k in range(MEDIUM_OBJECTS + 1) for t in caption_pairs(settings, k).texts(settings.names))]


@probe(
    version=2,
    needs=("texts",),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    texts=texts,
    headline=("large_object_first_share", "large_object_first_lead"),
    prompts=False,
)
def size_words(inputs: ProbeInput[Settings]) -> Answer:
    """Does the text encoder favor the names of large objects over small ones?

    Captions of four names, three of them medium objects, in pairs that differ in one name: a large object or a small one. The
    probe counts how often that name is the nearest to the caption (claim 1 of Abbasi et al., 2025, who use the first position).
    """
    settings: Settings = inputs.settings
    targets = inputs.texts(settings.names)
    findings: list[Finding] = []
    recall = 0.0
    every = [caption_pairs(settings, position) for position in range(MEDIUM_OBJECTS + 1)]
    whole = ~np.any([inputs.truncated(pairs.texts(settings.names)).reshape(2, -1).any(axis=0) for pairs in every], axis=0)
    if whole.sum() < LEAST:
        raise NotApplicable("captions of four names are longer than the model's context")
    for position, pairs in enumerate(pairs.subset(whole) for pairs in every):
        captions = pairs.texts(settings.names)
        ranks = object_ranks(inputs.texts(captions), targets, np.concatenate([pairs.large, pairs.small]))
        recall += float(ranks.recall.mean()) / (MEDIUM_OBJECTS + 1)
        findings += _findings(ranks.top[:, position].reshape(2, -1).astype(np.float64), pairs)
    headline = [
        replace(f, metric=f.metric.replace("large_object_", "large_object_first_"), slice={})
        for f in findings
        if f.slice["position"] == 1 and f.metric in ("large_object_share", "large_object_lead")
    ]
    notices = [*_left_out(inputs, int((~whole).sum())), *_near_chance(inputs, recall, len(settings.names))]
    return Answer([*headline, *findings], [_exhibit(findings)], notices)


def _findings(hits: npt.NDArray[np.float64], pairs: CaptionPairs) -> list[Finding]:
    where: dict[str, object] = {"position": pairs.position + 1}
    baseline = "the same captions with a small object in its place"
    return [
        named_share_finding("large_object_share", hits[0], pairs.large, where),
        named_share_finding("small_object_share", hits[1], pairs.small, where),
        named_share_finding(
            "large_object_lead", hits[0] - hits[1], pairs.all_names, where, bounds=(-1.0, 1.0), baseline=baseline
        ),
    ]


def _exhibit(findings: Sequence[Finding]) -> Exhibit:
    rows = [f for f in findings if f.metric in ("large_object_share", "small_object_share")]
    table = pa.table(
        {
            "position": [ORDINALS[int(str(f.slice["position"])) - 1] for f in rows],
            "name of a": [_SIZES[f.metric] for f in rows],
            "share": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
            "captions": [f.n for f in rows],
        }
    )
    lead = next(f for f in findings if f.metric == "large_object_lead" and f.slice["position"] == 1)
    significant = lead.low is not None and lead.high is not None and not lead.low <= 0 <= lead.high
    difference, often = signed_points(lead.value), "more" if (lead.value or 0.0) > 0 else "less"
    sentence = (
        f"At the first position, a large object is the nearest name {often} often than a small one: {difference}."
        if significant
        else f"At the first position, large and small objects do not differ at 95% confidence ({difference})."
    )
    return Exhibit(
        "sizes",
        "Names of large and small objects among medium ones",
        sentence,
        table,
        chart=charts.dots_with_intervals(
            category="position",
            value="share",
            low="low",
            high="high",
            color="name of a",
            value_title="share of captions nearest to this name",
            zero=True,
        ),
    )


def _left_out(inputs: ProbeInput[Settings], pairs: int) -> list[Notice]:
    if not pairs:
        return []
    what = f"{counted(pairs, 'caption pair')} skipped: at least one order exceeds the context length of {inputs.model}"
    return [Notice(inputs.dataset.name, what, "use shorter names (size_words.large, medium, small)")]


def _near_chance(inputs: ProbeInput[Settings], recall: float, names: int) -> list[Notice]:
    by_chance = (MEDIUM_OBJECTS + 1) / names
    if clear_of_chance(recall, by_chance):
        return []
    what = (
        f"{inputs.model} finds only {percent(recall)} of the names in a caption (chance: {percent(by_chance)}), so "
        "sizes say little"
    )
    return [Notice(inputs.dataset.name, what, "use names that the model knows (size_words.large, medium, small)")]


def _draw(rng: np.random.Generator, names: int, rows: int, count: int) -> Indices:
    """[rows, count]: distinct names in each row, all about equally often."""
    per_permutation = names // count
    parts = [rng.permutation(names)[: per_permutation * count].reshape(-1, count) for _ in range(-(-rows // per_permutation))]
    return np.concatenate(parts)[:rows].astype(np.int64)
