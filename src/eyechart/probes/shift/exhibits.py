"""Charts of the probe `shift`: accuracy under each shift, effective robustness, video frames, classes, and lost pictures."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent, points
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.probes.shift.outcomes import ShiftOutcome

READABLE = 30  # shifts or classes in one chart
ENOUGH = 5  # pictures that a class needs on either side
PICTURES = 12  # lost pictures of the worst shift

Under = dict[str, str]


def shift_exhibits(
    outcomes: Sequence[ShiftOutcome], findings: Sequence[Finding], titles: Sequence[str], under: Under
) -> list[Exhibit]:
    """All exhibits of one predictor."""
    ranked = sorted(outcomes, key=lambda o: -o.drop)
    worst = next(o for o in ranked if not o.k)
    exhibits = [_accuracies(ranked, under)]
    robustness = [f for f in findings if f.metric == "effective_robustness" and f.value is not None]
    if robustness:
        exhibits.append(_robustness(robustness, under))
    exhibits += [_video(o, under) for o in outcomes if o.video and o.k == 0]
    exhibits += _classes(worst, titles, under)
    if worst.lost and worst.pair.shifted.dataset.role == "exam":
        exhibits.append(_lost(worst, under))
    return exhibits


def tag(under: Under) -> str:
    """The part of an exhibit's name that names the predictor."""
    return "-".join(under.values())


def _accuracies(ranked: Sequence[ShiftOutcome], under: Under) -> Exhibit:
    rows = []
    for outcome in ranked[:READABLE]:
        for side, share in (("source", outcome.on_source), ("shifted", outcome.on_shifted)):
            rows.append({"shift": outcome.title, "pictures": side, **_estimate("accuracy", share.estimate)})
    worst = ranked[0]
    if worst.drop > 0:
        sentence = (
            f"Accuracy drops most on {worst.title}: from {percent(worst.on_source.value)} to {percent(worst.on_shifted.value)}."
        )
    else:
        sentence = f"Accuracy does not drop: even on {worst.title} it is {percent(worst.on_shifted.value)}."
    classes = {len(o.pair.columns) for o in ranked}
    if len(classes) > 1:
        sentence += " Source accuracies differ because each shift shares other classes with the source."
    return Exhibit(
        f"accuracy-under-shift-{tag(under)}",
        "Accuracy on the source and under each shift",
        sentence,
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="shift", value="accuracy", low="low", high="high", color="pictures"),
        slice=under,
    )


def _robustness(found: Sequence[Finding], under: Under) -> Exhibit:
    rows = [
        {
            "shift": str(f.slice["shift"]) + (f", pm-{f.slice['k']}" if "k" in f.slice else ""),
            **_estimate("effective robustness", (f.value, f.low, f.high)),
        }
        for f in sorted(found, key=lambda f: -(f.value or 0))
    ]
    best = max(found, key=lambda f: f.value or 0)
    above = [f for f in found if (f.low or 0) > 0]
    sentence = (
        f"On {len(above)} of {len(rows)} shifted datasets, accuracy is above the line of standard models at 95% confidence; "
        f"most on {best.slice['shift']}, by {points(best.value or 0)}."
        if above
        else "Accuracy drops as much as for standard models of the same source accuracy."
    )
    sentence += " To compare with published models, run: eyechart study place."
    return Exhibit(
        f"effective-robustness-{tag(under)}",
        "Effective robustness (accuracy above the line of standard models)",
        sentence,
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(category="shift", value="effective robustness", low="low", high="high", zero=True),
        slice=under,
    )


def _video(outcome: ShiftOutcome, under: Under) -> Exhibit:
    shares = [clustered_share(hits, outcome.shifted_units) for hits in outcome.video]
    rows = [{"k": k, **_estimate("accuracy", share.estimate)} for k, share in enumerate(shares)]
    name, last = outcome.pair.name, len(shares) - 1
    return Exhibit(
        f"pm-k-on-{name}-{tag(under)}",
        f"{name}: pm-k accuracy",
        f"{percent(shares[0].value)} of single frames are correct, and {percent(shares[-1].value)} with all frames "
        f"up to {last} away.",
        pa.Table.from_pylist(rows),
        chart=charts.line_with_band(
            x="k", y="accuracy", low="low", high="high", x_title="k (frames away)", y_title="pm-k accuracy", x_unit="count"
        ),
        slice={**under, "shift": name},
    )


def _classes(outcome: ShiftOutcome, titles: Sequence[str], under: Under) -> list[Exhibit]:
    """The classes with the largest drops under the worst shift, where there are at least two."""
    shared = np.intersect1d(_frequent(outcome.source_truth), _frequent(outcome.shifted_truth))
    if len(shared) < 2:
        return []
    drops = _by_class(outcome.source, outcome.source_truth)[shared] - _by_class(outcome.shifted, outcome.shifted_truth)[shared]
    rows = []
    for c in shared[np.argsort(-drops, kind="stable")][:READABLE]:
        before, after = outcome.source_truth == c, outcome.shifted_truth == c
        source = clustered_share(outcome.source[before], outcome.source_units[before])
        shifted = clustered_share(outcome.shifted[after], outcome.shifted_units[after])
        drop = (source.value - shifted.value, *share_difference(source, shifted))
        rows.append({"class": titles[c], "source": source.value, "shifted": shifted.value, **_estimate("drop", drop)})
    first = rows[0]
    return [
        Exhibit(
            f"class-drops-{tag(under)}",
            f"Accuracy drop by class on {outcome.title}",
            f"{first['class']} drops most: from {percent(first['source'])} to {percent(first['shifted'])}.",
            pa.Table.from_pylist(rows),
            chart=charts.dots_with_intervals(
                category="class", value="drop", low="low", high="high", value_title="accuracy drop", zero=True
            ),
            slice={**under, **outcome.slice},
        )
    ]


def _lost(outcome: ShiftOutcome, under: Under) -> Exhibit:
    rows = [{"ids": list(pair)} for pair in outcome.lost[:PICTURES]]
    n = len(outcome.pairs)
    return Exhibit(
        f"lost-pictures-{tag(under)}",
        f"Pictures misclassified only under {outcome.title}",
        f"{len(outcome.lost)} of {n} pictures are classified correctly without the shift and incorrectly under {outcome.title}.",
        pa.Table.from_pylist(rows),
        "pictures",
        slice={**under, **outcome.slice},
    )


def _frequent(truth: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(np.bincount(truth) >= ENOUGH)


def _by_class(hits: npt.NDArray[np.bool_], truth: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.asarray(np.bincount(truth, hits) / np.maximum(np.bincount(truth), 1), np.float64)


def _estimate(name: str, values: Sequence[float | None]) -> dict[str, float | None]:
    value, low, high = values
    return {name: value, "low": low, "high": high}
