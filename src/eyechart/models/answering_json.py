"""The part `answers` of a model.json: a multimodal language model as two ONNX files, a tokenizer and a prompt."""

from dataclasses import dataclass, fields
from pathlib import Path

from eyechart.errors import ModelError
from eyechart.files.records import Table
from eyechart.models.inside import file_inside
from eyechart.models.preprocessing import Preprocessing

IMAGE, QUESTION = "{image}", "{question}"
_PREPROCESSING = tuple(f.name for f in fields(Preprocessing))
_MOST_TOKENS = 1_000_000


@dataclass(frozen=True)
class AnsweringSide:
    """A multimodal language model.

    image_file: The ONNX file that makes features of pictures, [n, tokens, width].
    preprocessing: How a picture becomes its input array.
    file: The ONNX file of the language model: features of one picture and rows of tokens in, logits [n, t, vocabulary] out. The
        features stand after the tokens of the prompt that precede the picture; logits are those after the picture.
    tokenizer: The tokenizer's file.
    prompt: The prompt, with {image} and {question}; the reply follows it.
    end_id: The token that ends a reply.
    context: The most tokens that it takes, with those of the picture.
    image_tokens: How many tokens a picture has.
    image_input: The input of pictures.
    image_output: The output of features.
    features: The language model's input of features.
    input: Its input of tokens.
    output: Its output of logits.
    """

    image_file: Path
    preprocessing: Preprocessing
    file: Path
    tokenizer: Path
    prompt: str
    end_id: int
    context: int
    image_tokens: int
    image_input: str = "pixel_values"
    image_output: str = "image_features"
    features: str = "image_features"
    input: str = "input_ids"
    output: str = "logits"


def read_answering(folder: Path, table: Table | None) -> AnsweringSide | None:
    """The part of a folder's model.json; None where there is none."""
    if table is None:
        return None
    table.only((*(f.name for f in fields(AnsweringSide) if f.name != "preprocessing"), *_PREPROCESSING))
    try:
        preprocessing = Preprocessing.from_dict({k: v for k, v in table.content.items() if k in _PREPROCESSING})
    except ModelError as error:
        raise ModelError(f"{table.where}: answers: {error}") from None
    prompt = table.get("prompt", str)
    if prompt.count(IMAGE) != 1 or prompt.count(QUESTION) != 1 or prompt.index(IMAGE) > prompt.index(QUESTION):
        raise table.fail("prompt", f"is {prompt!r}; it needs {IMAGE} and then {QUESTION}, once each")
    numbers = {key: table.get(key, int) for key in ("end_id", "context", "image_tokens")}
    for key, value in numbers.items():
        if not (0 if key == "end_id" else 1) <= value <= _MOST_TOKENS:
            raise table.fail(key, f"is {value}; it must be a number of tokens, at most {_MOST_TOKENS:,}")

    def file(key: str) -> Path:
        return file_inside(folder, table.get(key, str), str(table.fail(key, "is")))

    names = {key: table.get(key, str, None) for key in ("image_input", "image_output", "features", "input", "output")}
    return AnsweringSide(
        image_file=file("image_file"),
        preprocessing=preprocessing,
        file=file("file"),
        tokenizer=file("tokenizer"),
        prompt=prompt,
        **numbers,
        **{key: value for key, value in names.items() if value is not None},
    )
