"""Charts of the probe `calibration`: reliability diagram, ECE under shift, risk–coverage curve, confidence, and errors."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.numbers import number, percent, points
from eyechart.findings.reliability_chart import reliability_diagram
from eyechart.metrics.calibration.ece import reliability
from eyechart.metrics.calibration.selective import risk_coverage
from eyechart.probes.calibration.measures import CalibrationMeasures, EceSettings
from eyechart.probes.calibration.predicted_probabilities import PredictedProbabilities

READABLE = 30  # sets in one chart
CURVES = 4  # shifted sets next to the held-out half
POINTS = 120  # of one curve
BINS = 20  # of a histogram
PICTURES = 12
SEPARATES = 0.7  # AUROC of confidence from which the verdict says that it separates correct predictions from errors

Under = dict[str, str]


def calibration_exhibits(
    whole: CalibrationMeasures,
    held_out: CalibrationMeasures,
    shifted: Sequence[CalibrationMeasures],
    temperature: float | None,
    titles: Sequence[str],
    how: EceSettings,
    under: Under,
) -> list[Exhibit]:
    """All exhibits of one scorer. What needs no temperature is shown for all pictures, the rest for the held-out half.

    Args:
        whole: The measures on all pictures.
        held_out: The measures on the held-out half.
        shifted: The measures on shifted sets.
        temperature: The fitted temperature; None where there is none.
        titles: The classes.
        how: The settings of ECE.
        under: The slice of the scorer.
    """
    titles_of = {"": "unscaled"} | ({} if temperature is None else {"_scaled": f"at temperature {number(temperature)}"})
    half = f"{len(held_out.predictions):,} of {len(whole.predictions):,} pictures"
    exhibits = [_reliability(held_out, half, titles_of, how, under)]
    if shifted:
        exhibits.append(_shifts(held_out, shifted, titles_of, under))
    exhibits.append(_coverage(held_out, half, shifted, under))
    if 0 < whole.predictions.correct.sum() < len(whole.predictions):
        exhibits += [_confidence(whole.predictions, under), _errors(whole.predictions, titles, under)]
    return exhibits


def _tag(under: Under) -> str:
    return "-".join(under.values())


def _reliability(of: CalibrationMeasures, half: str, titles: dict[str, str], how: EceSettings, under: Under) -> Exhibit:
    predictions, parts = of.predictions, []
    for end, out in predictions.readouts.items():
        bins = reliability(out.confidence, predictions.correct, how.bins, how.binning, predictions.units)
        share = bins.pop("pictures") / len(predictions)
        name = np.full(len(share), titles[end], object)
        parts.append(pa.table({"probabilities": name, **bins, "share of pictures": share}))
    means = {end: float(out.confidence.mean()) for end, out in predictions.readouts.items()}
    off = of.finding("overconfidence")
    excess, inconclusive = off.value or 0.0, (off.low or 0.0) <= 0 <= (off.high or 0.0)
    sentence = (
        f"On the held-out half ({half}), mean confidence is {percent(means[''])} and accuracy "
        f"{percent(of.value('accuracy'))}: the model is "
        f"{'over' if excess > 0 else 'under'}confident by {points(abs(excess))}"
        f"{', which is not significant at 95% confidence' if inconclusive else ''}."
    )
    if "_scaled" in means:
        sentence += f" {titles['_scaled'].capitalize()}, mean confidence is {percent(means['_scaled'])}."
    return Exhibit(
        f"reliability-{_tag(under)}",
        "Reliability diagram of the held-out half",
        f"{sentence} Bins below the dashed line are overconfident. The verdict is about all pictures.",
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


def _shifts(
    held_out: CalibrationMeasures, shifted: Sequence[CalibrationMeasures], scalings: dict[str, str], under: Under
) -> Exhibit:
    """ECE before and after scaling on the held-out half and on shifted sets; where there are many, those with the largest."""
    ranked = sorted(shifted, key=lambda m: -m.value("ece"))
    shown = [held_out, *(m for m in shifted if m in ranked[: READABLE - 1])]
    titles, rows = _titles([held_out, *shifted]), []
    for of in shown:
        for end, words in scalings.items():
            f = of.finding(f"ece{end}")
            rows.append({"pictures": titles[of], "probabilities": words, "ECE": f.value, "low": f.low, "high": f.high})
    worst = ranked[0]
    sentence = f"ECE is {percent(held_out.value('ece'))} on the held-out half and up to {percent(worst.value('ece'))} under shift"
    sentence += f" ({titles[worst]})."
    if "_scaled" in scalings:
        less = sum(m.value("ece_change") < 0 for m in shifted)
        sentence += f" Temperature scaling, fitted without shifted pictures, lowers it on {less} of {len(shifted)} sets."
        scaled = next((f.value for f in held_out.findings if f.metric == "confidence_auroc_scaled"), None)
        if scaled is not None and scaled < SEPARATES:  # a low ECE alone is no comfort
            sentence += f" Confidence still hardly separates correct predictions from errors (AUROC {percent(scaled)})."
    return Exhibit(
        f"ece-under-shift-{_tag(under)}",
        "ECE on the held-out half and under each shift",
        sentence,
        pa.Table.from_pylist(rows),
        chart=charts.dots_with_intervals(
            category="pictures", value="ECE", low="low", high="high", color="probabilities", category_title="", zero=True
        ),
        slice=under,
    )


def _titles(sets: Sequence[CalibrationMeasures]) -> dict[CalibrationMeasures, str]:
    """The shortest distinct titles: a corruption by its name, with that of its dataset where several have it."""
    long = {m: m.predictions.title for m in sets}
    short = {m: long[m].removeprefix(f"{m.predictions.slice.get('shift')}, ") for m in sets}
    shared = Counter(short.values())
    return {m: short[m] if shared[short[m]] == 1 else long[m] for m in sets}


def _coverage(held_out: CalibrationMeasures, part: str, shifted: Sequence[CalibrationMeasures], under: Under) -> Exhibit:
    hardest = sorted(shifted, key=lambda m: -m.value("aurc"))[:CURVES]
    titles, parts = _titles([held_out, *shifted]), []
    for of in (held_out, *hardest):
        coverage, risk = risk_coverage(of.predictions.own.confidence, ~of.predictions.correct, POINTS)
        parts.append(pa.table({"pictures": np.full(len(risk), titles[of], object), "coverage": coverage, "risk": risk}))
    everything, half = 1 - held_out.value("accuracy"), _risk_of_half(held_out.predictions)
    return Exhibit(
        f"risk-coverage-{_tag(under)}",
        "Risk–coverage curve of the held-out half" + (" and of shifted pictures" if shifted else ""),
        f"On the held-out half ({part}), the error is {percent(everything)} for all predictions and {percent(half)} for the "
        "most confident half. "
        "A flat curve means that confidence carries no information.",
        pa.concat_tables(parts),
        chart=charts.line_with_band(
            x="coverage",
            y="risk",
            color="pictures",
            x_title="coverage (share of pictures, most confident first)",
            y_title="risk (error rate among them)",
            x_unit="fraction",
            points=False,
        ),
        slice=under,
    )


def _risk_of_half(predictions: PredictedProbabilities) -> float:
    coverage, risk = risk_coverage(predictions.own.confidence, ~predictions.correct, len(predictions))
    return float(risk[np.searchsorted(coverage, 0.5)])


def _confidence(whole: PredictedProbabilities, under: Under) -> Exhibit:
    edges, rows = np.arange(BINS + 1) / BINS, []
    confidence, correct = whole.own.confidence, whole.correct
    sides = {"correct": confidence[correct], "incorrect": confidence[~correct]}
    for name, values in sides.items():
        counts, _ = np.histogram(values, edges)
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True):
            rows.append({"from": low, "to": high, "predictions": name, "share": count / len(values)})
    means = {name: float(values.mean()) for name, values in sides.items()}
    return Exhibit(
        f"confidence-{_tag(under)}",
        "Confidence of correct and incorrect predictions",
        f"Over all {len(whole):,} pictures, mean confidence is {percent(means['correct'])} for correct predictions "
        f"and {percent(means['incorrect'])} for incorrect ones.",
        pa.Table.from_pylist(rows),
        chart=charts.histogram(
            start="from",
            end="to",
            count="share",
            color="predictions",
            value_title="confidence",
            count_title="share of predictions",
            unit="fraction",
            count_unit="fraction",
        ),
        slice=under,
    )


def _errors(whole: PredictedProbabilities, titles: Sequence[str], under: Under) -> Exhibit:
    """The misclassified pictures with the highest confidence."""
    dataset, wrong = whole.of.dataset, np.flatnonzero(~whole.correct)
    ids, truth = dataset.ids(), dataset.label_indices()
    order = wrong[np.argsort(-whole.own.confidence[wrong], kind="stable")][:PICTURES]
    rows = [
        {
            "id": ids[whole.rows[i]],
            "class": titles[truth[whole.rows[i]]],
            "predicted as": titles[whole.predicted[i]],
            "confidence": float(whole.own.confidence[i]),
        }
        for i in order
    ]
    table, first = pa.Table.from_pylist(rows), rows[0]
    place = table.schema.get_field_index("confidence")
    table = table.cast(table.schema.set(place, table.schema.field(place).with_metadata({"unit": "fraction"})))
    return Exhibit(
        f"confident-errors-{_tag(under)}",
        "The most confident errors",
        f"The most confident of {len(wrong):,} errors among all {len(whole):,} pictures predicts {first['class']} as "
        f"{first['predicted as']}, with a confidence of {percent(first['confidence'])}.",
        table,
        "pictures",
        slice=under,
    )
