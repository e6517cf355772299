"""`onnx:FOLDER`: ONNX files with a model.json, run by ONNX Runtime. No torch is needed, and no code of the model is run."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Floats
from eyechart.errors import ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.files.npz import read_npz
from eyechart.models.composed import ComposedModel
from eyechart.models.encoder import Model, TokenizedTexts, Tokens
from eyechart.models.model_json import ImageSide, Manifest, TextSide, read_model_json
from eyechart.models.onnx_answers import OnnxAnswering
from eyechart.models.onnx_external import external_files
from eyechart.models.onnx_session import OnnxSession, check_device
from eyechart.models.text_batches import by_length
from eyechart.models.tokenizing import TextTokenizer
from eyechart.models.vector_table import VectorTable, read_parquet, table_of
from eyechart.models.weights import fingerprint

ENCODING_VERSION = 1  # increases whenever the same files would give different vectors
_FURTHER = ("attention", "block_attention", "patches", "scores")  # outputs that model.json may name
_LATER = ("block_attention",)  # later fields: where absent, a folder keeps its fingerprint and its vectors


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> Model:
    """Open a folder. Files are checked and hashed; networks are loaded on first use."""
    return open_folder(Path(name), f"onnx:{name}", hashes, device, precision, threads)


def open_folder(
    folder: Path,
    spec: str,
    hashes: HashMemory,
    device: str = "cpu",
    precision: str = "float32",
    threads: int | None = None,
) -> Model:
    if not folder.is_dir():
        raise UsageError(f"{spec}: there is no folder {folder}; give the path of a folder with a model.json")
    if precision != "float32":
        raise UsageError(f"{spec}: an ONNX file runs in the precision it was exported in, not {precision}; export it in that one")
    if device != "cpu":
        check_device(device)  # also where all vectors are stored, and no network is loaded
    manifest = read_model_json(folder)
    files = [side.file for side in (manifest.image, manifest.text) if side]
    external = {file: external_files(file) for file in files}
    files += [more for listed in external.values() for more in listed]
    if manifest.text:
        files.append(manifest.text.tokenizer)
    if manifest.text_vectors:
        files.append(manifest.text_vectors)
    if manifest.answers:
        graphs = [manifest.answers.image_file, manifest.answers.file]
        files += [*graphs, *(more for file in graphs for more in external_files(file)), manifest.answers.tokenizer]

    table = _text_table(manifest.text_vectors) if manifest.text_vectors else None
    abilities: dict[str, Callable[..., Any] | float | str] = {}
    if manifest.image:
        image = manifest.image
        abilities["image_fingerprint"] = _tower_fingerprint(
            "image", image, [image.file, *external[image.file]], hashes, precision
        )
        outputs = [name for name in (image.output, *(getattr(image, of) for of in _FURTHER)) if name]
        remedy = "the 'size' in model.json must be that of the network"
        session = OnnxSession(image.file, device, threads, outputs=outputs, remedy=remedy)
        abilities |= ImageTower(image, session, table).abilities()
    if manifest.text:
        remedy = "'context', 'pad' and 'tokenizer' in model.json must be those of the network"
        session = OnnxSession(manifest.text.file, device, threads, outputs=[manifest.text.output], remedy=remedy)
        tower = TextTower(manifest.text, session)
        of_text = [manifest.text.file, manifest.text.tokenizer, *external[manifest.text.file]]
        abilities["text_fingerprint"] = _tower_fingerprint("text", manifest.text, of_text, hashes, precision)
        abilities |= {"tokenize": tower.tokenize, "encode_texts": tower.encode_texts}
    if table:
        abilities |= {"known_texts": table.known, "look_up_texts": table.look_up}
    if manifest.answers:
        abilities |= OnnxAnswering(manifest.answers, device, threads).abilities()
    if manifest.logit_scale is not None:
        abilities |= {"logit_scale": manifest.logit_scale, "logit_bias": manifest.logit_bias}
    return ComposedModel(spec, manifest.card, _fingerprint(manifest, files, hashes, precision), abilities)


class ImageTower:
    """An image encoder. `texts` is a table of text vectors in place of a text encoder; image vectors must have its width."""

    def __init__(self, side: ImageSide, session: OnnxSession, texts: VectorTable | None = None) -> None:
        self._side, self._session, self._texts = side, session, texts

    def abilities(self) -> dict[str, Callable[..., Any]]:
        """The abilities of this file: encoding, and those with an output in model.json."""
        can: dict[str, Callable[..., Any]] = {"prepare": self.prepare, "encode_images": self.encode_images}
        can["window"] = self._side.preprocessing.window
        for name in _FURTHER:
            if getattr(self._side, name):
                can["class_scores" if name == "scores" else name] = getattr(self, name)
        return can

    def prepare(self, picture: Image.Image) -> Floats:
        return self._side.preprocessing(picture)

    def encode_images(self, prepared: Floats) -> Floats:
        vectors = self._output(prepared, self._side.output)
        if vectors.ndim != 2 or len(vectors) != len(prepared):
            raise ModelError(
                f"{self._session.file}: output {self._side.output!r} has shape {vectors.shape} for {len(prepared)} pictures;"
                " model.json must name the output of [n, d] vectors"
            )
        if self._texts and self._texts.vectors.shape[1] != vectors.shape[1]:
            raise ModelError(
                f"{self._texts.file}: its text vectors have {self._texts.vectors.shape[1]} numbers and the image encoder gives"
                f" {vectors.shape[1]}; use text vectors of the same model"
            )
        return vectors

    def attention(self, prepared: Floats) -> Floats:
        """[n, heads, tokens, tokens]; heads may be a separate axis of the file's output or part of the batch."""
        weights = self._output(prepared, self._side.attention or "")
        tokens = weights.shape[-1]
        if weights.ndim not in (3, 4) or weights.shape[-2] != tokens or weights.size % (len(prepared) * tokens * tokens):
            raise ModelError(
                f"{self._session.file}: output {self._side.attention!r} has shape {weights.shape}, not [n, heads, t, t]"
            )
        return weights.reshape(len(prepared), -1, tokens, tokens)

    def block_attention(self, prepared: Floats) -> Floats:
        """[n, blocks, heads, tokens] from the class token."""
        weights = self._output(prepared, self._side.block_attention or "")
        if weights.ndim != 4 or len(weights) != len(prepared):
            raise ModelError(
                f"{self._session.file}: output {self._side.block_attention!r} has shape {weights.shape}, not"
                " [n, blocks, heads, tokens]"
            )
        return weights

    def patches(self, prepared: Floats) -> Floats:
        """[n, h, w, d] patch tokens, without prefix tokens."""
        tokens = self._output(prepared, self._side.patches or "")
        if tokens.ndim == 4:
            return tokens
        count = tokens.shape[1] - self._side.prefix_tokens if tokens.ndim == 3 else -1
        high, wide = self._side.grid or (isqrt(max(count, 0)),) * 2
        if count < 1 or high * wide != count:
            raise ModelError(
                f"{self._session.file}: output {self._side.patches!r} of shape {tokens.shape} is not"
                f" {self._side.prefix_tokens} token(s) and a square of patches; give 'prefix_tokens' and 'grid' in model.json"
            )
        return tokens[:, self._side.prefix_tokens :].reshape(len(tokens), high, wide, -1)

    def scores(self, prepared: Floats) -> Floats:
        return self._output(prepared, self._side.scores or "")

    def _output(self, prepared: Floats, name: str) -> Floats:
        return self._session.run({self._side.input: prepared}, name)


class TextTower:
    def __init__(self, side: TextSide, session: OnnxSession) -> None:
        self._side, self._session = side, session
        self._tokenizer = TextTokenizer(side.tokenizer, side.context, side.pad, side.pad_id, side.end_id, side.clean)

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        return self._tokenizer(texts)

    def encode_texts(self, ids: Sequence[Tokens]) -> Floats:
        found = np.empty((0, 0), dtype=np.float32)
        for places, rows in by_length(ids):
            feeds = {self._side.input: rows}
            if self._side.mask:
                feeds[self._side.mask] = self._mask(rows)
            vectors = self._session.run(feeds, self._side.output)
            if vectors.ndim != 2 or len(vectors) != len(rows):
                raise ModelError(
                    f"{self._session.file}: output {self._side.output!r} has shape {vectors.shape} for {len(rows)} texts;"
                    " model.json must name the output of [n, d] vectors"
                )
            if not found.size:
                found = np.empty((len(ids), vectors.shape[1]), dtype=np.float32)
            found[places] = vectors
        return found

    def _mask(self, rows: Tokens) -> Tokens:
        """1 for text, 0 for padding. Where the end token is the padding token, the first one is text."""
        if self._side.pad == "none":
            return np.ones_like(rows)
        padding = rows == self._side.pad_id
        behind = np.logical_and.accumulate(padding[:, ::-1], axis=1)[:, ::-1]
        if self._side.pad_id == self._tokenizer.end_id:
            behind[:, 1:] &= behind[:, :-1].copy()
        return (~behind).astype(np.int64)


def _text_table(file: Path) -> VectorTable:
    if file.suffix == ".parquet":
        return read_parquet(file, "text", "text")
    arrays = read_npz(file)
    for wanted in ("emb", "names"):
        if wanted not in arrays:
            raise ModelError(
                f"{file}: there is no array {wanted!r} (there are: {', '.join(arrays)}); save emb [C, d] and names [C]"
            )
    return table_of(file, "text", arrays["names"], arrays["emb"])


def _tower_fingerprint(tower: str, side: ImageSide | TextSide, files: Sequence[Path], hashes: HashMemory, precision: str) -> str:
    """A digest of one tower: the content of its files, not their names, and its part of model.json."""
    described = {field: value for field, value in asdict(side).items() if not isinstance(value, Path) and value is not None}
    return fingerprint(
        {
            "encoding": f"onnx/{ENCODING_VERSION}",
            "tower": tower,
            "model.json": described,
            "files": [hashes.file(file) for file in files],
            "precision": precision,
        }
    )


def _fingerprint(manifest: Manifest, files: Sequence[Path], hashes: HashMemory, precision: str) -> str:
    """A digest over the meaning of model.json, not its spelling. Scale and bias change no vectors but do change findings."""
    root = manifest.folder.resolve()
    sides = {"image": manifest.image, "text": manifest.text, "answers": manifest.answers}
    described = {
        name: {
            field: str(value.relative_to(root)) if isinstance(value, Path) else value
            for field, value in asdict(side).items()
            if value is not None or field not in _LATER
        }
        for name, side in sides.items()
        if side
    }
    return fingerprint(
        {
            "encoding": f"onnx/{ENCODING_VERSION}",
            "model.json": described,
            "scale": [manifest.logit_scale, manifest.logit_bias],
            "files": {str(file.relative_to(root)): hashes.file(file) for file in sorted(set(files))},
            "precision": precision,
        }
    )
