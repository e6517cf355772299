import pytest

from eyechart.models.names.architecture_lines import architecture_line


@pytest.mark.parametrize(
    ("architecture", "line"),
    [
        ("RN50x4", "ResNet"),
        ("seresnext101_32x8d", "ResNet"),
        ("BiT-M-R50x1-ILSVRC2012", "ResNet"),
        ("ViT-B-16-SigLIP-384", "ViT"),
        ("xlm-roberta-base-ViT-B-32", "ViT"),
        ("deit3_base_patch16_224", "ViT"),
        ("EVA02-E-14-plus", "ViT"),
        ("convnext_large_d_320", "ConvNeXt"),
        ("tf_efficientnet_b0", "EfficientNet"),
        ("swinv2_base_window16_256", "Swin"),
        ("dm_nfnet_f6", "NFNet"),
        ("xcit_small_24_p8_224", "xcit"),
        ("mvitv2_large", "mvit"),
    ],
)
def test_the_line_of_an_architecture(architecture, line):
    assert architecture_line(architecture) == line


@pytest.mark.parametrize("hybrid", ["mobilevit_s", "fastvit_t8", "maxvit_tiny_rw_224", "crossvit_9_240", "levit_256"])
def test_a_name_with_vit_in_it_need_not_be_a_vit(hybrid):
    assert architecture_line(hybrid) != "ViT"
