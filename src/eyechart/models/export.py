"""Export of a torch model as an `onnx:` folder that runs without torch; checked against the original before it is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image

from eyechart.errors import UsageError
from eyechart.files.atomic import atomic_folder, write_json
from eyechart.files.hashing import HashMemory
from eyechart.models.encoder import Model
from eyechart.models.export_int8 import quantize_products
from eyechart.models.export_parity import LEAST_INT8_COSINE, compare_images, compare_texts, sample_pictures
from eyechart.models.export_preprocessing import exported_preprocessing
from eyechart.models.export_tokenizer import write_tokenizer
from eyechart.models.export_towers import TorchModel, image_tower, text_tower, write_onnx
from eyechart.models.hf import HfModel
from eyechart.models.model_json import FORMAT_VERSION, NAME
from eyechart.models.onnx import open_folder
from eyechart.models.open import open_model
from eyechart.models.open_clip import OpenClipModel
from eyechart.models.sbert import SbertModel
from eyechart.models.timm import TimmModel
from eyechart.models.torch_device import require

Precision = Literal["float32", "int8"]


@dataclass(frozen=True)
class ExportReport:
    """Smallest cosine, median cosine of pictures, and largest difference of normalized vectors over the sample; None where there
    is no such tower."""

    model: str
    folder: str
    precision: str
    outputs: tuple[str, ...]
    megabytes: float
    image_cosine: float | None
    image_median_cosine: float | None
    image_difference: float | None
    text_cosine: float | None
    text_difference: float | None
    notes: tuple[str, ...]


def export_model(
    model: str | Model,
    folder: Path,
    *,
    overwrite: bool = False,
    all_blocks: bool = False,
    precision: Precision = "float32",
) -> ExportReport:
    """Export a model of open_clip, transformers, timm or sentence-transformers to a folder.

    Nothing is written where an encoder cannot be traced or the vectors do not agree. `all_blocks` exports the attention of
    every block, not only of the last. `precision` "int8" computes the matrix products of the image encoder in 8-bit integers:
    about twice as fast on a CPU, with other vectors; texts stay in float32."""
    opened: Any = open_model(model) if isinstance(model, str) else model
    if not isinstance(opened, TorchModel):
        raise UsageError(f"{opened.spec}: only models that run in torch are exported (open_clip:, hf:, timm: and sbert:)")
    if opened.device.name != "cpu" or opened.device.precision != "float32":
        raise UsageError(f"{opened.spec}: models are exported in float32 on the CPU; open it with device 'cpu'")
    require("onnxscript", f"exporting {opened.spec}", "export")
    if precision == "int8" and isinstance(opened, SbertModel):
        raise UsageError(f"{opened.spec}: int8 is for image encoders, and this model has none; export it in float32")
    with _kept_if_whole(folder, overwrite) as draft:
        pictures = sample_pictures()
        notes, outputs = _write(opened, draft, pictures, all_blocks, precision)
        written = open_folder(draft, f"onnx:{folder}", HashMemory())
        images = compare_images(opened, written, pictures) if "image_embeds" in outputs else None
        texts = compare_texts(opened, written) if "text_embeds" in outputs else None
        if precision == "int8" and images is not None:
            # Compared in float32 first, so that what is left is the effect of int8 alone.
            quantize_products(draft / "image.onnx", opened.spec)
            rounded = open_folder(draft, f"onnx:{folder}", HashMemory())
            images = compare_images(opened, rounded, pictures, least=LEAST_INT8_COSINE)
        size = sum(path.stat().st_size for path in draft.rglob("*")) / 1e6
    return ExportReport(
        model=opened.spec,
        folder=str(folder),
        precision=precision,
        outputs=outputs,
        megabytes=round(size, 1),
        image_cosine=images and images.smallest,
        image_median_cosine=images and images.median,
        image_difference=images and images.difference,
        text_cosine=texts and texts.smallest,
        text_difference=texts and texts.difference,
        notes=notes,
    )


def _write(
    model: TorchModel, draft: Path, pictures: list[Image.Image], all_blocks: bool, precision: Precision
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the folder's files; returns notes for the card and the names of the outputs."""
    described: dict[str, Any] = {"format_version": FORMAT_VERSION}
    notes: list[str] = []
    outputs: list[str] = []
    image, text = image_tower(model, all_blocks=all_blocks), text_tower(model)
    if image:
        preprocessing, remarks = exported_preprocessing(model, pictures)
        example = model.device.pictures(np.stack([preprocessing(picture) for picture in pictures[:2]]))
        write_onnx(image, example, ("n",), "pixel_values", draft / "image.onnx")
        named = {name: name for name in image.outputs[1:]}
        described["image"] = {
            "file": "image.onnx",
            "input": "pixel_values",
            "output": image.outputs[0],
            **named,
            **preprocessing.describe(),
        }
        notes += remarks
        if precision == "int8":
            notes.append("int8: the matrix products of its image encoder are computed in 8-bit integers")
        outputs += image.outputs
    if text and not isinstance(model, TimmModel):
        tokenizer = write_tokenizer(model, draft / "tokenizer.json")
        rows = model.tokenize(["a photo of a cat", "a photo of a cat"]).ids
        example = model.device.tokens(np.stack(rows))
        write_onnx(text, example, ("n", "length") if text.dynamic else ("n",), "input_ids", draft / "text.onnx")
        described["text"] = {
            "file": "text.onnx",
            "tokenizer": "tokenizer.json",
            "input": "input_ids",
            "output": text.outputs[0],
            "context": text.context,
            "pad": "none" if text.dynamic else "max",
            "pad_id": tokenizer.pad_id,
            "end_id": tokenizer.end_id,
            "clean": tokenizer.clean,
            "readout": text.readout,
        }
        notes += tokenizer.notes
        outputs += text.outputs
    if isinstance(model, OpenClipModel | HfModel):
        described |= {"logit_scale": model.logit_scale, "logit_bias": model.logit_bias}
    card = {name: value for name, value in asdict(model.card).items() if value is not None}
    described["card"] = card | {"notes": [*model.card.notes, f"exported from {model.spec}", *notes]}
    write_json(draft / NAME, described)
    return tuple(notes), tuple(outputs)


@contextmanager
def _kept_if_whole(folder: Path, overwrite: bool) -> Iterator[Path]:
    """A temporary folder that replaces `folder` at the end, and is removed if anything fails before."""
    if folder.exists():
        if not folder.is_dir() or (any(folder.iterdir()) and not overwrite):
            raise UsageError(f"{folder} exists and is not empty; give another folder, or allow overwriting")
        if any(folder.iterdir()) and not (folder / NAME).is_file():
            raise UsageError(
                f"{folder} is not an exported model (it has no {NAME}), so it is not overwritten; give another folder"
            )
    with atomic_folder(folder) as draft:
        yield draft
