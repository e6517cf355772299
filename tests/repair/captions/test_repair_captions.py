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
from eyechart.probes.matching.trials import MatchTrials
from eyechart.repair.captions.advice import caption_sentences
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
