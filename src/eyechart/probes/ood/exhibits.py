"""What the question about strangers has to show: how the scores of both lie, the trade-off, which score and which kinds are hard,
and the pictures that fool the model most."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.ranking.auroc import auroc, roc_curve
from eyechart.probes.ood.rankings import Ranking

Under = dict[str, str]
Names = npt.NDArray[np.object_]

READABLE = 40  # kinds in one chart
SETS = 6  # in one chart, the nearest ones
BINS = 40
POINTS = 120  # of one ROC curve
PICTURES = 24
BELONG = "belong"

_SAID = {
    "mcm": "MCM",
    "energy": "energy",
    "max_cosine": "largest cosine",
    "max_logit": "largest logit",
    "entropy": "negative entropy",
    "variance": "variance",
    "msp": "largest probability",
    "nearest_neighbour": "nearest neighbour",
    "mahalanobis": "Mahalanobis",
}


def ood_exhibits(leading: Ranking, findings: Sequence[Finding], taken_for: Sequence[Names], under: Under) -> list[Exhibit]:
    """`findings`: of all scores under these prompts, and of those that need no words. `taken_for[g][i]`: the class that picture i
    of set g is nearest to."""
    nearest = sorted(range(len(leading.groups)), key=lambda g: auroc(leading.inside, leading.outside[g]))[:SETS]
    made = [_histogram(leading, nearest, under), _roc(leading, nearest, under), _scores(leading, findings, under)]
    kinds = [f for f in findings if f.metric == "auroc" and "class" in f.slice]
    if kinds:
        made.append(_kinds(kinds, under))
    return [*made, _fooling(leading, taken_for, under)]


def _called(under: Under) -> str:
    return "-".join(under.values())


def _histogram(leading: Ranking, nearest: Sequence[int], under: Under) -> Exhibit:
    sides = [(BELONG, leading.inside), *((leading.groups[g].name, leading.outside[g]) for g in nearest)]
    every = np.concatenate([values for _, values in sides])
    edges = np.histogram_bin_edges(every, bins=BINS)
    rows = []
    for name, values in sides:
        counts, _ = np.histogram(values, edges)
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True):
            rows.append({"from": low, "to": high, "pictures": name, "share": count / len(values)})
    threshold = float(np.quantile(leading.inside, 0.05))
    over = float(np.mean(np.concatenate(leading.outside) >= threshold))
    return Exhibit(
        f"scores-{_called(under)}",
        f"{_SAID[leading.score]} of pictures that belong and of those that do not",
        f"Where 95% of the pictures that belong score higher than {threshold:.4g}, {over:.1%} of the others do too.",
        pa.Table.from_pylist(rows),
        chart=charts.histogram(
            start="from",
            end="to",
            count="share",
            color="pictures",
            value_title=_SAID[leading.score],
            count_title="share of the pictures",
            count_unit="fraction",
        ),
        slice=under,
    )


def _roc(leading: Ranking, nearest: Sequence[int], under: Under) -> Exhibit:
    parts = []
    for g in nearest:
        wrong, right = roc_curve(leading.inside, leading.outside[g], POINTS)
        name = np.full(len(wrong), leading.groups[g].name, object)
        parts.append(pa.table({"strangers": name, "taken for known": wrong, "recognised": right}))
    first = leading.groups[nearest[0]].name
    value = auroc(leading.inside, leading.outside[nearest[0]])
    hardest = f"Hardest to tell is {first}, with an area of {value:.1%} under the curve." if len(nearest) > 1 else ""
    return Exhibit(
        f"roc-{_called(under)}",
        "Known pictures kept against strangers let in",
        f"The dashed line is guessing; the further a curve bends to the upper left, the better. {hardest}".rstrip(),
        pa.concat_tables(parts),
        chart=charts.line_with_band(
            x="taken for known",
            y="recognised",
            color="strangers",
            x_title="strangers taken for known",
            y_title="known pictures kept",
            x_unit="fraction",
            diagonal=True,
            points=False,
        ),
        slice=under,
    )


def _scores(leading: Ranking, findings: Sequence[Finding], under: Under) -> Exhibit:
    """AUROC of every score against all strangers."""
    found = [f for f in findings if f.metric == "auroc" and f.slice.keys() - under.keys() == {"score"}]
    found = sorted(found, key=lambda f: -(f.value or 0))
    rows = [{"score": _SAID[str(f.slice["score"])], "AUROC": f.value, "low": f.low, "high": f.high} for f in found]
    best, own = rows[0], next(row for row in rows if row["score"] == _SAID[leading.score])
    gain = "" if best is own else f"; {own['score']} has {own['AUROC']:.1%}"
    return Exhibit(
        f"auroc-by-score-{_called(under)}",
        "Which score tells strangers best",
        f"Best is {best['score']}, with {best['AUROC']:.1%}{gain}. Half is guessing.",
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
        f"kinds-{_called(under)}",
        "How well each kind of stranger is told"
        if len(found) <= READABLE
        else f"The {READABLE} kinds of stranger hardest to tell",
        f"Hardest is {rows[0]['kind']}, with {hardest[0].value or 0:.1%}; half is guessing.",
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="kind", value="AUROC", low="low", high="high"),
        slice=under,
    )


def _fooling(leading: Ranking, taken_for: Sequence[Names], under: Under) -> Exhibit:
    every = np.concatenate(leading.outside)
    group = np.repeat(np.arange(len(leading.groups)), [len(g) for g in leading.groups])
    place = np.concatenate([np.arange(len(g)) for g in leading.groups])
    ids = [g.ids for g in leading.groups]
    belong = np.sort(leading.inside)
    rows = []
    for i in np.argsort(-every, kind="stable")[:PICTURES]:
        of, at = leading.groups[group[i]], int(place[i])
        below = np.searchsorted(belong, every[i], "left") / len(belong)
        shows = of.kinds[at] if of.kinds else of.name
        rows.append(
            {
                "id": ids[group[i]][at],
                "dataset": of.of.dataset.name,
                "shows": shows,
                "taken for": str(taken_for[group[i]][at]),
                "surer than known ones": float(below),
            }
        )
    first = rows[0]
    table = pa.Table.from_pylist(rows)
    share = table.schema.get_field_index("surer than known ones")
    table = table.cast(table.schema.set(share, table.schema.field(share).with_metadata({"unit": "fraction"})))
    return Exhibit(
        f"fooled-{_called(under)}",
        "The strangers that fool the model most",
        f"The first is taken for {first['taken for']} and scores higher than {first['surer than known ones']:.1%} of known ones.",
        table,
        "pictures",
        slice=under,
    )
