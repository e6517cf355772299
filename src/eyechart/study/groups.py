"""Groups of models, as in the papers (Taori et al., 2020, §3; Tu et al., 2023, §3.1)."""

from collections.abc import Mapping
from typing import Any

ZERO_SHOT = "zero-shot CLIP"
DIRECT = "CLIP fine-tuned, direct"
TWO_STAGE = "CLIP fine-tuned, two-stage"
MORE_DATA = "more data"
CONTRASTIVE = "contrastive"
STANDARD = "standard"
ROBUST = "robust training"
OTHER = "other"
GROUPS = (ZERO_SHOT, DIRECT, TWO_STAGE, MORE_DATA, CONTRASTIVE, STANDARD, ROBUST, OTHER)

# Self-supervised methods of the group `contrastive`; the tables do not have this group, but names show it.
_CONTRASTIVE_WORDS = ("insdis", "pirl", "moco", "infomin", "simclr", "swav", "simsiam", "byol", "dino")
_LANGUAGE_LOSSES = ("InfoNCE", "sigmoid")  # image–text training


def is_contrastive(name: str) -> bool:
    """Whether the name shows that the model was pre-trained on pictures alone by one of these methods."""
    return any(word in name.lower() for word in _CONTRASTIVE_WORDS)


def group_of(name: str, card: Mapping[str, Any]) -> str | None:
    """The group of a model from its card; None where unknown."""
    stages = str(card.get("fine_tuning") or "").split(" then ")
    source = card.get("source")
    if str(card.get("loss") or "").startswith(_LANGUAGE_LOSSES):
        if stages[-1] != "ImageNet-1k":
            return ZERO_SHOT
        return DIRECT if len(stages) == 1 else TWO_STAGE
    if is_contrastive(name):
        return CONTRASTIVE
    if any(stage.startswith("ImageNet") and stage != "ImageNet-1k" for stage in stages):
        return MORE_DATA
    if source is not None:
        return STANDARD if source == "ImageNet-1k" else MORE_DATA
    # Masked prediction without a named source was trained on ImageNet-1k (fcmae: Woo et al., 2023, §4).
    return STANDARD if card.get("loss") == "masked prediction" and stages == ["ImageNet-1k"] else None
