"""Facts from model names: open_clip's `arch/tag`, timm's `arch.tag`, and the ids of the Hugging Face hub.

Each reader returns the fields of a model card that the name tells, and omits the others. In an open_clip tag
`<data>_s<samples>_b<batch>`, s is the number of samples seen, as the tag rounds it, not the size of the data.
"""

import re
from typing import Any

from eyechart.models.names.sources import Source, find_source

_SCALE = {"k": 10**3, "m": 10**6, "b": 10**9}
_IMAGENET = {"in1k": "ImageNet-1k", "in12k": "ImageNet-12k", "in21k": "ImageNet-21k", "in22k": "ImageNet-21k"}

# Sizes that are not part of an architecture's name (open_clip's model configurations).
_OPEN_CLIP_SIZES = {
    "RN50x4": 288,
    "RN50x16": 384,
    "RN50x64": 448,
    "coca_base": 288,
    "convnext_base_w": 256,
    "convnext_large_d": 256,
    "convnext_xlarge": 256,
    "convnext_xxlarge": 256,
    "nllb-clip-base-siglip": 384,
    "nllb-clip-large-siglip": 384,
    "ViTamin-XL-384": 384,
}
_AT_224 = re.compile(
    r"(RN|ViT|EVA0|PE-Core-B|MobileCLIP2?-[BL]|convnext_|coca_|mt5-|roberta-|xlm-roberta-|nllb-clip-(base|large)$)"
)
# timm architectures whose trailing number is a side in pixels; in regnety_160 or levit_256 it is something else.
_TELLS_SIZE = re.compile(r"patch\d|window\d|siglip|clip|vitamin|mci|maxvit|maxxvit|coatn|hiera|volo|cait|xcit|resmlp")
_AT_256 = re.compile(r"MobileCLIP2?-S\d")


def read_open_clip(architecture: str, tag: str) -> dict[str, Any]:
    """Fields of the card of `open_clip:architecture/tag`."""
    facts: dict[str, Any] = {"architecture": architecture, **_contrastive_family(architecture)}
    facts["resolution"] = _size_in_name(architecture.removesuffix("-quickgelu")) or _usual_open_clip_size(architecture)
    data = tag.lower()
    if data.startswith("mscoco_finetuned_"):
        data = data.removeprefix("mscoco_finetuned_")
        facts["fine_tuning"] = "MS-COCO captions"
    if architecture.startswith("PE-Core") and data == "meta":
        data = "pe_core"
    source = find_source(data)
    facts |= _of_source(source)
    facts["samples_seen"] = _samples_seen(data, source)
    facts["notes"] = _notes(architecture, tag, data)
    return {name: value for name, value in facts.items() if value is not None}


def needs_quickgelu(architecture: str, tag: str) -> bool:
    """Whether the weights were trained with QuickGELU. Loading them with GELU silently costs about three points."""
    architecture, tag = architecture.removesuffix("-quickgelu"), tag.lower()
    if tag in ("openai", "metaclip_400m", "metaclip_fullcc", "dfn2b", "dfn5b", "cc12m", "yfcc15m"):
        return True
    if tag == "metaclip2_worldwide":
        return architecture in ("ViT-H-14-worldwide", "ViT-L-14-worldwide")
    return architecture == "ViT-B-32" and tag in ("laion400m_e31", "laion400m_e32")


def read_timm(name: str) -> dict[str, Any]:
    """Fields of the card of `timm:arch.tag`. `loss` is that of pretraining."""
    architecture, _, tag = name.partition(".")
    facts: dict[str, Any] = {"architecture": architecture, "family": architecture.split("_")[0]}
    last = tag.rsplit("_", 1)[-1]
    facts["resolution"] = int(last) if re.fullmatch(r"\d{3}", last) else _size_in_tag(tag)
    if facts["resolution"] is None and _TELLS_SIZE.search(architecture):
        facts["resolution"] = _size_in_name(architecture)
    pretraining, stages = _timm_stages(tag)
    source = _timm_source(architecture, pretraining)
    facts |= _of_source(source)
    if stages:
        facts["fine_tuning"] = " then ".join(_IMAGENET[stage] for stage in stages)
    facts["loss"] = _timm_loss(architecture, pretraining, source)
    if stages and stages[-1] != "in1k":
        facts["notes"] = (f"its classifier is that of {_IMAGENET[stages[-1]]}: no ImageNet-1k head",)
    return {key: value for key, value in facts.items() if value is not None}


def read_hub_id(hub_id: str) -> dict[str, Any]:
    """Fields of the card of `hf:owner/name`."""
    owner, _, name = hub_id.rpartition("/")
    lower = name.lower()
    if owner == "openai" and (match := re.fullmatch(r"clip-vit-(base|large)-patch(\d+)(?:-(\d+))?", lower)):
        size, patch, side = match.groups()
        return read_open_clip(f"ViT-{size[0].upper()}-{patch}" + (f"-{side}" if side else ""), "openai")
    if match := re.fullmatch(r"siglip(2?)-([a-z0-9]+)(?:-opt)?-patch(\d+)-(\d+|naflex)(-i18n|-multilingual|-256-i18n)?", lower):
        version, size, patch, side, _ = match.groups()
        architecture = f"ViT-{_short(size)}-{patch}-SigLIP{version}" + (f"-{side}" if side not in ("224", "naflex") else "")
        facts = read_open_clip(architecture, "webli")
        return facts if side != "naflex" else {name: value for name, value in facts.items() if name != "resolution"}
    if match := re.fullmatch(r"metaclip-(b|l|h)(\d+)-(400m|fullcc2\.5b)", lower):
        size, patch, data = match.groups()
        return read_open_clip(f"ViT-{size.upper()}-{patch}", "metaclip_400m" if data == "400m" else "metaclip_fullcc")
    if match := re.fullmatch(r"dfn(2b|5b)-clip-vit-([a-z]+)-(\d+)(?:-(378))?(?:-(39b))?", lower):
        data, size, patch, side, seen = match.groups()
        tag = f"dfn{data}" + (f"_s{seen}" if seen else "")
        return read_open_clip(f"ViT-{size.upper()}-{patch}" + (f"-{side}" if side else ""), tag)
    if lower == "align-base":
        facts = {"architecture": "EfficientNet-B7 + BERT-base", "family": "ALIGN", "loss": "InfoNCE", "resolution": 289}
        return facts | _of_source(find_source("coyo700m")) if owner == "kakaobrain" else facts
    if match := re.fullmatch(
        r"(?:mscoco_finetuned_)?(?:CLIP|CoCa)-(.+?)[-.]((?:laion|datacomp|commonpool).*)", name, flags=re.IGNORECASE
    ):
        architecture, data = match.groups()
        architecture = re.sub(r"-(\d+)x\1$", r"-\1", architecture)
        data = re.sub(r"[-.]", "_", data.lower()).replace("laion2b_39b", "laion2b_s39b")
        if "coca-" in lower:
            architecture = f"coca_{architecture}"
        if lower.startswith("mscoco_finetuned_"):
            data = f"mscoco_finetuned_{data}"
        return read_open_clip(architecture, data)
    return {}


def _contrastive_family(architecture: str) -> dict[str, str]:
    lower = architecture.lower()
    if lower.startswith("nllb-clip"):
        return {"family": "NLLB-CLIP"}
    if "siglip2" in lower:
        return {"family": "SigLIP 2", "loss": "sigmoid + captioning + self-distillation + masked prediction"}
    for word, family, loss in (
        ("siglip", "SigLIP", "sigmoid"),
        ("coca", "CoCa", "InfoNCE + captioning"),
        ("eva0", "EVA-CLIP", "InfoNCE"),
        ("mobileclip", "MobileCLIP", "InfoNCE + distillation"),
        ("clipa", "CLIPA", "InfoNCE"),
        ("vitamin", "ViTamin", "InfoNCE"),
        ("pe-core", "Perception Encoder", "InfoNCE"),
    ):
        if word in lower:
            return {"family": family, "loss": loss}
    return {"family": "CLIP", "loss": "InfoNCE"}


def _of_source(source: Source | None) -> dict[str, Any]:
    return {"source": source.name, "dataset_size": source.size} if source else {}


def _samples_seen(tag: str, source: Source | None) -> int | None:
    if match := re.search(r"_s(\d+(?:\.\d+)?)([kmb])(?:_|$)", tag):
        return round(float(match[1]) * _SCALE[match[2]])
    if source and source.size and (match := re.search(r"_e(\d+)$", tag)):
        return int(match[1]) * source.size
    return source.seen if source else None


def _notes(architecture: str, tag: str, data: str) -> tuple[str, ...] | None:
    notes = ["trained with QuickGELU"] if needs_quickgelu(architecture, tag) else []
    for word, meaning in (
        ("augreg", "stronger augmentation and regularisation"),
        ("rewind", "trained again from an earlier point"),
        ("soup", "an average of several runs' weights"),
        ("frozen", "image tower frozen"),
        ("ft", "a last stage at a higher resolution"),
    ):
        if word in data.split("_"):
            notes.append(meaning)
    return tuple(notes) or None


def _size_in_name(architecture: str) -> int | None:
    """A side of 112 to 1024 pixels at the end of a name, as in ViT-L-14-336 or vit_base_patch16_siglip_gap_384."""
    match = re.search(r"[-_](\d{3,4})$", architecture)
    return int(match[1]) if match and 112 <= int(match[1]) <= 1024 else None


def _size_in_tag(tag: str) -> int | None:
    match = re.search(r"(?:^|_)r(\d{3})(?:_|$)", tag)
    return int(match[1]) if match else None


def _usual_open_clip_size(architecture: str) -> int | None:
    base = architecture.removesuffix("-quickgelu")
    if base in _OPEN_CLIP_SIZES:
        return _OPEN_CLIP_SIZES[base]
    if _AT_256.match(base):
        return 256
    return 224 if _AT_224.match(base) else None


def _timm_stages(tag: str) -> tuple[str, list[str]]:
    """(what comes before the fine-tuning, the ImageNets that it went through in order)."""
    pretraining, _, after = f"_{tag}".partition("_ft_")
    return pretraining.removeprefix("_"), [part for part in after.split("_") if part in _IMAGENET]


def _timm_source(architecture: str, pretraining: str) -> Source | None:
    if "_pe_core_" in architecture:
        return find_source("pe_core")
    parts = pretraining.split("_")
    return next(filter(None, (find_source("_".join(parts[start:])) for start in range(len(parts)))), None)


def _timm_loss(architecture: str, pretraining: str, source: Source | None) -> str | None:
    words = {*architecture.split("_"), *pretraining.split("_")}
    if "siglip" in words:
        return "sigmoid"
    if {"clip", "openai"} & words or architecture.startswith("vitamin"):
        return "InfoNCE"
    if {"mclip", "mclip2"} & words:
        return "InfoNCE + distillation"
    if {"mae", "fcmae", "mim"} & words or architecture.startswith("beit"):
        return "masked prediction"
    if {"dino", "dinov2", "dinov3"} & words:
        return "self-distillation"
    if {"dist", "distilled", "ssld"} & words:
        return "cross-entropy + distillation"
    return "cross-entropy" if source and source.name.startswith("ImageNet") else None


def _short(size: str) -> str:
    """A size of transformers in open_clip's notation."""
    return {"base": "B", "large": "L", "so400m": "SO400M", "giant": "gopt"}.get(size, size)
