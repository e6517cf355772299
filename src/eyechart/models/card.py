"""A model card: what is known of a model from its name and configuration. What is not known stays None."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eyechart.models.names.model_names import read_hub_id, read_open_clip, read_timm


@dataclass(frozen=True)
class ModelCard:
    """`dataset_size` counts distinct pictures or pairs, `samples_seen` what passed through the network; `loss` is that of the
    pretraining, `fine_tuning` what came after it. `training`: facts of its training by name, as an experiment varies them;
    models that differ in one of them alone are compared by `cause`."""

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
    licence: str | None = None
    notes: tuple[str, ...] = ()
    training: Mapping[str, str] = field(default_factory=dict)


_BY_MODEL_TYPE = {
    "clip": ("CLIP", "InfoNCE"),
    "siglip": ("SigLIP", "sigmoid"),
    "siglip2": ("SigLIP 2", "sigmoid + captioning + self-distillation + masked prediction"),
    "align": ("ALIGN", "InfoNCE"),
}


def derive_card(backend: str, name: str, config: Mapping[str, Any] | None = None) -> ModelCard:
    """The card that a name and, where given, a configuration tell.

    `name` is what follows the backend's prefix: `ViT-B-32/laion2b_s34b_b79k`, `vit_base_patch16_clip_224.openai`,
    `google/siglip-base-patch16-224`, or a local path, of which nothing is read but the configuration. `config` is the
    library's own: open_clip's model configuration, timm's pretrained_cfg, transformers' config as a dictionary; besides, the
    keys `architecture`, `parameters` and `license` are taken from it. Where name and configuration differ, the latter is right.
    """
    config = config or {}
    if backend == "open_clip":
        architecture, _, tag = name.partition("/")
        said = read_open_clip(architecture, tag)
    elif backend == "timm":
        said = read_timm(name.rpartition("/")[2])
    elif backend == "hf":
        said = read_hub_id(name)
        if config.get("model_type") in _BY_MODEL_TYPE:
            family, loss = _BY_MODEL_TYPE[config["model_type"]]
            # The checkpoints of SigLIP 2 at a fixed size are stored as model type `siglip`.
            said = {"family": family, "loss": loss} | said
    else:
        said = {}
    resolution = _resolution(config)
    if resolution:
        said["resolution"] = resolution
    for fact, key in (("architecture", "architecture"), ("parameters", "parameters"), ("licence", "license")):
        if config.get(key) is not None:
            said[fact] = config[key]
    return ModelCard(name=name, backend=backend, **said)


def _resolution(config: Mapping[str, Any]) -> int | None:
    """The side in pixels, wherever the three libraries put it; the height where it is not square."""
    for part in (config, config.get("vision_cfg"), config.get("vision_config")):
        if isinstance(part, Mapping):
            for key in ("image_size", "input_size"):
                size = part.get(key)
                if isinstance(size, list | tuple) and size:
                    size = size[-2] if len(size) > 1 else size[0]
                if isinstance(size, int) and not isinstance(size, bool):
                    return size
    return None
