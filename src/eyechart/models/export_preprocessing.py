"""The preprocessing of a torch model as model.json describes it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from eyechart.arrays import Floats
from eyechart.errors import ModelError
from eyechart.models.export_towers import TorchModel
from eyechart.models.hf import HfModel
from eyechart.models.hf_pictures import preprocessings_of
from eyechart.models.preprocessing import Preprocessing
from eyechart.models.sbert import SbertModel

NOTE_ON_RESIZING = "transformers resizes with torchvision, this folder with Pillow: pixels may differ by a few gray levels"
MOST_GRAY_LEVELS = 4


def exported_preprocessing(model: TorchModel, pictures: Sequence[Image.Image]) -> tuple[Preprocessing, tuple[str, ...]]:
    """The preprocessing and notes about it. ModelError where it cannot reproduce the library's own processor."""
    if isinstance(model, SbertModel):
        raise ModelError(f"{model.spec}: it has no image encoder")
    if not isinstance(model, HfModel):
        return model.source.preprocessing, ()
    wanted = [model.prepare(picture) for picture in pictures]
    found = min(preprocessings_of(model.processor.image_processor), key=lambda one: _apart(one, pictures, wanted))
    apart = _apart(found, pictures, wanted)
    if apart > MOST_GRAY_LEVELS:
        raise ModelError(f"{model.spec}: model.json cannot describe its image processor; use the original model")
    return found, (NOTE_ON_RESIZING,) if apart > 0.01 else ()


def _apart(preprocessing: Preprocessing, pictures: Sequence[Image.Image], wanted: Sequence[Floats]) -> float:
    """The largest difference of the pixels, in gray levels."""
    levels = 255 * np.array(preprocessing.std, dtype=np.float32)[:, None, None]
    gaps = []
    for picture, array in zip(pictures, wanted, strict=True):
        ours = preprocessing(picture)
        if ours.shape != array.shape:
            return float("inf")
        gaps.append(float((np.abs(ours - array) * levels).max()))
    return max(gaps)
