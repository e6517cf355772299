"""An image processor of transformers, expressed as a `Preprocessing`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eyechart.models.preprocessing import Preprocessing

_INTERPOLATION = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic"}


def preprocessings_of(processor: Any) -> list[Preprocessing]:
    """((pixel · factor - offset) - mean) / std rewritten as (pixel / 255 - m) / s, with both ways to place an odd crop."""
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
