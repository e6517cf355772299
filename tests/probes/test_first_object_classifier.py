"""Heads on captions: vectors that hold known positions, vectors without order, and the coverage of the intervals."""

import numpy as np
import pytest
from tests.probes.answering import only
from tests.probes.text_encoders import encodable, named

import eyechart
from eyechart.probes.contract import NotApplicable
from eyechart.probes.first_object_classifier import Settings, _findings, _names, first_object_classifier

NAMES = [f"n{i}" for i in range(12)]


class Places:
    """A caption's vector holds the name of each position in a part of its own, or with the chance 1 − `kept` any other name."""

    def __init__(self, names, kept, seed=0):
        self.names, self.kept, self.rng = names, np.asarray(kept), np.random.default_rng(seed)

    def __call__(self, texts):
        said = np.array([[self.names.index(name) for name in text.split(" and ")] for text in texts])
        wrong = (said + self.rng.integers(1, len(self.names), said.shape)) % len(self.names)
        there = np.where(self.rng.random(said.shape) < self.kept, said, wrong)
        return np.eye(len(self.names), dtype=np.float32)[there].reshape(len(said), -1)


def asked(encode, **settings):
    return first_object_classifier.ask(encodable(named(NAMES), encode, Settings(**{"count": 3, "captions": 450, **settings})))


def test_accuracies_of_known_positions_are_recovered():
    """A name that is there with the chance p is told with the chance p: no other is likelier."""
    answer = asked(Places(NAMES, (0.95, 0.7, 0.4)))
    for position, truth in enumerate((0.95, 0.7, 0.4), 1):
        found = only(answer, "position_accuracy", position=position)
        assert found.low <= truth <= found.high
    assert only(answer, "first_object_accuracy_lead").low > 0.2
    assert only(answer, "chance").value == 1 / 12


def test_a_vector_without_order_tells_every_position_alike():
    """A third at best: the names are known, and which of them stands where is not."""

    def summed(texts):
        return [np.eye(12)[[NAMES.index(name) for name in text.split(" and ")]].sum(axis=0) for text in texts]

    answer = asked(summed)
    lead = only(answer, "first_object_accuracy_lead")
    assert lead.low <= 0 <= lead.high
    for position in (1, 2, 3):
        found = only(answer, "position_accuracy", position=position)
        assert found.low <= 1 / 3 <= found.high


def test_intervals_cover_and_positions_alike_raise_few_alarms():
    """Heads that are right with chances of the names, drawn anew for every list; no position has an advantage."""
    rng, covered, alarms = np.random.default_rng(0), 0, 0
    truth = (1 / (1 + np.exp(-rng.normal(0.8, 0.7, 400_000)))).mean()
    for _ in range(200):
        sets = rng.random((60, 30)).argpartition(3, axis=1)[:, :4]
        chances = 1 / (1 + np.exp(-rng.normal(0.8, 0.7, 30)))
        objects = np.concatenate([np.roll(sets, -turn, axis=1) for turn in range(4)])
        found = _findings(rng.random(objects.shape) < chances[objects], objects, np.tile(np.arange(60), 4), 30)
        first, lead = found[:2]
        covered += first.low <= truth <= first.high
        alarms += not lead.low <= 0 <= lead.high
    assert 179 <= covered <= 198
    assert alarms <= 18


def test_of_a_long_list_a_part_is_told_apart():
    answer = asked(Places(NAMES, (0.9, 0.9, 0.9)), most=9)
    assert only(answer, "chance").value == 1 / 9
    (told,) = answer.notices
    assert told.what == "the classifiers use 9 of 12 of the classes of test"
    whole = asked(Places(NAMES, (0.9, 0.9, 0.9)), most=12)  # as many as there are
    assert only(whole, "chance").value == 1 / 12 and whole.notices == []


def test_too_few_names_or_captions_are_no_ground():
    with pytest.raises(NotApplicable, match="need more names than the 3"):
        asked(Places(NAMES[:3], 1), words=tuple(NAMES[:3]))
    with pytest.raises(ValueError, match="at least 160"):
        Settings(captions=100)
    inputs = encodable(named(NAMES), Places(NAMES, 1), Settings(), truncated=lambda texts: np.ones(len(texts), bool))
    with pytest.raises(NotApplicable, match="too few captions fit"):
        first_object_classifier.ask(inputs)


@pytest.mark.parametrize("sets", [19, 20])
def test_twenty_sets_of_names_that_fit_are_enough(sets):
    """Of 150 sets in three rotations, all but the first ones are too long."""
    made = Settings(count=3, captions=450)
    inputs = encodable(named(NAMES), Places(NAMES, 1), made, truncated=lambda texts: np.arange(len(texts)) % 150 >= sets)
    if sets < 20:
        with pytest.raises(NotApplicable, match="too few captions fit"):
            first_object_classifier.ask(inputs)
    else:
        assert only(first_object_classifier.ask(inputs), "chance").value == 1 / 12


def test_the_whole_way_on_the_embedded_world(store, tmp_path):
    exam = eyechart.examine(
        "demo:",
        "world-objects",
        limit=4,
        probes=["first_object_classifier"],
        settings={"first_object_classifier": {"captions": 120, "count": 2}},
        out=tmp_path / "out",
        store=store,
    )
    assert {f["metric"] for f in exam.findings.to_pylist()} >= {"position_accuracy", "first_object_accuracy_lead"}


def test_the_first_is_called_best_only_where_its_interval_lies_above_all_others():
    def told(kept):
        return asked(Places(NAMES, kept)).exhibits[0].sentence

    assert "the first object is classified best" in told((0.99, 0.3, 0.3))
    assert "better than the mean of the others, but not better than the third at 95% confidence" in told((0.9, 0.1, 0.9))
    assert "the first object is classified worse than the mean of the others" in told((0.2, 0.9, 0.9))


@pytest.mark.parametrize(("most", "kept"), [(12, 12), (11, 11), (13, 12)])
def test_so_many_names_are_used(most, kept):
    made = encodable(named(NAMES), None, Settings(count=3, captions=450, most=most))
    found = _names(made)
    assert len(found) == kept and list(found.names) == sorted(found.names)
    assert found.title.startswith("11 of 12 of ") is (most == 11)


def test_the_lead_is_the_first_position_minus_the_mean_of_the_others():
    """Four captions of three names; a lead is between −1 and 1."""
    correct = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]], bool)
    objects = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]])
    table = {(f.metric, f.slice.get("position")): f for f in _findings(correct, objects, np.arange(4), 12)}
    lead = table["first_object_accuracy_lead", None]
    assert lead.value == pytest.approx((0.5 + 1 - 1 + 0) / 4) and lead.n == 4 and lead.low >= -1 and lead.high <= 1
    assert [table["position_accuracy", k].value for k in (1, 2, 3)] == [0.75, 0.75, 0.5]
    perfect = _findings(np.tile([True, False, False], (4, 1)), objects, np.arange(4), 12)
    (alone,) = [f for f in perfect if f.metric == "first_object_accuracy_lead"]
    assert (alone.value, alone.high) == (1.0, 1.0)
