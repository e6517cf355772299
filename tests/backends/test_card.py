"""Derived cards against the registries of open_clip and timm themselves."""

import pytest

from eyechart.models.card import derive_card
from eyechart.models.names.model_names import needs_quickgelu

pytestmark = pytest.mark.backend


def test_open_clip_registry():
    import open_clip
    from open_clip.pretrained import get_pretrained_cfg

    names = open_clip.list_pretrained()
    assert len(names) > 150
    unknown = set()
    for architecture, tag in names:
        card = derive_card("open_clip", f"{architecture}/{tag}")
        if card.source is None:
            unknown.add(architecture)
        else:
            assert card.loss, (architecture, tag)
        assert card.family, architecture
        assert bool(get_pretrained_cfg(architecture, tag).get("quick_gelu")) == needs_quickgelu(architecture, tag), (
            architecture,
            tag,
        )
        # open_clip's own configuration of ViTamin-XL-384 says 256, which its weights contradict.
        if architecture != "ViTamin-XL-384":
            assert card.resolution == open_clip.get_model_config(architecture)["vision_cfg"]["image_size"], architecture
    assert unknown == {"nllb-clip-base", "nllb-clip-large", "nllb-clip-base-siglip", "nllb-clip-large-siglip"}


def test_timm_registry():
    import timm

    for name in timm.list_models(pretrained=True):
        card = derive_card("timm", name)
        assert card.resolution in (None, timm.get_pretrained_cfg(name).input_size[-1]), name
        if "_ft_in1k" in name:
            assert card.fine_tuning == "ImageNet-1k", name
        if "_ft_in12k_in1k" in name:
            assert card.fine_tuning == "ImageNet-12k then ImageNet-1k", name


def test_hub_ids_of_open_clip_weights_give_the_card_of_their_tag():
    import open_clip
    from open_clip.pretrained import get_pretrained_cfg

    checked = 0
    for architecture, tag in open_clip.list_pretrained():
        hub = str(get_pretrained_cfg(architecture, tag).get("hf_hub", "")).strip("/")
        if hub.startswith(("laion/", "apple/DFN")):
            ours, theirs = derive_card("hf", hub), derive_card("open_clip", f"{architecture}/{tag}")
            assert (ours.source, ours.samples_seen, ours.resolution) == (theirs.source, theirs.samples_seen, theirs.resolution), (
                hub
            )
            checked += 1
    assert checked > 40
