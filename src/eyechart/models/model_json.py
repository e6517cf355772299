"""model.json: what an `onnx:` folder says of itself. Read strictly: whatever is not understood is refused by name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf, isfinite
from pathlib import Path
from typing import Any, get_args

from eyechart.errors import ModelError, did_you_mean
from eyechart.models.card import ModelCard
from eyechart.models.inside import file_inside
from eyechart.models.preprocessing import Preprocessing
from eyechart.models.tokenizing import Clean, Pad

FORMAT_VERSION = 1
NAME = "model.json"
_MOST_TOKENS = 1_000_000
_HIGHEST_TOKEN = 2**31 - 1

_PREPROCESSING = tuple(f.name for f in fields(Preprocessing))
_CARD = tuple(f.name for f in fields(ModelCard))


@dataclass(frozen=True)
class ImageSide:
    """`attention`, `patches` and `scores` name further outputs of the file: the last block's attention weights and tokens, and
    the logits of a fixed classifier; `block_attention` names that of the class token's attention in every block.
    `prefix_tokens` come before the patches (CLS, registers); `grid` is their height and width where it is not square."""

    file: Path
    preprocessing: Preprocessing
    input: str = "pixel_values"
    output: str = "image_embeds"
    attention: str | None = None
    block_attention: str | None = None
    patches: str | None = None
    scores: str | None = None
    prefix_tokens: int = 1
    grid: tuple[int, int] | None = None


@dataclass(frozen=True)
class TextSide:
    """A text tower. `mask` names its input for the attention mask, where it has one; `readout` says where the vector is read
    ('end' token, 'last' position, 'first', 'mean'), for the reader: the file itself does it."""

    file: Path
    tokenizer: Path
    context: int
    pad: Pad
    input: str = "input_ids"
    output: str = "text_embeds"
    mask: str | None = None
    pad_id: int = 0
    end_id: int | None = None
    clean: Clean = "none"
    readout: str = "end"


@dataclass(frozen=True)
class Manifest:
    folder: Path
    image: ImageSide | None
    text: TextSide | None
    text_vectors: Path | None
    logit_scale: float | None
    logit_bias: float
    card: ModelCard


def read_model_json(folder: Path) -> Manifest:
    path = folder / NAME
    if not path.is_file():
        raise ModelError(
            f"{folder}: there is no {NAME} in it; an onnx: model is a folder that `eyechart export` writes, with a {NAME}"
        )
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path}: this is not JSON ({error}); mend it or export the model again") from None
    top = _Reader(path, "", said)
    top.only("format_version", "image", "text", "logit_scale", "logit_bias", "card")
    version = top.required("format_version", int)
    if version != FORMAT_VERSION:
        raise ModelError(
            f"{path}: format_version is {version}, and this Eyechart reads {FORMAT_VERSION};"
            " export the model again, or update Eyechart"
        )
    image = _read_image(top.part("image"))
    text_part = top.part("text")
    text_vectors = None
    text = None
    if text_part and "vectors" in text_part.given:
        text_part.only("vectors")
        text_vectors = text_part.file("vectors")
    elif text_part:
        text = _read_text(text_part)
    if image is None and text is None:
        raise ModelError(f"{path}: it has neither an image tower nor a text tower; give 'image' or 'text' with a 'file'")
    scale = top.optional("logit_scale", float, None)
    if scale is not None and not 0 < scale < 1e6:
        raise ModelError(
            f"{path}: logit_scale is {scale}; it multiplies the cosine, so give exp of the trained value (CLIP: 100)"
        )
    card = _read_card(folder, top.part("card"), image)
    return Manifest(folder, image, text, text_vectors, scale, float(top.optional("logit_bias", float, 0.0) or 0.0), card)


def _read_image(part: "_Reader | None") -> ImageSide | None:
    if part is None:
        return None
    own = tuple(f.name for f in fields(ImageSide) if f.name != "preprocessing")
    part.only(*own, *_PREPROCESSING)
    grid = part.optional("grid", list, None)
    if grid is not None and not (len(grid) == 2 and all(type(side) is int and side > 0 for side in grid)):
        raise part.error("grid", f"is {grid!r}; give [height, width] of the patches")
    try:
        preprocessing = Preprocessing.from_dict({k: v for k, v in part.given.items() if k in _PREPROCESSING})
    except ModelError as error:
        raise ModelError(f"{part.path}: image: {error}") from None
    return ImageSide(
        file=part.file("file"),
        preprocessing=preprocessing,
        input=part.optional("input", str, "pixel_values"),
        output=part.optional("output", str, "image_embeds"),
        attention=part.optional("attention", str, None),
        block_attention=part.optional("block_attention", str, None),
        patches=part.optional("patches", str, None),
        scores=part.optional("scores", str, None),
        prefix_tokens=part.whole("prefix_tokens", 1, at_most=_MOST_TOKENS),
        grid=(grid[0], grid[1]) if grid else None,
    )


def _read_text(part: "_Reader") -> TextSide:
    part.only(*(f.name for f in fields(TextSide)), "vectors")
    context = part.required("context", int)
    if not 2 <= context <= _MOST_TOKENS:
        raise part.error("context", f"is {context}; give the number of tokens the tower takes at most (CLIP: 77)")
    return TextSide(
        file=part.file("file"),
        tokenizer=part.file("tokenizer"),
        context=context,
        pad=part.one_of("pad", get_args(Pad), None),
        input=part.optional("input", str, "input_ids"),
        output=part.optional("output", str, "text_embeds"),
        mask=part.optional("mask", str, None),
        pad_id=part.whole("pad_id", 0, at_most=_HIGHEST_TOKEN),
        end_id=part.whole("end_id", None, at_most=_HIGHEST_TOKEN),
        clean=part.one_of("clean", get_args(Clean), "none"),
        readout=part.one_of("readout", ("end", "last", "first", "mean"), "end"),
    )


def _read_card(folder: Path, part: "_Reader | None", image: ImageSide | None) -> ModelCard:
    known: dict[str, Any] = {"name": folder.name, "backend": "onnx"}
    if image:
        known["resolution"] = image.preprocessing.height_width[0]
    if part:
        part.only(*_CARD)
        for name in part.given:
            if name == "notes":
                known[name] = tuple(str(note) for note in part.required(name, list))
            elif name == "training":
                known[name] = {str(fact): str(value) for fact, value in part.required(name, dict).items()}
            elif name in ("dataset_size", "samples_seen", "resolution", "parameters"):
                known[name] = part.optional(name, int, None)
            else:
                known[name] = part.optional(name, str, None)
    return ModelCard(**known | {"backend": "onnx"})


@dataclass(frozen=True)
class _Reader:
    """One object of the file, with errors that name the file, the field and what to do."""

    path: Path
    name: str
    given: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.given, dict):
            raise ModelError(f"{self.path}: {self.name or 'the file'} must be an object in {{}}, not {type(self.given).__name__}")

    def error(self, field: str, what: str) -> ModelError:
        return ModelError(f"{self.path}: {self.name + '.' if self.name else ''}{field} {what}")

    def only(self, *known: str) -> None:
        for field in self.given:
            if field not in known:
                raise self.error(field, f"is not a field{did_you_mean(field, known)} (there are: {', '.join(known)})")

    def part(self, field: str) -> "_Reader | None":
        return _Reader(self.path, field, self.given[field]) if self.given.get(field) is not None else None

    def required(self, field: str, kind: type) -> Any:
        if self.given.get(field) is None:
            raise self.error(field, "is missing; add it, or export the model again")
        return self.optional(field, kind, None)

    def optional(self, field: str, kind: type, default: Any) -> Any:
        value = default if self.given.get(field) is None else self.given[field]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < 1 << 63 else inf
        if isinstance(value, float) and not isfinite(value):
            raise self.error(field, f"is {value}; it must be a finite number")
        if value is not None and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
            raise self.error(field, f"is {value!r}; it must be of type {kind.__name__}")
        return value

    def whole(self, field: str, default: int | None, *, at_most: int) -> Any:
        value = self.optional(field, int, default)
        if value is not None and not 0 <= value <= at_most:
            raise self.error(field, f"is {value}; it must be a number from 0 to {at_most}")
        return value

    def one_of(self, field: str, known: tuple[str, ...], default: str | None) -> Any:
        value = self.required(field, str) if default is None else self.optional(field, str, default)
        if value not in known:
            raise self.error(field, f"is {value!r}{did_you_mean(value, known)} (it may be {', '.join(known)})")
        return value

    def file(self, field: str) -> Path:
        """A path that stays inside the folder, links followed, and exists."""
        return file_inside(self.path.parent, self.required(field, str), str(self.error(field, "is")))
