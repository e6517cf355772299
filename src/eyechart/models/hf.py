"""Dual encoders of transformers: `hf:ID_OR_FOLDER` of CLIP, SigLIP, SigLIP 2 at a fixed size, and ALIGN.

Pictures go through the model's own image processor. Since transformers 5 it resizes with torchvision, which differs from Pillow
by single gray levels; only the processor itself reproduces the library bit for bit.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property, partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Floats
from eyechart.errors import MissingExtra, ModelError
from eyechart.files.hashing import HashMemory
from eyechart.models import hf_text, sbert
from eyechart.models.card import ModelCard, derive_card
from eyechart.models.causal_text import CausalTower, encode_causal
from eyechart.models.encoder import TokenizedTexts, Tokens
from eyechart.models.hf_pictures import preprocessings_of
from eyechart.models.hf_weights import load_network
from eyechart.models.hub_folder import HubFolder, find_folder
from eyechart.models.open_clip_text import TextRule
from eyechart.models.sbert import SbertModel
from eyechart.models.torch_device import TorchDevice, running
from eyechart.models.torch_pictures import Collect, PicturePasses
from eyechart.models.vision_blocks import VisionBlock, give_attention, give_block_attention, give_patches
from eyechart.models.weights import fingerprint, hash_files, stored_scalar

ENCODING_VERSION = 1  # increases whenever the same files would give different vectors
FAMILIES = ("clip", "siglip", "align")


class HfModel:
    """A dual encoder. CLIP and SigLIP have `patches` (the last block's output before the final norm); CLIP, which has a class
    token, also has `attention` and `block_attention`."""

    def __init__(self, folder: HubFolder, hashes: HashMemory, device: TorchDevice) -> None:
        self.spec = f"hf:{folder.hub_id}"
        self.folder = folder
        self.device = device
        self.family: str = folder.config["model_type"]
        self.card: ModelCard = derive_card("hf", folder.hub_id, folder.config)
        self.fingerprint = fingerprint(
            {
                "encoding": f"hf/{ENCODING_VERSION}",
                "weights": hash_files(folder.weights, hashes),
                "settings": hash_files(folder.settings, hashes),
                "lower_case": self.family == "siglip",
                # The image processor of a configuration has changed between versions.
                "image_processor": [version("transformers").split(".")[:2], find_spec("torchvision") is not None],
                "precision": device.numerics,
            }
        )
        self._lock = threading.Lock()
        if self.family in ("clip", "siglip"):
            self.patches = partial(self._look, give_patches)
        if self.family == "clip":
            self.attention = partial(self._look, give_attention)
            self.block_attention = partial(self._look, give_block_attention)

    @cached_property
    def network(self) -> Any:
        from transformers import AutoModel

        return self.device.install(load_network(AutoModel, self.folder))

    @cached_property
    def processor(self) -> Any:
        from transformers import AutoProcessor

        return AutoProcessor.from_pretrained(self.folder.path, local_files_only=True, trust_remote_code=False)

    @cached_property
    def text_rule(self) -> TextRule:
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(self.folder.path, local_files_only=True, trust_remote_code=False)
        return hf_text.rule_of(config, self.processor.tokenizer)

    @cached_property
    def causal_tower(self) -> CausalTower | None:
        return hf_text.read_causal_tower(self.network) if self.text_rule.readout else None

    @property
    def logit_scale(self) -> float:
        if self.family == "align":
            return 1.0 / self._number("temperature")
        return float(np.exp(self._number("logit_scale")))

    @property
    def logit_bias(self) -> float:
        return self._number("logit_bias") if self.family == "siglip" else 0.0

    def _number(self, name: str) -> float:
        for path in self.folder.weights:
            stored = stored_scalar(path, (name,))
            if stored is not None:
                return stored
        return float(getattr(self.network, name).float().reshape(-1)[0])

    def prepare(self, picture: Image.Image) -> Floats:
        with self._lock:
            processor = self.processor.image_processor
        return np.asarray(processor(picture, return_tensors="np")["pixel_values"][0], dtype=np.float32)

    def window(self, width: int, height: int) -> tuple[float, float, float, float]:
        with self._lock:
            processor = self.processor.image_processor
        return preprocessings_of(processor)[0].window(width, height)

    @cached_property
    def passes(self) -> PicturePasses:
        return PicturePasses(
            self.spec, self.device, lambda pictures: hf_text.features(self.network.get_image_features(pixel_values=pictures))
        )

    @property
    def in_flight(self) -> int:
        """How many pictures should be started before the first ones are collected."""
        return self.passes.in_flight

    def start_images(self, prepared: Floats) -> Collect:
        return self.passes.start(prepared)

    def encode_images(self, prepared: Floats) -> Floats:
        return self.start_images(prepared)()

    def _features(self, pictures: Any) -> Any:
        return hf_text.features(self.network.get_image_features(pixel_values=pictures))

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        with self._lock:
            return hf_text.tokenize(self.processor.tokenizer, self.family, self.text_rule, texts)

    def encode_texts(self, ids: Sequence[Tokens]) -> Floats:
        network, tower = self.network, self.causal_tower
        with running(self.spec, ids=ids, device=self.device):
            if tower is not None:
                return encode_causal(tower, ids)
            return hf_text.encode_rows(network, self.family, self.device, ids)

    def vision_blocks(self) -> list[VisionBlock]:
        vision = self.network.vision_model
        side = vision.config.image_size // vision.config.patch_size
        lead = 1 if self.family == "clip" else 0
        return [_vision_block(block, lead, (side, side)) for block in vision.encoder.layers]

    def _look(self, give: Any, prepared: Floats) -> Floats:
        blocks = self.vision_blocks()
        with running(self.spec, prepared, device=self.device):
            found: Floats = give(blocks, self.network.vision_model, self.device, prepared)
        return found


def _vision_block(block: Any, lead: int, grid: tuple[int, int]) -> VisionBlock:
    def queries_keys(x: Any) -> tuple[Any, Any]:
        normed = block.layer_norm1(x)
        return block.self_attn.q_proj(normed), block.self_attn.k_proj(normed)

    return VisionBlock(block, queries_keys, block.self_attn.num_heads, lead, grid)


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> HfModel | SbertModel:
    """A model of pictures and texts; a plain folder of a BERT-like model is opened as a sentence encoder."""
    spec = f"hf:{name}"
    if find_spec("transformers") is None or find_spec("torch") is None:
        raise MissingExtra(spec, "hf")
    folder = find_folder(name, spec, "hf")
    family = folder.config.get("model_type")
    if family == "siglip2":
        raise ModelError(
            f"{spec}: this is a NaFlex model, which takes every picture at its own size; use one with a fixed size, such as"
            " hf:google/siglip2-base-patch16-224"
        )
    if family in sbert.BERT_LIKE:
        return sbert.open(name, hashes, device, precision, threads)
    if family not in FAMILIES:
        raise ModelError(f"{spec}: model_type is {family!r}; hf: runs {', '.join(FAMILIES)} (try open_clip:, timm: or sbert:)")
    return HfModel(folder, hashes, TorchDevice(device, precision, threads))
