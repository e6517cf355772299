"""`vectors:FILE_OR_FOLDER`: precomputed image and text vectors.

An npz file holds `image_ids` and `image_vectors`, `texts` and `text_vectors` (either pair may be absent), and optionally
`logit_scale` and `logit_bias`. A folder holds images.parquet (columns id, vector) and texts.parquet (columns text, vector),
and has no scale.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.files.hashing import HashMemory
from eyechart.files.npz import read_npz
from eyechart.models.card import ModelCard
from eyechart.models.composed import ComposedModel
from eyechart.models.encoder import Model
from eyechart.models.vector_table import VectorTable, read_parquet, table_of
from eyechart.models.weights import fingerprint

_ARRAYS = ("image_ids", "image_vectors", "texts", "text_vectors", "logit_scale", "logit_bias")
_FILES = ("images.parquet", "texts.parquet")


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> Model:
    """Open precomputed vectors. `device`, `precision` and `threads` have no effect."""
    path = Path(name)
    if path.is_dir():
        files, images, texts, scale, bias = _read_folder(path)
    elif path.is_file():
        files, images, texts, scale, bias = _read_file(path)
    else:
        raise UsageError(
            f"vectors:{name}: there is no such file or folder; give an .npz file or a folder with {' and '.join(_FILES)}"
        )
    if images and texts and images.vectors.shape[1] != texts.vectors.shape[1]:
        raise DataError(
            f"{path}: the image vectors have {images.vectors.shape[1]} numbers and the text vectors {texts.vectors.shape[1]};"
            " give vectors of one model"
        )
    abilities: dict[str, Callable[..., Any] | float] = {}
    if images:
        abilities["look_up_images"] = images.look_up
    if texts:
        abilities |= {"known_texts": texts.known, "look_up_texts": texts.look_up}
    if scale is not None:
        abilities |= {"logit_scale": scale, "logit_bias": bias}
    digest = fingerprint({"vectors": [hashes.file(file) for file in files], "logit_scale": scale, "logit_bias": bias})
    card = ModelCard(name=path.name, backend="vectors", notes=("precomputed vectors",))
    return ComposedModel(f"vectors:{name}", card, digest, abilities)


Read = tuple[list[Path], VectorTable | None, VectorTable | None, float | None, float]


def _read_file(path: Path) -> Read:
    if path.suffix == ".parquet":
        raise UsageError(f"vectors:{path}: name two Parquet files {' and '.join(_FILES)} in a folder, and give the folder")
    arrays = read_npz(path)
    for name in arrays:
        if name not in _ARRAYS:
            raise DataError(f"{path}: the array {name!r} is unknown{did_you_mean(name, _ARRAYS)} (known: {', '.join(_ARRAYS)})")
    images = _pair(path, arrays, "image_ids", "image_vectors", "picture id")
    texts = _pair(path, arrays, "texts", "text_vectors", "text")
    if images is None and texts is None:
        raise DataError(f"{path}: it contains no vectors; save image_ids with image_vectors, or texts with text_vectors")
    scale = _number(path, "logit_scale", arrays["logit_scale"]) if "logit_scale" in arrays else None
    bias = _number(path, "logit_bias", arrays["logit_bias"]) if "logit_bias" in arrays else 0.0
    return [path], images, texts, scale, bias


def _read_folder(folder: Path) -> Read:
    files = [folder / name for name in _FILES if (folder / name).is_file()]
    if not files:
        raise DataError(f"{folder}: it contains neither {' nor '.join(_FILES)}; write columns id, vector and text, vector")
    images, texts = (folder / name for name in _FILES)
    return (
        files,
        read_parquet(images, "picture id", "id") if images in files else None,
        read_parquet(texts, "text", "text") if texts in files else None,
        None,
        0.0,
    )


def _pair(path: Path, arrays: Mapping[str, npt.NDArray[Any]], names: str, vectors: str, thing: str) -> VectorTable | None:
    there = [name for name in (names, vectors) if name in arrays]
    if len(there) == 1:
        missing = vectors if there[0] == names else names
        raise DataError(f"{path}: it has {there[0]!r} but not {missing!r}; save both, row for row")
    return table_of(path, thing, arrays[names], arrays[vectors]) if there else None


def _number(path: Path, name: str, value: npt.NDArray[Any]) -> float:
    if value.size != 1 or value.dtype.kind not in "fiu" or not np.isfinite(value).all():
        raise DataError(f"{path}: {name} is {value!r}; give one number (logit_scale multiplies the cosine; CLIP: 100)")
    return float(value.reshape(-1)[0])
