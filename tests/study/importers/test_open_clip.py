import pytest

from eyechart.errors import DataError
from eyechart.study.importers.open_clip import read_open_clip_results

from ..tables import file

HEAD = "name,pretrained,params (M),FLOPs (B),ImageNet 1k,ImageNet v2,Flickr image retr. R@1"


def rows(imported):
    return {(r["model"], r["metric"]): r for r in imported.table.to_pylist()}


def test_a_row_becomes_a_value_a_measure_with_what_the_name_tells():
    found = rows(read_open_clip_results([file("r.csv", HEAD, "ViT-B-32,laion2b_s34b_b79k,151.28,14.78,0.6656,0.5815,0.63")]))
    row = found["open_clip:ViT-B-32/laion2b_s34b_b79k", "imagenet-v2"]
    assert (row["value"], row["n"], row["origin"], row["unit"]) == (0.5815, 10_000, "open_clip", "fraction")
    assert (row["group"], row["source"], row["loss"], row["resolution"]) == ("zero-shot CLIP", "LAION-2B", "InfoNCE", 224)
    assert row["parameters"] == 151_280_000
    assert ("open_clip:ViT-B-32/laion2b_s34b_b79k", "flickr30k-text-to-image-r1") in found


def test_a_quickgelu_row_that_repeats_the_plain_one_is_left_out():
    table = file("r.csv", HEAD, "RN50,openai,102,18,0.5982,0.5285,0.5", "RN50-quickgelu,openai,102,18,0.5982,0.5285,0.5")
    found = read_open_clip_results([table])
    assert {model for model, _ in rows(found)} == {"open_clip:RN50/openai"}
    assert "repeats the row without -quickgelu: RN50-quickgelu/openai" in str(found.notices[0])


def test_of_two_activations_the_one_of_the_training_stays():
    """cc12m models were trained with QuickGELU; under the plain name they ran with another activation."""
    table = file("r.csv", HEAD, "RN50,cc12m,102,18,0.3591,0.3,0.2", "RN50-quickgelu,cc12m,102,18,0.3647,0.31,0.21")
    assert {model for model, _ in rows(read_open_clip_results([table]))} == {"open_clip:RN50-quickgelu/cc12m"}


def test_a_model_that_guesses_was_not_loaded():
    table = file("r.csv", HEAD, "coca_ViT-B-32,broken,253,33,0.0079,0.0067,0.01", "RN50,openai,102,18,0.5982,0.5285,0.5")
    found = read_open_clip_results([table])
    assert {model for model, _ in rows(found)} == {"open_clip:RN50/openai"}
    assert "weights were not loaded" in str(found.notices[0])


def test_the_known_broken_model_is_left_out_of_a_table_without_imagenet_too():
    head, tag = "name,pretrained,Flickr image retr. R@1", "mscoco_finetuned_laion2b_s13b_b90k"
    found = read_open_clip_results([file("r.csv", head, f"coca_ViT-B-32,{tag},0.0074", "RN50,openai,0.5")])
    assert {model for model, _ in rows(found)} == {"open_clip:RN50/openai"}


def test_older_files_have_name_and_tag_in_one_column():
    found = rows(read_open_clip_results([file("r.csv", "name,ImageNet 1k", "ViT-H-14 laion2b_s32b_b79k,0.7796")]))
    assert ("open_clip:ViT-H-14/laion2b_s32b_b79k", "imagenet") in found


def test_short_rows_and_strange_values_are_named_and_left_out():
    table = file("r.csv", HEAD, "RN50,openai,102", "RN101,openai,120,26,n/a,56.12,0.5")
    found = read_open_clip_results([table])
    assert {metric for _, metric in rows(found)} == {"flickr30k-text-to-image-r1"}
    told = " ".join(map(str, found.notices))
    assert "line 2 of r.csv" in told and "RN101/openai, ImageNet v2: '56.12'" in told and "'n/a'" in told


def test_the_same_value_in_two_files_is_one_row():
    one = file("a.csv", "name,pretrained,ImageNet 1k", "RN50,openai,0.5982")
    found = read_open_clip_results([one, file("b.csv", "name,pretrained,ImageNet 1k", "RN50,openai,0.5982")])
    assert found.table.num_rows == 1 and found.notices == ()


def test_a_table_of_percentages_is_refused():
    table = file("r.csv", "name,pretrained,ImageNet 1k", "RN50,openai,59.82", "RN101,openai,n/a")
    with pytest.raises(DataError, match=r"r\.csv: a percentage.*RN50/openai, ImageNet 1k: '59\.82'.*divide the values by 100"):
        read_open_clip_results([table])


def test_of_two_values_the_first_stays_and_the_notice_says_where_it_was():
    head, one, two = "name,pretrained,ImageNet 1k", "RN50,openai,0.5982", "RN50,openai,0.1"
    within = read_open_clip_results([file("a.csv", head, one, two)])
    across = read_open_clip_results([file("a.csv", head, one), file("b.csv", head, two)])
    assert [r["value"] for r in (*rows(within).values(), *rows(across).values())] == [0.5982, 0.5982]
    assert "another value than in an earlier row of a.csv, which is kept: RN50/openai" in str(within.notices[0])
    assert "another value than in a.csv, which is kept: RN50/openai" in str(across.notices[0])


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DataError, match=r"r\.csv: two columns are named 'ImageNet 1k'"):
        read_open_clip_results([file("r.csv", "name,pretrained,ImageNet 1k,ImageNet 1k", "RN50,openai,0.5982,0.1")])


def test_a_page_saved_as_a_table_is_refused():
    """Its first line is longer than a CSV field may be."""
    with pytest.raises(DataError, match=r"page\.csv.*openclip_results\.csv"):
        read_open_clip_results([file("page.csv", "<html>" + "x" * 200_000)])


def test_another_table_is_refused_with_what_was_expected():
    with pytest.raises(DataError, match=r"types\.csv.*openclip_results\.csv"):
        read_open_clip_results([file("types.csv", "model,type", "a,b")])


@pytest.mark.refdata
def test_the_published_tables(imported):
    """121 rows less one broken, three repeated and five with the wrong activation."""
    found = rows(imported["open_clip"])
    assert len({model for model, _ in found}) == 112
    assert found["open_clip:ViT-B-32/openai", "imagenet"]["value"] == 0.6332
    assert found["open_clip:ViT-H-14-378-quickgelu/dfn5b", "imagenet"]["resolution"] == 378
    assert {row["group"] for row in found.values()} == {"zero-shot CLIP"}
