"""Charts of the probe `ood`: score histograms, ROC curves, AUROC by score and by kind, and the clearest errors."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Doubles
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import number, percent
from eyechart.metrics.ranking.auroc import auroc, roc_curve
from eyechart.probes.ood.rankings import Ranking

Under = dict[str, str]
Names = npt.NDArray[np.object_]

READABLE = 40  # kinds in one chart
SETS = 6  # in one chart, the hardest ones
BINS = 40
POINTS = 120  # of one ROC curve
PICTURES = 24
IN_DISTRIBUTION = "in-distribution"
_ABOVE = "scores above in-distribution"

_TITLES = {
    "mcm": "MCM",
    "energy": "energy",
    "max_cosine": "largest cosine",
    "max_logit": "largest logit",
    "entropy": "negative entropy",
    "variance": "variance",
    "msp": "largest probability",
    "nearest_neighbour": "nearest neighbor",
    "mahalanobis": "Mahalanobis",
}


def ood_exhibits(leading: Ranking, findings: Sequence[Finding], predicted: Sequence[Names], under: Under) -> list[Exhibit]:
    """All exhibits of one scorer.

    Args:
        leading: The score of the headline.
        findings: Findings of all scores of this scorer, and of those that need no prompts.
        predicted: For each out-of-distribution set, the nearest class of each picture.
        under: The slice of the scorer.
    """
    hardest = sorted(range(len(leading.groups)), key=lambda g: auroc(leading.id_scores, leading.ood_scores[g]))[:SETS]
    exhibits = [_histogram(leading, hardest, under), _roc(leading, hardest, under), _scores(leading, findings, under)]
    kinds = [f for f in findings if f.metric == "auroc" and "class" in f.slice]
    if kinds:
        exhibits.append(_kinds(kinds, under))
    return [*exhibits, _errors(leading, predicted, under)]


def _tag(under: Under) -> str:
    return "-".join(under.values())


def _edges(values: Doubles) -> Doubles:
    """Bins over the range of the values, in double precision; one bin around values that differ by rounding alone."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-6 * max(abs(low), abs(high)):
        return np.array([low - 0.5e-3, high + 0.5e-3])
    return np.linspace(low, high, BINS + 1)


def _histogram(leading: Ranking, hardest: Sequence[int], under: Under) -> Exhibit:
    sides = [(IN_DISTRIBUTION, leading.id_scores), *((leading.groups[g].name, leading.ood_scores[g]) for g in hardest)]
    every = np.concatenate([values for _, values in sides])
    edges = _edges(every)
    rows = []
    for name, values in sides:
        counts, _ = np.histogram(values, edges)
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True):
            rows.append({"from": low, "to": high, "pictures": name, "share": count / len(values)})
    threshold = float(np.quantile(leading.id_scores, 0.05))
    over = float(np.mean(np.concatenate(leading.ood_scores) >= threshold))
    return Exhibit(
        f"scores-{_tag(under)}",
        f"{_TITLES[leading.score]} of in-distribution and out-of-distribution pictures",
        f"At the threshold that accepts 95% of in-distribution pictures ({number(threshold)}), {percent(over)} of "
        "out-of-distribution "
        "pictures are accepted too.",
        pa.Table.from_pylist(rows),
        chart=charts.histogram(
            start="from",
            end="to",
            count="share",
            color="pictures",
            value_title=_TITLES[leading.score],
            count_title="share of pictures",
            count_unit="fraction",
        ),
        slice=under,
    )


def _roc(leading: Ranking, hardest: Sequence[int], under: Under) -> Exhibit:
    parts = []
    for g in hardest:
        fpr, tpr = roc_curve(leading.id_scores, leading.ood_scores[g], POINTS)
        name = np.full(len(fpr), leading.groups[g].name, object)
        parts.append(pa.table({"out-of-distribution": name, "FPR": fpr, "TPR": tpr}))
    first = leading.groups[hardest[0]].name
    value = auroc(leading.id_scores, leading.ood_scores[hardest[0]])
    worst = f"The hardest set is {first}, with an AUROC of {percent(value)}." if len(hardest) > 1 else ""
    return Exhibit(
        f"roc-{_tag(under)}",
        "ROC curves of OOD detection",
        f"The dashed line is chance; curves closer to the upper left are better. {worst}".rstrip(),
        pa.concat_tables(parts),
        chart=charts.line_with_band(
            x="FPR",
            y="TPR",
            color="out-of-distribution",
            x_title="FPR (out-of-distribution pictures accepted)",
            y_title="TPR (in-distribution pictures accepted)",
            x_unit="fraction",
            diagonal=True,
            points=False,
        ),
        slice=under,
    )


def _scores(leading: Ranking, findings: Sequence[Finding], under: Under) -> Exhibit:
    """AUROC of every score against all out-of-distribution pictures."""
    found = [f for f in findings if f.metric == "auroc" and f.slice.keys() - under.keys() == {"score"}]
    found = sorted(found, key=lambda f: -(f.value or 0))
    rows = [{"score": _TITLES[str(f.slice["score"])], "AUROC": f.value, "low": f.low, "high": f.high} for f in found]
    best, own = found[0], next(f for f in found if f.slice["score"] == leading.score)
    gain = "" if best is own else f"; {_TITLES[leading.score]} has {percent(own.value)}"
    return Exhibit(
        f"auroc-by-score-{_tag(under)}",
        "AUROC by OOD score",
        f"The best score is {_TITLES[str(best.slice['score'])]}, with an AUROC of {percent(best.value)}{gain}. Chance is 50%.",
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="score", value="AUROC", low="low", high="high"),
        slice=under,
    )


def _kinds(found: Sequence[Finding], under: Under) -> Exhibit:
    hardest = sorted(found, key=lambda f: f.value or 0)[:READABLE]
    several = len({f.slice["ood"] for f in found}) > 1
    rows = [
        {
            "kind": f"{f.slice['class']} ({f.slice['ood']})" if several else str(f.slice["class"]),
            "AUROC": f.value,
            "low": f.low,
            "high": f.high,
        }
        for f in hardest
    ]
    return Exhibit(
        f"kinds-{_tag(under)}",
        "AUROC by kind of out-of-distribution picture"
        if len(found) <= READABLE
        else f"AUROC of the {READABLE} hardest kinds of out-of-distribution pictures",
        f"The hardest kind is {rows[0]['kind']}, with an AUROC of {percent(hardest[0].value or 0)}; chance is 50%.",
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="kind", value="AUROC", low="low", high="high"),
        slice=under,
    )


def _errors(leading: Ranking, predicted: Sequence[Names], under: Under) -> Exhibit:
    """The out-of-distribution pictures with the highest scores."""
    every = np.concatenate(leading.ood_scores)
    group = np.repeat(np.arange(len(leading.groups)), [len(g) for g in leading.groups])
    place = np.concatenate([np.arange(len(g)) for g in leading.groups])
    ids = [g.ids for g in leading.groups]
    id_scores = np.sort(leading.id_scores)
    rows = []
    for i in np.argsort(-every, kind="stable")[:PICTURES]:
        of, at = leading.groups[group[i]], int(place[i])
        below = np.searchsorted(id_scores, every[i], "left") / len(id_scores)
        shows = of.kinds[at] if of.kinds else of.name
        rows.append(
            {
                "id": ids[group[i]][at],
                "dataset": of.of.dataset.name,
                "shows": shows,
                "nearest class": str(predicted[group[i]][at]),
                _ABOVE: float(below),
            }
        )
    first = rows[0]
    table = pa.Table.from_pylist(rows)
    share = table.schema.get_field_index(_ABOVE)
    table = table.cast(table.schema.set(share, table.schema.field(share).with_metadata({"unit": "fraction"})))
    return Exhibit(
        f"errors-{_tag(under)}",
        "Out-of-distribution pictures with the highest scores",
        f"The first picture is nearest to {first['nearest class']} and scores higher than {percent(first[_ABOVE])} of "
        "in-distribution pictures.",
        table,
        "pictures",
        slice=under,
    )
