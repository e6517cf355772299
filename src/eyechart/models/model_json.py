"""model.json: the description of an `onnx:` folder. Unknown keys and wrong values are refused by name."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from eyechart.errors import ModelError
from eyechart.files.records import Table, read_json
from eyechart.models.answering_json import AnsweringSide, read_answering
from eyechart.models.card import ModelCard
from eyechart.models.inside import file_inside
from eyechart.models.preprocessing import Preprocessing
from eyechart.models.tokenizing import Clean, Pad

FORMAT_VERSION = 1
NAME = "model.json"
_MOST_TOKENS = 1_000_000
_HIGHEST_TOKEN = 2**31 - 1

Readout = Literal["end", "last", "first", "mean"]

_PREPROCESSING = tuple(f.name for f in fields(Preprocessing))


@dataclass(frozen=True)
class ImageSide:
    """The image encoder of a folder.

    file: The ONNX file.
    preprocessing: How a picture becomes the input array.
    input: The name of the input.
    output: The name of the output that holds the image vectors.
    attention: The output with the attention weights of the last block; None where there is none.
    block_attention: The output with the class token's attention in every block; None where there is none.
    patches: The output with the patch tokens of the last block; None where there is none.
    scores: The output with the logits of a fixed classifier; None where there is none.
    prefix_tokens: How many tokens precede the patches (class token, registers).
    grid: Height and width of the patch grid; None where it is square.
    """

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
    """The text encoder of a folder.

    file: The ONNX file.
    tokenizer: The tokenizer's file.
    context: The most tokens that it takes.
    pad: How texts are padded.
    input: The name of the input.
    output: The name of the output that holds the text vectors.
    mask: The input for the attention mask; None where there is none.
    pad_id: The padding token.
    end_id: The end token; None where there is none.
    clean: How texts are cleaned before they are tokenized.
    readout: Where the vector is read ('end' token, 'last' position, 'first', 'mean'). For readers; the file itself does it.
    """

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
    readout: Readout = "end"


@dataclass(frozen=True)
class Manifest:
    """Everything that a model.json describes.

    folder: The model's folder.
    image: The image encoder; None where there is none.
    text: The text encoder; None where there is none.
    text_vectors: A file of text vectors in place of a text encoder; None where there is none.
    answers: A multimodal language model; None where there is none.
    logit_scale: The factor of the cosine; None where the model has none.
    logit_bias: What is added to the scaled cosine.
    card: The model card.
    """

    folder: Path
    image: ImageSide | None
    text: TextSide | None
    text_vectors: Path | None
    answers: AnsweringSide | None
    logit_scale: float | None
    logit_bias: float
    card: ModelCard


def read_model_json(folder: Path) -> Manifest:
    """The description of the model in this folder. ModelError names file and key where it cannot be used."""
    path = folder / NAME
    if not path.is_file():
        raise ModelError(
            f"{folder}: there is no {NAME} in it; an onnx: model is a folder that `eyechart export` writes, with a {NAME}"
        )
    top = Table(str(path), read_json(path, error=ModelError, remedy="correct it, or export the model again"), error=ModelError)
    top.only(("format_version", "image", "text", "answers", "logit_scale", "logit_bias", "card"))
    version = top.get("format_version", int)
    if version != FORMAT_VERSION:
        raise top.fail(
            "format_version",
            f"is {version}, and this version of Eyechart reads {FORMAT_VERSION}; export the model again, or update Eyechart",
        )
    image = _read_image(folder, top.table("image"))
    text_table = top.table("text")
    text, text_vectors = None, None
    if text_table and "vectors" in text_table.content:
        text_table.only(("vectors",))
        text_vectors = _file(folder, text_table, "vectors")
    elif text_table:
        text = _read_text(folder, text_table)
    answers = read_answering(folder, top.table("answers"))
    if image is None and text is None and answers is None:
        raise ModelError(f"{path}: it has neither an image encoder nor a text encoder; add 'image' or 'text' with a 'file'")
    scale = top.get("logit_scale", float, None)
    if scale is not None and not 0 < scale < 1e6:
        raise top.fail("logit_scale", f"is {scale}; it multiplies the cosine, so give exp of the trained value (CLIP: 100)")
    card = _read_card(folder, top.table("card"), image)
    return Manifest(folder, image, text, text_vectors, answers, scale, top.get("logit_bias", float, 0.0), card)


def _read_image(folder: Path, table: Table | None) -> ImageSide | None:
    if table is None:
        return None
    table.only((*(f.name for f in fields(ImageSide) if f.name != "preprocessing"), *_PREPROCESSING))
    grid = table.get("grid", tuple[int, ...], None)
    if grid is not None and not (len(grid) == 2 and min(grid) > 0):
        raise table.fail("grid", f"is {list(grid)!r}; give [height, width] of the patches")
    try:
        preprocessing = Preprocessing.from_dict({k: v for k, v in table.content.items() if k in _PREPROCESSING})
    except ModelError as error:
        raise ModelError(f"{table.where}: image: {error}") from None
    return ImageSide(
        file=_file(folder, table, "file"),
        preprocessing=preprocessing,
        input=table.get("input", str, "pixel_values"),
        output=table.get("output", str, "image_embeds"),
        attention=table.get("attention", str, None),
        block_attention=table.get("block_attention", str, None),
        patches=table.get("patches", str, None),
        scores=table.get("scores", str, None),
        prefix_tokens=_count(table, "prefix_tokens", 1, at_most=_MOST_TOKENS),
        grid=(grid[0], grid[1]) if grid else None,
    )


def _read_text(folder: Path, table: Table) -> TextSide:
    table.only((*(f.name for f in fields(TextSide)), "vectors"))
    context = table.get("context", int)
    if not 2 <= context <= _MOST_TOKENS:
        raise table.fail("context", f"is {context}; give the most tokens that the text encoder takes (CLIP: 77)")
    return TextSide(
        file=_file(folder, table, "file"),
        tokenizer=_file(folder, table, "tokenizer"),
        context=context,
        pad=table.get("pad", Pad),
        input=table.get("input", str, "input_ids"),
        output=table.get("output", str, "text_embeds"),
        mask=table.get("mask", str, None),
        pad_id=_count(table, "pad_id", 0, at_most=_HIGHEST_TOKEN),
        end_id=_count(table, "end_id", None, at_most=_HIGHEST_TOKEN),
        clean=table.get("clean", Clean, "none"),
        readout=table.get("readout", Readout, "end"),
    )


def _read_card(folder: Path, table: Table | None, image: ImageSide | None) -> ModelCard:
    known: dict[str, Any] = {"name": folder.name}
    if image:
        known["resolution"] = image.preprocessing.height_width[0]
    given = {} if table is None else dict(table.content)
    if "licence" in given:  # the key's former name
        given = {"license": given.pop("licence"), **given}
    return Table(str(folder / NAME), {**given, "backend": "onnx"}, "card", ModelError).into(ModelCard, **known)


def _count(table: Table, key: str, default: int | None, *, at_most: int) -> Any:
    value = table.get(key, int, default)
    if value is not None and not 0 <= value <= at_most:
        raise table.fail(key, f"is {value}; it must be a number from 0 to {at_most}")
    return value


def _file(folder: Path, table: Table, key: str) -> Path:
    """A file that exists inside the folder, links followed."""
    return file_inside(folder, table.get(key, str), str(table.fail(key, "is")))
