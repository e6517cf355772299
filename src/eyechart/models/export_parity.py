"""Comparison of an exported folder with the original model, from picture and text to vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from eyechart.arrays import Floats
from eyechart.errors import ModelError

LEAST_COSINE = 0.9999
LEAST_INT8_COSINE = 0.95  # of vectors that are meant to differ: below, they are those of another model
PROMPTS = (
    "a photo of a cat.",
    "a photo of the large golden retriever.",
    "itap of my dog's toy; isn't it nice?",
    "A BLACK and white photo (2024) of 3 trees!",
    "caf\u00e9, na\u00efve, \u732b, \u2603",
    "tench",
    "",
)


def sample_pictures() -> list[Image.Image]:
    """Six synthetic pictures of several sizes: smooth colors with an edge."""
    rng = np.random.default_rng(0)
    shapes = [(480, 640), (640, 427), (224, 224), (333, 500), (96, 128), (512, 512)]
    pictures = []
    for height, width in shapes:
        coarse = Image.fromarray(rng.integers(0, 256, (5, 6, 3), dtype=np.uint8)).resize(
            (width, height), Image.Resampling.BICUBIC
        )
        box = (width // 4, height // 4, width // 2, height // 2)
        coarse.paste(tuple(int(value) for value in rng.integers(0, 256, 3)), box)
        pictures.append(coarse)
    return pictures


class Agreement(NamedTuple):
    """How far the vectors of two models agree.

    smallest: The smallest cosine.
    median: The median cosine.
    difference: The largest difference of normalized vectors.
    """

    smallest: float
    median: float
    difference: float


def compare_images(original: Any, written: Any, pictures: Sequence[Image.Image], *, least: float | None = None) -> Agreement:
    """The agreement of the image vectors, each model with its own preprocessing. `least` is the smallest cosine that is accepted,
    by default `LEAST_COSINE`."""
    theirs, ours = (
        model.encode_images(np.stack([model.prepare(picture) for picture in pictures])) for model in (original, written)
    )
    return _agreement(original.spec, "image", theirs, ours, LEAST_COSINE if least is None else least)


def compare_texts(original: Any, written: Any) -> Agreement:
    """The same for texts. The token ids must be equal."""
    wanted, found = original.tokenize(PROMPTS), written.tokenize(PROMPTS)
    for prompt, theirs, ours in zip(PROMPTS, wanted.ids, found.ids, strict=True):
        if not np.array_equal(theirs, ours):
            raise ModelError(
                f"{original.spec}: the exported tokenizer encodes {prompt!r} as {ours.tolist()}, not {theirs.tolist()}"
            )
    return _agreement(original.spec, "text", original.encode_texts(wanted.ids), written.encode_texts(found.ids), LEAST_COSINE)


def _agreement(spec: str, side: str, theirs: Floats, ours: Floats, least: float) -> Agreement:
    theirs, ours = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (theirs, ours))
    cosines = (theirs.astype(np.float64) * ours).sum(axis=1)
    if not cosines.min() >= least:
        raise ModelError(
            f"{spec}: the exported {side} encoder gives different vectors (cosine {cosines.min():.6f}, needed {least});"
            " nothing was written; use the original model"
        )
    smallest, median = (min(float(value), 1.0) for value in (cosines.min(), np.median(cosines)))
    return Agreement(smallest, median, float(np.abs(theirs - ours).max()))
