"""Large objects: brute force, an encoder that weighs areas by a known power, its twin to which size means nothing, and what there
is to look among."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import among, only
from tests.probes.staged import drawn_scenes, object_ranks_of, objects_column, staged, weighing

from eyechart.metrics.vectors import unit
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.large_object import DEFAULT_OBJECTS, Settings, _leading, _left_out, large_object
from eyechart.probes.large_object.shares import ODDS, SceneRetrieval, _choices, odds_findings
from eyechart.probes.large_object.size_ratios import ratio_bins
from eyechart.probes.large_object.targets import Targets, _single_sets, name_targets, picture_targets
from eyechart.probes.tasks.objects import Scenes

NAMES = [f"thing {letter}" for letter in "abcdefghij"]
QUICK = Settings()


def beside(scenes, vectors, names=NAMES, role="gallery", labels=None):
    """The scenes with pictures of single things beside them."""
    singles = staged(None, vectors, None, name="single", role=role, columns={"label": pa.array(labels or names)})
    return among(scenes, singles)


def encoded(rng, *, power, right=0.0, count=300, n=4, settings=QUICK, **more):
    shown, areas = drawn_scenes(rng, count, n, NAMES)
    scenes = staged(objects_column(shown, areas), weighing(rng, shown, areas, NAMES, power, right), settings, **more)
    return beside(scenes, np.eye(len(NAMES))), shown, areas


def test_shares_are_those_of_a_loop_over_random_vectors():
    rng = np.random.default_rng(0)
    shown, areas = drawn_scenes(rng, 400, 3, NAMES)
    targets = rng.standard_normal((10, 5))
    vectors = [sum(targets[NAMES.index(n)] for n in of) + 1.2 * rng.standard_normal(5) for of in shown]
    answer = large_object.ask(beside(staged(objects_column(shown, areas), vectors, QUICK), targets))
    looks, single = unit(np.asarray(vectors, np.float32)), unit(targets.astype(np.float32))
    by_size, by_place, kept_size, kept_place, kept, other, found = [0] * 3, [0] * 3, [0] * 3, [0] * 3, 0, 0, 0
    own_size, own_place = [0] * 3, [0] * 3
    for vector, of, area in zip(looks, shown, areas, strict=True):
        ranking = sorted(NAMES, key=lambda name: -float(vector @ single[NAMES.index(name)]))
        exactly = set(ranking[:3]) == set(of)
        kept += exactly
        found += len(set(ranking[:3]) & set(of)) / 3
        first = of.index(min(of, key=ranking.index))  # of the scene's own objects, whatever else is nearer
        own_place[first] += 1
        own_size[sorted(range(3), key=lambda i: -area[i]).index(first)] += 1
        if ranking[0] not in of:
            other += 1
            continue
        place = of.index(ranking[0])
        rank = sorted(range(3), key=lambda i: -area[i]).index(place)
        by_size[rank] += 1
        by_place[place] += 1
        kept_size[rank] += exactly
        kept_place[place] += exactly
    assert 20 < kept < 380  # or the test says nothing
    where = {"against": "pictures", "objects": 3}
    assert only(answer, "all_objects_retrieved", **where).value == pytest.approx(kept / 400)
    assert only(answer, "top_n_recall", **where).value == pytest.approx(found / 400)
    assert only(answer, "other_object_share", **where).value == pytest.approx(other / 400)
    for k in range(3):
        slots = (("size_rank", by_size, kept_size, own_size), ("place", by_place, kept_place, own_place))
        for key, all_of, of_kept, of_own in slots:
            assert exact(answer, "own_object_share", **where, **{key: k + 1}).value == pytest.approx(of_own[k] / 400)
            assert exact(answer, "object_share", **where, **{key: k + 1}).value == pytest.approx(all_of[k] / 400)
            among_kept = exact(answer, "object_share_conditional", **where, **{key: k + 1})
            assert (among_kept.value, among_kept.n) == (pytest.approx(of_kept[k] / kept), kept)


def exact(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def chances(areas, power):
    """[N, n], largest first: what the weighing encoder was told."""
    ordered = -np.sort(-areas, axis=1)
    return ordered**power / (ordered**power).sum(axis=1, keepdims=True)


def test_a_known_weight_of_area_is_recovered():
    answer_given, _, areas = encoded(np.random.default_rng(1), power=0.8, count=600)
    answer = large_object.ask(answer_given)
    odds = exact(answer, "odds_ratio_double_area", against="pictures")
    assert odds.low < 2**0.8 < odds.high
    assert odds.low > 1.3
    for k, chance in enumerate(chances(areas, 0.8).mean(axis=0)):
        share = exact(answer, "object_share_conditional", against="pictures", objects=4, size_rank=k + 1)
        assert share.low < chance < share.high
        assert share.n == 600
    assert only(answer, "large_object_share_conditional").value == exact(
        answer, "object_share_conditional", against="pictures", objects=4, size_rank=1
    ).value  # fmt: skip
    assert only(answer, "large_object_odds_ratio").value == odds.value


def test_dose_and_response_follow_the_weight():
    inputs, _, areas = encoded(np.random.default_rng(2), power=1.0, count=1500, n=2)
    answer = large_object.ask(inputs)
    ratio = areas.max(axis=1) / areas.min(axis=1)
    ratio_bins = {f.slice["ratio"]: f for f in answer.findings if f.metric == "object_share" and "ratio" in f.slice}
    assert list(ratio_bins)[:7] == [1, 1.5, 2, 3, 4, 6, 8]
    inside = [f.low <= (r / (1 + r))[near(ratio, dose)].mean() <= f.high for dose, f in ratio_bins.items() for r in [ratio]]
    assert sum(inside) >= len(inside) - 1
    assert ratio_bins[8].low > ratio_bins[1].high
    assert "size-ratio" in [e.name for e in answer.exhibits]


def near(ratios, dose):
    ratio_bins = np.array([1, 1.5, 2, 3, 4, 6, 8, 11, 15, 22])
    return ratio_bins[np.abs(np.log(ratios[:, None] / ratio_bins)).argmin(axis=1)] == dose


def test_an_encoder_to_which_size_means_nothing_is_left_in_peace():
    answer = large_object.ask(encoded(np.random.default_rng(0), power=0.0, count=600)[0])
    assert only(answer, "large_object_odds_ratio").low < 1 < only(answer, "large_object_odds_ratio").high
    assert only(answer, "large_object_share_conditional").low < 0.25 < only(answer, "large_object_share_conditional").high


def looked_at(rng, areas, power, right=0.0):
    """Scenes of four by the choices that a weighing encoder would make, without vectors: what 200 draws are cheap with."""
    n = areas.shape[1]
    chosen = (power * np.log(areas) + right * np.linspace(0, 1, n) + rng.gumbel(size=areas.shape)).argmax(axis=1)
    ranks = object_ranks_of(np.eye(n, dtype=np.float32)[chosen], np.full(len(areas), n, np.int8))
    scenes = Scenes(np.arange(len(areas)), np.argsort(rng.random((len(areas), 10)), axis=1)[:, :n], areas)
    return SceneRetrieval(Targets("pictures", tuple(NAMES), np.eye(10, dtype=np.float32)), scenes, ranks, np.arange(len(areas)))


@pytest.mark.slow
def test_false_alarms_are_rare():
    rng, alarms, shares = np.random.default_rng(3), 0, 0
    areas = drawn_scenes(rng, 150, 4, NAMES)[1]
    for _ in range(200):
        looked = looked_at(rng, areas, 0.0)
        odds = odds_findings([looked])[0]
        alarms += not odds.low < 1 < odds.high
        largest = looked.share("object_share", looked.by_size.top[:, 0], {})
        shares += not largest.low <= 0.25 <= largest.high
    assert alarms <= 18, alarms
    assert shares <= 18, shares


def test_intervals_of_the_odds_hold_what_was_planted():
    rng, hits = np.random.default_rng(4), np.zeros(2)
    areas = drawn_scenes(rng, 150, 4, NAMES)[1]
    for _ in range(200):
        size, right, _ = odds_findings([looked_at(rng, areas, 0.6, right=-0.5)])
        hits += size.low < 2**0.6 < size.high, right.low < np.exp(-0.5) < right.high
    assert ((hits >= 179) & (hits <= 198)).all(), hits


def test_place_is_not_taken_for_size():
    """The large thing always stands left and the encoder goes by place alone: by size it looks as if size did it."""
    rng = np.random.default_rng(5)
    shown, areas = drawn_scenes(rng, 800, 3, NAMES)
    areas = -np.sort(-areas, axis=1)
    scenes = staged(objects_column(shown, areas), weighing(rng, shown, areas, NAMES, 0.0, right=-2.0), QUICK)
    answer = large_object.ask(beside(scenes, np.eye(10)))
    assert only(answer, "large_object_share_conditional").low > 0.45
    size, right = only(answer, "large_object_odds_ratio"), exact(answer, "odds_ratio_right", against="pictures")
    assert size.low < 1 < size.high
    assert right.low < np.exp(-2.0) < right.high


def test_names_are_looked_among_where_the_model_hears_them():
    rng = np.random.default_rng(6)
    inputs, *_ = encoded(rng, power=0.8, heard=NAMES, texts=np.eye(10))
    answer = large_object.ask(inputs)
    pairs = [(exact(answer, "object_share", against=a, objects=4, size_rank=1).value) for a in ("pictures", "names")]
    assert pairs[0] == pairs[1]
    alone = large_object.ask(replace(inputs, companions={}))
    assert {f.slice["against"] for f in alone.findings} == {"names"}
    assert any("object names only" in n.what for n in alone.notices)


def test_asked_texts_are_the_names_that_the_model_has():
    dataset = encoded(np.random.default_rng(7), power=1.0)[0].dataset
    asked = TextRequest(dataset, (), QUICK, lambda texts: set(texts) <= set(NAMES[:4]))
    assert list(large_object.texts(asked)) == NAMES[:4]
    assert list(large_object.texts(TextRequest(dataset, (), QUICK, lambda texts: not texts))) == []


def test_with_nothing_to_look_among_it_is_not_asked():
    inputs = replace(encoded(np.random.default_rng(8), power=1.0)[0], companions={})
    with pytest.raises(NotApplicable, match="--gallery"):
        large_object.ask(inputs)


def test_any_set_of_single_things_will_do_and_one_that_lacks_a_name_will_not():
    inputs = encoded(np.random.default_rng(9), power=1.0)[0]
    whole = beside(inputs, np.eye(10), role="exam")
    assert "from single" in str(large_object.ask(whole).notices[0])
    with pytest.raises(NotApplicable):
        large_object.ask(beside(inputs, np.eye(10)[:9], names=NAMES[:9], role="exam"))


def test_the_target_of_a_name_is_the_mean_of_its_pictures_or_of_some():
    rng = np.random.default_rng(10)
    shown, areas = drawn_scenes(rng, 60, 3, NAMES)
    vectors = weighing(rng, shown, areas, NAMES, 1.0)
    scenes = staged(objects_column(shown, areas), np.hstack([vectors, np.zeros((60, 10))]), QUICK)
    # Two pictures of each: each half of the name's axis, half of an axis of its own; the second points away for all but one name.
    first = np.hstack([np.eye(10), np.eye(10)])
    second = np.hstack([np.eye(10), -np.eye(10)])
    both = beside(scenes, np.vstack([first, second]), labels=[*NAMES, *NAMES])
    means = beside(scenes, np.hstack([np.eye(10), np.zeros((10, 10))]))
    key = {"against": "pictures", "objects": 3, "size_rank": 1}
    assert (
        exact(large_object.ask(both), "object_share", **key).value == exact(large_object.ask(means), "object_share", **key).value
    )
    single = large_object.ask(replace(both, settings=replace(QUICK, pictures=1)))
    assert "at most 1 picture each" in str(single.notices[0])


def test_scenes_with_a_thing_that_has_no_target_are_left_out_and_counted():
    inputs, shown, _ = encoded(np.random.default_rng(11), power=1.0)
    answer = large_object.ask(beside(inputs, np.eye(10)[:8], names=NAMES[:8]))
    without = sum(not {NAMES[8], NAMES[9]} & set(of) for of in shown)
    assert only(answer, "all_objects_retrieved").n == without
    assert any(f"{300 - without} scenes left out" in n.what for n in answer.notices)


def test_names_are_matched_as_they_are_said():
    rng = np.random.default_rng(12)
    names = ["fire hydrant", "fire", "car", "carrot"]
    shown, areas = drawn_scenes(rng, 60, 2, names)
    vectors = weighing(rng, shown, areas, names, 1.0)
    scenes = staged(objects_column([[n.replace(" ", "_").title() for n in of] for of in shown], areas), vectors, QUICK)
    answer = large_object.ask(beside(scenes, np.eye(4), names=["Fire hydrant", "fire", "car", "carrot"]))
    assert only(answer, "all_objects_retrieved").value == 1.0


def test_things_of_one_name_count_together():
    """Two small cups and a large pot on the left of them: together the cups are larger."""
    names = ["cup", "pot", "leaf"]
    column = objects_column([["pot", "cup", "cup"]] * 30, [[0.1, 0.06, 0.06]] * 30)
    scenes = staged(column, [[2.0, 1.0, 0.0]] * 30, QUICK)
    answer = large_object.ask(beside(scenes, np.eye(3), names=names))
    assert exact(answer, "object_share", against="pictures", objects=2, size_rank=1).value == 1.0
    assert exact(answer, "object_share", against="pictures", objects=2, place=2).value == 1.0


def test_boxes_do_where_there_are_no_areas():
    column = pa.array(
        [[{"name": "pot", "box": [40, 0, 60, 30]}, {"name": "cup", "box": [0, 0, 10, 10]}, {"name": "x", "box": None}]] * 30
    )
    answer = large_object.ask(beside(staged(column, [[1.0, 2.0, 0.0]] * 30, QUICK), np.eye(3), names=["cup", "pot", "leaf"]))
    assert exact(answer, "object_share", against="pictures", objects=2, size_rank=1, place=2).value == 1.0


def test_pictures_of_single_things_are_no_scenes():
    scenes = staged(objects_column([["cup"]] * 40, [[0.1]] * 40), np.eye(40), QUICK)
    with pytest.raises(NotApplicable, match="two or more"):
        large_object.ask(beside(scenes, np.eye(40)[:3], names=["cup", "pot", "leaf"]))


def test_copies_of_a_scene_add_nothing():
    rng = np.random.default_rng(13)
    shown, areas = drawn_scenes(rng, 60, 3, NAMES)
    vectors = weighing(rng, shown, areas, NAMES, 0.7)
    once = large_object.ask(beside(staged(objects_column(shown, areas), vectors, QUICK), np.eye(10)))
    column = objects_column(shown * 3, np.tile(areas, (3, 1)))
    thrice = beside(staged(column, np.tile(vectors, (3, 1)), QUICK, clusters=np.tile(np.arange(60), 3)), np.eye(10))
    for metric in ("large_object_odds_ratio", "large_object_share_conditional"):
        a, b = only(once, metric), only(large_object.ask(thrice), metric)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-6)


def test_every_exhibit_says_what_to_see():
    answer = large_object.ask(encoded(np.random.default_rng(14), power=0.5, count=500, heard=NAMES, texts=np.eye(10))[0])
    names = [e.name for e in answer.exhibits]
    assert names == ["by-size", "by-place", "size-and-place", "size-ratio", "small-object-nearest"]
    assert all(e.sentence.endswith(".") and e.table.num_rows for e in answer.exhibits)
    assert all((e.chart is not None) == (e.kind == "chart") for e in answer.exhibits)


@pytest.mark.parametrize("wrong", [{"least": 0}, {"pictures": -1}])
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError, match="must be at least"):
        Settings(**wrong)


def test_places_have_known_odds_ratios():
    """An encoder that favors the center by e, and one that favors the right end by e², of equally large objects."""
    rng, n = np.random.default_rng(4), 5
    areas = np.full((4000, n), 0.1)
    across = np.linspace(0, 1, n)
    for utility, expected in ((1 - np.abs(2 * across - 1), (1.0, np.e)), (2 * across, (np.e**2, 1.0))):
        chosen = (utility + rng.gumbel(size=areas.shape)).argmax(axis=1)
        ranks = object_ranks_of(np.eye(n, dtype=np.float32)[chosen], np.full(len(areas), n, np.int8))
        scenes = Scenes(
            np.arange(len(areas)), np.argsort(rng.random((len(areas), 10)), axis=1)[:, :n], areas * rng.uniform(1, 2, areas.shape)
        )
        targets = Targets("pictures", tuple(NAMES), np.eye(10, dtype=np.float32))
        odds = {f.metric: f for f in odds_findings([SceneRetrieval(targets, scenes, ranks, np.arange(len(areas)))])}
        for metric, truth in zip(("odds_ratio_right", "odds_ratio_center"), expected, strict=True):
            assert odds[metric].value == pytest.approx(truth, rel=0.25) and odds[metric].low < truth < odds[metric].high


def test_smaller_objects_are_counted_within_their_size_ratio():
    """At a ratio of 2 the smaller object is always the nearest, at a ratio of 8 never."""
    areas = np.array([[0.2, 0.1]] * 40 + [[0.4, 0.05]] * 60)
    top = np.array([[0, 1]] * 40 + [[1, 0]] * 60, np.float32)
    scenes = Scenes(np.arange(100), np.tile([0, 1], (100, 1)), areas)
    retrieved = SceneRetrieval(Targets("pictures", tuple(NAMES), np.eye(10, dtype=np.float32)), scenes,
                               object_ranks_of(top, np.full(100, 2, np.int8)), np.arange(100))  # fmt: skip
    found = {one.ratio: one for one in ratio_bins([retrieved], least=10)}
    assert {ratio: (one.largest.value, one.others.value, one.largest.n, one.others.n) for ratio, one in found.items()} == {
        2.0: (0.0, 1.0, 40, 40),
        8.0: (1.0, 0.0, 60, 60),
    }


def test_conditional_shares_are_counted_within_their_size_ratio():
    """All objects are retrieved in 20 scenes of each ratio. There, the larger object is the nearest at a ratio of 8 alone."""
    areas = np.array([[0.2, 0.1]] * 40 + [[0.4, 0.05]] * 60)
    top = np.array([[0, 1]] * 40 + [[1, 0]] * 60, np.float32)
    retrieved = retrieval(2, 100, 100)
    ranks = object_ranks_of(top, np.where(np.arange(100) % 40 < 20, 2, 1))
    one = replace(retrieved, scenes=replace(retrieved.scenes, areas=areas), by_place=ranks)
    found = {b.ratio: b.conditional for b in ratio_bins([one], least=10)}
    assert {ratio: (f.value, f.n) for ratio, f in found.items()} == {2.0: (0.0, 20), 8.0: (1.0, 40)}


def test_a_tie_with_another_target_is_a_whole_choice_among_the_objects():
    """The object of twice the area is the nearest in 30 of 40 scenes, in 20 of them together with a target that is not shown:
    odds of 3."""
    one = retrieval(2, 40, 40)
    scenes = replace(one.scenes, areas=np.tile([2.0, 1.0], (40, 1)))
    scenes.areas[::2], by_place = [1.0, 2.0], np.zeros((40, 2))  # every other one with the large object at the right
    large = scenes.areas.argmax(axis=1)
    nearest = np.where(np.arange(40) < 30, large, 1 - large)
    by_place[np.arange(40), nearest] = np.where(np.arange(40) < 20, 0.5, 1.0)
    (odds, *_) = odds_findings([replace(one, scenes=scenes, by_place=object_ranks_of(by_place, np.full(40, 2)))])
    assert odds.metric == "odds_ratio_double_area"
    assert (odds.value, odds.n) == (pytest.approx(3.0), 40)
    assert odds.low < 3 < odds.high and odds.interval == ODDS


@pytest.mark.parametrize(("n", "metrics"), [(1, []), (2, ["odds_ratio_double_area", "odds_ratio_right"])])
def test_two_choices_have_odds_and_one_has_none(n, metrics):
    assert [f.metric for f in odds_findings([retrieval(2, n, n)])] == metrics


def test_targets_are_means_of_unit_length():
    """A mean of pictures that differ is short; without its length brought to 1, its object would hardly ever be the nearest."""
    spread, tight = np.array([[1, 0, 0.0], [0.2, 0.98, 0]]), np.array([[0, 0, 1.0], [0, 0.1, 0.995]])
    scenes = staged(objects_column([["thing a", "thing b"]], [[0.2, 0.1]]), [[1.0, 0, 0]], QUICK)
    given = beside(scenes, np.concatenate([spread, tight]), labels=["thing a"] * 2 + ["thing b"] * 2)
    made = picture_targets(given, ["thing a", "thing b"], 0, 0)
    assert np.linalg.norm(made.vectors, axis=1) == pytest.approx([1, 1])
    means = [unit(v.astype(np.float32)).mean(axis=0) for v in (spread, tight)]
    assert made.vectors == pytest.approx(np.stack([m / np.linalg.norm(m) for m in means]), abs=1e-6)


def test_the_headline_is_of_the_same_scenes_for_every_model():
    """Sixty scenes of four and two hundred of two. A model that retrieves no scene of four still has the headline of four."""
    rng = np.random.default_rng(3)
    many, few = drawn_scenes(rng, 60, 4, NAMES), drawn_scenes(rng, 200, 2, NAMES)
    shown, areas = many[0] + few[0], [*many[1], *few[1]]
    good = np.array([sum(np.eye(10)[NAMES.index(name)] for name in of) for of in shown])
    poor = good.copy()
    poor[:60] = np.eye(10)[[next(i for i, name in enumerate(NAMES) if name not in of) for of in shown[:60]]]
    for vectors in (good, poor):
        answer = large_object.ask(beside(staged(objects_column(shown, areas), vectors, QUICK), np.eye(10)))
        (share,) = [f for f in answer.findings if f.metric == "large_object_share"]
        assert (share.slice["objects"], share.n) == (4, 60)
    with pytest.raises(NotApplicable, match="fewer than 20 scenes have as many"):
        large_object.ask(beside(staged(objects_column(shown, areas), good, Settings(objects=3)), np.eye(10)))


def marked(shown, large):
    """The column of a set without areas: objects from left to right, one of them marked as large."""
    return pa.array(
        [[{"name": n, "x": float(k), "large": k == big} for k, n in enumerate(of)] for of, big in zip(shown, large, strict=True)]
    )


@pytest.mark.parametrize("favors", ["large", "anything"])
def test_where_only_the_large_object_is_known_its_share_is_counted_and_no_ratio_is_claimed(favors):
    """An encoder that sees the large object alone, and its twin that sees any object of the scene equally often."""
    rng = np.random.default_rng(3)
    shown, _ = drawn_scenes(rng, 400, 4, NAMES)
    large = rng.integers(4, size=400)
    seen = large if favors == "large" else rng.integers(4, size=400)
    vectors = np.zeros((400, len(NAMES)))
    for vector, of, place in zip(vectors, shown, seen, strict=True):
        vector[[NAMES.index(n) for n in of]] = 1.0
        vector[NAMES.index(of[place])] = 2.0
    answer = large_object.ask(beside(staged(marked(shown, large), vectors, QUICK), np.eye(len(NAMES))))
    where = {"against": "pictures", "objects": 4}
    share = exact(answer, "large_object_share", **where)
    assert share.value == pytest.approx((seen == large).mean())
    # Small objects are counted from left to right, as in the paper's tables.
    small = [[k for k in range(4) if k != big] for big in large]
    for rank in (2, 3, 4):
        expected = np.mean([of[rank - 2] == place for of, place in zip(small, seen, strict=True)])
        assert exact(answer, "object_share", **where, size_rank=rank).value == pytest.approx(expected)
    if favors == "large":
        assert share.value == 1.0
    else:
        assert share.low < 0.25 < share.high
    metrics = {f.metric for f in answer.findings}
    assert not metrics & {"large_object_odds_ratio", "odds_ratio_double_area", "smaller_object_share"}
    assert not [f for f in answer.findings if "ratio" in f.slice]
    assert any("not how large objects are" in str(notice) for notice in answer.notices)


def test_measured_scenes_have_ratios_and_no_such_notice():
    answer = large_object.ask(encoded(np.random.default_rng(4), power=1.0)[0])
    assert {"large_object_odds_ratio", "smaller_object_share"} <= {f.metric for f in answer.findings}
    assert not any("not how large objects are" in str(notice) for notice in answer.notices)


def test_odds_vary_with_the_names():
    """Six names, each of a size of its own, and some of them liked: scenes that share a name vary together. With as many names
    as objects, choices are independent, and the interval is that of the choices alone."""
    rng, n = np.random.default_rng(5), 3
    objects = np.argsort(rng.random((150, 6)), axis=1)[:, :n]
    areas = np.exp(rng.normal(0, 0.8, 6))[objects] * rng.uniform(0.9, 1.1, objects.shape)
    chosen = (rng.normal(0, 2, 6)[objects] + rng.gumbel(size=objects.shape)).argmax(axis=1)
    ranks = object_ranks_of(np.eye(n, dtype=np.float32)[chosen], np.full(150, n, np.int8))
    targets = Targets("pictures", tuple(NAMES), np.eye(10, dtype=np.float32))
    shared, apart = (
        odds_findings([SceneRetrieval(targets, Scenes(np.arange(150), names, areas), ranks, np.arange(150))])[0]
        for names in (objects, np.arange(150 * n).reshape(150, n))
    )
    assert shared.value == pytest.approx(apart.value)
    assert np.log(shared.high / shared.low) > 1.5 * np.log(apart.high / apart.low)


@pytest.mark.parametrize("area", [0.1, 1.0, 4.0])
def test_equally_large_objects_have_no_odds_ratio_of_area(area):
    """Size cannot explain a choice between equal sizes, of whatever area; of two or of three objects."""
    targets, found = Targets("pictures", tuple(NAMES), np.eye(10, dtype=np.float32)), []
    for n in (2, 3):
        scenes = Scenes(np.arange(30), np.tile(np.arange(n), (30, 1)), np.full((30, n), area))
        ranks = object_ranks_of(np.eye(n, dtype=np.float32)[np.arange(30) % n], np.full(30, n, np.int8))
        found.append(SceneRetrieval(targets, scenes, ranks, np.arange(30)))
    assert odds_findings(found[:1]) == odds_findings(found) == []


def retrieval(count, n, kept):
    """`n` scenes of `count` objects, of which so many have exactly their objects as the nearest targets."""
    scenes = Scenes(np.arange(n), np.tile(np.arange(count), (n, 1)), np.tile(np.arange(count)[::-1] + 1.0, (n, 1)))
    top = np.zeros((n, count))
    top[:, 0] = 1
    ranks = object_ranks_of(top, np.where(np.arange(n) < kept, count, 0))
    targets = Targets("pictures", tuple(NAMES), np.eye(len(NAMES), dtype=np.float32))
    return SceneRetrieval(targets, scenes, ranks, np.arange(n))


def test_the_headline_has_the_given_number_of_objects_or_four_or_the_most_frequent():
    by_count = [retrieval(2, 30, 25), retrieval(3, 30, 20), retrieval(5, 29, 29)]
    assert _leading(by_count, Settings(least=20)) == (2, "object_share_conditional")  # of equally many, the fewer objects
    assert _leading(by_count, Settings(least=20, objects=3)) == (3, "object_share_conditional")
    assert _leading(by_count, Settings(least=21, objects=3)) == (3, "object_share")
    assert _leading([*by_count, retrieval(DEFAULT_OBJECTS, 20, 3)], Settings(least=20))[0] == DEFAULT_OBJECTS == 4
    with pytest.raises(NotApplicable, match=r"fewer than 20 scenes have as many \(2, 3, 5 do\)"):
        _leading(by_count, Settings(least=20, objects=4))


def test_names_without_a_target_have_no_number():
    assert Targets("names", ("a", "b"), np.eye(2, dtype=np.float32)).numbers(["b", "c", "a"]).tolist() == [1, -1, 0]


def test_features_of_choices_by_hand():
    """Three objects with areas of 4, 2 and 1, at the left, in the middle and at the right, in a table of four places."""
    one = retrieval(3, 2, 2)
    scenes = replace(one.scenes, areas=np.array([[4.0, 2.0, 1.0], [1.0, 8.0, 2.0]]))
    top = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    ranks = object_ranks_of(top, np.full(2, 3))
    features, chosen, there, names = _choices(replace(one, scenes=scenes, by_place=ranks), 4)
    assert features[:, :3, 0].tolist() == [[2, 1, 0], [0, 3, 1]]
    assert features[:, :3, 1].tolist() == [[0, 0.5, 1]] * 2 and features[:, :3, 2].tolist() == [[0, 1, 0]] * 2
    assert chosen.tolist() == [[0.5, 0.5, 0, 0], [0, 0, 1, 0]] and there.tolist() == [[True] * 3 + [False]] * 2
    assert names[:, :3].tolist() == [[0, 1, 2]] * 2 and not features[:, 3].any()


@pytest.mark.parametrize(("count", "said"), [(0, []), (1, ["1 scene left out because an object is not among the target names"])])
def test_scenes_left_out_are_counted(count, said):
    inputs = staged(None, np.eye(2), Settings())
    targets = Targets("names", ("a", "b"), np.eye(2, dtype=np.float32))
    assert [n.what for n in _left_out(inputs, targets, count)] == said


def test_two_names_are_targets_and_one_is_none():
    scenes = staged(None, np.eye(2), Settings(), heard=["a", "b"], texts=np.eye(2))
    assert name_targets(scenes, ["a", "b"]).names == ("a", "b")
    assert name_targets(scenes, ["a", "z"]) is None


@pytest.mark.parametrize(("least", "bins"), [(3, [(2.0, 3), (15.0, 4)]), (4, [(15.0, 4)]), (5, [])])
def test_a_size_ratio_needs_so_many_scenes(least, bins):
    """Three scenes with a ratio of two, four with one of fifteen."""
    one = retrieval(2, 7, 7)
    scenes = replace(one.scenes, areas=np.array([[2.0, 1.0]] * 3 + [[15.0, 1.0]] * 4))
    found = list(ratio_bins([replace(one, scenes=scenes)], least=least))
    assert [(b.ratio, b.largest.n) for b in found] == bins
    assert all(b.conditional is not None and b.objects == 2 and b.largest.value == 1.0 for b in found)


def test_single_objects_come_from_another_examined_set_with_all_names():
    scenes = staged(None, np.eye(2), Settings(), name="scenes")
    columns = {"label": pa.array(["a", "b"])}
    exam = staged(None, np.eye(2), Settings(), name="singles", columns=columns)
    shift = staged(None, np.eye(2), Settings(), name="shifted", role="shift", columns=columns)
    itself = staged(None, np.eye(2), Settings(), name="scenes", columns=columns)
    assert [s.dataset.name for s in _single_sets(among(scenes, shift, exam), ["a", "b"])] == ["singles"]
    assert _single_sets(among(scenes, shift), ["a", "b"]) == [] == _single_sets(among(itself), ["a", "b"])
    assert _single_sets(among(scenes, exam), ["a", "c"]) == []
