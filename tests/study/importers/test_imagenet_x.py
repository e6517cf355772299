import pytest

from eyechart.study.importers.imagenet_x import read_imagenet_x

from ..tables import file

HEAD = "model,pose,texture,worst_factor,average"


def test_factors_are_measures_set_against_the_average():
    found = read_imagenet_x([file("x.csv", HEAD, "vgg11,0.7,0.3,0.3,0.65", "SimCLR,0.75,0.4,0.4,0.7")]).table.to_pylist()
    of = {(row["model"], row["metric"]): row for row in found}
    assert of["testbed:vgg11", "imagenet-x-texture"]["n"] == 282
    assert of["imagenet_x:SimCLR", "imagenet-x-average"]["group"] == "contrastive"
    assert {metric for _, metric in of} == {"imagenet-x-pose", "imagenet-x-texture", "imagenet-x-average"}


@pytest.mark.refdata
def test_published_accuracies(imported):
    found = {(r["model"], r["metric"]): r["value"] for r in imported["imagenet_x"].table.to_pylist()}
    assert found["imagenet_x:ResNet50", "imagenet-x-texture"] == pytest.approx(0.39362, abs=1e-5)
    zero_shot = [found["testbed:vit_b_32_clip_zeroshot", f"imagenet-x-{name}"] for name in ("average", "pose", "texture")]
    assert zero_shot == pytest.approx([0.61948, 0.67645, 0.36525], abs=1e-5)
