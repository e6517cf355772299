"""Model cards from names: expectations written by hand from the papers and the libraries' own documentation."""

import csv

import pytest

from eyechart.models.card import derive_card
from eyechart.models.names.model_names import needs_quickgelu
from eyechart.models.names.sources import find_source, known_sources

# name, source, distinct pairs, samples seen, loss, resolution
OPEN_CLIP = [
    ("ViT-B-32/openai", "WIT-400M", 400e6, 12.8e9, "InfoNCE", 224),
    ("RN50x4/openai", "WIT-400M", 400e6, 12.8e9, "InfoNCE", 288),
    ("RN50x64-quickgelu/openai", "WIT-400M", 400e6, 12.8e9, "InfoNCE", 448),
    ("ViT-L-14-336/openai", "WIT-400M", 400e6, 12.8e9, "InfoNCE", 336),
    ("ViT-L-14-336-quickgelu/openai", "WIT-400M", 400e6, 12.8e9, "InfoNCE", 336),
    ("ViT-B-32/laion400m_e32", "LAION-400M", 400e6, 12.8e9, "InfoNCE", 224),
    ("ViT-B-16-plus-240/laion400m_e31", "LAION-400M", 400e6, 12.4e9, "InfoNCE", 240),
    ("EVA01-g-14/laion400m_s11b_b41k", "LAION-400M", 400e6, 11e9, "InfoNCE", 224),
    ("ViT-B-32/laion2b_s34b_b79k", "LAION-2B", 2.32e9, 34e9, "InfoNCE", 224),
    ("ViT-H-14/laion2b_s32b_b79k", "LAION-2B", 2.32e9, 32e9, "InfoNCE", 224),
    ("ViT-bigG-14/laion2b_s39b_b160k", "LAION-2B", 2.32e9, 39e9, "InfoNCE", 224),
    ("convnext_large_d_320/laion2b_s29b_b131k_ft_soup", "LAION-2B", 2.32e9, 29e9, "InfoNCE", 320),
    ("convnext_base_w/laion2b_s13b_b82k_augreg", "LAION-2B", 2.32e9, 13e9, "InfoNCE", 256),
    ("coca_ViT-L-14/laion2b_s13b_b90k", "LAION-2B", 2.32e9, 13e9, "InfoNCE + captioning", 224),
    ("coca_ViT-B-32/mscoco_finetuned_laion2b_s13b_b90k", "LAION-2B", 2.32e9, 13e9, "InfoNCE + captioning", 224),
    ("convnext_base_w_320/laion_aesthetic_s13b_b82k", "LAION-Aesthetic", 900e6, 13e9, "InfoNCE", 320),
    ("xlm-roberta-base-ViT-B-32/laion5b_s13b_b90k", "LAION-5B", 5.85e9, 13e9, "InfoNCE", 224),
    ("xlm-roberta-large-ViT-H-14/frozen_laion5b_s13b_b90k", "LAION-5B", 5.85e9, 13e9, "InfoNCE", 224),
    ("ViT-B-32/datacomp_s_s13m_b4k", "DataComp-small", 1.4e6, 13e6, "InfoNCE", 224),
    ("ViT-B-32/datacomp_m_s128m_b4k", "DataComp-medium", 14e6, 128e6, "InfoNCE", 224),
    ("ViT-B-16/datacomp_l_s1b_b8k", "DataComp-large", 140e6, 1e9, "InfoNCE", 224),
    ("ViT-L-14/datacomp_xl_s13b_b90k", "DataComp-1B", 1.4e9, 13e9, "InfoNCE", 224),
    ("ViT-B-32-256/datacomp_s34b_b86k", "DataComp-1B", 1.4e9, 34e9, "InfoNCE", 256),
    ("ViT-H-14-CLIPA-336/datacomp1b", "DataComp-1B", 1.4e9, None, "InfoNCE", 336),
    ("ViT-L-14/commonpool_xl_s13b_b90k", "CommonPool-xlarge", 12.8e9, 13e9, "InfoNCE", 224),
    ("ViT-L-14/commonpool_xl_clip_s13b_b90k", "CommonPool-xlarge, CLIP-score filter", 3.8e9, 13e9, "InfoNCE", 224),
    ("ViT-B-16/commonpool_l_s1b_b8k", "CommonPool-large", 1.28e9, 1e9, "InfoNCE", 224),
    ("ViT-B-32/commonpool_m_basic_s128m_b4k", "CommonPool-medium, basic filter", 30e6, 128e6, "InfoNCE", 224),
    ("ViT-B-32/commonpool_s_s13m_b4k", "CommonPool-small", 12.8e6, 13e6, "InfoNCE", 224),
    ("ViT-B-32-quickgelu/metaclip_400m", "MetaCLIP-400M", 400e6, 12.8e9, "InfoNCE", 224),
    ("ViT-H-14-quickgelu/metaclip_fullcc", "MetaCLIP-2.5B", 2.5e9, 12.8e9, "InfoNCE", 224),
    ("ViT-B-16/dfn2b", "DFN-2B", 2e9, None, "InfoNCE", 224),
    ("ViT-L-14/dfn2b_s39b", "DFN-2B", 2e9, 39e9, "InfoNCE", 224),
    ("ViT-H-14-378-quickgelu/dfn5b", "DFN-5B", 5e9, None, "InfoNCE", 378),
    ("ViT-B-16-SigLIP/webli", "WebLI", 10e9, None, "sigmoid", 224),
    ("ViT-SO400M-14-SigLIP-384/webli", "WebLI", 10e9, None, "sigmoid", 384),
    ("ViT-B-16-SigLIP-i18n-256/webli", "WebLI", 10e9, None, "sigmoid", 256),
    ("RN50/cc12m", "CC-12M", 12.4e6, None, "InfoNCE", 224),
    ("RN101-quickgelu/yfcc15m", "YFCC-15M", 14.8e6, None, "InfoNCE", 224),
    ("EVA02-L-14-336/merged2b_s6b_b61k", "Merged-2B", 2e9, 6e9, "InfoNCE", 336),
    ("MobileCLIP-S1/datacompdr", "DataCompDR-1B", 1.28e9, None, "InfoNCE + distillation", 256),
    ("PE-Core-L-14-336/meta", "Perception Encoder pairs", 5.4e9, None, "InfoNCE", 336),
    ("nllb-clip-base/v1", None, None, None, None, 224),
    ("ViT-B-32/my_own_run", None, None, None, "InfoNCE", 224),
]


@pytest.mark.parametrize("name, source, size, seen, loss, resolution", OPEN_CLIP, ids=[row[0] for row in OPEN_CLIP])
def test_open_clip_names(name, source, size, seen, loss, resolution):
    card = derive_card("open_clip", name)
    assert (card.source, card.dataset_size, card.samples_seen, card.loss, card.resolution) == (
        source,
        size,
        seen,
        loss,
        resolution,
    )


# name, source, fine-tuning, loss, resolution
TIMM = [
    ("vit_base_patch16_clip_224.openai", "WIT-400M", None, "InfoNCE", 224),
    ("vit_base_patch16_clip_224.openai_ft_in1k", "WIT-400M", "ImageNet-1k", "InfoNCE", 224),
    ("vit_large_patch14_clip_336.laion2b_ft_in12k_in1k", "LAION-2B", "ImageNet-12k then ImageNet-1k", "InfoNCE", 336),
    ("vit_large_patch14_clip_224.openai_ft_in12k", "WIT-400M", "ImageNet-12k", "InfoNCE", 224),
    ("convnext_base.clip_laiona_augreg_ft_in1k_384", "LAION-Aesthetic", "ImageNet-1k", "InfoNCE", 384),
    (
        "convnext_large_mlp.clip_laion2b_soup_ft_in12k_in1k_320",
        "LAION-2B",
        "ImageNet-12k then ImageNet-1k",
        "InfoNCE",
        320,
    ),
    ("vit_so400m_patch14_siglip_gap_378.webli_ft_in1k", "WebLI", "ImageNet-1k", "sigmoid", 378),
    ("vit_huge_patch14_clip_378.dfn5b", "DFN-5B", None, "InfoNCE", 378),
    ("vit_base_patch32_clip_256.datacompxl", "DataComp-1B", None, "InfoNCE", 256),
    ("vit_base_patch16_clip_quickgelu_224.metaclip_2pt5b", "MetaCLIP-2.5B", None, "InfoNCE", 224),
    ("vit_base_patch16_224.augreg_in21k_ft_in1k", "ImageNet-21k", "ImageNet-1k", "cross-entropy", 224),
    ("eva02_large_patch14_448.mim_m38m_ft_in22k_in1k", "Merged-38M", "ImageNet-21k then ImageNet-1k", "masked prediction", 448),
    ("regnety_160.sw_in12k_ft_in1k", "ImageNet-12k", "ImageNet-1k", "cross-entropy", None),
    ("resnet50.a1_in1k", "ImageNet-1k", None, "cross-entropy", None),
    ("tf_efficientnet_l2.ns_jft_in1k_475", "JFT-300M", None, None, 475),
    ("eva_giant_patch14_336.clip_ft_in1k", None, "ImageNet-1k", "InfoNCE", 336),
    ("vit_small_patch14_dinov2.lvd142m", "LVD-142M", None, "self-distillation", None),
    ("resnet50", None, None, None, None),
]


@pytest.mark.parametrize("name, source, fine_tuning, loss, resolution", TIMM, ids=[row[0] for row in TIMM])
def test_timm_names(name, source, fine_tuning, loss, resolution):
    card = derive_card("timm", name)
    assert (card.source, card.fine_tuning, card.loss, card.resolution) == (source, fine_tuning, loss, resolution)


def test_a_model_fine_tuned_on_12k_alone_is_said_to_have_no_1k_head():
    assert "no ImageNet-1k head" in " ".join(derive_card("timm", "vit_base_patch16_clip_224.laion2b_ft_in12k").notes)
    assert derive_card("timm", "vit_base_patch16_clip_224.laion2b_ft_in12k_in1k").notes == ()


# id, architecture, source, samples seen, loss, resolution
HUB = [
    ("openai/clip-vit-base-patch32", "ViT-B-32", "WIT-400M", 12.8e9, "InfoNCE", 224),
    ("openai/clip-vit-large-patch14-336", "ViT-L-14-336", "WIT-400M", 12.8e9, "InfoNCE", 336),
    ("laion/CLIP-ViT-B-32-laion2B-s34B-b79K", "ViT-B-32", "LAION-2B", 34e9, "InfoNCE", 224),
    ("laion/CLIP-ViT-bigG-14-laion2B-39B-b160k", "ViT-bigG-14", "LAION-2B", 39e9, "InfoNCE", 224),
    ("laion/CLIP-ViT-B-32-256x256-DataComp-s34B-b86K", "ViT-B-32-256", "DataComp-1B", 34e9, "InfoNCE", 256),
    ("laion/CLIP-ViT-L-14-DataComp.XL-s13B-b90K", "ViT-L-14", "DataComp-1B", 13e9, "InfoNCE", 224),
    (
        "laion/CLIP-ViT-B-16-CommonPool.L.clip-s1B-b8K",
        "ViT-B-16",
        "CommonPool-large, CLIP-score filter",
        1e9,
        "InfoNCE",
        224,
    ),
    ("laion/mscoco_finetuned_CoCa-ViT-L-14-laion2B-s13B-b90k", "coca_ViT-L-14", "LAION-2B", 13e9, "InfoNCE + captioning", 224),
    ("google/siglip-base-patch16-224", "ViT-B-16-SigLIP", "WebLI", None, "sigmoid", 224),
    ("google/siglip-so400m-patch14-384", "ViT-SO400M-14-SigLIP-384", "WebLI", None, "sigmoid", 384),
    (
        "google/siglip2-base-patch16-256",
        "ViT-B-16-SigLIP2-256",
        "WebLI",
        None,
        "sigmoid + captioning + self-distillation + masked prediction",
        256,
    ),
    ("facebook/metaclip-h14-fullcc2.5b", "ViT-H-14", "MetaCLIP-2.5B", 12.8e9, "InfoNCE", 224),
    ("apple/DFN5B-CLIP-ViT-H-14-378", "ViT-H-14-378", "DFN-5B", None, "InfoNCE", 378),
    ("kakaobrain/align-base", "EfficientNet-B7 + BERT-base", "COYO-700M", None, "InfoNCE", 289),
    ("someone/finetuned-thing", None, None, None, None, None),
]


@pytest.mark.parametrize("name, architecture, source, seen, loss, resolution", HUB, ids=[row[0] for row in HUB])
def test_hub_ids(name, architecture, source, seen, loss, resolution):
    card = derive_card("hf", name)
    found = (card.architecture, card.source, card.samples_seen, card.loss, card.resolution)
    assert found == (architecture, source, seen, loss, resolution)


def test_a_model_for_pictures_of_any_size_has_no_resolution():
    card = derive_card("hf", "google/siglip2-base-patch16-naflex")
    assert (card.family, card.source, card.resolution) == ("SigLIP 2", "WebLI", None)


def test_the_configuration_is_right_where_the_name_says_less_or_something_else():
    config = {"model_type": "siglip", "vision_config": {"image_size": 448}, "license": "mit"}
    card = derive_card("hf", "models/my-siglip", config)
    assert (card.family, card.loss, card.resolution, card.license) == ("SigLIP", "sigmoid", 448, "mit")
    assert derive_card("open_clip", "ViT-B-32/openai", {"vision_cfg": {"image_size": 288}}).resolution == 288
    assert derive_card("timm", "resnet50.a1_in1k", {"input_size": (3, 176, 176)}).resolution == 176


@pytest.mark.parametrize(
    "architecture, tag, needed",
    [
        ("ViT-B-32", "openai", True),
        ("ViT-H-14", "metaclip_fullcc", True),
        ("ViT-H-14-378", "dfn5b", True),
        ("ViT-L-14", "dfn2b_s39b", False),
        ("ViT-B-32", "laion400m_e32", True),
        ("ViT-B-16", "laion400m_e32", False),
        ("ViT-B-32", "laion2b_s34b_b79k", False),
    ],
)
def test_quickgelu(architecture, tag, needed):
    assert needs_quickgelu(architecture, tag) is needed


def test_a_source_is_found_only_where_a_word_of_the_tag_ends():
    assert find_source("laion2b_s34b_b79k").name == "LAION-2B"
    assert find_source("laion2bish") is None
    assert find_source("") is None


def test_every_source_is_cited():
    assert all(len(source.citation) > 10 for source in known_sources().values())


@pytest.mark.refdata
def test_resolutions_equal_open_clips_published_profile(refdata):
    with (refdata / "open_clip" / "model_profile.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 80
    wrong = [
        (r["model"], r["image_size"])
        for r in rows
        if derive_card("open_clip", r["model"]).resolution not in (int(r["image_size"]),)
    ]
    assert wrong == []


@pytest.mark.refdata
def test_of_the_published_open_clip_models_only_nllb_has_an_unknown_source(refdata):
    with (refdata / "open_clip" / "openclip_results.csv").open() as file:
        rows = list(csv.DictReader(file))
    unknown = {r["name"] for r in rows if derive_card("open_clip", f"{r['name']}/{r['pretrained']}").source is None}
    assert unknown == {"nllb-clip-base", "nllb-clip-large", "nllb-clip-base-siglip", "nllb-clip-large-siglip"}


@pytest.mark.refdata
def test_the_published_timm_results_hold_37_fine_tuned_clip_or_siglip_towers(refdata):
    with (refdata / "timm" / "results-imagenet.csv").open() as file:
        cards = {r["model"]: derive_card("timm", r["model"]) for r in csv.DictReader(file)}
    towers = [c for c in cards.values() if c.loss in ("InfoNCE", "sigmoid") and c.fine_tuning]
    assert len(towers) == 37
    assert all(c.fine_tuning.endswith("ImageNet-1k") for c in towers)
