"""The first probe: known answers, a planted defect, its clean twin, twins and ties."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.models.encoder import PicturePrediction
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.zero_shot import Settings, zero_shot
from eyechart.prompts.prompt_set import PromptSet

BARE = PromptSet("bare", ("{}",), "test")


class NoPictures:
    """Pictures that nobody looks at: a probe sees vectors."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def take(self, rows):
        return NoPictures(len(rows))


def inputs(answers, truth, names, *, prompts=(BARE,), clusters=None, settings=None):
    """A model that answers as told: class c points along axis c, and a picture along the axis of its answer."""
    classes = ClassList("test", tuple(PictureClass(f"label-{i}", name) for i, name in enumerate(names)))
    labels = [None if t < 0 else f"label-{t}" for t in truth]
    table = pa.table({"id": [f"picture-{i}" for i in range(len(truth))], "label": pa.array(labels, pa.string())})
    axes = np.eye(len(names), dtype=np.float32)
    place = {}
    for name in names:
        place.setdefault(name, len(place))
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", table, NoPictures(len(truth)), classes),
        images=axes[[place[names[a]] for a in answers]],
        clusters=np.arange(len(truth)) if clusters is None else clusters,
        texts=lambda texts: np.stack(
            [axes[place[next(n for n in sorted(names, key=len, reverse=True) if n in t)]] for t in texts]
        ),
        prompts=prompts,
        settings=settings or Settings(resamples=200),
    )


def values(answer, metric):
    return {json.dumps(f.slice, sort_keys=True): f for f in answer.findings if f.metric == metric}


def only(answer, metric):
    (finding,) = values(answer, metric).values()
    return finding


def pictures_of(shares):
    """How many pictures a class of Oxford Pets has, 88 to 100: the number that makes every model's percentage a whole count."""
    fits = (n for n in range(100, 87, -1) if all(abs(s * n / 100 - round(s * n / 100)) < 1e-6 for s in shares))
    return next(fits)


@pytest.mark.refdata
def test_published_accuracy_of_oxford_pets_is_reproduced(refdata):
    """The published figure is over all pictures; it follows from the published figures of the 37 classes."""
    published = json.loads((refdata / "per-class" / "oxfordpets_ensemble_results.json").read_text())
    names = list(next(iter(published.values()))["classwise"])
    sizes = [pictures_of([figures["classwise"][name] for figures in published.values()]) for name in names]
    assert (len(published), sum(sizes)) == (21, 3669)
    for figures in published.values():
        counts = [(round(figures["classwise"][name] * n / 100), n) for name, n in zip(names, sizes, strict=True)]
        truth = np.concatenate([np.full(n, c) for c, (_, n) in enumerate(counts)])
        answers = np.concatenate([np.r_[np.full(h, c), np.full(n - h, (c + 1) % 37)] for c, (h, n) in enumerate(counts)])
        answer = zero_shot.ask(inputs(answers, truth, names))
        assert 100 * only(answer, "top1").value == pytest.approx(figures["full"], abs=1e-6)
        mean = sum(figures["classwise"].values()) / 37
        assert 100 * only(answer, "mean_per_class").value == pytest.approx(mean, abs=1e-9)
        assert 100 * only(answer, "worst_class").value == pytest.approx(min(figures["classwise"].values()))


def test_a_hand_worked_case():
    # truth:   a a a a b b c     answers: a a b b b c c
    answer = zero_shot.ask(inputs([0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 2], ["a", "b", "c"]))
    assert only(answer, "top1").value == pytest.approx(4 / 7)
    assert only(answer, "mean_per_class").value == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    by_class = {f.slice["class"]: f.value for f in values(answer, "class_accuracy").values()}
    assert by_class == {"a": 0.5, "b": 0.5, "c": 1.0}
    confused = {(f.slice["class"], f.slice["predicted"]): (f.value, f.n) for f in values(answer, "confusion").values()}
    assert confused == {("a", "b"): (0.5, 4), ("b", "c"): (0.5, 2)}


def test_top5_is_asked_only_where_it_says_something():
    few = zero_shot.ask(inputs([0, 1], [0, 1], ["a", "b"]))
    many = zero_shot.ask(inputs([0, 1], [0, 1], list("abcdef")))
    assert not values(few, "top5")
    assert only(many, "top5").value == 1.0


@pytest.mark.parametrize(("classes", "listed", "expected"), [("abcdef", 5, [0.5]), ("abcdef", 4, []), ("abcde", 5, [])])
def test_a_file_has_top5_where_it_lists_five_of_more_classes(classes, listed, expected):
    """Every list begins with a; the true classes are the fifth, and the sixth where there is one."""
    made = inputs([0, 0], [4, len(classes) - 1], list(classes))
    answers = [PicturePrediction(tuple(classes[:listed]))] * 2
    from_file = replace(
        made, images=np.empty((2, 0), np.float32), prompts=(), predictions=lambda rows: [answers[r] for r in rows]
    )
    assert [f.value for f in zero_shot.ask(from_file).findings if f.metric == "top5"] == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (PicturePrediction(("a", "b"), (0.5, 0.5)), [1.0]),
        (PicturePrediction(("a", "b"), (0.6, 0.4)), [0.0]),
        (PicturePrediction(("a",), (0.6,)), []),
        (PicturePrediction(("a", "b")), []),
    ],
)
def test_a_file_has_ties_where_it_scores_several_classes(answer, expected):
    made = inputs([0, 0], [0, 1], ["a", "b", "c"])
    from_file = replace(made, images=np.empty((2, 0), np.float32), prompts=(), predictions=lambda rows: [answer for _ in rows])
    assert [f.value for f in zero_shot.ask(from_file).findings if f.metric == "ties"] == expected


def draw(rng, accuracy, per_class=60):
    """Answers of a model with this accuracy in each class; a wrong answer is any other class."""
    classes = len(accuracy)
    truth = np.repeat(np.arange(classes), per_class)
    right = rng.random(len(truth)) < np.asarray(accuracy)[truth]
    return np.where(right, truth, (truth + rng.integers(1, classes, len(truth))) % classes), truth


def finds_a_weak_class(answer):
    """The worst class's interval lies wholly below that of the mean over classes."""
    return only(answer, "worst_class").high < only(answer, "mean_per_class").low


def test_a_planted_weak_class_is_found():
    answers, truth = draw(np.random.default_rng(0), [0.9] * 7 + [0.1])
    answer = zero_shot.ask(inputs(answers, truth, list("abcdefgh")))
    assert only(answer, "worst_class").slice["class"] == "h"
    assert finds_a_weak_class(answer)


@pytest.mark.slow
def test_without_a_weak_class_it_stays_quiet():
    rng = np.random.default_rng(1)
    alarms = []
    for _ in range(200):
        answers, truth = draw(rng, [0.8] * 8)
        alarms.append(finds_a_weak_class(zero_shot.ask(inputs(answers, truth, list("abcdefgh")))))
    assert not alarms[0]
    assert sum(alarms) <= 18


def test_twin_classes_are_listed_and_reported_with_and_without_merging():
    # Both classes are called missile: the first takes all answers, the second gets 0% whatever the model sees.
    answer = zero_shot.ask(inputs([0, 0, 1, 2], [0, 2, 1, 2], ["missile", "shoe", "missile"]))
    assert only(answer, "top1").value == 0.5
    assert only(answer, "top1_merged").value == 1.0
    assert only(answer, "mean_per_class_merged").value == 1.0
    assert only(answer, "ties").value == 0.75
    by_class = {f.slice["class"]: f.value for f in values(answer, "class_accuracy").values()}
    assert by_class == {"missile (label-0)": 1.0, "shoe": 1.0, "missile (label-2)": 0.0}
    assert any("missile (label-0) = missile (label-2)" in n.what for n in answer.notices)


def test_without_twins_nothing_is_merged():
    answer = zero_shot.ask(inputs([0, 1], [0, 1], ["a", "b"]))
    assert not values(answer, "top1_merged")
    assert only(answer, "ties").value == 0.0


def test_pictures_without_label_are_not_counted():
    answer = zero_shot.ask(inputs([0, 1, 1], [0, 1, -1], ["a", "b"]))
    assert only(answer, "top1").n == 2


def test_a_class_without_pictures_has_no_accuracy():
    answer = zero_shot.ask(inputs([0, 1], [0, 0], ["a", "b"]))
    assert [f.slice["class"] for f in values(answer, "class_accuracy").values()] == ["a"]
    assert only(answer, "mean_per_class").value == 0.5


def test_a_perfect_score_has_an_interval_all_the_same():
    answer = zero_shot.ask(inputs([0, 1, 0, 1], [0, 1, 0, 1], ["a", "b"]))
    for metric in ("top1", "mean_per_class"):
        assert only(answer, metric).low == pytest.approx(binomtest(4, 4).proportion_ci(method="wilson").low)
        assert only(answer, metric).high == 1.0


def test_chance_is_one_of_the_classes():
    answers, truth = draw(np.random.default_rng(0), [0.25] * 4)
    answer = zero_shot.ask(inputs(answers, truth, list("abcd")))
    assert only(answer, "chance").value == 0.25


def test_the_majority_baseline_is_the_share_of_the_most_frequent_class():
    found = only(zero_shot.ask(inputs([0, 1, 1, 2, 2], [0, 2, 2, 2, 1], ["cat", "dog", "ox"])), "majority")
    assert (found.value, found.n, found.baseline) == (3 / 5, 5, "ox")


def test_pictures_of_one_class_have_no_majority_baseline():
    answer = zero_shot.ask(inputs([0, 1], [1, 1], ["cat", "dog"]))
    assert not [f for f in answer.findings if f.metric == "majority"]


def test_one_class_is_no_question():
    with pytest.raises(NotApplicable, match="there is one class, so every prediction would be correct"):
        zero_shot.ask(inputs([0, 0], [0, 0], ["cat"]))


def test_one_picture_of_a_class_is_no_most_confused_pair():
    answer = zero_shot.ask(inputs([1, 1], [0, 1], ["cat", "dog"]))
    (pairs,) = [e for e in answer.exhibits if e.name.startswith("confused-pairs")]
    assert pairs.sentence == "cat is predicted as dog in its only picture, which says little."
    assert "in 2 of 2 pictures" in next(
        e.sentence
        for e in zero_shot.ask(inputs([1, 1, 1], [0, 0, 1], ["cat", "dog"])).exhibits
        if e.name.startswith("confused-pairs")
    )


def test_no_label_at_all_is_not_applicable():
    with pytest.raises(NotApplicable, match="no readable picture has a label"):
        zero_shot.ask(inputs([0], [-1], ["a", "b"]))


def test_copies_of_a_picture_widen_the_interval():
    answers, truth = draw(np.random.default_rng(3), [0.7, 0.7], per_class=30)
    once = only(zero_shot.ask(inputs(answers, truth, ["a", "b"])), "top1")
    tenfold = inputs(np.repeat(answers, 10), np.repeat(truth, 10), ["a", "b"], clusters=np.repeat(np.arange(60), 10))
    copies = only(zero_shot.ask(tenfold), "top1")
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))


def test_copies_of_a_picture_widen_the_intervals_of_classes_too():
    answers, truth = draw(np.random.default_rng(3), [0.7, 0.7], per_class=30)
    once = zero_shot.ask(inputs(answers, truth, ["a", "b"]))
    copies = zero_shot.ask(
        inputs(np.repeat(answers, 10), np.repeat(truth, 10), ["a", "b"], clusters=np.repeat(np.arange(60), 10))
    )
    for metric in ("mean_per_class", "worst_class"):
        assert (only(copies, metric).low, only(copies, metric).high) == pytest.approx(
            (only(once, metric).low, only(once, metric).high)
        )


def test_versions_of_a_picture_widen_the_intervals_as_copies_do():
    """Ten versions of every picture that are all answered alike have the information of one."""
    answers, truth = draw(np.random.default_rng(3), [0.7, 0.7], per_class=30)
    once = zero_shot.ask(inputs(answers, truth, ["a", "b"]))
    tenfold = inputs(np.repeat(answers, 10), np.repeat(truth, 10), ["a", "b"])
    originals = pa.array([f"picture-{10 * (i // 10)}" if i % 10 else None for i in range(600)], pa.string())
    marked = replace(tenfold.dataset, table=tenfold.dataset.table.append_column("attr.source_id", originals))
    versions = zero_shot.ask(replace(tenfold, dataset=marked))
    for metric in ("top1", "mean_per_class", "worst_class", "confusion"):
        of_versions, alone = (next(f for f in a.findings if f.metric == metric) for a in (versions, once))
        assert (of_versions.low, of_versions.high) == pytest.approx((alone.low, alone.high))
        assert of_versions.n == 10 * alone.n
    (notice,) = versions.notices
    assert "600 pictures are versions of 60 originals" in notice.what and once.notices == []


def test_names_that_the_model_hears_alike_are_twins():
    """The vectors of 'tabby' and 'TABBY' are one: as in a model that lower-cases its texts."""
    plain = inputs([0, 0, 1], [0, 2, 1], ["tabby", "shoe", "TABBY"])
    axes = np.eye(3, dtype=np.float32)
    folded = replace(plain, images=axes[[0, 0, 1]], texts=lambda texts: axes[[0 if "tabby" in t.lower() else 1 for t in texts]])
    answer = zero_shot.ask(folded)
    assert only(answer, "top1").value == pytest.approx(2 / 3)
    assert only(answer, "top1_merged").value == 1.0
    assert only(answer, "ties").value == 2 / 3
    assert any("tabby = TABBY" in n.what for n in answer.notices)


def test_every_prompt_set_is_reported_and_compared():
    sets = (BARE, PromptSet("single", ("a photo of a {}",), "test"))
    answer = zero_shot.ask(inputs([0, 1, 1], [0, 1, 0], ["apple", "berry"], prompts=sets))
    assert {f.slice["prompts"] for f in values(answer, "top1").values()} == {"bare", "single"}
    assert answer.exhibits[0].name == "prompt-sets"


def test_synonyms_join_the_class_and_are_asked_for():
    classes = ClassList("test", (PictureClass("0", "sofa", ("couch",)), PictureClass("1", "chair")))
    dataset = replace(inputs([0], [0], ["a"]).dataset, classes=classes)
    texts = zero_shot.texts(TextRequest(dataset, (PromptSet("single", ("a photo of a {}",), "test"),), Settings()))
    assert list(texts) == ["a photo of a sofa", "a photo of a couch", "a photo of a chair"]


def test_confused_pairs_carry_their_pictures():
    answer = zero_shot.ask(inputs([1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1], ["a", "b"]))
    (pairs,) = [e for e in answer.exhibits if e.name.startswith("confused-pairs")]
    (row,) = pairs.table.to_pylist()
    assert (row["class"], row["predicted as"], row["pictures"], row["of"]) == ("a", "b", 5, 5)
    assert row["ids"] == ["picture-0", "picture-1", "picture-2"]


def test_pictures_without_labels_get_predictions_and_shares():
    given = inputs([0, 0, 1, 0, 2, 0, 0, 2], [0] * 8, ["cat", "dog", "hen", "cow"], clusters=np.array([0, 0, 1, 2, 3, 4, 5, 6]))
    unlabeled = replace(given, dataset=replace(given.dataset, table=given.dataset.table.drop_columns(["label"])))
    answer = zero_shot.ask(unlabeled)
    shares = {f.slice["predicted"]: f for f in answer.findings}
    assert {f.metric for f in answer.findings} == {"predicted_share"}
    assert [(name, f.value, f.n) for name, f in shares.items()] == [
        ("cat", 5 / 8, 8), ("dog", 1 / 8, 8), ("hen", 2 / 8, 8), ("cow", 0.0, 8),
    ]  # fmt: skip
    dog = next(f for name, f in shares.items() if "dog" in name)
    # Rows 0 and 1 are copies of one picture. With the clustered variance, n = p(1 − p) / Σ (Σ residuals)² would be 7.7; with
    # fewer than ten pictures it is at most their number.
    residuals = np.array([2 * (0 - 1 / 8), 1 - 1 / 8, *[0 - 1 / 8] * 5]) / 8
    n = min((1 / 8) * (7 / 8) / (residuals @ residuals), 7)
    assert n == 7
    z = 1.959963984540054
    center, reach = (1 / 8 + z**2 / (2 * n)), z * np.sqrt((1 / 8) * (7 / 8) / n + z**2 / (4 * n**2))
    assert (dog.low, dog.high) == pytest.approx(((center - reach) / (1 + z**2 / n), (center + reach) / (1 + z**2 / n)))
    (predictions,) = answer.predictions
    assert predictions.top[:, 0].tolist() == [0, 0, 1, 0, 2, 0, 0, 2]
    assert (predictions.truth == -1).all()
    assert "62.5% of the pictures; 3 of 4 classes" in answer.exhibits[0].sentence
    assert "no accuracy is measured" in answer.notices[0].what


def test_pictures_without_labels_have_a_readable_chart_and_one_list_of_neighbors():
    """50 classes under two prompt sets. A chart has the 40 most frequent; neighbors do not depend on the prompts."""
    names = [f"class {c:02d}" for c in range(50)]
    sets = (BARE, replace(BARE, name="photo"))
    given = inputs([49, 49, 48], [0, 0, 0], names, prompts=sets)
    answer = zero_shot.ask(replace(given, dataset=replace(given.dataset, table=given.dataset.table.drop_columns(["label"]))))
    charts = [e for e in answer.exhibits if e.name.startswith("predicted-shares")]
    assert [e.table.num_rows for e in charts] == [40, 40]
    assert charts[0].table["class"].to_pylist()[:2] == ["class 49", "class 48"]
    assert len([e for e in answer.exhibits if e.name.startswith("neighbors")]) == 1
    assert answer.exhibits[1].slice == charts[0].slice


def test_labels_that_no_readable_picture_has_are_no_unlabeled_dataset():
    with pytest.raises(NotApplicable, match="no readable picture has a label"):
        zero_shot.ask(inputs([0, 1], [-1, -1], ["cat", "dog"]))


def test_every_number_of_a_small_case_has_its_interval():
    """truth: a a a a b b c c; answers: a a b b b c c c."""
    answer = zero_shot.ask(inputs([0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 0, 0, 1, 1, 2, 2], ["a", "b", "c"]))

    def ends(hits, n):
        return pytest.approx(tuple(binomtest(hits, n).proportion_ci(method="wilson")))

    top1 = only(answer, "top1")
    assert (top1.n, top1.slice) == (8, {"prompts": "bare"}) and (top1.low, top1.high) == ends(5, 8)
    for f in values(answer, "class_accuracy").values():
        hits, n = {"a": (2, 4), "b": (1, 2), "c": (2, 2)}[f.slice["class"]]
        assert (f.value, f.n) == (hits / n, n) and (f.low, f.high) == ends(hits, n) and f.interval == "Wilson, 95%"
    worst = only(answer, "worst_class")
    assert (worst.slice["class"], worst.n) == ("a", 4)  # of two classes with one half, the one with more pictures
    for f in values(answer, "confusion").values():
        hits, n = {"a": (2, 4), "b": (1, 2)}[f.slice["class"]]
        assert (f.value, f.n) == (hits / n, n) and (f.low, f.high) == ends(hits, n) and f.interval == "Wilson, 95%"
    assert (only(answer, "ties").n, only(answer, "mean_per_class").n, only(answer, "chance").n) == (8, 8, 8)
    assert only(answer, "chance").value == pytest.approx(1 / 3) and answer.notices == []


@pytest.mark.parametrize(("pairs", "count"), [(0, 0), (1, 1), (2, 2), (5, 2)])
def test_so_many_confused_pairs_are_reported(pairs, count):
    settings = Settings(resamples=50, pairs=pairs)
    answer = zero_shot.ask(inputs([0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1, 2], ["a", "b", "c"], settings=settings))
    assert len(values(answer, "confusion")) == count


def test_only_the_first_prompt_set_shows_neighbors():
    sets = (BARE, PromptSet("single", ("a photo of a {}",), "test"))
    one = zero_shot.ask(inputs([0, 1, 1], [0, 1, 0], ["apple", "berry"]))
    two = zero_shot.ask(inputs([0, 1, 1], [0, 1, 0], ["apple", "berry"], prompts=sets))
    assert len(two.exhibits) == 1 + 2 * len(one.exhibits) - 1 and len(two.predictions) == 2
    assert one.exhibits[0].name != "prompt-sets"


def test_pictures_of_one_class_are_said():
    (notice,) = zero_shot.ask(inputs([0, 1], [1, 1], ["cat", "dog"])).notices
    assert notice.what == "all pictures are of one class"
    assert zero_shot.ask(inputs([0, 1], [1, 0], ["cat", "dog"])).notices == []
    assert zero_shot.ask(inputs([0, 1, 1], [1, 0, 1], ["cat", "dog"])).notices == []  # one cat is enough


def test_an_answer_outside_the_list_is_an_error_of_a_file():
    made = inputs([0, 0, 0], [0, 1, 2], ["a", "b", "c"])
    said = [PicturePrediction(("a",)), PicturePrediction(("zebra",)), PicturePrediction(("c",))]
    from_file = replace(made, images=np.empty((3, 0), np.float32), prompts=(), predictions=lambda rows: [said[r] for r in rows])
    answer = zero_shot.ask(from_file)
    assert only(answer, "top1").value == pytest.approx(2 / 3)
    (confused,) = values(answer, "confusion").values()
    assert (confused.slice["class"], confused.value, confused.n) == ("b", 1.0, 1)
    (predictions,) = answer.predictions
    assert len(predictions.labels) == 4 and predictions.titles[-1] == predictions.labels[-1] == confused.slice["predicted"]
    assert [predictions.titles[c] for c in predictions.top[:, 0]] == ["a", predictions.titles[-1], "c"]
