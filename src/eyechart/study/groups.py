"""Groups of models, as the papers divide them (Taori et al., 2020, §3; Tu et al., 2023, §3.1)."""

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

# Self-supervised methods whose models form the group `contrastive`: declared here, since names tell it and tables do not.
_CONTRASTIVE_WORDS = ("insdis", "pirl", "moco", "infomin", "simclr", "swav", "simsiam", "byol", "dino")
_LANGUAGE_LOSSES = ("InfoNCE", "sigmoid")  # pictures against their captions


def is_contrastive(name: str) -> bool:
    """Whether a name says that the model was pre-trained on pictures alone by one of the declared methods."""
    return any(word in name.lower() for word in _CONTRASTIVE_WORDS)


def group_of(name: str, said: Mapping[str, Any]) -> str | None:
    """The group of a model from what its card says; None where the card does not tell."""
    stages = str(said.get("fine_tuning") or "").split(" then ")
    source = said.get("source")
    if str(said.get("loss") or "").startswith(_LANGUAGE_LOSSES):
        if stages[-1] != "ImageNet-1k":
            return ZERO_SHOT
        return DIRECT if len(stages) == 1 else TWO_STAGE
    if is_contrastive(name):
        return CONTRASTIVE
    if any(stage.startswith("ImageNet") and stage != "ImageNet-1k" for stage in stages):
        return MORE_DATA
    if source is not None:
        return STANDARD if source == "ImageNet-1k" else MORE_DATA
    # Masked prediction that names no source was trained on the pictures of ImageNet-1k (fcmae: Woo et al., 2023, §4).
    return STANDARD if said.get("loss") == "masked prediction" and stages == ["ImageNet-1k"] else None
