"""Right as often as sure: figures of netcal and scikit-learn, an overconfident model, and one that keeps its word."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit, softmax
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from tests.probes.answering import among, answering, class_list, only
from tests.probes.vectors import given_by_vectors

from eyechart.metrics.calibration import logits as logits_module
from eyechart.metrics.calibration.ece import ece
from eyechart.metrics.calibration.readout import Readout
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.vectors import unit
from eyechart.probes.calibration import Settings, calibration
from eyechart.probes.calibration.measures import EceSettings, calibration_measures
from eyechart.probes.calibration.predicted_probabilities import PredictedProbabilities
from eyechart.probes.contract import NotApplicable
from eyechart.probes.prompts import prompts

QUICK = Settings(resamples=100)
CLASSES = unit(np.random.default_rng(99).normal(size=(6, 8)).astype(np.float32))
SCALE = 6.0


def drawn(rng, n, temperature=1.0, *, scale=SCALE, settings=QUICK, **more):
    """Pictures anywhere, and truths drawn from softmax(SCALE · cos / temperature), whatever the model's own `scale`."""
    images = unit(rng.normal(size=(n, 8)).astype(np.float32))
    p = softmax(SCALE * (images @ CLASSES.T).astype(float) / temperature, axis=1)
    truth = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return given_by_vectors(images, CLASSES, truth, settings, logit_scale=scale, **more)


def halves_of(inputs, seed=0):
    truth = inputs.dataset.label_indices()
    first = stratified_split(truth, seed=seed, clusters=inputs.clusters)
    return np.flatnonzero(first), np.flatnonzero(~first)


def dense(inputs, rows, temperature=1.0):
    """Probabilities, truth, confidence and right answers, straight from the vectors."""
    p = softmax(inputs.logit_scale * (inputs.images[rows] @ CLASSES.T).astype(float) / temperature, axis=1)
    truth = inputs.dataset.label_indices()[rows]
    return p, truth, p.max(axis=1), p.argmax(axis=1) == truth


def at(answer, metric, **slice):
    """Of the held-out half where there is such a figure and the slice does not say otherwise."""
    found = {tuple(sorted(f.slice.items())): f for f in answer.findings if f.metric == metric}
    wanted = {"prompts": "bare", **slice}
    return found.get(tuple(sorted({"half": "held-out", **wanted}.items()))) or found[tuple(sorted(wanted.items()))]


def of_all(answer, metric, **slice):
    """Of all pictures."""
    return next(f for f in answer.findings if f.metric == metric and f.slice == {"prompts": "bare", **slice})


@pytest.fixture(scope="module")
def asked():
    inputs = drawn(np.random.default_rng(0), 600, temperature=2.0)
    return inputs, calibration.ask(inputs)


@pytest.mark.parametrize(("bins", "netcal"), [(10, 0.18105341255175278), (15, 0.19646586009822437), (25, 0.20075305727545245)])
def test_ece_is_that_of_netcal(bins, netcal):
    """Figures of netcal 1.3.6 for 400 confidences, here those of the held-out half of 800 pictures. A picture lies along the
    axis of its answer as far as the confidence asks, and for the rest along an axis of no class."""
    i = np.arange(1, 401)
    confidence = 0.2 + 0.79 * np.mod(i * 0.6180339887498949, 1)
    right = np.mod(i * 0.7548776662466927, 1) < confidence + 0.3 * np.sin(12 * confidence)
    held_out = np.flatnonzero(~stratified_split(np.tile(np.arange(6), 134)[:800], seed=0))
    assert len(held_out) == 400
    truth, sure, wrong = np.tile(np.arange(6), 134)[:800], np.full(800, 0.5), np.arange(800) % 3 == 0
    sure[held_out], wrong[held_out] = confidence, ~right
    along = np.log(5 * sure / (1 - sure)) / 10
    images = np.zeros((800, 7))
    images[np.arange(800), (truth + wrong) % 6], images[:, 6] = along, np.sqrt(1 - along**2)
    inputs = given_by_vectors(images, np.eye(7)[:6], truth, Settings(bins=bins, resamples=50), logit_scale=10.0)
    found = at(calibration.ask(inputs), "ece")
    assert (found.value, found.n) == (pytest.approx(netcal, abs=1e-5), 400)


@pytest.mark.parametrize("end", ["", "_scaled"])
def test_figures_are_those_of_scikit_learn(asked, end):
    inputs, answer = asked
    temperature = at(answer, "temperature").value if end else 1.0
    p, truth, confidence, right = dense(inputs, halves_of(inputs)[1], temperature)
    assert at(answer, f"nll{end}").value == pytest.approx(log_loss(truth, p, labels=np.arange(6)), abs=1e-6)
    brier = brier_score_loss(truth, p, labels=np.arange(6), scale_by_half=False)
    assert at(answer, f"brier{end}").value == pytest.approx(brier, abs=1e-6)
    assert at(answer, f"confidence_auroc{end}").value == pytest.approx(roc_auc_score(right, confidence), abs=1e-6)
    assert at(answer, f"ece{end}").value == pytest.approx(ece(confidence, right), abs=1e-5)
    assert at(answer, f"overconfidence{end}").value == pytest.approx(confidence.mean() - right.mean(), abs=1e-6)
    assert at(answer, "accuracy").value == right.mean()


def test_without_scaling_all_pictures_are_judged(asked):
    """The headline is that of all pictures: figures of scikit-learn for all 600, none of them left to a half."""
    inputs, answer = asked
    p, truth, confidence, right = dense(inputs, np.arange(600))
    assert of_all(answer, "ece").value == pytest.approx(ece(confidence, right), abs=1e-5)
    assert of_all(answer, "nll").value == pytest.approx(log_loss(truth, p, labels=np.arange(6)), abs=1e-6)
    assert of_all(answer, "confidence_auroc").value == pytest.approx(roc_auc_score(right, confidence), abs=1e-6)
    assert of_all(answer, "overconfidence").value == pytest.approx(confidence.mean() - right.mean(), abs=1e-6)
    assert {of_all(answer, m).n for m in ("ece", "nll", "brier", "aurc", "accuracy", "classwise_ece", "overconfidence")} == {600}
    assert not [f for f in answer.findings if f.metric.endswith(("_scaled", "_change")) and "half" not in f.slice]


def test_the_prompts_and_the_calibration_of_one_model_have_one_ece(asked):
    inputs, answer = asked
    twice = (*inputs.prompts, replace(inputs.prompts[0], name="bare again"))
    own_names = {c.name for c in inputs.dataset.classes}
    of_prompts = prompts.ask(replace(inputs, settings=prompts.settings, can_encode=own_names.issuperset, prompts=twice))
    assert only(of_prompts, "ece", prompts="bare").value == pytest.approx(of_all(answer, "ece").value, abs=1e-6)


def test_the_surest_half_is_right_more_often(asked):
    inputs, answer = asked
    _, _, confidence, right = dense(inputs, np.arange(600))
    order = np.argsort(-confidence)
    wrong = np.cumsum(~right[order]) / np.arange(1, len(order) + 1)
    assert of_all(answer, "aurc").value == pytest.approx(wrong.mean())
    assert at(answer, "selective_risk", coverage=0.8).value == pytest.approx(wrong[int(np.ceil(0.8 * len(order))) - 1])
    assert at(answer, "selective_risk", coverage=0.5).high < 1 - at(answer, "accuracy").value


def test_every_figure_has_an_interval_and_n(asked):
    inputs, answer = asked
    fit, held_out = map(len, halves_of(inputs))
    for f in answer.findings:
        of_fit = f.metric in {"temperature", "logit_scale"}
        assert f.n == (fit if of_fit else held_out if "half" in f.slice else fit + held_out)
        assert f.metric in {"logit_scale", "ece_if_calibrated"} or (f.low <= f.value <= f.high and f.interval)
    assert {f.metric for f in answer.findings if f.metric.endswith("_change")} == {
        "ece_change", "nll_change", "brier_change", "aurc_change", "confidence_auroc_change"
    }  # fmt: skip


def test_the_change_of_aurc_has_the_error_of_a_jackknife(asked):
    """AURC as a loop over coverages; the standard error of its change by leaving out each picture in turn."""
    inputs, answer = asked
    rows, temperature = halves_of(inputs)[1], at(answer, "temperature").value
    (_, _, own, right), (_, _, scaled, _) = dense(inputs, rows), dense(inputs, rows, temperature)

    def change(kept):
        return np.subtract(
            *(
                np.mean(np.cumsum(~right[kept][np.argsort(-confidence[kept])]) / np.arange(1, kept.sum() + 1))
                for confidence in (scaled, own)
            )
        )

    n, found = len(rows), at(answer, "aurc_change")
    without = np.array([change(np.arange(n) != i) for i in range(n)])
    error = np.sqrt((n - 1) / n * np.sum((without - without.mean()) ** 2))
    assert found.value == pytest.approx(change(np.ones(n, bool)), abs=1e-6)
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_a_temperature_mends_what_is_too_sure(asked):
    """Truths are drawn at twice the temperature at which the model speaks."""
    _, answer = asked
    fitted = at(answer, "temperature")
    assert fitted.low <= 2.0 <= fitted.high
    assert fitted.low > 1
    assert at(answer, "ece").low > 0.03
    assert at(answer, "ece_scaled").low == 0
    for metric in ("ece_change", "nll_change", "brier_change"):
        assert at(answer, metric).high < 0
    assert at(answer, "classwise_ece").low > 0
    assert at(answer, "classwise_ece_scaled").low == 0


def test_an_overconfident_twin_is_found_and_wants_three_times_the_temperature():
    """The same vectors and truths at three times the scale: the planted defect of zoo:overconfident."""
    twin = drawn(np.random.default_rng(1), 600)
    quiet, loud = calibration.ask(twin), calibration.ask(replace(twin, logit_scale=3 * SCALE))
    assert at(loud, "temperature").value == pytest.approx(3 * at(quiet, "temperature").value, rel=1e-6)
    assert at(loud, "accuracy") == at(quiet, "accuracy")
    assert at(loud, "overconfidence").low > 0.05
    assert at(loud, "ece").low > 0.05
    assert at(quiet, "ece").low == 0
    assert at(quiet, "overconfidence").low <= 0 <= at(quiet, "overconfidence").high
    for metric in ("ece_scaled", "nll_scaled", "brier_scaled", "aurc_scaled"):
        assert at(loud, metric).value == pytest.approx(at(quiet, metric).value, abs=1e-6)


@pytest.mark.slow
def test_a_model_that_keeps_its_word_raises_no_alarm():
    """Truths drawn from its own probabilities, 200 times; the first is the fixed seed. Its ECE is never 0, and as large as that
    of noise."""
    rng = np.random.default_rng(2)
    alarms, excess = [], []
    for _ in range(200):
        answer = calibration.ask(drawn(rng, 160, settings=Settings(resamples=50)))
        half = {f.metric: f for f in answer.findings}
        alarms.append(
            [
                half["ece"].low > 0,
                half["classwise_ece"].low > 0,
                not half["overconfidence"].low <= 0 <= half["overconfidence"].high,
                not half["temperature"].low <= 1 <= half["temperature"].high,
                half["nll_change"].high < 0,
            ]
        )
        excess.append(half["ece"].value - half["ece_if_calibrated"].value)
    assert not any(alarms[0])
    assert (np.sum(alarms, axis=0) <= 18).all()
    assert abs(np.mean(excess)) < 0.02


def reads_of(p, right):
    """Answers with a chance p to be right; the model says more, and at its temperature something nearer."""
    n, outs = len(p), []
    for said in (p**0.4, p**0.9):
        nll = -np.log(np.where(right, said, 1 - said))
        outs.append(Readout(said, nll, 2 * (said - right) ** 2))
    return PredictedProbabilities({}, None, np.arange(n), np.arange(n), np.zeros(n, int), right, *outs)


def population():
    """Chances from 0.3 to 0.98, a hundred answers at each, of which as many are right as the chance says."""
    p = np.repeat(np.linspace(0.3, 0.98, 341), 100)
    return reads_of(p, np.tile(np.arange(100), 341) + 0.5 < 100 * p)


@pytest.mark.slow
def test_intervals_cover_the_figures_of_a_population():
    how, rng = EceSettings(15, "equal-width", 100, 0), np.random.default_rng(3)
    truth = {f.metric: f.value for f in calibration_measures(population(), replace(how, resamples=2)).findings}
    exact = ["accuracy", "nll", "brier", "overconfidence", "nll_change", "brier_change", "aurc", "confidence_auroc"]
    bounds = ["ece", "ece_scaled", "ece_change"]  # which may hold more often than they say
    hits = dict.fromkeys([*exact, *bounds], 0)
    for _ in range(200):
        p = rng.uniform(0.299, 0.981, 300)
        reads = reads_of(p, rng.random(300) < p)
        found = {f.metric: f for f in calibration_measures(reads, how).findings}
        for metric in hits:
            hits[metric] += found[metric].low <= truth[metric] <= found[metric].high
    assert all(179 <= hits[metric] <= 198 for metric in exact), hits
    assert all(hits[metric] >= 179 for metric in bounds), hits


def shifted(rng, n, temperature, **more):
    return drawn(rng, n, temperature, name=more.pop("name", "dark"), role="shift", **more)


def test_the_temperature_of_the_source_is_put_to_every_shifted_set():
    rng = np.random.default_rng(4)
    inputs, dark = drawn(rng, 400, 1.6), shifted(rng, 200, 4.0)
    answer = calibration.ask(among(inputs, dark))
    temperature = at(answer, "temperature")
    assert temperature.n == len(halves_of(inputs)[0])
    for end, t in (("", 1.0), ("_scaled", temperature.value)):
        p, truth, confidence, right = dense(dark, np.arange(200), t)
        assert at(answer, f"ece{end}", shift="dark").value == pytest.approx(ece(confidence, right), abs=1e-5)
        assert at(answer, f"nll{end}", shift="dark").value == pytest.approx(log_loss(truth, p, labels=np.arange(6)), abs=1e-5)
    assert at(answer, "accuracy", shift="dark").n == 200
    assert at(answer, "ece_change", shift="dark").value < 0


def test_only_classes_of_the_shifted_set_can_be_answered():
    rng = np.random.default_rng(5)
    inputs = drawn(rng, 200)
    images = unit(rng.normal(size=(60, 8)).astype(np.float32))
    few = given_by_vectors(images, CLASSES[:3], np.arange(60) % 3, QUICK, name="few", role="shift")
    answer = calibration.ask(among(inputs, few))
    p = softmax(SCALE * (images @ CLASSES[:3].T).astype(float), axis=1)
    assert at(answer, "nll", shift="few").value == pytest.approx(log_loss(np.arange(60) % 3, p), abs=1e-5)


def versions(rng, n):
    """A table with each picture as it is, and in two corruptions at two severities."""
    images = unit(rng.normal(size=(n, 8)).astype(np.float32))
    truth = (images @ CLASSES.T).argmax(axis=1)
    truth[::4] = (truth[::4] + 1) % 6
    kinds = [("none", 0), ("fog", 1), ("fog", 3), ("blur", 1), ("blur", 3)]
    columns = {
        "attr.shift": [name for name, _ in kinds for _ in range(n)],
        "attr.severity": [severity for _, severity in kinds for _ in range(n)],
        "attr.source_id": [f"exam-{i}" for _ in kinds for i in range(n)],
    }
    return given_by_vectors(np.tile(images, (5, 1)), CLASSES, np.tile(truth, 5), QUICK, columns=columns, logit_scale=SCALE)


def test_corruptions_are_reported_by_name_and_by_severity_without_what_was_fitted_on():
    inputs = versions(np.random.default_rng(6), 80)
    answer = calibration.ask(inputs)
    whole = at(answer, "nll")
    n = whole.n
    assert n + at(answer, "temperature").n == 80
    slices = [{"corruption": "fog"}, {"corruption": "blur"}, {"severity": 1}, {"severity": 3}]
    for slice in slices:
        found = at(answer, "nll", **slice)
        # Every version is the picture itself here: the same pictures give the same figure, and twice as many say no more.
        assert (found.value, found.n) == (pytest.approx(whole.value), 2 * n)
        assert (found.low, found.high) == pytest.approx((whole.low, whole.high))


@pytest.mark.parametrize("loss", ["InfoNCE", "sigmoid"])
def test_a_sigmoid_model_is_read_both_ways(loss):
    inputs = drawn(np.random.default_rng(7), 200, logit_bias=-2.0 if loss == "sigmoid" else 0.0)
    answer = calibration.ask(inputs)
    both = {f.slice.get("reading", "softmax") for f in answer.findings}
    assert both == ({"softmax", "sigmoid"} if loss == "sigmoid" else {"softmax"})
    if loss == "InfoNCE":
        return
    rows = halves_of(inputs)[1]
    p, truth, _, _ = dense(inputs, rows)
    assert at(answer, "nll").value == pytest.approx(log_loss(truth, p, labels=np.arange(6)), abs=1e-6)
    each = expit(SCALE * (inputs.images[rows] @ CLASSES.T).astype(float) - 2.0)
    yes = np.eye(6)[truth]
    expected = -(yes * np.log(each) + (1 - yes) * np.log(1 - each)).sum(axis=1).mean()
    assert at(answer, "nll", reading="sigmoid").value == pytest.approx(expected, abs=1e-5)
    assert at(answer, "ece", reading="sigmoid").value == pytest.approx(
        ece(each.max(axis=1), each.argmax(axis=1) == truth), abs=1e-5
    )
    assert len({e.name for e in answer.exhibits}) == len(answer.exhibits)


def test_a_classifier_goes_by_its_own_scores(monkeypatch):
    monkeypatch.setattr("eyechart.probes.tasks.predictors._is_imagenet", lambda classes: True)
    inputs = drawn(np.random.default_rng(8), 200, scale=None)
    scores = SCALE * inputs.images @ CLASSES.T
    deaf = replace(inputs, can_encode=lambda texts: False, class_scores=lambda rows: scores[rows])
    answer, words = calibration.ask(deaf), calibration.ask(replace(inputs, logit_scale=SCALE))
    for metric in ("ece", "nll", "temperature", "classwise_ece"):
        (mine,) = [f for f in answer.findings if f.metric == metric and f.slice == {"answers": "class scores"}]
        assert mine.value == pytest.approx(of_all(words, metric).value, rel=1e-5)
    assert not answer.notices
    (predictions,) = answer.predictions
    assert predictions.prompts is None
    assert predictions.probabilities[:, 0] == pytest.approx(softmax(scores.astype(float), axis=1).max(axis=1), abs=1e-6)
    assert (predictions.top[:, 0] == scores.argmax(axis=1)).all()
    assert not words.predictions, "the probe zero_shot gives those"
    both = calibration.ask(replace(deaf, can_encode=lambda texts: True))
    assert {f.slice.get("prompts") for f in both.findings} == {None}
    assert any("no logit scale" in n.what for n in both.notices)


def test_copies_of_pictures_add_nothing():
    once = drawn(np.random.default_rng(9), 100, 2.0)
    rows = np.repeat(np.arange(100), 4)
    truth = once.dataset.label_indices()[rows]
    copied = given_by_vectors(once.images[rows], CLASSES, truth, QUICK, logit_scale=SCALE, clusters=rows)
    a, b = calibration.ask(once), calibration.ask(copied)
    for metric in ("temperature", "accuracy", "ece", "nll", "overconfidence", "aurc", "confidence_auroc", "nll_change"):
        one, other = at(a, metric), at(b, metric)
        assert (other.value, other.low, other.high) == pytest.approx((one.value, one.low, one.high), rel=1e-5), metric


def test_blocks_do_not_change_the_answer(monkeypatch):
    inputs = drawn(np.random.default_rng(10), 120, 2.0)
    whole = calibration.ask(inputs)
    monkeypatch.setattr(logits_module, "_BLOCK", 6 * 7)
    for one, other in zip(whole.findings, calibration.ask(inputs).findings, strict=True):
        assert (one.metric, one.value) == (other.metric, pytest.approx(other.value, abs=1e-6))


def test_where_every_answer_is_right_no_temperature_is_best():
    images = unit(np.random.default_rng(11).normal(size=(80, 8)).astype(np.float32))
    inputs = given_by_vectors(images, CLASSES, (images @ CLASSES.T).argmax(axis=1), QUICK, logit_scale=SCALE)
    answer = calibration.ask(inputs)
    assert any("no temperature could be fitted" in n.what for n in answer.notices)
    assert not [f for f in answer.findings if "scaled" in f.metric or "auroc" in f.metric or f.metric == "temperature"]
    assert {e.name for e in answer.exhibits} == {"reliability-bare", "risk-coverage-bare"}
    assert at(answer, "overconfidence").high < 0


def test_exhibits_show_what_was_measured(asked):
    inputs, _ = asked
    rng = np.random.default_rng(12)
    answer = calibration.ask(among(inputs, shifted(rng, 60, 3.0), shifted(rng, 60, 1.0, name="bright")))
    shown = {e.name.removesuffix("-bare"): e for e in answer.exhibits}
    assert list(shown) == ["reliability", "ece-under-shift", "risk-coverage", "confidence", "confident-errors"]
    assert all(e.sentence.endswith(".") and (e.chart or e.kind == "pictures") for e in answer.exhibits)
    bins = [row for row in shown["reliability"].table.to_pylist() if row["probabilities"] == "unscaled"]
    assert sum(row["share of pictures"] for row in bins) == pytest.approx(1)
    gaps = sum(row["share of pictures"] * abs(row["accuracy"] - row["confidence"]) for row in bins)
    assert gaps == pytest.approx(at(answer, "ece").value)
    first = shown["ece-under-shift"].table.to_pylist()[::2]
    assert [row["pictures"] for row in first] == ["held-out half", "dark", "bright"]
    assert first[1]["ECE"] == at(answer, "ece", shift="dark").value
    curve = [row for row in shown["risk-coverage"].table.to_pylist() if row["pictures"] == "held-out half"]
    assert curve[-1] == {"pictures": "held-out half", "coverage": 1.0, "risk": pytest.approx(1 - at(answer, "accuracy").value)}
    mistake = shown["confident-errors"].table.to_pylist()[0]
    n, held_out = len(inputs.dataset), halves_of(inputs)[1]
    _, _, confidence, right = dense(inputs, np.arange(n))
    assert mistake["confidence"] == pytest.approx(confidence[~right].max())
    assert mistake["class"] != mistake["predicted as"]
    assert shown["confident-errors"].sentence.startswith(f"The most confident of {(~right).sum()} errors among all {n} pictures")
    rows = shown["confidence"].table.to_pylist()
    wrong = [row["share"] for row in rows if row["predictions"] == "incorrect"]
    assert wrong == pytest.approx(np.histogram(confidence[~right], np.arange(21) / 20)[0] / (~right).sum())
    # What is about the held-out half says so, in its title and its sentence; what is about all pictures, too.
    for name in ("reliability", "risk-coverage"):
        assert "held-out half" in shown[name].title
        assert shown[name].sentence.startswith(f"On the held-out half ({len(held_out)} of {n} pictures), ")
    assert f"and accuracy {100 * at(answer, 'accuracy').value:.1f}%" in shown["reliability"].sentence
    assert "held-out half" in shown["ece-under-shift"].title
    assert shown["confidence"].sentence.startswith(f"Over all {n} pictures, ")


def test_a_lower_ece_is_no_comfort_where_confidence_says_nothing():
    """Random labels: scaling lowers ECE to that of guessing, and the sentence says that confidence separates nothing."""
    rng = np.random.default_rng(15)

    def at_random(inputs):
        labels = rng.integers(0, len(CLASSES), len(inputs.dataset))
        return given_by_vectors(inputs.images, CLASSES, labels, QUICK, logit_scale=SCALE)

    answer = calibration.ask(among(at_random(drawn(rng, 160)), shifted(rng, 60, 1.0)))
    (shown,) = [e for e in answer.exhibits if e.name.startswith("ece-under-shift")]
    auroc = at(answer, "confidence_auroc_scaled").value
    assert auroc < 0.7 and f"hardly separates correct predictions from errors (AUROC {100 * auroc:.1f}%)" in shown.sentence
    good = calibration.ask(among(drawn(rng, 200), shifted(rng, 60, 1.0)))
    (shown,) = [e for e in good.exhibits if e.name.startswith("ece-under-shift")]
    assert ("hardly separates" in shown.sentence) == (at(good, "confidence_auroc_scaled").value < 0.7)


def test_bins_of_equal_mass_are_an_option():
    inputs = drawn(np.random.default_rng(13), 200, 2.0, settings=replace(QUICK, binning="equal-mass", bins=5))
    _, _, confidence, right = dense(inputs, halves_of(inputs)[1])
    assert at(calibration.ask(inputs), "ece").value == pytest.approx(ece(confidence, right, 5, "equal-mass"), abs=1e-5)


def test_without_a_scale_or_with_too_few_pictures_it_does_not_apply():
    rng = np.random.default_rng(14)
    with pytest.raises(NotApplicable, match="no logit scale"):
        calibration.ask(drawn(rng, 60, scale=None))
    with pytest.raises(NotApplicable, match="20 labeled pictures"):
        calibration.ask(drawn(rng, 12))
    with pytest.raises(NotApplicable, match="neither encode the class names"):
        calibration.ask(replace(drawn(rng, 60), can_encode=lambda texts: False))


@pytest.mark.parametrize("wrong", [{"bins": 0}, {"binning": "adaptive"}, {"resamples": 0}, {"seed": -1}])
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError):
        Settings(**wrong)


@pytest.mark.parametrize(("errors", "reported"), [(4, False), (5, True), (95, True), (96, False)])
def test_the_auroc_of_confidence_needs_five_errors_and_five_correct_predictions(errors, reported):
    correct = np.arange(100) >= errors
    truth = np.arange(100) % 2
    inputs = replace(answering(np.where(correct, truth, 1 - truth), truth, class_list(["a", "b"]), Settings()), logit_scale=10.0)
    found = [f for f in calibration.ask(inputs).findings if f.metric == "confidence_auroc"]
    assert bool(found) == reported


def test_the_temperature_does_not_know_the_half_on_which_it_is_judged():
    """Other vectors on the held-out half leave it bit-identical; on the fitting half they move it, and no unscaled figure."""
    given = drawn(np.random.default_rng(4), 600, temperature=2.0)
    fit, held_out = halves_of(given)
    images = {"fit": given.images.copy(), "held_out": given.images.copy()}
    for name, rows in (("fit", fit), ("held_out", held_out)):
        other = rows[::5]  # some of them, so that a temperature can still be fitted
        images[name][other] = unit(np.random.default_rng(5).normal(size=(len(other), 8)).astype(np.float32))
    original, other_held_out, other_fit = (
        calibration.ask(replace(given, images=chosen)) for chosen in (given.images, images["held_out"], images["fit"])
    )
    assert at(other_held_out, "temperature") == at(original, "temperature")
    assert at(other_held_out, "ece").value != at(original, "ece").value
    assert at(other_fit, "temperature").value != at(original, "temperature").value
    assert at(other_fit, "ece") == at(original, "ece")
    assert at(other_fit, "ece_scaled").value != at(original, "ece_scaled").value


def test_ten_pictures_of_either_half_are_enough():
    rng = np.random.default_rng(0)
    for n, enough in ((20, True), (19, False)):
        inputs = drawn(rng, n)
        same = inputs.dataset.table.set_column(1, "label", pa.array(["class-0"] * n))
        inputs = replace(inputs, dataset=replace(inputs.dataset, table=same))
        if enough:
            assert of_all(calibration.ask(inputs), "accuracy").n == 20
        else:
            with pytest.raises(NotApplicable, match="two classes and 20 labeled pictures"):
                calibration.ask(inputs)
