"""Out-of-distribution detection: whether the model's scores separate pictures of the classes from other pictures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.findings.metric import DIFFERENT_PICTURES
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.ranking.auroc import CONVENTIONS
from eyechart.metrics.ranking.feature_scores import Mahalanobis, nearest_neighbor
from eyechart.metrics.ranking.ood_scores import SCORES, OodScores, logit_scores, ood_scores
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.ood.exhibits import ood_exhibits
from eyechart.probes.ood.metrics import COUNT, METRICS
from eyechart.probes.ood.rankings import Ranking, accepted_by_score, kind_findings, ranking_findings
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.ood_rows import OodRows, id_rows, made_set, ood_rows
from eyechart.probes.tasks.picture_predictions import ood_predictions, own_ood_predictions
from eyechart.probes.tasks.predictors import NO_PREDICTOR, predictor_texts
from eyechart.probes.tasks.scorers import Scorer, scorers

LEAST = 10  # in-distribution and out-of-distribution pictures


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `ood`.

    score: The score of the headline; models without it use msp.
    convention: The convention of FPR95 in the headline.
    temperature: The temperature of MCM, energy, entropy and variance, on raw cosines.
    neighbors: The k of the k-nearest-neighbor distance.
    bank: Labeled pictures that are searched for neighbors.
    resamples: Bootstrap resamples.
    seed: The seed of the split and of the bootstrap.
    """

    score: str = "mcm"
    convention: str = "id-quantile"
    temperature: float = 1.0
    neighbors: int = 1
    bank: int = 4000
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.score not in SCORES or self.convention not in CONVENTIONS:
            raise ValueError(f"score must be one of {', '.join(SCORES)}, and convention one of {', '.join(CONVENTIONS)}")
        if self.temperature <= 0 or min(self.neighbors, self.bank, self.resamples) < 1 or self.seed < 0:
            raise ValueError("temperature must be above 0; neighbors, bank and resamples at least 1; seed at least 0")


@probe(
    version=3,
    needs=("pictures", "classes"),
    settings=Settings(),
    metrics=METRICS,
    among="all classes of the examined dataset, for in-distribution and out-of-distribution pictures",
    profiles=("classify", "paper"),
    texts=predictor_texts,
    compares=True,
    default_companions=("ood",),
    headline=("ood_auroc", "ood_fpr95"),
    wants=("logit_scale", "class_scores"),
)
def ood(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model detect out-of-distribution pictures?

    Every picture gets scores that are higher for in-distribution pictures: maximum concept matching (MCM, Ming et al., 2022) and
    others from the class scores, and distances to the vectors of a random half of the labeled pictures.
    """
    inside, groups = id_rows(inputs), ood_rows(inputs)
    if not groups and (empty := _without_pictures(inputs)):
        raise NotApplicable(
            f"no picture of {', '.join(empty)} could be read, and there are no other out-of-distribution pictures"
        )
    if not groups:
        raise NotApplicable('there are no out-of-distribution pictures; give some with --ood, or in a plan with role = "ood"')
    if too_few := _too_few(len(inside), sum(map(len, groups))):
        raise NotApplicable(too_few)
    found = scorers(inputs)
    if not found:
        raise NotApplicable(NO_PREDICTOR)
    if len(known_classes(inputs)) < 2:  # a softmax over one class is 1 for every picture
        raise NotApplicable("the dataset has one class, so the scores that compare classes are the same for every picture")
    settings: Settings = inputs.settings
    if settings.score == "msp" and any(scorer.logits is None for scorer in found):
        raise NotApplicable("the score msp needs a logit scale, which the model does not have; choose another with ood.score")
    vector_rankings = _by_vectors(inputs, inside, groups)
    by_vectors = [f for ranking in vector_rankings for f in _of_score(ranking, settings, {})]
    answers = [_by(inputs, scorer, inside, groups, vector_rankings, by_vectors) for scorer in found]
    return Answer(
        [
            *(f for answer in answers for f in answer.findings),
            *by_vectors,
            *_counts(groups),
            *_different_pictures(inputs, inside, groups),
        ],
        [e for answer in answers for e in answer.exhibits],
        list(dict.fromkeys([*_notices(inputs, found), *(n for answer in answers for n in answer.notices)])),
        [p for answer in answers for p in answer.predictions],
    )


def _counts(groups: Sequence[OodRows]) -> list[Finding]:
    """The out-of-distribution pictures: all of them, of each set, and of each kind in it."""
    sizes: dict[tuple[tuple[str, str], ...], int] = {(): sum(map(len, groups))}
    for group in groups:
        sizes[(("ood", group.name),)] = len(group)
        for kind, n in Counter(filter(None, group.kinds)).items():
            sizes[("ood", group.name), ("class", kind)] = n
    return [Finding(metric=COUNT, value=float(n), n=n, slice=dict(where)) for where, n in sizes.items()]


def _too_few(inside: int, outside: int) -> str:
    """Which pictures there are too few of; empty where there are enough."""
    if inside < LEAST:
        return f"the probe needs {LEAST} in-distribution pictures, and there are {inside}"
    return f"the probe needs {LEAST} out-of-distribution pictures, and there are {outside}" if outside < LEAST else ""


def _different_pictures(inputs: ProbeInput[Settings], inside: Indices, groups: Sequence[OodRows]) -> list[Finding]:
    """How many pictures of either set are no copies or versions of others: the smaller number limits what is known."""
    sets = {"in-distribution": inputs.units[inside], "out-of-distribution": np.concatenate([g.clusters for g in groups])}
    return [
        Finding(metric=DIFFERENT_PICTURES, value=float(len(np.unique(units))), n=len(units), slice={"set": name})
        for name, units in sets.items()
    ]


def _by(
    inputs: ProbeInput[Settings],
    scorer: Scorer,
    inside: Indices,
    groups: Sequence[OodRows],
    vector_rankings: Sequence[Ranking],
    by_vectors: Sequence[Finding],
) -> Answer:
    """All findings, exhibits and predictions of one scorer."""
    settings: Settings = inputs.settings

    def scores(of: ProbeInput[Settings], rows: Indices) -> OodScores:
        if scorer.by_prompts:
            return ood_scores(scorer.raw(of, rows), settings.temperature, scorer.scale)
        return logit_scores(scorer.raw(of, rows))

    own, others = scores(inputs, inside), [scores(group.of, group.rows) for group in groups]
    rankings = {
        name: Ranking(name, values, inputs.units[inside], groups, [other.by_name[name] for other in others])
        for name, values in own.by_name.items()
    }
    under, leading = scorer.slice, rankings.get(settings.score, rankings.get("msp", next(iter(rankings.values()))))
    findings = [f for ranking in rankings.values() for f in _of_score(ranking, settings, under)]
    for number, group in enumerate(groups):
        kinds = kind_findings(leading, number, seed=settings.seed, resamples=settings.resamples)
        where = {"score": leading.score, "ood": group.name, **under}
        findings += [replace(f, slice={**f.slice, **where}) for f in kinds]
    headline = [
        replace(_find(findings, metric, leading, settings, under), metric=f"ood_{metric}", slice=under | made_set(groups))
        for metric in ("auroc", "fpr95")
    ]
    titles = np.array(class_titles(known_classes(inputs)), object)
    shown = ood_exhibits(leading, [*findings, *by_vectors], [titles[other.nearest] for other in others], under)
    accepted = accepted_by_score([leading, *(r for r in rankings.values() if r is not leading), *vector_rankings])
    predictions = [
        ood_predictions(inputs, scorer, group, of_group)
        for group, of_group in zip(groups, accepted, strict=True)
        if group.of is not inputs
    ]
    predictions += own_ood_predictions(inputs, scorer, groups, accepted)
    return Answer([*headline, *findings], shown, _near_chance(inputs, scorer, headline[0]), predictions)


def _of_score(ranking: Ranking, settings: Settings, under: dict[str, str]) -> list[Finding]:
    """Against all out-of-distribution pictures and, where there are several sets, against each set."""
    findings = []
    for number in (None, *(range(len(ranking.groups)) if len(ranking.groups) > 1 else ())):
        where = {"score": ranking.score, **({} if number is None else {"ood": ranking.groups[number].name}), **under}
        found = ranking_findings(ranking.against(number), seed=settings.seed, resamples=settings.resamples)
        findings += [replace(f, slice={**f.slice, **where}) for f in found]
    return findings


def _find(findings: Sequence[Finding], metric: str, leading: Ranking, settings: Settings, under: dict[str, str]) -> Finding:
    wanted = {"score": leading.score, **under} | ({"convention": settings.convention} if metric == "fpr95" else {})
    return next(f for f in findings if f.metric == metric and f.slice == wanted)


def _by_vectors(inputs: ProbeInput[Settings], inside: Indices, groups: Sequence[OodRows]) -> list[Ranking]:
    """Nearest-neighbor and Mahalanobis scores: half of the labeled pictures are the bank, the other half is scored."""
    settings: Settings = inputs.settings
    labels = inputs.dataset.label_indices()[inside]
    labeled, labels = inside[labels >= 0], labels[labels >= 0]
    if len(labeled) < 2 * LEAST or not inputs.images.size:  # a model that scores class names has no vectors
        return []
    example = stratified_split(labels, seed=settings.seed, clusters=inputs.units[labeled])
    bank, scored = labeled[example], labeled[~example]
    searched = np.random.default_rng(settings.seed).permutation(len(bank))[: settings.bank]
    vectors, rows = inputs.images[bank], inputs.units[scored]
    rankings = []
    if settings.neighbors <= len(searched):
        own, *others = (
            nearest_neighbor(v, vectors[searched], settings.neighbors)
            for v in (inputs.images[scored], *(g.of.images[g.rows] for g in groups))
        )
        rankings.append(Ranking("nearest_neighbour", own, rows, groups, others))
    try:
        score = Mahalanobis.of(vectors, labels[example])
    except ValueError:  # with one picture for each class, the covariance within classes is unknown
        return rankings
    own, *others = (score(v) for v in (inputs.images[scored], *(g.of.images[g.rows] for g in groups)))
    return [*rankings, Ranking("mahalanobis", own, rows, groups, others)]


def _without_pictures(inputs: ProbeInput[Settings]) -> list[str]:
    """Out-of-distribution datasets without a readable picture."""
    return [other.dataset.name for other in inputs.companions_of("ood") if not len(other.dataset)]


def _notices(inputs: ProbeInput[Settings], found: Sequence[Scorer]) -> list[Notice]:
    what = "no picture could be read, so this dataset is left out"
    notices = [Notice(name, what, "check the list of unreadable pictures") for name in _without_pictures(inputs)]
    if any(scorer.logits is None for scorer in found):
        what = "the score msp is left out because the model has no logit scale"
        notices.append(Notice(inputs.model, what, "use the other scores, which do not need it"))
    return notices


def _near_chance(inputs: ProbeInput[Settings], scorer: Scorer, found: Finding) -> list[Notice]:
    if found.low is None or found.value is None or found.low > 0.5:
        return []
    what = f"OOD detection of {inputs.model} ({scorer.title}) is not above chance: AUROC {percent(found.value)}"
    return [Notice(inputs.dataset.name, what, "see the histogram of the score, and the other scores")]
