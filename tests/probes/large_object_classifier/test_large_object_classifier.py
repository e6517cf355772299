"""Linear heads for things in scenes: against scikit-learn by hand, an encoder that weighs by size, and its twin that does not."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.probes.answering import only
from tests.probes.staged import drawn_scenes, objects_column, staged

from eyechart.metrics.classification.linear_heads import fold_rows
from eyechart.metrics.classification.slot_heads import SlotHits, slot_hits, validated_hits
from eyechart.probes.contract import NotApplicable
from eyechart.probes.large_object_classifier import ScoredScenes, Settings, large_object_classifier, lead
from eyechart.probes.tasks.objects import Scenes

NAMES = [f"thing {letter}" for letter in "abcdef"]


def mixed(rng, count, n, power, noise=0.35, spread=(1, 12)):
    """Scenes whose vectors are sums of their things', weighed by area^power and shuffled by noise; power 0 weighs all alike."""
    shown, areas = drawn_scenes(rng, count, n, NAMES, spread)
    axes = np.random.default_rng(99).standard_normal((len(NAMES), 16))
    weights = areas**power / (areas**power).sum(axis=1, keepdims=True)
    vectors = [w @ axes[[NAMES.index(name) for name in of]] for w, of in zip(weights, shown, strict=True)]
    return shown, areas, np.array(vectors) + noise * rng.standard_normal((count, 16))


def asked(rng, *, power, count=600, n=3, settings=None, clusters=None):
    shown, areas, vectors = mixed(rng, count, n, power)
    return large_object_classifier.ask(staged(objects_column(shown, areas), vectors, settings or Settings(), clusters=clusters))


def exact(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def test_accuracy_is_that_of_scikit_learns_heads_on_the_same_folds():
    rng = np.random.default_rng(0)
    shown, areas, vectors = mixed(rng, 800, 2, 1.0)
    inputs = staged(objects_column(shown, areas), vectors, Settings(seed=5, folds=3))
    answer = large_object_classifier.ask(inputs)
    largest = np.array([NAMES.index(of[int(np.argmax(area))]) for of, area in zip(shown, areas, strict=True)])
    x, right = inputs.images.astype(float), 0
    for split in fold_rows(800, folds=3, seed=5):
        lost = {}
        for penalty in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
            head = LogisticRegression(C=1 / (len(split.fit) * penalty), tol=1e-8, max_iter=20_000).fit(
                x[split.fit], largest[split.fit]
            )
            own = head.predict_log_proba(x[split.choose])[np.arange(len(split.choose)), largest[split.choose]]
            lost[penalty] = (-own.mean(), (head.predict(x[split.judge]) == largest[split.judge]).sum())
        right += min(lost.values())[1]
    told = exact(answer, "object_accuracy", objects=2, size_rank=1)
    assert told.n == 800
    assert told.value == pytest.approx(right / 800, abs=0.005)


def test_every_scene_judges_once_and_never_what_it_was_fitted_on():
    clusters = np.arange(200) // 2
    splits = fold_rows(200, folds=4, seed=1, clusters=clusters)
    assert sorted(np.concatenate([s.judge for s in splits]).tolist()) == list(range(200))
    for s in splits:
        assert sorted(np.concatenate([s.fit, s.choose, s.judge]).tolist()) == list(range(200))
        assert len(s.choose) == 20 and not set(clusters[s.judge]) & set(clusters[np.concatenate([s.fit, s.choose])])
    assert len({tuple(s.choose) for s in splits}) == 4


def test_what_weighs_more_is_told_better():
    answer = asked(np.random.default_rng(1), power=1.0, count=1200)
    assert only(answer, "large_object_accuracy_lead").low > 0.1
    assert only(answer, "large_object_accuracy").low > exact(answer, "object_accuracy", objects=3, size_rank=3).high
    assert exact(answer, "chance", objects=3).value == 1 / 6


def test_where_all_weigh_alike_none_is_told_better():
    answer = asked(np.random.default_rng(2), power=0.0, count=1200)
    lead = only(answer, "large_object_accuracy_lead")
    assert lead.low < 0 < lead.high
    assert exact(answer, "object_accuracy", objects=3, size_rank=1).low > 1 / 6


@pytest.mark.slow
def test_false_alarms_are_rare():
    """Heads that are right as often for every thing, with scenes that are easy or hard as a whole."""
    rng, alarms = np.random.default_rng(3), 0
    scenes = Scenes(np.arange(60), np.tile(np.arange(3), (60, 1)), np.ones((60, 3)))
    for _ in range(200):
        hits = rng.random((60, 3)) < rng.beta(2, 2, (60, 1))
        judged = ScoredScenes(scenes, "size_rank", SlotHits(hits, (), True, 0.0), np.arange(60))
        found = lead(judged)
        alarms += not found.low <= 0 <= found.high
    assert alarms <= 18, alarms


def test_heads_that_are_always_right_prove_no_more_than_their_scenes_do():
    """Newcombe: two shares of 29 of 29 that go together by nothing are apart by 1 − 29 / (29 + 1.96²) = 11.7 points at most."""
    scenes = Scenes(np.arange(29), np.tile(np.arange(3), (29, 1)), np.ones((29, 3)))
    found = lead(ScoredScenes(scenes, "size_rank", SlotHits(np.ones((29, 3), bool), (), True, 0.0), np.arange(29)))
    assert found.value == 0.0 and -found.low == pytest.approx(1 - 29 / 32.84, abs=0.001) == pytest.approx(found.high, abs=0.001)


def test_copies_stay_on_one_side_of_the_split():
    """Noise alone, every picture twice: with a copy to learn by heart, heads would be right."""
    rng = np.random.default_rng(4)
    shown, areas = drawn_scenes(rng, 300, 2, NAMES)
    vectors = rng.standard_normal((300, 400))
    column = objects_column(shown * 2, np.tile(areas, (2, 1)))
    answer = large_object_classifier.ask(
        staged(column, np.tile(vectors, (2, 1)), Settings(), clusters=np.tile(np.arange(300), 2))
    )
    assert (
        exact(answer, "object_accuracy", objects=2, size_rank=1).low
        < 1 / 6
        < exact(answer, "object_accuracy", objects=2, size_rank=1).high + 0.05
    )


def test_few_scenes_are_refused_with_the_setting_that_says_so():
    with pytest.raises(NotApplicable, match=r"large_object_classifier\.least"):
        asked(np.random.default_rng(5), power=1.0, count=100)


def test_things_that_no_head_has_seen_in_a_slot_are_told_of():
    rng = np.random.default_rng(6)
    names = [f"thing {i}" for i in range(60)]
    shown, areas = drawn_scenes(rng, 200, 2, names)
    answer = large_object_classifier.ask(staged(objects_column(shown, areas), rng.standard_normal((200, 8)), Settings()))
    assert any("that the training scenes do not show" in n.what for n in answer.notices)


def test_every_exhibit_says_what_to_see():
    answer = asked(np.random.default_rng(7), power=1.0)
    assert [e.name for e in answer.exhibits] == ["accuracy-by-size", "accuracy-by-place"]
    assert "chance among 6 names is 16.7%" in answer.exhibits[0].sentence


def test_settings_are_checked():
    with pytest.raises(ValueError, match="at least 20"):
        Settings(least=3)


def test_hits_of_all_folds_stand_at_the_rows_that_they_judge():
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, (120, 1))
    vectors = np.eye(3, dtype=np.float32)[truth[:, 0]] + 0.8 * rng.standard_normal((120, 3)).astype(np.float32)
    splits = fold_rows(120, folds=3, seed=2)
    whole = validated_hits(vectors, truth, splits, classes=3)
    assert 0.4 < whole.hits.mean() < 0.98  # or the order would not show
    for split in splits:
        assert whole.hits[split.judge].tolist() == slot_hits(vectors, truth, split, classes=3).hits.tolist()


def test_without_scenes_of_four_objects_the_headline_is_of_the_most_frequent_number():
    rng = np.random.default_rng(3)
    few, many = mixed(rng, 24, 2, 1.0), mixed(rng, 30, 3, 1.0)
    column = objects_column([*few[0], *many[0]], [*few[1], *many[1]])
    scenes = staged(column, np.concatenate([few[2], many[2]]), Settings(least=20, folds=2))
    answer = large_object_classifier.ask(scenes)
    (headline,) = [f for f in answer.findings if f.metric == "large_object_accuracy"]
    assert headline.slice == {"objects": 3}
    assert headline.value == exact(answer, "object_accuracy", objects=3, size_rank=1).value
