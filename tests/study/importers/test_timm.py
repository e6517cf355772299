import pytest

from eyechart.errors import DataError
from eyechart.study.importers.timm import read_timm_results

from ..tables import file

HEAD = "model,img_size,top1,top1_err,param_count"


def rows(imported):
    return {(r["model"], r["metric"]): r for r in imported.table.to_pylist()}


def test_the_measure_is_in_the_files_name_and_values_are_percentages():
    name = "eva_giant_patch14_560.m30m_ft_in22k_in1k"
    found = rows(read_timm_results([file("results-sketch.csv", HEAD, f'{name},560,67.7,32.3,"1,014.45"')]))
    row = found[f"timm:{name}", "imagenet-sketch"]
    assert row["value"] == pytest.approx(0.677)
    assert (row["n"], row["parameters"], row["resolution"], row["group"]) == (50_889, 1_014_450_000, 560, "more data")


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("resnet50.a1_in1k", "standard"),
        ("convnextv2_base.fcmae_ft_in1k", "standard"),
        ("vit_base_patch16_224.augreg_in21k_ft_in1k", "more data"),
        ("tf_efficientnet_b0.ns_jft_in1k", "more data"),
        ("vit_base_patch32_clip_224.openai_ft_in1k", "CLIP fine-tuned, direct"),
        ("vit_so400m_patch14_siglip_378.webli_ft_in1k", "CLIP fine-tuned, direct"),
        ("vit_base_patch16_clip_224.laion2b_ft_in12k_in1k", "CLIP fine-tuned, two-stage"),
        ("resmlp_24_224.fb_dino", "contrastive"),
        ("mixnet_s.ft_in1k", None),
    ],
)
def test_a_tag_tells_the_group(name, group):
    found = rows(read_timm_results([file("results-imagenet.csv", HEAD, f"{name},224,80,20,25")]))
    assert found[f"timm:{name}", "imagenet"]["group"] == group


def test_a_model_at_several_sizes_counts_once_at_its_native_one():
    table = file("results-imagenet.csv", HEAD, "convnext_base.fb_in1k,288,84.4,15.6,88", "convnext_base.fb_in1k,224,83.8,16.2,88")
    found = read_timm_results([table])
    assert [(r["resolution"], r["value"]) for r in rows(found).values()] == [(224, pytest.approx(0.838))]
    assert "1 row excluded, at another picture size" in str(found.notices[0])


def test_the_pretraining_of_an_old_name_comes_from_the_metadata():
    results = file("results-imagenet.csv", HEAD, "resnext101_32x8d_wsl,224,82.7,17.3,88", "resnet18,224,69.7,30.3,11")
    metadata = file("model_metadata-in1k.csv", "model,pretrain", "resnext101_32x8d_wsl,ig1b-wsl", "resnet18,in1k")
    found = rows(read_timm_results([results, metadata]))
    old = found["timm:resnext101_32x8d_wsl", "imagenet"]
    assert (old["group"], old["source"], old["published_group"]) == ("more data", "Instagram-1B", "ig1b-wsl")
    assert found["timm:resnet18", "imagenet"]["group"] == "standard"
    assert rows(read_timm_results([results]))["timm:resnet18", "imagenet"]["group"] is None


def test_a_file_under_another_name_is_refused_with_the_names_there_are():
    with pytest.raises(DataError, match=r"benchmark\.csv.*results-imagenet\.csv"):
        read_timm_results([file("benchmark.csv", HEAD)])


@pytest.mark.refdata
def test_the_published_tables(imported):
    found = rows(imported["timm"])
    of = {model: row for (model, _), row in found.items()}
    assert len(of) == 1267  # one of them in a single file
    groups = [row["group"] for row in of.values()]
    assert groups.count("CLIP fine-tuned, direct") + groups.count("CLIP fine-tuned, two-stage") == 37
    assert groups.count("CLIP fine-tuned, two-stage") == 18
    assert groups.count(None) == 4
    assert found["timm:vit_so400m_patch14_siglip_378.webli_ft_in1k", "imagenet-r"]["value"] == pytest.approx(0.90847)
