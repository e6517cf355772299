"""The preprocessing of a torch model in the words of model.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from eyechart.errors import ModelError
from eyechart.models.encoder import Floats
from eyechart.models.export_towers import TorchModel
from eyechart.models.hf import HfModel
from eyechart.models.preprocessing import Preprocessing
from eyechart.models.sbert import SbertModel

NOTE_ON_RESIZING = "transformers resizes with torchvision, this folder with Pillow: pixels may differ by a few grey levels"
_INTERPOLATION = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic"}
MOST_GREY_LEVELS = 4


def exported_preprocessing(model: TorchModel, pictures: Sequence[Image.Image]) -> tuple[Preprocessing, tuple[str, ...]]:
    """With what there is to say of it. Where the library's own processor cannot be met, ModelError."""
    if isinstance(model, SbertModel):
        raise ModelError(f"{model.spec}: it takes no pictures")
    if not isinstance(model, HfModel):
        return model.source.preprocessing, ()
    wanted = [model.prepare(picture) for picture in pictures]
    found = min(_of_processor(model.processor.image_processor), key=lambda one: _apart(one, pictures, wanted))
    apart = _apart(found, pictures, wanted)
    if apart > MOST_GREY_LEVELS:
        raise ModelError(f"{model.spec}: its image processor does something that model.json cannot say; use the model as it is")
    return found, (NOTE_ON_RESIZING,) if apart > 0.01 else ()


def _of_processor(processor: Any) -> list[Preprocessing]:
    """value = ((pixel · factor - offset) - mean) / std, as (pixel / 255 - m) / s; both ways of placing an odd crop."""
    size, crop = processor.size, processor.crop_size if getattr(processor, "do_center_crop", False) else None
    shortest = size.get("shortest_edge")
    aim = int(shortest) if shortest else [int(size["height"]), int(size["width"])]
    target = [int(crop["height"]), int(crop["width"])] if crop else aim
    scale = 255 * (float(processor.rescale_factor) if processor.do_rescale else 1.0)
    offset = 1.0 if getattr(processor, "rescale_offset", False) else 0.0
    mean = np.array(processor.image_mean if processor.do_normalize else (0.0,) * 3, dtype=float)
    std = np.array(processor.image_std if processor.do_normalize else (1.0,) * 3, dtype=float)
    if getattr(processor, "include_top", False):
        std = std * np.array(processor.image_std, dtype=float)
    settings = {
        "size": target,
        "resize_size": aim,
        "resize": "shortest" if shortest else "squash",
        "crop": "center",
        "interpolation": _INTERPOLATION[int(processor.resample)],
        "mean": ((mean + offset) / scale).tolist(),
        "std": (std / scale).tolist(),
        "rescale": "fused",
    }
    return [Preprocessing.from_dict(settings | {"offset": rule}) for rule in ("down", "nearest")]


def _apart(preprocessing: Preprocessing, pictures: Sequence[Image.Image], wanted: Sequence[Floats]) -> float:
    """The largest difference in grey levels."""
    levels = 255 * np.array(preprocessing.std, dtype=np.float32)[:, None, None]
    gaps = []
    for picture, array in zip(pictures, wanted, strict=True):
        ours = preprocessing(picture)
        if ours.shape != array.shape:
            return float("inf")
        gaps.append(float((np.abs(ours - array) * levels).max()))
    return max(gaps)
