import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.study.facts import Facts
from eyechart.study.population import pair
from eyechart.study.table import Value

from .tables import study_of

V2 = [Value("imagenet", 0.7, 50_000), Value("imagenet-v2", 0.6, 10_000)]


def facts(model, group="standard", **more):
    return Facts(model, group, f"family of {model}", **more)


def test_a_shift_is_set_against_the_same_classes():
    values = [Value("imagenet", 0.7), Value("imagenet-a-classes", 0.9), Value("imagenet-a", 0.1)]
    found = pair(study_of((facts("a"), values, "timm")), None, "imagenet-a")
    assert (found.x_measure, found.x.tolist(), found.y.tolist()) == ("imagenet-a-classes", [0.9], [0.1])


def test_a_pair_of_other_classes_is_warned_of():
    values = [Value("imagenet", 0.7), Value("imagenet-a-classes", 0.9), Value("imagenet-a", 0.1)]
    found = pair(study_of((facts("a"), values, "timm")), "imagenet", "imagenet-a")
    assert "classes differ from those of imagenet" in str(found.notices[0])


def test_models_without_one_of_the_two_are_counted():
    study = study_of((facts("a"), V2, "timm"), (facts("b"), [Value("imagenet-v2", 0.5)], "timm"))
    found = pair(study, None, "imagenet-v2")
    assert found.models == ("a",)
    assert "1 model excluded, without a value of imagenet" in str(found.notices[0])


def test_both_values_come_from_one_table():
    other = [Value("imagenet", 0.71), Value("imagenet-v2", 0.61)]
    found = pair(study_of((facts("a"), [Value("imagenet", 0.9)], "timm"), (facts("a"), other, "testbed")), None, "imagenet-v2")
    assert (found.x.tolist(), found.y.tolist()) == ([0.71], [0.61])


def test_tables_are_joined_where_none_has_both():
    study = study_of(
        (facts("a"), [Value("imagenet", 0.7)], "testbed"), (facts("a"), [Value("imagenet-x-pose", 0.8)], "imagenet_x")
    )
    assert pair(study, "imagenet", "imagenet-x-pose").models == ("a",)


def test_ones_own_findings_of_a_published_model_stand_beside_it():
    mine = [Value("imagenet", 0.69, 100), Value("imagenet-v2", 0.59, 100)]
    found = pair(study_of((facts("a"), V2, "open_clip"), (facts("a"), mine, "findings")), None, "imagenet-v2")
    assert found.mine.tolist() == [False, True] and found.x.tolist() == [0.7, 0.69]


def test_prompts_are_not_mixed():
    rows = [Value(name, value, prompts=prompts) for prompts, name, value in (
        ("one", "imagenet", 0.6), ("one", "imagenet-v2", 0.5), ("many", "imagenet", 0.64), ("many", "imagenet-v2", 0.55),
    )]  # fmt: skip
    found = pair(study_of((facts("a"), rows, "findings")), None, "imagenet-v2")
    assert dict(zip(found.facts["prompts"], zip(found.x, found.y, strict=True), strict=True)) == {
        "one": (0.6, 0.5), "many": (0.64, 0.55),
    }  # fmt: skip


def test_facts_come_from_the_table_that_knows_them():
    known = facts("a", "more data", source="JFT-300M")
    study = study_of((facts("a", None), V2, "imagenet_x"), (known, [Value("greyscale", 0.5)], "testbed"))
    found = pair(study, None, "imagenet-v2")
    assert (found.groups, found.facts["source"]) == (("more data",), ("JFT-300M",))


def test_unfinished_trainings_are_there_only_where_they_are_asked_for():
    study = study_of((facts("a"), V2, "testbed"), (facts("b", "other"), V2, "testbed"))
    assert pair(study, None, "imagenet-v2").models == ("a",)
    assert pair(study, None, "imagenet-v2", groups=["other"]).models == ("b",)


def test_unknown_n_is_not_a_number():
    study = study_of((facts("a"), [Value("imagenet", 0.7), Value("imagenet-v2", 0.6, 10_000)], "timm"))
    found = pair(study, None, "imagenet-v2")
    assert np.isnan(found.n_x).all() and found.n_y.tolist() == [10_000]


@pytest.mark.parametrize(
    ("x", "y", "options", "says"),
    [
        (None, "imagenet-v3", {}, "did you mean 'imagenet-v2'"),
        (None, "imagenet", {}, "--x MEASURE"),
        (None, "imagenet-v2", {"groups": ["standart"]}, "did you mean 'standard'"),
        (None, "imagenet-v2", {"origins": ["testbed"]}, "no model of the study has both"),
    ],
)
def test_what_cannot_be_done_is_said(x, y, options, says):
    with pytest.raises(UsageError, match=says):
        pair(study_of((facts("a"), V2, "timm")), x, y, **options)


def test_measures_of_different_halves_are_warned_of():
    scaled, whole = "photos/ece[half=held-out, scaling=temperature]", "photos/top1"
    study = study_of((facts("a"), [Value(whole, 0.7), Value(scaled, 0.1)], "timm"))
    said = [str(notice) for notice in pair(study, whole, scaled).notices]
    assert any(f"{whole} is over all pictures and {scaled} is over the held-out half of the pictures" in one for one in said)


def test_measures_of_the_same_half_are_not():
    values = [Value("photos/ece[half=held-out]", 0.1), Value("photos/nll[half=held-out]", 0.7)]
    found = pair(study_of((facts("a"), values, "timm")), *(value.metric for value in values))
    assert found.notices == ()
