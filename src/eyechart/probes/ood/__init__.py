"""Out-of-distribution detection: whether a model's own scores tell that a picture shows none of the classes it can name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.ranking.auroc import CONVENTIONS
from eyechart.metrics.ranking.feature_scores import Mahalanobis, nearest_neighbour
from eyechart.metrics.ranking.ood_scores import SCORES, OodScores, logit_scores, ood_scores
from eyechart.notice import Notice
from eyechart.probes.ood.exhibits import ood_exhibits
from eyechart.probes.ood.metrics import METRICS
from eyechart.probes.ood.rankings import Ranking, measured, measured_by_kind
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.ood_rows import OodRows, id_rows, ood_rows
from eyechart.probes.tasks.predictors import answer_texts
from eyechart.probes.tasks.scorers import Scorer, scorers

LEAST = 10  # pictures on either side


@dataclass(frozen=True)
class Settings:
    """`score`: of the headline, of kinds and of pictures; a classifier that has none of that name goes by msp. `convention`: of
    the headline. `temperature`: of MCM, energy, entropy and variance, on raw cosines. `neighbours`: which of the nearest the
    distance is to; `bank`: how many pictures are searched for it."""

    score: str = "mcm"
    convention: str = "id-quantile"
    temperature: float = 1.0
    neighbours: int = 1
    bank: int = 4000
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.score not in SCORES or self.convention not in CONVENTIONS:
            raise ValueError(f"score is one of {', '.join(SCORES)} and convention one of {', '.join(CONVENTIONS)}")
        if self.temperature <= 0 or min(self.neighbours, self.bank, self.resamples) < 1 or self.seed < 0:
            raise ValueError("temperature is above 0; neighbours, bank and resamples are whole numbers from 1 up, seed from 0 up")


@probe(
    version=2,
    needs=("images", "classes"),
    settings=Settings(),
    metrics=METRICS,
    texts=answer_texts,
    compares=True,
    headline=("ood_auroc", "ood_fpr95"),
    wants=("logit_scale", "class_scores"),
)
def ood(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model notice when a picture shows none of the classes?

    Every picture gets a score, higher for one that belongs: maximum concept matching (Ming et al., 2022) and others from the
    class scores; distances to vectors of labelled pictures, of which a random half serves as the example.
    """
    inside, groups = id_rows(inputs), ood_rows(inputs)
    if not groups and (empty := _without_pictures(inputs)):
        raise NotApplicable(f"not one picture of {', '.join(empty)} could be read, and no other set shows other things")
    if not groups:
        raise NotApplicable(
            'no pictures of other things belong to the dataset; name some with --ood, or in a plan with role = "ood"'
        )
    if min(len(inside), sum(map(len, groups))) < LEAST:
        raise NotApplicable(f"there are fewer than {LEAST} pictures that belong, or fewer than {LEAST} that do not")
    found = scorers(inputs)
    if not found:
        raise NotApplicable("the model has neither vectors for the names of the classes nor scores for ImageNet's thousand")
    settings: Settings = inputs.settings
    if settings.score == "msp" and any(scorer.logits is None for scorer in found):
        raise NotApplicable("the model has no logit scale, so it has no score msp; choose another with the setting ood.score")
    by_vectors = [f for ranking in _by_vectors(inputs, inside, groups) for f in _of_score(ranking, settings, {})]
    answers = [_by(inputs, scorer, inside, groups, by_vectors) for scorer in found]
    return Answer(
        [*(f for answer in answers for f in answer.findings), *by_vectors],
        [e for answer in answers for e in answer.exhibits],
        list(dict.fromkeys([*_notices(inputs, found), *(n for answer in answers for n in answer.notices)])),
    )


def _by(
    inputs: ProbeInput[Settings], scorer: Scorer, inside: Indices, groups: Sequence[OodRows], by_vectors: Sequence[Finding]
) -> Answer:
    """Every score that one way of scoring the classes gives."""
    settings: Settings = inputs.settings

    def scores(of: ProbeInput[Settings], rows: Indices) -> OodScores:
        if scorer.by_words:
            return ood_scores(scorer.raw(of, rows), settings.temperature, scorer.scale)
        return logit_scores(scorer.raw(of, rows))

    own, others = scores(inputs, inside), [scores(group.of, group.rows) for group in groups]
    rankings = {
        name: Ranking(name, values, inputs.clusters[inside], groups, [other.by_name[name] for other in others])
        for name, values in own.by_name.items()
    }
    under, leading = scorer.slice, rankings.get(settings.score, rankings.get("msp", next(iter(rankings.values()))))
    findings = [f for ranking in rankings.values() for f in _of_score(ranking, settings, under)]
    for number, group in enumerate(groups):
        kinds = measured_by_kind(leading, number, seed=settings.seed, resamples=settings.resamples)
        where = {"score": leading.score, "ood": group.name, **under}
        findings += [replace(f, slice={**f.slice, **where}) for f in kinds]
    headline = [
        replace(_find(findings, metric, leading, settings, under), metric=f"ood_{metric}", slice=under)
        for metric in ("auroc", "fpr95")
    ]
    titles = np.array(class_titles(known_classes(inputs)), object)
    shown = ood_exhibits(leading, [*findings, *by_vectors], [titles[other.nearest] for other in others], under)
    return Answer([*headline, *findings], shown, _guessing(inputs, scorer, headline[0]))


def _of_score(ranking: Ranking, settings: Settings, under: dict[str, str]) -> list[Finding]:
    """Against all strangers together and, where there are several sets, against each."""
    findings = []
    for number in (None, *(range(len(ranking.groups)) if len(ranking.groups) > 1 else ())):
        where = {"score": ranking.score, **({} if number is None else {"ood": ranking.groups[number].name}), **under}
        found = measured(ranking.against(number), seed=settings.seed, resamples=settings.resamples)
        findings += [replace(f, slice={**f.slice, **where}) for f in found]
    return findings


def _find(findings: Sequence[Finding], metric: str, leading: Ranking, settings: Settings, under: dict[str, str]) -> Finding:
    wanted = {"score": leading.score, **under} | ({"convention": settings.convention} if metric == "fpr95" else {})
    return next(f for f in findings if f.metric == metric and f.slice == wanted)


def _by_vectors(inputs: ProbeInput[Settings], inside: Indices, groups: Sequence[OodRows]) -> list[Ranking]:
    """Nearest neighbour and Mahalanobis, where there are labels: half of the known pictures are examples, half are judged."""
    settings: Settings = inputs.settings
    labels = inputs.dataset.label_indices()[inside]
    labelled, labels = inside[labels >= 0], labels[labels >= 0]
    if len(labelled) < 2 * LEAST:
        return []
    example = stratified_split(labels, seed=settings.seed, clusters=inputs.clusters[labelled])
    bank, judged = labelled[example], labelled[~example]
    searched = np.random.default_rng(settings.seed).permutation(len(bank))[: settings.bank]
    vectors, rows = inputs.images[bank], inputs.clusters[judged]
    rankings = []
    if settings.neighbours <= len(searched):
        own, *others = (
            nearest_neighbour(v, vectors[searched], settings.neighbours)
            for v in (inputs.images[judged], *(g.of.images[g.rows] for g in groups))
        )
        rankings.append(Ranking("nearest_neighbour", own, rows, groups, others))
    try:
        score = Mahalanobis.of(vectors, labels[example])
    except ValueError:  # one picture a class: nothing is known of how those of a class vary
        return rankings
    own, *others = (score(v) for v in (inputs.images[judged], *(g.of.images[g.rows] for g in groups)))
    return [*rankings, Ranking("mahalanobis", own, rows, groups, others)]


def _without_pictures(inputs: ProbeInput[Settings]) -> list[str]:
    """Sets of strangers that were named and have no usable picture."""
    return [other.dataset.name for other in inputs.companions_of("ood") if not len(other.dataset)]


def _notices(inputs: ProbeInput[Settings], found: Sequence[Scorer]) -> list[Notice]:
    what = "not one of its pictures could be read, so it is no part of these figures"
    notices = [Notice(name, what, "look at the pictures that were set aside") for name in _without_pictures(inputs)]
    if any(scorer.logits is None for scorer in found):
        what = "it has no logit scale, so the score msp, which needs probabilities, is left out"
        notices.append(Notice(inputs.model, what, "the other scores do without it"))
    return notices


def _guessing(inputs: ProbeInput[Settings], scorer: Scorer, found: Finding) -> list[Notice]:
    if found.low is None or found.value is None or found.low > 0.5:
        return []
    what = f"{inputs.model} ({scorer.title}) tells strangers no better than guessing: AUROC {found.value:.1%}"
    return [Notice(inputs.dataset.name, what, "look at the score's histogram, and at the other scores")]
