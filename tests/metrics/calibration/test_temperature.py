import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, logsumexp, softmax
from sklearn.metrics import log_loss

from eyechart.metrics.calibration import logits as logits_module
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.readout import read
from eyechart.metrics.calibration.temperature import fit_temperature
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.vectors import unit


def drawn(rng, n=400, classes=5, temperature=1.0, scale=6.0):
    """A model of random vectors, and truths drawn from softmax(logits / temperature)."""
    images, vectors = (rng.normal(size=(k, 8)).astype(np.float32) / np.sqrt(8) for k in (n, classes))
    p = softmax(scale * (images @ vectors.T).astype(float) / temperature, axis=1)
    return CosineLogits(images, vectors, scale), (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1)


def dense(logits):
    return logits.scale * (logits.images @ logits.classes.T).astype(float) + logits.bias


def test_a_readout_is_what_scikit_learn_and_scipy_say():
    logits, truth = drawn(np.random.default_rng(0))
    p = softmax(dense(logits) / 1.7, axis=1)
    predicted, (out,) = read(logits, truth, [1.7])
    assert out.nll.mean() == pytest.approx(log_loss(truth, p, labels=np.arange(5)))
    assert out.brier == pytest.approx(((p - np.eye(5)[truth]) ** 2).sum(axis=1), rel=1e-5)  # exponentials are of single precision
    assert out.confidence == pytest.approx(p.max(axis=1))
    assert (predicted == p.argmax(axis=1)).all()


def test_the_sigmoid_reading_is_a_yes_or_no_for_every_class():
    logits, truth = drawn(np.random.default_rng(0))
    logits = CosineLogits(logits.images, logits.classes, 6.0, -2.0)
    p, yes = expit(dense(logits) / 1.3), np.eye(5)[truth]
    _, (out,) = read(logits, truth, [1.3], "sigmoid")
    assert out.nll == pytest.approx(-(yes * np.log(p) + (1 - yes) * np.log(1 - p)).sum(axis=1))
    assert out.brier == pytest.approx(((p - yes) ** 2).sum(axis=1))
    assert out.confidence == pytest.approx(p.max(axis=1))


@pytest.mark.parametrize("reading", ["softmax", "sigmoid"])
def test_several_right_classes_count_as_one(reading):
    logits, truth = drawn(np.random.default_rng(0))
    right = np.eye(5, dtype=bool)[truth]
    alone, same = (read(logits, t, [1.0], reading)[1][0] for t in (truth, right))
    assert same.nll == pytest.approx(alone.nll)
    assert same.brier == pytest.approx(alone.brier)
    right[:, 0] = True  # class 0 means what the truth means
    p = softmax(dense(logits), axis=1) if reading == "softmax" else expit(dense(logits))
    merged = np.where(right, p, 0).sum(axis=1) if reading == "softmax" else np.where(right, p, 0).max(axis=1)
    out = read(logits, right, [1.0], reading)[1][0]
    assert out.brier == pytest.approx((1 - merged) ** 2 + np.where(right, 0, p**2).sum(axis=1), rel=1e-5, abs=1e-6)
    if reading == "softmax":
        assert out.nll == pytest.approx(-np.log(merged), rel=1e-5, abs=1e-6)


def test_a_class_that_is_all_but_ruled_out_has_a_finite_loss():
    logits = CosineLogits(np.eye(2, dtype=np.float32)[:1], np.array([[1, 0], [-1, 0]], np.float32), 2000.0)
    _, (out,) = read(logits, np.array([1]), [1.0])
    assert out.nll[0] == pytest.approx(4000.0)


@pytest.mark.parametrize("reading", ["softmax", "sigmoid"])
def test_the_fit_is_the_minimum_that_scipy_finds(reading):
    logits, truth = drawn(np.random.default_rng(1), n=1500, temperature=2.2)
    z = dense(logits)

    def loss(log_t):
        scaled = z / np.exp(log_t)
        rest = logsumexp(scaled, axis=1) if reading == "softmax" else np.logaddexp(0, scaled).sum(axis=1)
        return float((rest - scaled[np.arange(len(z)), truth]).mean())

    best = minimize_scalar(loss, bounds=(-6, 6), method="bounded", options={"xatol": 1e-10})
    fitted = fit_temperature(logits, truth, reading=reading)
    assert np.log(fitted.value) == pytest.approx(best.x, abs=1e-6)
    assert loss(np.log(fitted.value)) <= best.fun + 1e-12


@pytest.mark.parametrize("factor", [3.0, 0.01, 40.0])
def test_a_scale_three_times_as_large_wants_a_temperature_three_times_as_high(factor):
    logits, truth = drawn(np.random.default_rng(2), n=1500)
    twin = CosineLogits(logits.images, logits.classes, factor * logits.scale)
    once, thrice = fit_temperature(logits, truth), fit_temperature(twin, truth)
    assert thrice.value == pytest.approx(factor * once.value, rel=1e-6)
    assert (thrice.low, thrice.high) == pytest.approx((factor * once.low, factor * once.high), rel=1e-5)


@pytest.mark.slow
def test_the_interval_covers_the_true_temperature():
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(2000):
        fitted = fit_temperature(*drawn(rng, n=200, temperature=1.5))
        hits += fitted.low <= 1.5 <= fitted.high
    assert 0.93 <= hits / 2000 <= 0.97


def test_a_few_mistakes_do_not_prove_a_temperature():
    """Some seven of 200 answers are wrong, as the model itself expects: it needs no temperature."""
    rng = np.random.default_rng(8)
    classes = unit(rng.normal(size=(18, 32)).astype(np.float32))
    alarms = 0
    for _ in range(200):
        images = unit(classes[np.arange(200) % 18] + 0.25 * rng.normal(size=(200, 32)).astype(np.float32))
        p = softmax(29.0 * (images @ classes.T).astype(float), axis=1)
        truth = (rng.random((200, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, 17)
        fitted = fit_temperature(CosineLogits(images, classes, 29.0), truth)
        alarms += not (fitted.low or 0) <= 1 <= (fitted.high or np.inf)
    assert alarms <= 18


def test_copies_of_pictures_add_nothing():
    logits, truth = drawn(np.random.default_rng(4), n=100)
    rows = np.repeat(np.arange(100), 4)
    once, copied = fit_temperature(logits, truth), fit_temperature(logits.take(rows), truth[rows], clusters=rows)
    assert (copied.low, copied.high) == pytest.approx((once.low, once.high), rel=1e-6)


def test_where_every_answer_is_right_or_the_worst_there_is_no_best_temperature():
    logits, _ = drawn(np.random.default_rng(5), n=1200)
    answers = dense(logits)
    right, worst = fit_temperature(logits, answers.argmax(axis=1)), fit_temperature(logits, answers.argmin(axis=1))
    assert (right.bound, right.low) == ("coldest", None)
    assert (worst.bound, worst.high) == ("hottest", None)


def test_blocks_do_not_change_the_answer(monkeypatch):
    logits, truth = drawn(np.random.default_rng(6))
    whole = fit_temperature(logits, truth), read(logits, truth, [1.0])[1][0].nll
    monkeypatch.setattr(logits_module, "_BLOCK", 5 * 7)
    parts = fit_temperature(logits, truth), read(logits, truth, [1.0])[1][0].nll
    assert parts[0].value == pytest.approx(whole[0].value, rel=1e-9)
    assert parts[1] == pytest.approx(whole[1])


def test_twin_classes_get_the_very_same_logits():
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(40, 512)).astype(np.float32)
    classes = np.concatenate([vectors, vectors])
    logits = CosineLogits(rng.normal(size=(100, 512)).astype(np.float32), classes, 1.0, 0.0, np.arange(80) % 40)
    for _, block in logits.blocks():
        assert (block[:, :40] == block[:, 40:]).all()
    chosen = logits.choose(np.array([3, 43, 7]))
    for _, block in chosen.blocks():
        assert (block[:, 0] == block[:, 1]).all()
        assert block.shape[1] == 3


def test_halves_have_half_of_every_class_and_split_no_picture():
    labels = np.repeat(np.arange(5), [4, 10, 3, 1, 8])
    first = stratified_split(labels, seed=0)
    assert [int(first[labels == c].sum()) for c in (0, 1, 4)] == [2, 5, 4]
    assert first[labels == 2].sum() in (1, 2)
    clusters = np.arange(26) // 2
    together = stratified_split(np.zeros(26, int), seed=0, clusters=clusters)
    assert (together[::2] == together[1::2]).all()
    assert together.sum() in (12, 14)


def test_halves_follow_the_seed():
    labels = np.zeros(60, int)
    assert (stratified_split(labels, seed=1) == stratified_split(labels, seed=1)).all()
    assert (stratified_split(labels, seed=1) != stratified_split(labels, seed=2)).any()


def derivatives(z, truth, inverse, reading):
    """Of each picture's NLL by the inverse temperature, by differences of the NLL itself."""

    def nll(b):
        rest = logsumexp(b * z, axis=1) if reading == "softmax" else np.logaddexp(0, b * z).sum(axis=1)
        return rest - b * z[np.arange(len(z)), truth]

    h = 1e-4 * inverse
    return (nll(inverse + h) - nll(inverse - h)) / (2 * h), (nll(inverse + h) - 2 * nll(inverse) + nll(inverse - h)) / h**2


@pytest.mark.parametrize("reading", ["softmax", "sigmoid"])
@pytest.mark.parametrize("copies", [1, 2])
def test_the_interval_is_the_sandwich_over_clusters(reading, copies):
    logits, truth = drawn(np.random.default_rng(9), n=300, temperature=1.6)
    rows = np.arange(300).repeat(copies)
    fitted = fit_temperature(logits.take(rows), truth[rows], reading=reading, clusters=rows if copies > 1 else None)
    first, second = derivatives(dense(logits), truth, 1 / fitted.value, reading)
    error = np.sqrt(300 / 299 * (first**2).sum()) / (second.sum() / fitted.value)
    assert (np.abs(first).sum()) ** 2 > 40 * (first**2).sum()
    assert fitted.n == 300 * copies
    assert (fitted.low, fitted.high) == pytest.approx(fitted.value * np.exp(np.array([-1, 1]) * 1.959964 * error), rel=1e-3)


@pytest.mark.parametrize("copies", [1, 2])
def test_where_a_few_pictures_decide_the_interval_is_that_of_a_score_test(copies):
    """Three of 120 answers are wrong. The ends are where |Σ g| is 1.96 √Σ h, found on the dense logits."""
    logits, _ = drawn(np.random.default_rng(10), n=120, scale=30.0)
    z = dense(logits)
    truth = z.argmax(axis=1)
    truth[:3] = np.argsort(z[:3], axis=1)[:, -2]
    rows = np.arange(120).repeat(copies)
    fitted = fit_temperature(logits.take(rows), truth[rows], clusters=rows if copies > 1 else None)
    first, _ = derivatives(z, truth, 1 / fitted.value, "softmax")
    assert np.abs(first).sum() ** 2 < 40 * (first**2).sum()

    def beyond(log_inverse, side):
        first, second = derivatives(z, truth, np.exp(log_inverse), "softmax")
        return side * first.sum() - 1.959964 * np.sqrt(second.sum())

    at = -np.log(fitted.value)
    ends = [np.exp(-brentq(beyond, at, at + side * 3, args=(side,))) for side in (1, -1)]
    assert (fitted.low, fitted.high) == pytest.approx(ends, rel=6e-3)


def test_no_picture_and_one_cluster():
    logits, truth = drawn(np.random.default_rng(11), n=100)
    with pytest.raises(ValueError, match="no picture"):
        fit_temperature(logits.take(np.arange(0)), truth[:0])
    alone = fit_temperature(logits, truth, clusters=np.zeros(100, int))
    assert alone.value == pytest.approx(fit_temperature(logits, truth).value)


@pytest.mark.parametrize("n", [2000, 2001, 16_001])
def test_the_pictures_that_the_search_begins_with_do_not_matter(n):
    logits, truth = drawn(np.random.default_rng(12), n=n, temperature=3.0)
    z = dense(logits)

    def loss(log_t):
        scaled = z / np.exp(log_t)
        return float((logsumexp(scaled, axis=1) - scaled[np.arange(n), truth]).mean())

    best = minimize_scalar(loss, bounds=(-3, 4), method="bounded", options={"xatol": 1e-10})
    assert np.log(fit_temperature(logits, truth).value) == pytest.approx(best.x, abs=1e-6)
