"""Model cards: what is known about a model from its name and configuration. Unknown fields stay None."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eyechart.models.names.model_names import read_hub_id, read_open_clip, read_timm


@dataclass(frozen=True)
class ModelCard:
    """What is known about a model.

    name: The model's name at its source.
    backend: The source: open_clip, hf, timm, onnx, ….
    architecture: The architecture, such as ViT-B-32.
    family: The kind of model, such as CLIP or SigLIP.
    source: The training data.
    dataset_size: The number of distinct pictures or image-text pairs.
    samples_seen: The number of samples that passed through the network.
    fine_tuning: What followed pretraining.
    loss: The loss of pretraining.
    resolution: The side of the input in pixels.
    parameters: The number of parameters.
    license: The license of the weights.
    notes: Further remarks.
    training: Facts of its training that an experiment varies; `cause` compares models that differ in one of them.
    run: The training run that it is a checkpoint of; None where it is not known.

    Example:
        >>> ModelCard("mine", "onnx", resolution=224).resolution
        224
    """

    name: str
    backend: str
    architecture: str | None = None
    family: str | None = None
    source: str | None = None
    dataset_size: int | None = None
    samples_seen: int | None = None
    fine_tuning: str | None = None
    loss: str | None = None
    resolution: int | None = None
    parameters: int | None = None
    license: str | None = None
    notes: tuple[str, ...] = ()
    training: Mapping[str, str] = field(default_factory=dict)
    run: str | None = None


_BY_MODEL_TYPE = {
    "clip": ("CLIP", "InfoNCE"),
    "siglip": ("SigLIP", "sigmoid"),
    "siglip2": ("SigLIP 2", "sigmoid + captioning + self-distillation + masked prediction"),
    "align": ("ALIGN", "InfoNCE"),
}


def derive_card(backend: str, name: str, config: Mapping[str, Any] | None = None) -> ModelCard:
    """The card of a model, from its name and configuration.

    Args:
        backend: The model source.
        name: What follows the prefix: `ViT-B-32/laion2b_s34b_b79k`, `vit_base_patch16_clip_224.openai`,
            `google/siglip-base-patch16-224`, or a local path.
        config: The library's configuration: open_clip's model configuration, timm's pretrained_cfg, or transformers' config
            as a dictionary. The keys `architecture`, `parameters` and `license` are used too. It takes precedence over the name.
    """
    config = config or {}
    if backend == "open_clip":
        architecture, _, tag = name.partition("/")
        facts = read_open_clip(architecture, tag)
    elif backend == "timm":
        facts = read_timm(name.rpartition("/")[2])
    elif backend == "hf":
        facts = read_hub_id(name)
        if config.get("model_type") in _BY_MODEL_TYPE:
            family, loss = _BY_MODEL_TYPE[config["model_type"]]
            # The checkpoints of SigLIP 2 at a fixed size are stored as model type `siglip`.
            facts = {"family": family, "loss": loss} | facts
    else:
        facts = {}
    resolution = _resolution(config)
    if resolution:
        facts["resolution"] = resolution
    for fact, key in (("architecture", "architecture"), ("parameters", "parameters"), ("license", "license")):
        if config.get(key) is not None:
            facts[fact] = config[key]
    return ModelCard(name=name, backend=backend, **facts)


def _resolution(config: Mapping[str, Any]) -> int | None:
    """The side in pixels, in the keys of all three libraries; the height where it is not square."""
    for part in (config, config.get("vision_cfg"), config.get("vision_config")):
        if isinstance(part, Mapping):
            for key in ("image_size", "input_size"):
                size = part.get(key)
                if isinstance(size, list | tuple) and size:
                    size = size[-2] if len(size) > 1 else size[0]
                if isinstance(size, int) and not isinstance(size, bool):
                    return size
    return None
