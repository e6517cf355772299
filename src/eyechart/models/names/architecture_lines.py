"""Architecture families such as ResNet and ViT, read from model names."""

import re

# The first matching pattern names the family. Order matters: 'resnet' is part of 'seresnet', 'vit' of 'mobilevit'.
_LINES = tuple(
    (re.compile(pattern), line)
    for pattern, line in (
        (r"convnext", "ConvNeXt"),
        (r"efficientnet", "EfficientNet"),
        (r"efficientvit", "EfficientViT"),
        (r"efficientformer", "EfficientFormer"),
        (r"inception|googlenet", "Inception"),
        (r"densenet", "DenseNet"),
        (r"regnet", "RegNet"),
        (r"res2ne", "Res2Net"),
        (r"resnest", "ResNeSt"),
        (r"(^|_)(nfnet|nf_)", "NFNet"),
        (r"resnet|resnext|(^|[_-])rn\d|bit-m|senet\d", "ResNet"),
        (r"mobilenet|mobileone", "MobileNet"),
        (r"mobilevit", "MobileViT"),
        (r"mobileclip2?-b", "ViT"),
        (r"fastvit|mobileclip", "FastViT"),
        (r"nasnet|mnasnet|fbnet|hardcorenas", "NASNet"),
        (r"vgg", "VGG"),
        (r"swin", "Swin"),
        (r"maxvit|maxxvit|coatne", "CoAtNet and MaxViT"),
        (r"caformer|convformer|poolformer", "MetaFormer"),
        (r"mixer|mlp", "MLP"),
        (r"vitamin", "ViTamin"),
        (r"(^|[_-])(vit\d?|deit3?|beit(v2|3)?|eva(0[12])?|flexivit|naflexvit|pe-core|nllb-clip)([_-]|$)|^coca_base", "ViT"),
    )
)
# Prefixes in timm's names: who trained the model, or a small change to it.
_PREFIXES = re.compile(r"^(tf|dm|legacy|test|gc|eca|ese|wide|lambda|bat)_")


def architecture_line(architecture: str) -> str:
    """'RN50x4' → 'ResNet', 'vit_base_patch16_clip_224' → 'ViT'; an unknown family is named by its leading letters.

    >>> architecture_line("seresnext101_32x8d"), architecture_line("xcit_small_24_p8_224")
    ('ResNet', 'xcit')
    """
    name = architecture.lower()
    for pattern, line in _LINES:
        if pattern.search(name):
            return line
    first = re.match(r"[a-z]+?(?=v\d|[^a-z]|$)", _PREFIXES.sub("", name))
    return first[0] if first else name
