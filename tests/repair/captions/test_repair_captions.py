"""The repair of captions on towers that hear the first name best, and on one that hears no order."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.repair.captions.made_scenes import encodes_all, hears_first, scenes
from tests.repair.made import unit

from eyechart.data.dataset import Dataset
from eyechart.errors import DataError
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import share_difference
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.probes.matching.trials import MatchTrials
from eyechart.repair.captions.advice import caption_sentences
from eyechart.repair.captions.caption_tasks import caption_tasks
from eyechart.repair.captions.changes import caption_rows, changes, significant_changes
from eyechart.repair.captions.choosing import scores
from eyechart.repair.captions.matching import match, matching_trials
from eyechart.repair.captions.repair import CaptionsRepaired, choose_way
from eyechart.repair.captions.settings import CaptionSettings


def found(repaired: CaptionsRepaired, trial: str, way: str = "as is", change: bool = False) -> Finding:
    (one,) = [f for f in repaired.findings if f.slice == {"trial": trial, "captions": way} and (f.baseline is not None) == change]
    return one


@pytest.fixture(scope="module")
def planted() -> CaptionsRepaired:
    return choose_way(scenes(200, hears_first, captions="last"), CaptionSettings())


def test_a_tower_that_hears_the_first_name_is_mended_by_the_mean_over_orders(planted):
    """By hand, of two things: right 's L' has 0.4 + 0.3 and wrong 'L x' has 1, so scenario 2 is lost; in the mean over orders
    right has 1.4 and wrong 1 in the same proportion."""
    assert found(planted, "scenario 2").value == 0.0
    assert found(planted, "scenario 2", "orders").value == 1.0
    change = found(planted, "scenario 2", "orders", change=True)
    assert change.value == 1.0 and change.low > 0.9
    assert found(planted, "scenario 1").value == found(planted, "scenario 1", "orders").value == 1.0


def test_what_is_measured_was_not_chosen_on(planted):
    assert planted.chosen in ("orders", "parts", "both") and planted.pictures == 100
    assert found(planted, "scenario 1").n == 200  # two absent things for each of a hundred pictures


def test_captions_in_the_other_order_find_their_pictures():
    """The large thing is named last, and what is named first is a small one."""
    repaired = choose_way(scenes(200, hears_first, noise=0.1, captions="last"), CaptionSettings(way="orders"))
    change = found(repaired, "text → image, R@1", "orders", change=True)
    assert change.low > 0.05
    assert "text → image, R@1" in significant_changes(changes(repaired, "orders")).split("worse")[0]
    assert len(caption_rows(repaired)) >= 8 and "mean over orders" in caption_sentences(repaired)[0]


def test_a_tower_that_hears_no_order_gains_nothing_and_is_left_alone():
    repaired = choose_way(scenes(200, encodes_all, noise=0.3, captions="random"), CaptionSettings())
    assert repaired.chosen == "as is" and caption_sentences(repaired)[0].startswith("Keep the original captions")
    changes = [f for f in repaired.findings if f.baseline]
    assert changes and all(f.value == 0 and f.low <= 0 <= f.high for f in changes)


def test_over_200_nulls_few_gains_are_found():
    """Pictures that show something else than their captions say: no way to say them is better than another. All draws go through
    the trials at once, for their texts are the same."""
    n, draws = 60, 200
    inputs, settings = scenes(n, hears_first), CaptionSettings(way="orders", absent=1)
    one = matching_trials(inputs.dataset, settings)
    rows = np.concatenate([one.rows + n * draw for draw in range(draws)])
    right, wrong = ({kind: said * draws for kind, said in side.items()} for side in (one.right, one.wrong))
    images = unit(np.random.default_rng(0).normal(size=(n * draws, inputs.images.shape[1])))
    tried = match(
        replace(inputs, images=images),
        MatchTrials(rows, np.tile(one.counts, draws), np.tile(one.names, (draws, 1)), right, wrong),
        settings,
    )
    alarms = 0
    for draw in range(draws):
        members = np.arange(n * draws) // n == draw
        shares = scores([kind.subset(members) for kind in tried], ["matching"], np.arange(n * draws))
        low, high = share_difference(shares["orders"], shares["as is"])
        alarms += not low <= 0 <= high
    assert alarms <= 18


def test_captions_that_list_the_same_are_right_for_each_others_pictures():
    """Three scenes over and over, named in either order: whichever is found first, it is right."""
    inputs = scenes(60, encodes_all, captions="random")
    names = [[{"name": "cube", "x": 0.0, "area": 1.0}, {"name": "star", "x": 1.0, "area": 0.4}]] * 60
    table = inputs.dataset.table
    table = table.set_column(table.schema.get_field_index("objects"), "objects", [names])
    said = [["cube and star"], ["star and cube"]] * 30
    table = table.set_column(table.schema.get_field_index("captions"), "captions", [said])
    object.__setattr__(inputs.dataset, "table", table)
    object.__setattr__(inputs, "images", np.repeat(encodes_all(["cube and star"]), 60, axis=0))
    repaired = choose_way(inputs, CaptionSettings(way="orders"))
    assert found(repaired, "text → image, R@1").value == found(repaired, "text → image, R@1", "orders").value == 1.0


@pytest.mark.parametrize(("captions", "purpose", "reason"), [("", "retrieval", "--purpose matching")])
def test_what_a_dataset_has_not_cannot_be_chosen_for(captions, purpose, reason):
    with pytest.raises(DataError, match=reason):
        choose_way(scenes(60, encodes_all, captions=captions), CaptionSettings(purpose=purpose))


def test_too_few_pictures_are_refused():
    with pytest.raises(DataError, match="30 pictures are too few"):
        choose_way(scenes(30, encodes_all), CaptionSettings())


def test_a_purpose_with_trials_in_one_half_alone_is_not_measured():
    """One picture of forty has two objects, so that one half has no trial of matching."""
    whole = scenes(40, hears_first, captions="last")
    table = whole.dataset.table
    objects = [row if i == 0 else row[:1] for i, row in enumerate(table.column("objects").to_pylist())]
    few = table.set_column(table.schema.get_field_index("objects"), "objects", pa.array(objects))
    inputs = replace(whole, dataset=Dataset("made", few, whole.dataset.pictures, None))
    repaired = choose_way(inputs, CaptionSettings())
    assert repaired.purposes == ("retrieval",)
    assert list(repaired.scores) == ["retrieval"]


def test_examples_are_the_first_captions_of_two_and_of_three_objects(planted):
    assert [len(one.objects) for one in planted.examples] == [2, 3]


def test_pictures_that_are_held_out_do_not_change_what_is_chosen_on():
    inputs = scenes(120, hears_first, captions="last", noise=0.3)
    selected = stratified_split(np.zeros(120, np.int64), seed=0, clusters=np.arange(120))
    noise = unit(np.random.default_rng(5).normal(size=inputs.images.shape))
    before, after = (
        choose_way(replace(inputs, images=images), CaptionSettings())
        for images in (inputs.images, np.where(selected[:, None], inputs.images, noise))
    )
    for purpose, of_way in before.scores.items():
        for way, (selection, held_out) in of_way.items():
            assert after.scores[purpose][way][0] == selection
            assert after.scores[purpose][way][1] < held_out - 0.05
    assert (before.gains, before.pictures) == (after.gains, 60)


def test_gains_are_differences_of_scores_on_the_selection_half(planted):
    one = choose_way(scenes(80, hears_first), CaptionSettings())
    for way, gain in one.gains.items():
        assert gain.value == pytest.approx(one.scores["matching"][way][0] - one.scores["matching"]["as is"][0])
        assert gain.low <= gain.value <= gain.high and gain.slice == {"captions": way}
        assert gain.n == one.trial_counts["matching"][0]
    for way, gain in planted.gains.items():  # two purposes have equal weights
        each = [planted.scores[p][way][0] - planted.scores[p]["as is"][0] for p in planted.purposes]
        assert len(each) == 2 and gain.value == pytest.approx(sum(each) / 2)


def test_among_ways_that_are_equal_for_the_purpose_the_other_decides():
    """Texts of several names have a part in common with some pictures, whatever these show: that ruins retrieval, and changes no
    comparison of two captions of one picture. Captions of one name do not have it."""
    inputs = scenes(120, hears_first, captions="last")
    hubs = np.random.default_rng(0).uniform(0, 2, 120)

    def texts(asked):
        return unit(np.column_stack([hears_first(asked), [1.0 if " and " in text else 0.0 for text in asked]]))

    seen = replace(inputs, images=unit(np.column_stack([inputs.images, hubs])), texts=texts)
    found = choose_way(seen, CaptionSettings(purpose="matching"))
    matching, retrieval = ({way: found.scores[p][way][0] for way in found.ways} for p in ("matching", "retrieval"))
    assert set(matching.values()) == {1.0} and retrieval["parts"] > retrieval["orders"]
    assert found.chosen == max(found.ways, key=retrieval.get) != "orders" and found.purposes == ("matching",)


def test_truncated_captions_are_counted():
    inputs = scenes(60, hears_first, captions="last")
    long = {row["captions"][0] for row in inputs.dataset.table.to_pylist()[:3]}
    cut = replace(inputs, truncated=lambda texts: np.array([text in long for text in texts]))
    (notice,) = choose_way(cut, CaptionSettings(purpose="retrieval")).notices
    times = sum(text in long for text in caption_tasks(inputs.dataset, CaptionSettings()).captions)
    assert notice.what.startswith(f"{times} captions longer than the text encoder's context") and times >= 3


def test_a_name_with_the_separator_is_refused():
    inputs = scenes(40, hears_first)
    table = inputs.dataset.table
    place = table.schema.get_field_index("objects")
    rows = [[{**one, "name": "salt and pepper" if one["name"] == "cube" else one["name"]} for one in row]
            for row in table.column("objects").to_pylist()]  # fmt: skip
    wrong = replace(inputs.dataset, table=table.set_column(place, "objects", pa.array(rows)))
    with pytest.raises(DataError, match="an object is named 'salt and pepper'; rename it"):
        matching_trials(wrong, CaptionSettings())
    alone = replace(wrong, table=wrong.table.set_column(place, "objects", pa.array([row[:1] for row in rows])))
    assert len(matching_trials(alone, CaptionSettings())) == 0  # without trials nothing is said of the name


def test_matching_needs_objects():
    captions = pa.array([["a cube and a star"], ["a moon and a pot"]] * 20)
    table = pa.table({"id": [str(i) for i in range(40)], "captions": captions})
    plain = Dataset("plain", table, scenes(40, hears_first).dataset.pictures, None)
    with pytest.raises(DataError, match="two or more named objects; try --purpose retrieval"):
        caption_tasks(plain, CaptionSettings(purpose="matching"))
    assert caption_tasks(plain, CaptionSettings(purpose="retrieval")).trials is None
