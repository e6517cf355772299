"""Sentence encoders: `sbert:ID_OR_FOLDER`, for texts only. A bare name is a model of the organization sentence-transformers.

A plain folder of a BERT-like model of transformers, without modules.json, is read too, such as SimCSE: the vector of a text is
that of its first token (CLS), or with `,pooling=mean` the mean over its tokens.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.arrays import Floats
from eyechart.errors import MissingExtra, ModelError, UsageError
from eyechart.files.hashing import HashMemory
from eyechart.files.records import read_json
from eyechart.models.card import ModelCard, derive_card
from eyechart.models.encoder import TokenizedTexts, Tokens
from eyechart.models.hub_folder import fetch, weight_files
from eyechart.models.text_batches import by_length
from eyechart.models.torch_device import TorchDevice, running, to_floats
from eyechart.models.weights import LOADING_ERRORS, check_weights, fingerprint, refusal

ENCODING_VERSION = 1  # increases whenever the same files would give different vectors
_SETTINGS = (".json", ".txt", ".model")
POOLINGS = ("cls", "mean")
BERT_LIKE = ("albert", "bert", "distilbert", "electra", "mpnet", "roberta", "xlm-roberta")  # plain folders that are read


class SbertModel:
    """A sentence encoder. Rows run unpadded, so no mask is needed. The model's default prompt is put before every text, as in its
    `encode`."""

    def __init__(self, name: str, folder: Path, hashes: HashMemory, device: TorchDevice, pooling: str | None = None) -> None:
        self.spec = f"sbert:{name}"
        self.folder = folder
        self.device = device
        self.pooling = _plain_pooling(folder, self.spec, pooling)
        modules = [{"path": ""}] if self.pooling else _modules(folder, self.spec)
        self.weights = weight_files(folder / modules[0].get("path", ""), self.spec)
        more = [check_weights(path, "convert it to safetensors") for path in _module_weights(folder, modules[1:])]
        settings = [path for path in folder.rglob("*") if path.suffix in _SETTINGS and path.is_file()]
        self.card: ModelCard = derive_card("sbert", name)
        self.fingerprint = fingerprint(
            {
                "encoding": f"sbert/{ENCODING_VERSION}",
                "files": {str(path.relative_to(folder)): hashes.file(path) for path in sorted({*self.weights, *more, *settings})},
                "precision": device.numerics,
                **({"pooling": self.pooling} if self.pooling else {}),
            }
        )
        self._lock = threading.Lock()

    @cached_property
    def network(self) -> Any:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        shown = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        safely = {"use_safetensors": self.weights[0].suffix == ".safetensors", "weights_only": True}
        try:
            if self.pooling:
                from sentence_transformers import models

                only_here = {"local_files_only": True, "trust_remote_code": False}
                words = models.Transformer(str(self.folder), model_args=safely | only_here, config_args=only_here)
                pool = models.Pooling(words.get_word_embedding_dimension(), pooling_mode=self.pooling)
                network = SentenceTransformer(modules=[words, pool], device="cpu")
            else:
                network = SentenceTransformer(
                    str(self.folder), device="cpu", local_files_only=True, trust_remote_code=False, model_kwargs=safely
                )
        except LOADING_ERRORS as error:
            raise refusal(self.weights[0], error) from error
        finally:
            if shown:
                logging.enable_progress_bar()
        return self.device.install(network)

    @property
    def prompt(self) -> str:
        """The default prompt that the model puts before every text."""
        name = self.network.default_prompt_name
        return str(self.network.prompts[name]) if name else ""

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        texts = [self.prompt + text for text in texts]
        limit = self.network.max_seq_length
        with self._lock:
            # sentence-transformers 5 renamed it; both truncate at the model's length and pad to the longest text.
            features = (getattr(self.network, "preprocess", None) or self.network.tokenize)(texts)
            there = features["attention_mask"].bool()
            rows = [row[mask].cpu().numpy().astype(np.int64) for row, mask in zip(features["input_ids"], there, strict=True)]
            truncated = np.zeros(len(rows), dtype=bool)
            for i, row in enumerate(rows):
                if limit and len(row) >= limit:
                    truncated[i] = len(self.network.tokenizer(texts[i], truncation=False, verbose=False)["input_ids"]) > limit
        return TokenizedTexts(rows, truncated)

    def encode_texts(self, ids: Sequence[Tokens]) -> Floats:
        import torch

        vectors: dict[int, Floats] = {}
        with running(self.spec, ids=ids, device=self.device):
            for places, rows in by_length(ids):
                tokens = self.device.tokens(rows)
                found = self.network({"input_ids": tokens, "attention_mask": torch.ones_like(tokens)})["sentence_embedding"]
                vectors |= dict(zip(places.tolist(), to_floats(found), strict=True))
        return np.stack([vectors[i] for i in range(len(ids))]) if ids else np.empty((0, 0), np.float32)


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> SbertModel:
    spec = f"sbert:{name}"
    path, comma, option = name.partition(",pooling=")
    if comma and option not in POOLINGS:
        raise UsageError(f"{spec}: pooling is {option!r}; choose one of {', '.join(POOLINGS)}")
    if find_spec("sentence_transformers") is None or find_spec("torch") is None:
        raise MissingExtra(spec, "sbert")
    folder = Path(path)
    if not folder.is_dir():
        more = ["*/model.safetensors", "*/pytorch_model.bin"]
        folder = fetch(path if "/" in path else f"sentence-transformers/{path}", spec, "sbert", more)
    return SbertModel(name, folder, hashes, TorchDevice(device, precision, threads), option or None)


def _plain_pooling(folder: Path, spec: str, pooling: str | None) -> str | None:
    """How a plain folder of transformers is pooled; None for one saved by sentence-transformers, which says it itself."""
    if (folder / "modules.json").is_file():
        if pooling is not None:
            raise UsageError(f"{spec}: the folder has a modules.json, which says how it is pooled; leave out pooling={pooling}")
        return None
    if not (folder / "config.json").is_file():
        return None
    kind = read_json(folder / "config.json", error=ModelError).get("model_type")
    if kind not in BERT_LIKE:
        raise ModelError(
            f"{spec}: {folder} has no modules.json and is of the type {kind!r}; without it, {', '.join(BERT_LIKE)} can be read"
        )
    return pooling or "cls"


def _modules(folder: Path, spec: str) -> list[dict[str, Any]]:
    path = folder / "modules.json"
    if not path.is_file():
        raise ModelError(f"{spec}: {folder} contains no modules.json; give a folder saved by sentence-transformers")
    modules: list[dict[str, Any]] = read_json(path, error=ModelError)
    for module in modules:
        # A class from anywhere else would be code of the model itself.
        if not str(module.get("type", "")).startswith("sentence_transformers."):
            raise ModelError(
                f"{spec}: its part {module.get('type')!r} is not part of sentence-transformers, and other code is not run"
            )
    if not modules:
        raise ModelError(f"{path}: it lists no parts; download the model again")
    return modules


def _module_weights(folder: Path, modules: Sequence[dict[str, Any]]) -> list[Path]:
    """The weights of further layers, as safetensors where available."""
    found = []
    for module in modules:
        for file in ("model.safetensors", "pytorch_model.bin"):
            path = folder / module.get("path", "") / file
            if module.get("path") and path.is_file():
                found.append(path)
                break
    return found
