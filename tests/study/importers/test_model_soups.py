import pytest

from eyechart.study.importers.model_soups import read_model_soups

from ..tables import file

LINE = '{"model_name": "model_0", "ImageNet": 0.75574, "ImageNetV2": 0.6409, "ImageNet2p": 0.78}'


def test_every_fine_tuning_is_of_one_family():
    found = read_model_soups([file("r.jsonl", LINE, LINE.replace("model_0", "model_1"))]).table.to_pylist()
    assert {row["model"] for row in found} == {"model_soups:model_0", "model_soups:model_1"}
    assert {(row["group"], row["family"]) for row in found} == {("CLIP fine-tuned, direct", "CLIP ViT · WIT-400M · ImageNet-1k")}
    assert {row["metric"] for row in found} == {"imagenet", "imagenet-v2", "imagenet-held-out"}


def test_lines_that_are_no_model_are_named_and_left_out():
    found = read_model_soups([file("r.jsonl", LINE, "", "{", LINE, "[1]")])
    assert found.table.num_rows == 3
    assert "line 3 of r.jsonl; line 4 of r.jsonl; line 5 of r.jsonl" in str(found.notices[0])


@pytest.mark.refdata
def test_the_published_results(imported):
    found = {(r["model"], r["metric"]): r["value"] for r in imported["model_soups"].table.to_pylist()}
    assert len({model for model, _ in found}) == 74
    assert found["model_soups:greedy_soup", "imagenet"] == 0.81026
