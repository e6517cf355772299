"""Heat maps over a picture: where the class token attends, and which patches are like the predicted class."""

import io
from typing import cast

import numpy as np
from PIL import Image

from eyechart.arrays import Doubles, Floats
from eyechart.errors import ModelError
from eyechart.metrics.scenes.mask_attention import patch_maps
from eyechart.models.abilities import has_members
from eyechart.models.encoder import EncodesImages, GivesAttention, GivesPatches, KnowsItsWindow, Model

SIDE = 320  # pixels
_COLD, _HOT = np.array([20.0, 30.0, 90.0]), np.array([255.0, 210.0, 60.0])


def heat_kinds(model: Model) -> list[str]:
    """The heat maps that a model can give."""
    return [kind for kind, ability in (("attention", "attention"), ("patches", "patches")) if has_members(model, ability)]


def heat_map(model: Model, picture: Image.Image, kind: str, class_vector: Floats | None = None) -> bytes:
    """A JPEG of what the model sees of a picture, colored by a map.

    Args:
        model: The model.
        picture: The decoded picture.
        kind: "attention": the class token's attention in the last block, mean over heads. "patches": the cosine of each patch
            token with the class vector; their first principal component where tokens and texts are in different spaces.
        class_vector: The vector of the predicted class.

    Raises:
        ModelError: If the model does not give it.
    """
    if kind not in heat_kinds(model):
        raise ModelError(f"{model.spec}: it gives no map of {kind}")
    prepared = cast(EncodesImages, model).prepare(picture)[None]
    if kind == "attention":
        weights = cast(GivesAttention, model).attention(prepared)[:, :, 0]
        try:
            maps, grid = patch_maps(weights)
        except ValueError as error:
            raise ModelError(f"{model.spec}: {error}") from None
        heat = maps[0].mean(axis=0).reshape(grid)
    else:
        heat = _patch_heat(np.asarray(cast(GivesPatches, model).patches(prepared)[0], np.float64), class_vector)
    return _jpeg(_view(model, picture), heat)


def _patch_heat(tokens: Doubles, class_vector: Floats | None) -> Doubles:
    if class_vector is not None and tokens.shape[-1] == len(class_vector):
        return np.asarray(tokens @ class_vector / np.maximum(np.linalg.norm(tokens, axis=-1), 1e-12))
    flat = tokens.reshape(-1, tokens.shape[-1])
    centered = flat - flat.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    return np.asarray((centered @ axes[0]).reshape(tokens.shape[:2]))


def _view(model: Model, picture: Image.Image) -> Image.Image:
    """The part of the picture that the model sees."""
    if not has_members(model, "window"):
        return picture.resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    left, top, right, bottom = cast(KnowsItsWindow, model).window(*picture.size)
    # A window may reach an ulp beyond the picture; Pillow's box may not.
    box = (max(0.0, left), max(0.0, top), min(float(picture.width), right), min(float(picture.height), bottom))
    return picture.resize((SIDE, SIDE), Image.Resampling.BICUBIC, box=box)


def _jpeg(view: Image.Image, heat: Doubles) -> bytes:
    spread = float(heat.max() - heat.min())
    scaled = (heat - heat.min()) / (spread if spread > 0 else 1.0)
    warm = np.asarray(Image.fromarray(scaled.astype(np.float32)).resize((SIDE, SIDE), Image.Resampling.BILINEAR), np.float64)
    gray = np.asarray(view, np.float64).mean(axis=2, keepdims=True)
    canvas = 0.45 * gray + 0.55 * (_COLD + warm[..., None] * (_HOT - _COLD))
    out = io.BytesIO()
    Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=85)
    return out.getvalue()
