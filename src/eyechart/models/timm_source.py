"""The parts of `timm:…`: architecture, weight file and preprocessing, found without loading a network.

vit_base_patch16_clip_224.openai_ft_in1k      one of timm's names, from the hub or its cache
vit_tiny_patch16_224/mine.safetensors         a local checkpoint of one of timm's architectures
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from eyechart.errors import ModelError, UsageError, did_you_mean
from eyechart.models.preprocessing import Preprocessing
from eyechart.models.torch_device import require
from eyechart.models.weights import check_weights, stored_shape

_HUB_FILES = ("model.safetensors", "pytorch_model.bin")


@dataclass(frozen=True)
class TimmSource:
    """What a name stands for: the `architecture` that timm creates, its pretrained `settings`, and its number of `classes` (0
    without a head)."""

    name: str
    architecture: str
    settings: Mapping[str, Any]
    weights: Path
    preprocessing: Preprocessing
    classes: int
    gives_patches: bool

    def to_json(self) -> dict[str, Any]:
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "settings": dict(self.settings),
            "weights": str(self.weights),
            "preprocessing": self.preprocessing.describe(),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "TimmSource":
        preprocessing = Preprocessing.from_dict(found["preprocessing"])
        return cls(**{**found, "weights": Path(found["weights"]), "preprocessing": preprocessing})


def find_source(name: str) -> TimmSource:
    timm = require("timm", f"timm:{name}", "timm")
    architecture, _, path = name.partition("/")
    if not timm.is_model(architecture):
        hint = did_you_mean(architecture, timm.list_models())
        raise UsageError(f"timm has no model {architecture!r}{hint}; `timm.list_models()` lists them")
    try:
        found = timm.get_pretrained_cfg(architecture)
    except RuntimeError:
        base, _, tag = architecture.partition(".")
        tags = [known.partition(".")[2] for known in timm.list_models(f"{base}.*", pretrained=True)]
        raise UsageError(f"timm:{name}: {base} has no weights of that tag{did_you_mean(tag, tags)} ({', '.join(tags)})") from None
    if found is None:
        raise ModelError(f"timm:{name}: timm has no preprocessing for this architecture")
    settings = found.to_dict()
    weights = check_weights(Path(path), "convert it to safetensors") if path else _of_hub(name, settings)
    classes = int(settings["num_classes"])
    if path:
        # A local checkpoint has its own number of classes.
        shape = stored_shape(weights, f"{settings.get('classifier')}.weight")
        classes = shape[0] if shape else classes
    made = get_type_hints(timm.models.model_entrypoint(architecture.partition(".")[0])).get("return")
    patches = hasattr(made, "forward_intermediates")
    return TimmSource(name, architecture, settings, weights, preprocessing_of(timm, settings), classes, patches)


def _of_hub(name: str, settings: Mapping[str, Any]) -> Path:
    hub = require("huggingface_hub", f"timm:{name}", "timm")
    repository = settings.get("hf_hub_id")
    if not repository:
        raise ModelError(
            f"timm:{name}: its weights are not on the hub; download them and write timm:{name.partition('.')[0]}/PATH"
        )
    files = (settings["hf_hub_filename"],) if settings.get("hf_hub_filename") else _HUB_FILES
    reasons = []
    for file in files:
        try:
            return check_weights(Path(hub.hf_hub_download(repository, file)), "convert it to safetensors")
        except (OSError, ValueError) as error:
            reasons.append(str(error).strip().splitlines()[0])
    raise ModelError(f"timm:{name}: {repository} is not in the hub's cache and cannot be downloaded ({reasons[0]})")


def preprocessing_of(timm: Any, settings: Mapping[str, Any]) -> Preprocessing:
    """timm's evaluation transform for a pretrained configuration."""
    data = timm.data.resolve_data_config({}, pretrained_cfg=dict(settings))
    _, height, width = data["input_size"]
    aims = [math.floor(side / (data["crop_pct"] or timm.data.constants.DEFAULT_CROP_PCT)) for side in (height, width)]
    resize = {"squash": "squash", "border": "longest"}.get(data["crop_mode"], "shortest")
    interpolation = data["interpolation"]
    if resize == "shortest" and height != width:
        interpolation = _keep_ratio_interpolation(timm, data)
    square = height == width
    return Preprocessing.from_dict(
        {
            "size": height if square else [height, width],
            "resize": resize,
            "crop": "center",
            "interpolation": interpolation,
            "mean": list(data["mean"]),
            "std": list(data["std"]),
            "fill": [round(255 * value) for value in data["mean"]] if resize == "longest" else 0,
            "resize_size": aims[0] if square else aims,
        }
    )


def _keep_ratio_interpolation(timm: Any, data: Mapping[str, Any]) -> str:
    """How timm resizes for an input that is not square: older versions take bilinear there, whatever the configuration says."""
    steps = timm.data.create_transform(**data, is_training=False).transforms
    return str(next(step.interpolation.value for step in steps if hasattr(step, "interpolation")))
