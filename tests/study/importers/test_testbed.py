import pytest

from eyechart.study.importers.testbed import read_testbed

from ..tables import file

RESULTS = file(
    "robustness_top1s.csv",
    "model,val,objectnet-1.0-beta,greyscale",
    "resnet50,76.13,26.2,60.1",
    "resnet50_simsiam,67.78,20.1,50",
    "resnet50_clip_zeroshot,59.8,40.1,45",
    "resnet50_l2_eps3_robust,57.9,15,40",
    "half_trained,,,3.5",
)
TYPES = file(
    "model_types.csv",
    "model,type,natural_type",
    "resnet50,STANDARD,STANDARD",
    "resnet50_simsiam,STANDARD,STANDARD",
    "resnet50_clip_zeroshot,MORE_DATA,MORE_DATA",
    "resnet50_l2_eps3_robust,LP_ADV,ROBUST_INTV",
    "half_trained,LOW_ACCURACY_CNN,LOW_ACCURACY_CNN",
)


def rows(imported):
    return {(r["model"], r["metric"]): r for r in imported.table.to_pylist()}


def test_groups_are_those_of_the_types_but_for_what_the_names_tell_better():
    found = {model: row["group"] for (model, _), row in rows(read_testbed([RESULTS, TYPES])).items()}
    assert found == {
        "testbed:resnet50": "standard",
        "testbed:resnet50_simsiam": "contrastive",
        "testbed:resnet50_clip_zeroshot": "zero-shot CLIP",
        "testbed:resnet50_l2_eps3_robust": "robust training",
        "testbed:half_trained": "other",
    }


def test_the_published_group_is_kept():
    assert rows(read_testbed([RESULTS, TYPES]))["testbed:resnet50_simsiam", "imagenet"]["published_group"] == "STANDARD"


def test_an_empty_cell_is_no_value_and_no_oddity():
    found = read_testbed([RESULTS, TYPES])
    assert ("testbed:half_trained", "imagenet") not in rows(found)
    assert ("testbed:half_trained", "greyscale") in rows(found)
    assert found.notices == ()


def test_objectnet_has_as_many_pictures_as_the_testbed_used():
    assert rows(read_testbed([RESULTS, TYPES]))["testbed:resnet50", "objectnet"]["n"] == 18_514


def test_without_types_the_groups_are_not_known_and_it_says_so():
    found = read_testbed([RESULTS])
    assert rows(found)["testbed:resnet50", "imagenet"]["group"] is None
    assert "model_types.csv" in str(found.notices[0])


@pytest.mark.refdata
def test_the_published_table(imported):
    found = rows(imported["testbed"])
    assert len({model for model, _ in found}) == 338
    assert found["testbed:resnet50", "imagenet-v2"]["value"] == pytest.approx(0.6319, abs=1e-3)


@pytest.mark.refdata
def test_accuracies_are_whole_numbers_of_pictures(imported):
    """The n of every known measure, against the table itself: value × n is a whole number (which rounding may miss by a hair)."""
    for name in ("testbed", "model_soups", "imagenet_x"):
        for row in imported[name].table.to_pylist():
            if row["n"] is not None:
                hits = row["value"] * row["n"]
                assert abs(hits - round(hits)) < 0.02, row
