"""Strangers among known pictures: figures of scikit-learn, strangers that are told, and strangers that are none."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import softmax
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import NearestNeighbors
from tests.probes.answering import among, only
from tests.probes.vectors import given_by_vectors

from eyechart.findings.finding import Finding
from eyechart.findings.metric import find_metric
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.metrics.vectors import unit
from eyechart.probes.contract import NotApplicable
from eyechart.probes.ood import Settings, _by_vectors, _near_chance, ood
from eyechart.probes.tasks.ood_rows import OodRows
from eyechart.probes.tasks.scorers import scorers

QUICK = Settings(resamples=100)
CLASSES = np.eye(24, dtype=np.float32)[:6]


def known(rng, n, spread=0.15):
    """Pictures near the vector of their class."""
    truth = np.arange(n) % 6
    return CLASSES[truth] + spread * rng.normal(size=(n, 24)), truth


def strange(rng, n):
    """Pictures that point anywhere."""
    return rng.normal(size=(n, 24))


def exam(rng, n=120, **more):
    images, truth = known(rng, n)
    return given_by_vectors(images, CLASSES, truth, more.pop("settings", QUICK), **more)


def beside(images, name="strangers", kinds=None, **more):
    """A set of strangers; `kinds` are its labels."""
    truth = np.full(len(images), -1) if kinds is None else np.unique(kinds, return_inverse=True)[1]
    names = None if kinds is None else sorted(set(kinds))
    vectors = np.eye(24)[: len(names or CLASSES)]
    return given_by_vectors(images, vectors, truth, QUICK, names=names, name=name, role="ood", **more)


@pytest.fixture(scope="module")
def asked():
    """An exam, its strangers, and the answer."""
    rng = np.random.default_rng(0)
    mine = exam(rng, logit_scale=20.0)
    others = beside(strange(rng, 80))
    return mine, others, ood.ask(among(mine, others))


def mcm(inputs):
    return softmax((inputs.images @ unit(CLASSES).T).astype(float), axis=1).max(axis=1)


def test_figures_of_mcm_are_those_of_sklearn(asked):
    mine, others, answer = asked
    scores, belongs = np.concatenate([mcm(mine), mcm(others)]), np.repeat([1, 0], [120, 80])
    assert only(answer, "ood_auroc").value == pytest.approx(roc_auc_score(belongs, scores))
    assert only(answer, "auroc", score="mcm") == replace(
        only(answer, "ood_auroc"), metric="auroc", slice={"score": "mcm", "prompts": "bare"}
    )
    assert only(answer, "aupr_in", score="mcm").value == pytest.approx(average_precision_score(belongs, scores))
    assert only(answer, "aupr_out", score="mcm").value == pytest.approx(average_precision_score(1 - belongs, -scores))
    alarms = np.mean(mcm(others) >= np.quantile(mcm(mine), 0.05))
    assert only(answer, "fpr95", score="mcm", convention="id-quantile").value == pytest.approx(alarms)
    assert only(answer, "ood_fpr95").value == pytest.approx(alarms)
    assert only(answer, "ood_fpr95").value is not None
    assert find_metric(ood.metrics, "ood_fpr95").higher_is_better is False


def test_every_score_has_every_figure_with_an_interval_and_n(asked):
    _, _, answer = asked
    scores = ["mcm", "energy", "max_cosine", "entropy", "variance", "msp", "nearest_neighbour", "mahalanobis"]
    for score in scores:
        mine = [f for f in answer.findings if f.slice.get("score") == score]
        assert sorted(f.metric for f in mine) == ["aupr_in", "aupr_out", "auroc", "fpr95", "fpr95", "fpr95"], score
        assert all(f.low <= f.value <= f.high and f.interval and f.n >= 140 for f in mine)
    # Scores that need no words say nothing of prompts; half of the known pictures are their example.
    assert only(answer, "auroc", score="mahalanobis").slice == {"score": "mahalanobis"}
    assert only(answer, "auroc", score="mahalanobis").n == 60 + 80


def test_strangers_are_told(asked):
    _, _, answer = asked
    for score in ("mcm", "max_cosine", "msp", "nearest_neighbour", "mahalanobis"):
        assert only(answer, "auroc", score=score).low > 0.9
    assert not answer.notices


@pytest.mark.slow
def test_strangers_that_are_none_stay_unnoticed():
    """Pictures of the known classes, called strangers. The first is the fixed seed; of all 200 at most 9% may raise an alarm."""
    rng = np.random.default_rng(5)
    alarms = []
    for _ in range(200):
        mine = exam(rng, n=60, settings=Settings(resamples=2))
        found = only(ood.ask(among(mine, beside(known(rng, 45)[0]))), "ood_auroc")
        alarms.append(not found.low <= 0.5 <= found.high)
    assert not alarms[0]
    assert sum(alarms) <= 18


def test_guessing_is_called_guessing():
    rng = np.random.default_rng(5)
    answer = ood.ask(among(exam(rng), beside(known(rng, 60)[0])))
    assert any("is not above chance" in n.what for n in answer.notices)


def test_vectors_tell_what_words_cannot():
    """Strangers as near to the words as known pictures, but off to a side on which no known picture lies."""
    rng = np.random.default_rng(2)
    truth = np.arange(200) % 6
    images, others = np.zeros((2, 200, 24))
    images[:, 6:9], others[:, 9:12] = 0.3 * rng.normal(size=(2, 200, 3))
    mine = given_by_vectors(images + CLASSES[truth], CLASSES, truth, QUICK)
    answer = ood.ask(among(mine, beside(others + CLASSES[truth])))
    words = only(answer, "ood_auroc")
    assert words.low <= 0.5 <= words.high
    for score in ("nearest_neighbour", "mahalanobis"):
        assert only(answer, "auroc", score=score).low > 0.85


def mixed(rng):
    """The same pictures in one table: known ones, then two kinds of strangers."""
    images, truth = known(rng, 60)
    others = strange(rng, 40)
    columns = {
        "attr.kind": ["known"] * 60 + ["wall"] * 25 + ["sky"] * 15,
        "attr.shows": [None] * 60 + ["brick"] * 12 + ["stone"] * 13 + [None] * 15,
    }
    table = given_by_vectors(np.concatenate([images, others]), CLASSES, [*truth, *[-1] * 40], QUICK, columns=columns)
    apart = given_by_vectors(images, CLASSES, truth, QUICK)
    wall, sky = beside(others[:25], "wall", ["brick"] * 12 + ["stone"] * 13), beside(others[25:], "sky")
    return table, among(apart, wall, sky)


def test_strangers_in_the_table_are_as_those_beside_it():
    table, apart = mixed(np.random.default_rng(3))
    within, without = ood.ask(table), ood.ask(apart)
    assert [replace(f, low=None, high=None) for f in within.findings] == [
        replace(f, low=None, high=None) for f in without.findings
    ]
    assert {f.slice.get("ood") for f in within.findings} == {None, "wall", "sky"}


def test_known_pictures_of_a_set_beside_are_no_strangers():
    """As world-ood, named with --ood: its known pictures are there for its own question."""
    rng = np.random.default_rng(4)
    source, others = exam(rng), strange(rng, 40)
    kinds = ["known"] * 30 + ["wall"] * 25 + ["sky"] * 15
    mixed_set = beside(np.concatenate([known(rng, 30)[0], others]), columns={"attr.kind": kinds})
    answer = ood.ask(among(source, mixed_set))
    alone = ood.ask(among(source, beside(others)))
    assert only(answer, "ood_auroc").value == only(alone, "ood_auroc").value
    assert {f.slice.get("class") for f in answer.findings} == {None, "wall", "sky"}


def test_kinds_are_reported_one_by_one_and_on_average():
    table, _ = mixed(np.random.default_rng(3))
    answer = ood.ask(table)
    brick, stone = (only(answer, "auroc", ood="wall", **{"class": kind}).value for kind in ("brick", "stone"))
    assert only(answer, "auroc_mean_per_class", ood="wall").value == pytest.approx((brick + stone) / 2)
    pooled = next(
        f for f in answer.findings if f.metric == "auroc" and f.slice == {"score": "mcm", "ood": "wall", "prompts": "bare"}
    )
    assert pooled.value == pytest.approx((12 * brick + 13 * stone) / 25)
    alarms = [only(answer, "fpr95", ood="wall", **{"class": kind}).value for kind in ("brick", "stone")]
    assert only(answer, "fpr95_mean_per_class", ood="wall").value == pytest.approx(np.mean(alarms))
    assert not [f for f in answer.findings if f.metric == "auroc_mean_per_class" and f.slice["ood"] == "sky"]


def test_the_pictures_that_fool_it_are_shown_with_what_they_are_taken_for():
    rng = np.random.default_rng(4)
    images = strange(rng, 30)
    images[7] = CLASSES[2]  # a stranger that is all of class 2
    answer = ood.ask(among(exam(rng), beside(images)))
    (shown,) = [e for e in answer.exhibits if e.kind == "pictures"]
    first = shown.table.to_pylist()[0]
    assert (first["id"], first["dataset"], first["nearest class"]) == ("strangers-7", "strangers", "class-2")
    assert first["scores above in-distribution"] == 1.0
    assert shown.table.num_rows == 24


def test_every_exhibit_has_a_chart_and_a_sentence(asked):
    _, _, answer = asked
    assert {e.name for e in answer.exhibits} == {"scores-bare", "roc-bare", "auroc-by-score-bare", "errors-bare"}
    assert all(e.sentence.endswith(".") and (e.chart or e.kind == "pictures") for e in answer.exhibits)
    shares = next(e for e in answer.exhibits if e.name == "scores-bare").table.to_pylist()
    assert sum(row["share"] for row in shares if row["pictures"] == "in-distribution") == pytest.approx(1.0)
    roc = next(e for e in answer.exhibits if e.name == "roc-bare").table
    area = np.trapezoid(roc["TPR"], roc["FPR"])
    assert area == pytest.approx(only(answer, "ood_auroc").value, abs=0.01)


def test_copies_of_pictures_widen_no_certainty():
    rng = np.random.default_rng(6)
    images, truth = known(rng, 60, spread=0.6)
    others = strange(rng, 50)
    once = ood.ask(among(given_by_vectors(images, CLASSES, truth, QUICK), beside(others)))
    rows, ood_rows = np.repeat(np.arange(60), 4), np.repeat(np.arange(50), 4)
    mine = given_by_vectors(images[rows], CLASSES, truth[rows], QUICK, clusters=rows)
    copied = ood.ask(among(mine, beside(others[ood_rows], clusters=ood_rows)))
    a, b = only(once, "ood_auroc"), only(copied, "ood_auroc")
    assert (b.value, b.low, b.high) == pytest.approx((a.value, a.low, a.high))


def test_without_a_logit_scale_one_score_is_left_out_and_the_reader_is_told():
    rng = np.random.default_rng(0)
    answer = ood.ask(among(exam(rng), beside(strange(rng, 30))))
    assert not [f for f in answer.findings if f.slice.get("score") == "msp"]
    assert any("no logit scale" in n.what for n in answer.notices)
    with pytest.raises(NotApplicable, match="needs a logit scale"):
        ood.ask(among(exam(rng, settings=Settings(score="msp")), beside(strange(rng, 30))))


def test_without_labels_there_are_no_examples():
    rng = np.random.default_rng(0)
    images, _ = known(rng, 40)
    mine = given_by_vectors(images, CLASSES, np.full(40, -1), QUICK)
    answer = ood.ask(among(mine, beside(strange(rng, 30))))
    assert {f.slice.get("score") for f in answer.findings} == {None, "mcm", "energy", "max_cosine", "entropy", "variance"}


def test_without_strangers_it_does_not_apply():
    rng = np.random.default_rng(0)
    with pytest.raises(NotApplicable, match="--ood"):
        ood.ask(exam(rng))
    shapes = exam(rng, n=40, columns={"attr.kind": pa.array(["natural"] * 40)})
    with pytest.raises(NotApplicable, match="--ood"):
        ood.ask(shapes)
    with pytest.raises(NotApplicable, match="needs 10 out-of-distribution pictures, and there are 9"):
        ood.ask(among(exam(rng), beside(strange(rng, 9))))


def test_a_set_of_which_no_picture_could_be_read_is_named():
    rng = np.random.default_rng(8)
    mine, empty = exam(rng), beside(np.zeros((0, 24)), name="broken")
    with pytest.raises(NotApplicable, match="no picture of broken could be read"):
        ood.ask(among(mine, empty))
    answer = ood.ask(among(mine, empty, beside(strange(rng, 40))))
    assert any(n.where == "broken" and "this dataset is left out" in n.what for n in answer.notices)


def test_shifted_pictures_are_no_strangers():
    rng = np.random.default_rng(0)
    shifts = pa.array(["none"] * 60 + ["sketch"] * 60)
    answer = ood.ask(among(exam(rng, columns={"attr.shift": shifts}), beside(strange(rng, 30))))
    assert only(answer, "ood_auroc").n == 60 + 30


@pytest.mark.parametrize("wrong", [{"score": "odin"}, {"convention": "tpr"}, {"temperature": 0.0}, {"bank": 0}])
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError):
        Settings(**wrong)


def test_the_headline_follows_the_settings():
    rng = np.random.default_rng(0)
    mine, others = exam(rng, settings=Settings(score="energy", convention="openood", resamples=50)), beside(strange(rng, 40))
    answer = ood.ask(among(mine, others))
    assert only(answer, "ood_auroc").value == only(answer, "auroc", score="energy").value
    assert only(answer, "ood_fpr95").value == only(answer, "fpr95", score="energy", convention="openood").value


def test_a_classifier_is_led_by_msp_where_max_logit_says_the_opposite(monkeypatch):
    """In-distribution pictures have one high logit of 5; the others have all logits at 9: a higher maximum, and no confidence."""
    monkeypatch.setattr("eyechart.probes.tasks.predictors._is_imagenet", lambda classes: True)
    rng = np.random.default_rng(1)
    sure = np.zeros((60, 6), np.float32)
    sure[:, 0] = 5
    scores = {"exam": sure, "strangers": np.full((40, 6), 9.0, np.float32)}

    def deaf(inputs):
        mine = scores[inputs.dataset.name] + rng.normal(scale=1e-3, size=scores[inputs.dataset.name].shape).astype(np.float32)
        return replace(inputs, can_encode=lambda texts: False, class_scores=lambda rows: mine[rows])

    answer = ood.ask(among(deaf(exam(rng, n=60)), deaf(beside(strange(rng, 40)))))
    by_score = {f.slice["score"]: f.value for f in answer.findings if f.metric == "auroc" and "answers" in f.slice}
    assert by_score["msp"] == pytest.approx(1) and by_score["max_logit"] == pytest.approx(0)
    assert only(answer, "ood_auroc", answers="class scores").value == pytest.approx(1)


def test_a_classifier_goes_by_its_own_scores(monkeypatch):
    """A model without words, whose thousand scores are those of the classes: largest probability and kin."""
    monkeypatch.setattr("eyechart.probes.tasks.predictors._is_imagenet", lambda classes: True)
    rng = np.random.default_rng(1)
    logits = {"exam": 8 * known(rng, 60)[0][:, :6], "strangers": rng.normal(size=(40, 6))}

    def deaf(inputs):
        scores = logits[inputs.dataset.name].astype(np.float32)
        return replace(inputs, can_encode=lambda texts: False, class_scores=lambda rows: scores[rows])

    answer = ood.ask(among(deaf(exam(rng, n=60)), deaf(beside(strange(rng, 40)))))
    expected = [softmax(logits[name], axis=1).max(axis=1) for name in ("exam", "strangers")]
    belongs = np.repeat([1, 0], [60, 40])
    found = only(answer, "ood_auroc", answers="class scores")
    assert found.value == pytest.approx(roc_auc_score(belongs, np.concatenate(expected)), abs=1e-6)
    scores = {f.slice["score"] for f in answer.findings if "answers" in f.slice and "score" in f.slice}
    assert scores == {"msp", "energy", "max_logit", "entropy", "variance"}
    assert not answer.notices


def test_accepted_pictures_are_marked_and_their_share_is_the_fpr95(asked):
    mine, others, answer = asked
    (predictions,) = answer.predictions
    threshold = np.quantile(mcm(mine), 0.05)
    assert predictions.attributes["accepted.mcm"].to_pylist() == ["true" if s >= threshold else "false" for s in mcm(others)]
    marked = np.mean([text == "true" for text in predictions.attributes["accepted.mcm"].to_pylist()])
    assert marked == pytest.approx(only(answer, "ood_fpr95").value, abs=1e-12) and 0 < marked < 1


def test_every_score_marks_the_pictures_that_it_accepts(asked):
    """The share of marked pictures is the FPR95 of that score, which is computed without the marks."""
    *_, answer = asked
    (predictions,) = answer.predictions
    marks = {name: values for name, values in predictions.attributes.items() if name.startswith("accepted.")}
    scores = {f.slice["score"] for f in answer.findings if f.metric == "fpr95"}
    assert next(iter(marks)) == "accepted.mcm" and set(marks) == {f"accepted.{score}" for score in scores}
    assert {"energy", "msp", "mahalanobis", "nearest_neighbour"} <= scores
    for score in scores:
        share = np.mean([text == "true" for text in marks[f"accepted.{score}"].to_pylist()])
        found = [
            f
            for f in answer.findings
            if f.metric == "fpr95" and f.slice["score"] == score and not {"ood", "class"} & set(f.slice)
        ]
        (value,) = (f.value for f in found if f.slice["convention"] == "id-quantile")
        assert share == pytest.approx(value, abs=1e-12), score


def test_one_class_is_not_judged():
    """A softmax over one class is 1 for every picture: FPR95 would be 100% whatever the model knows."""
    rng = np.random.default_rng(0)
    images = CLASSES[:1] + 0.1 * rng.normal(size=(40, 24))
    mine = given_by_vectors(images, CLASSES[:1], np.zeros(40, int), QUICK)
    with pytest.raises(NotApplicable, match="has one class"):
        ood.ask(among(mine, beside(strange(rng, 40))))


def test_half_of_the_labeled_pictures_is_the_bank_and_the_other_half_is_scored():
    """Scores against scikit-learn: the distance to the nearest pictures of the bank, none of which is scored itself."""
    rng = np.random.default_rng(4)
    inputs = exam(rng, 60)
    others = [OodRows("far", beside(strange(rng, 12)), np.arange(12), (), 100 + np.arange(12))]
    inside = np.arange(60)
    truth = inputs.dataset.label_indices()
    example = stratified_split(truth, seed=0, clusters=np.arange(60))
    by_name = {r.score: r for r in _by_vectors(replace(inputs, settings=Settings(neighbors=3)), inside, others)}
    peer = NearestNeighbors(n_neighbors=3).fit(inputs.images[example])
    found = by_name["nearest_neighbour"]
    for scores, images in ((found.id_scores, inputs.images[~example]), (found.ood_scores[0], others[0].of.images)):
        distances, _ = peer.kneighbors(images)
        order = np.argsort(distances[:, -1])
        assert (np.diff(np.asarray(scores)[order]) <= 1e-5).all() and len(scores) == len(images)
    assert found.clusters.tolist() == np.flatnonzero(~example).tolist() == by_name["mahalanobis"].clusters.tolist()
    few = _by_vectors(replace(inputs, settings=Settings(neighbors=31)), inside, others)
    assert [r.score for r in few] == ["mahalanobis"]  # the bank has thirty pictures
    assert len(_by_vectors(replace(inputs, settings=Settings(neighbors=30)), inside, others)) == 2
    assert _by_vectors(inputs, inside[:19], others) == [] and len(_by_vectors(inputs, inside[:20], others)) > 0


@pytest.mark.parametrize(("low", "value", "said"), [(0.5, 0.6, 1), (0.51, 0.6, 0), (None, 0.6, 0), (0.4, None, 0)])
def test_chance_itself_is_not_above_chance(low, value, said):
    inputs = exam(np.random.default_rng(0), 12)
    (scorer,) = scorers(inputs)
    assert len(_near_chance(inputs, scorer, Finding(metric="auroc", value=value, n=9, low=low, high=0.9))) == said


def test_ten_pictures_of_either_side_are_enough():
    rng = np.random.default_rng(1)
    for inside, outside, enough in ((10, 10, True), (9, 20, False), (20, 9, False)):
        made = among(exam(rng, inside, logit_scale=20.0), beside(strange(rng, outside)))
        if enough:
            assert ood.ask(made).findings[0].n == 20
        else:
            with pytest.raises(
                NotApplicable, match=f"needs 10 {'in' if inside < 10 else 'out-of'}-distribution pictures, and there are 9"
            ):
                ood.ask(made)


def test_different_pictures_of_both_sets_are_counted():
    """Of 40 and 30 pictures, ten are copies of another each."""
    rng = np.random.default_rng(2)
    mine = exam(rng, 40, clusters=np.r_[np.arange(30), np.arange(10)])
    others = beside(strange(rng, 30), clusters=np.r_[np.arange(20), np.arange(10)])
    found = [f for f in ood.ask(among(mine, others)).findings if f.metric == "different_pictures"]
    assert {f.slice["set"]: (f.value, f.n) for f in found} == {"in-distribution": (30, 40), "out-of-distribution": (20, 30)}
