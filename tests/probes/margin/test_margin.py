"""Margins of classes: by brute force, by labels of a reference, planted difficulty found and shuffled accuracies not."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.found import table_of
from tests.probes.answering import BARE, NoPictures, class_list, only

from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.finding_worst import rank_agreement
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes import zero_shot as first
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.margin import Settings, margin, texts
from eyechart.probes.margin.signals import class_signals
from eyechart.prompts.library import load_prompts

CLASSES, WIDTH, EACH = 12, 16, 25


def inputs(*, noise, seed=0, can_encode=lambda texts: True, reference=None, each=EACH, **more):
    """Classes along random directions; pictures of class c as far from theirs as `noise[c]`. Said bare a class has its direction,
    in any other words that of `reference`, the same where there is none."""
    rng = np.random.default_rng(seed)
    classes = class_list([f"thing{i:02}" for i in range(CLASSES)])
    heads = unit(rng.normal(size=(CLASSES, WIDTH)).astype(np.float32))
    others = heads if reference is None else reference(heads)
    truth = np.repeat(np.arange(CLASSES), each)
    images = heads[truth] + np.asarray(noise)[truth, None] * rng.normal(size=(len(truth), WIDTH)) / np.sqrt(WIDTH)
    place = {c.name: i for i, c in enumerate(classes)}

    def hear(asked):
        numbers = [next(i for name, i in place.items() if name in text) for text in asked]
        return np.stack([heads[i] if text in place else others[i] for i, text in zip(numbers, asked, strict=True)])

    table = pa.table({"id": [str(i) for i in range(len(truth))], "label": [classes[int(t)].label for t in truth]})
    made = ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", table, NoPictures(len(truth)), classes),
        images=unit(images.astype(np.float32)),
        clusters=np.arange(len(truth)),
        texts=hear,
        prompts=(BARE,),
        settings=first.Settings(resamples=50),
        logit_scale=50.0,
        can_encode=can_encode,
    )
    table = table_of(first.zero_shot.ask(made).findings, model="t", dataset="t", probe="zero_shot", protocol="p", version=1)
    return replace(made, upstream={"zero_shot": table}, settings=Settings(resamples=200), **more)


RISING = np.linspace(0.3, 3.5, CLASSES)


def test_margins_by_true_labels_by_brute_force():
    made = inputs(noise=RISING)
    heads = made.texts([c.name for c in made.dataset.classes]).astype(float)
    answer = margin.ask(made)
    for c in (0, 5, 11):
        mine = []
        for x in made.images[c * EACH : (c + 1) * EACH].astype(float):
            cosines = [float(x @ t) for t in heads]
            mine.append(cosines[c] - max(v for j, v in enumerate(cosines) if j != c))
        found = only(answer, "class_margin", labels="true", **{"class": f"thing{c:02}"})
        assert found.value == pytest.approx(np.mean(mine), abs=1e-5)
        half = 2.0639 * np.std(mine, ddof=1) / np.sqrt(EACH)  # Student's quantile of 24 degrees of freedom
        assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-3)


def test_planted_difficulty_is_found_with_and_without_labels():
    answer = margin.ask(inputs(noise=RISING))
    for labels in ("true", "pseudo"):
        found = only(answer, "rank_correlation", signal="margin", labels=labels)
        assert found.low > 0
    assert (
        only(answer, "margin_rank_correlation").value == only(answer, "rank_correlation", signal="margin", labels="pseudo").value
    )
    assert only(answer, "overlap_chance").value == pytest.approx(2 / 12)
    assert {f.slice["signal"] for f in answer.findings if f.metric == "overlap"} == {
        "margin",
        "confusion",
        "entropy",
        "confidence",
    }
    assert not answer.notices


def test_accuracies_of_other_classes_are_not_found():
    """The same margins beside accuracies that were dealt anew."""
    made = inputs(noise=RISING)
    values = np.array([f.value for f in margin.ask(made).findings if f.metric == "class_margin" and f.slice["labels"] == "true"])
    rng = np.random.default_rng(0)
    intervals = [rank_agreement(values, rng.permutation(RISING)) for _ in range(200)]
    alarms = [not low <= 0 <= high for _, low, high in intervals]
    assert not alarms[0] and sum(alarms) <= 18


def test_pictures_are_labeled_by_the_reference_and_not_by_the_examined_prompts():
    """A reference that has two classes the wrong way round labels half of their pictures so; margins there fall below 0."""
    swapped = inputs(noise=np.full(CLASSES, 0.8) + RISING / 10, reference=lambda heads: heads[[1, 0, *range(2, CLASSES)]])
    answer = margin.ask(swapped)
    assert only(answer, "class_margin", labels="pseudo", **{"class": "thing00"}).value < 0
    assert only(answer, "class_margin", labels="true", **{"class": "thing00"}).value > 0
    assert only(answer, "pseudo_label_accuracy").value < 0.9


def test_own_labels_come_with_a_warning():
    answer = margin.ask(inputs(noise=RISING, can_encode=lambda texts: all(text.startswith("thing") for text in texts)))
    assert any("pseudo-labels come from the examined prompts themselves" in n.what for n in answer.notices)
    assert all(f.value >= 0 for f in answer.findings if f.metric == "class_margin" and f.slice["labels"] == "pseudo")


def test_a_class_that_nobody_is_taken_for_is_named():
    lost = inputs(noise=np.full(CLASSES, 0.5) + RISING / 10, reference=lambda heads: np.vstack([-heads[:1], heads[1:]]))
    answer = margin.ask(lost)
    (said,) = answer.notices
    assert "1 class gets no pseudo-label" in said.what and "thing00" in said.what


def test_a_class_without_pseudo_labels_gets_the_lowest_value_of_every_signal():
    """thing00 is the opposite of its pictures in the reference, so no picture gets its label."""
    lost = inputs(noise=np.full(CLASSES, 0.5) + RISING / 10, reference=lambda heads: np.vstack([-heads[:1], heads[1:]]))
    truth = np.repeat(np.arange(CLASSES), EACH)
    found = class_signals(lost, BARE, load_prompts("openai-7"), np.arange(len(truth)), truth)["pseudo"]
    assert found.empty.tolist() == [0]
    for name in ("entropy", "confidence"):
        values = found.signals[name]
        assert values[0] == values[1:].min() < values[1:].max(), name


def test_which_texts_are_asked_for():
    dataset = inputs(noise=RISING).dataset
    pool, seven, eighty = (load_prompts(name) for name in ("pool-164", "openai-7", "openai-80"))

    def each(prompts, **settings):
        return len(texts(TextRequest(dataset, (prompts,), Settings(**settings)))) / CLASSES

    assert each(BARE) == 1 + 7
    assert each(eighty) == 80  # the seven are among them: nothing is asked beside the exam's own prompts
    assert each(seven) <= 7 + 30
    assert each(BARE, reference="pool-164") == 1 + 164
    assert each(pool, reference="pool-164") == 164  # openai-80 is a part of the pool
    assert len(texts(TextRequest(dataset, (BARE,), Settings(), lambda texts: False))) == CLASSES


@pytest.mark.parametrize(
    ("examined", "reference", "judge"),
    [
        ("bare", "", "openai-7"),
        ("openai-7", "", "eyechart-30"),
        ("bare", "pool-164", "pool-164"),
        ("pool-164", "pool-164", "openai-80"),
    ],
)
def test_what_labeled_the_pictures_is_said(examined, reference, judge):
    settings = Settings(resamples=50, reference=reference) if reference else Settings(resamples=50)
    made = inputs(noise=RISING)
    made = replace(made, prompts=(load_prompts(examined),), settings=first.Settings(resamples=50))
    found = table_of(first.zero_shot.ask(made).findings, model="t", dataset="t", probe="zero_shot", protocol="p", version=1)
    answer = margin.ask(replace(made, upstream={"zero_shot": found}, settings=settings))
    assert only(answer, "pseudo_label_accuracy").slice["reference"] == judge
    assert f"Pseudo-labels come from {judge}, {len(load_prompts(judge))} prompts for each class" in answer.exhibits[0].sentence


def test_without_a_scale_entropy_and_confidence_are_left_out():
    answer = margin.ask(inputs(noise=RISING, logit_scale=None))
    assert {f.slice["signal"] for f in answer.findings if f.metric == "rank_correlation"} == {"margin", "confusion"}


def test_more_worst_classes_than_there_are_is_all_of_them():
    answer = margin.ask(replace(inputs(noise=RISING), settings=Settings(k=CLASSES + 5, resamples=50)))
    assert only(answer, "margin_overlap").slice["k"] == CLASSES
    assert only(answer, "margin_overlap").value == pytest.approx(1.0)


def test_nothing_is_worst_where_all_are_alike():
    with pytest.raises(NotApplicable, match="equally accurate"):
        margin.ask(inputs(noise=np.zeros(CLASSES)))
    with pytest.raises(NotApplicable, match="fewer than two"):
        margin.ask(replace(inputs(noise=RISING), upstream={}))
    made = inputs(noise=RISING)
    few = [
        Finding(metric="class_accuracy", value=c / 9, n=4, slice={"class": f"thing{c:02}", "prompts": "bare"}) for c in range(4)
    ]
    few.append(Finding(metric="mean_per_class", value=0.2, n=16, low=0.0, high=1.0, slice={"prompts": "bare"}))
    table = table_of(few, model="t", dataset="t", probe="zero_shot", protocol="p", version=1)
    with pytest.raises(NotApplicable, match="a rank correlation needs"):
        margin.ask(replace(made, upstream={"zero_shot": table}))


@pytest.mark.parametrize("settings", [{"reference": "pool"}, {"k": -1}, {"resamples": 0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError):
        Settings(**settings)


def test_every_signal_is_higher_for_accurate_classes():
    """Entropy and confusion are high where a class is hard, so both are taken with a minus."""
    other = np.random.default_rng(1).normal(size=(CLASSES, WIDTH)) / np.sqrt(WIDTH)
    answer = margin.ask(inputs(noise=RISING, reference=lambda heads: unit((heads + 0.7 * other).astype(np.float32))))
    for labels in ("true", "pseudo"):
        for signal in ("margin", "confusion", "entropy", "confidence"):
            found = only(answer, "rank_correlation", signal=signal, labels=labels)
            assert found.value > 0.3, (signal, labels)


def test_gains_are_differences_of_rank_correlations():
    """A reference with two classes the wrong way round makes pseudo-labels worse than true ones: the gain is negative."""
    answer = margin.ask(inputs(noise=RISING, reference=lambda heads: heads[[1, 0, *range(2, CLASSES)]]))

    def rank(signal, labels):
        return only(answer, "rank_correlation", signal=signal, labels=labels).value

    gain = only(answer, "pseudo_label_gain")
    assert gain.value == pytest.approx(rank("margin", "pseudo") - rank("margin", "true")) and gain.value < -0.1
    assert gain.baseline == "true labels"
    for found in (f for f in answer.findings if f.metric == "rank_gain"):
        labels = found.slice["labels"]
        assert found.value == pytest.approx(rank("margin", labels) - rank(found.baseline, labels))
