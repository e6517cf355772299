"""What confidence has to show: the reliability diagram, ECE under every shift, the error among the surest, how sure right and
wrong answers are, and the surest mistakes."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.reliability_chart import reliability_diagram
from eyechart.metrics.calibration.ece import reliability
from eyechart.metrics.calibration.selective import risk_coverage
from eyechart.probes.calibration.measures import CalibrationMeasures, How
from eyechart.probes.calibration.readouts import Reads

READABLE = 30  # sets in one chart
CURVES = 4  # shifted sets beside the held-out half
POINTS = 120  # of one curve
BINS = 20  # of a histogram
PICTURES = 12

Under = dict[str, str]


def calibration_exhibits(
    held_out: CalibrationMeasures,
    shifted: Sequence[CalibrationMeasures],
    temperature: float | None,
    titles: Sequence[str],
    how: How,
    under: Under,
) -> list[Exhibit]:
    """`titles`: of the classes. `temperature`: None where none fits."""
    said = {"": "as they are"} | ({} if temperature is None else {"_scaled": f"at temperature {temperature:.4g}"})
    reads = held_out.reads
    made = [_reliability(held_out, said, how, under)]
    if shifted:
        made.append(_shifts(held_out, shifted, said, under))
    made.append(_coverage(held_out, shifted, under))
    if 0 < reads.right.sum() < len(reads):
        made += [_sureness(reads, under), _mistakes(reads, titles, under)]
    return made


def _called(under: Under) -> str:
    return "-".join(under.values())


def _reliability(of: CalibrationMeasures, said: dict[str, str], how: How, under: Under) -> Exhibit:
    reads, parts = of.reads, []
    for end, out in reads.readouts.items():
        bins = reliability(out.confidence, reads.right, how.bins, how.binning, reads.units)
        share = bins.pop("pictures") / len(reads)
        name = np.full(len(share), said[end], object)
        parts.append(pa.table({"probabilities": name, **bins, "share of pictures": share}))
    means = {end: float(out.confidence.mean()) for end, out in reads.readouts.items()}
    off = of.finding("overconfidence")
    points, chance = 100 * (off.value or 0.0), (off.low or 0.0) <= 0 <= (off.high or 0.0)
    sentence = (
        f"The model claims to be right in {means['']:.1%} of its answers and is in {of.value('accuracy'):.1%}: on average it is "
        f"{abs(points):.1f} points too {'sure' if points > 0 else 'modest'}{', which may be chance' if chance else ''}."
    )
    if "_scaled" in means:
        sentence += f" {said['_scaled'].capitalize()} it claims {means['_scaled']:.1%}."
    return Exhibit(
        f"reliability-{_called(under)}",
        "How often answers are right, by how sure they are",
        f"{sentence} Below the dashed line answers are surer than they should be.",
        pa.concat_tables(parts),
        chart=reliability_diagram(
            start="start",
            end="end",
            share="share of pictures",
            confidence="confidence",
            accuracy="accuracy",
            low="low",
            high="high",
            color="probabilities",
        ),
        slice=under,
    )


def _shifts(held_out: CalibrationMeasures, shifted: Sequence[CalibrationMeasures], said: dict[str, str], under: Under) -> Exhibit:
    """ECE before and after: the held-out half, then the sets as they come; where they are many, those with the largest."""
    ranked = sorted(shifted, key=lambda m: -m.value("ece"))
    shown = [held_out, *(m for m in shifted if m in ranked[: READABLE - 1])]
    titles, rows = _titles([held_out, *shifted]), []
    for of in shown:
        for end, words in said.items():
            f = of.finding(f"ece{end}")
            rows.append({"pictures": titles[of], "probabilities": words, "ECE": f.value, "low": f.low, "high": f.high})
    worst = ranked[0]
    sentence = f"Of the shifted sets {titles[worst]} has the largest ECE, {worst.value('ece'):.1%}"
    sentence += f"; held-out pictures have {held_out.value('ece'):.1%}."
    if "_scaled" in said:
        less = sum(m.value("ece_change") < 0 for m in shifted)
        sentence += f" The temperature, fitted without them, lowers it on {less} of {len(shifted)} sets."
    return Exhibit(
        f"ece-under-shift-{_called(under)}",
        "Calibration error on held-out pictures and under each shift",
        sentence,
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(
            category="pictures", value="ECE", low="low", high="high", color="probabilities", category_title="", zero=True
        ),
        slice=under,
    )


def _titles(sets: Sequence[CalibrationMeasures]) -> dict[CalibrationMeasures, str]:
    """The shortest that tells them apart: a corruption by its name, with that of its set where several have it."""
    long = {m: m.reads.title for m in sets}
    short = {m: long[m].removeprefix(f"{m.reads.slice.get('shift')}, ") for m in sets}
    shared = Counter(short.values())
    return {m: short[m] if shared[short[m]] == 1 else long[m] for m in sets}


def _coverage(held_out: CalibrationMeasures, shifted: Sequence[CalibrationMeasures], under: Under) -> Exhibit:
    hardest = sorted(shifted, key=lambda m: -m.value("aurc"))[:CURVES]
    titles, parts = _titles([held_out, *shifted]), []
    for of in (held_out, *hardest):
        coverage, risk = risk_coverage(of.reads.own.confidence, ~of.reads.right, POINTS)
        parts.append(pa.table({"pictures": np.full(len(risk), titles[of], object), "answered": coverage, "error": risk}))
    everything, half = 1 - held_out.value("accuracy"), _risk_of_half(held_out.reads)
    return Exhibit(
        f"risk-coverage-{_called(under)}",
        "The error where only the surest answers are given",
        f"On held-out pictures {everything:.1%} of all answers are wrong, and {half:.1%} of the surer half. "
        "A flat curve means that confidence says nothing.",
        pa.concat_tables(parts),
        chart=charts.line_with_band(
            x="answered",
            y="error",
            color="pictures",
            x_title="share of pictures that are answered, the surest first",
            y_title="error among them",
            x_unit="fraction",
            points=False,
        ),
        slice=under,
    )


def _risk_of_half(reads: Reads) -> float:
    coverage, risk = risk_coverage(reads.own.confidence, ~reads.right, len(reads))
    return float(risk[np.searchsorted(coverage, 0.5)])


def _sureness(held_out: Reads, under: Under) -> Exhibit:
    edges, rows = np.arange(BINS + 1) / BINS, []
    sides = {"right": held_out.own.confidence[held_out.right], "wrong": held_out.own.confidence[~held_out.right]}
    for name, values in sides.items():
        counts, _ = np.histogram(values, edges)
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True):
            rows.append({"from": low, "to": high, "answers": name, "share": count / len(values)})
    means = {name: float(values.mean()) for name, values in sides.items()}
    return Exhibit(
        f"sureness-{_called(under)}",
        "How sure right and wrong answers are",
        f"Right answers have a confidence of {means['right']:.1%} on average, wrong ones of {means['wrong']:.1%}.",
        pa.Table.from_pylist(rows),
        chart=charts.histogram(
            start="from",
            end="to",
            count="share",
            color="answers",
            value_title="confidence",
            count_title="share of the answers",
            unit="fraction",
            count_unit="fraction",
        ),
        slice=under,
    )


def _mistakes(held_out: Reads, titles: Sequence[str], under: Under) -> Exhibit:
    dataset, wrong = held_out.of.dataset, np.flatnonzero(~held_out.right)
    ids, truth = dataset.ids(), dataset.label_indices()
    surest = wrong[np.argsort(-held_out.own.confidence[wrong], kind="stable")][:PICTURES]
    rows = [
        {
            "id": ids[held_out.rows[i]],
            "shows": titles[truth[held_out.rows[i]]],
            "taken for": titles[held_out.predicted[i]],
            "confidence": float(held_out.own.confidence[i]),
        }
        for i in surest
    ]
    table, first = pa.Table.from_pylist(rows), rows[0]
    place = table.schema.get_field_index("confidence")
    table = table.cast(table.schema.set(place, table.schema.field(place).with_metadata({"unit": "fraction"})))
    return Exhibit(
        f"surest-mistakes-{_called(under)}",
        "The surest mistakes",
        f"The surest of {len(wrong)} mistakes takes {first['shows']} for {first['taken for']}, with {first['confidence']:.1%}.",
        table,
        "pictures",
        slice=under,
    )
