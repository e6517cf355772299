"""Models of open_clip: `open_clip:ARCHITECTURE/TAG`, a local checkpoint, a folder or a hub repository."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Floats
from eyechart.files.hashing import HashMemory
from eyechart.models.card import ModelCard, derive_card
from eyechart.models.causal_text import CausalTower, encode_causal
from eyechart.models.encoder import TokenizedTexts, Tokens
from eyechart.models.known_sources import known_source
from eyechart.models.open_clip_checkpoint import other_architecture
from eyechart.models.open_clip_source import OpenClipSource, find_source
from eyechart.models.open_clip_text import TextRule, read_causal_tower, rule_of, tokenize
from eyechart.models.torch_device import TorchDevice, running, to_floats
from eyechart.models.torch_pictures import Collect, PicturePasses
from eyechart.models.vision_blocks import VisionBlock, feature_map, give_attention, give_block_attention, give_patches
from eyechart.models.weights import LOADING_ERRORS, fingerprint, hash_files, refusal, stored_scalar

ENCODING_VERSION = 1  # increases whenever the same files would give different vectors
PADDED_ROWS = 64  # texts per batch where padding is computed too


class OpenClipModel:
    """A model of open_clip. It has `patches`, `attention` and `block_attention` where the image encoder is open_clip's own vision
    transformer, and `patches` where it is convolutional. Patches are the last block's output before the final norm or pooling."""

    def __init__(self, source: OpenClipSource, hashes: HashMemory, device: TorchDevice) -> None:
        self.spec = f"open_clip:{source.name}"
        self.source = source
        self.device = device
        self.text_rule: TextRule = rule_of(source.config)
        self.card: ModelCard = derive_card("open_clip", source.card_name, source.config)
        self.fingerprint = fingerprint(
            {
                "encoding": f"open_clip/{ENCODING_VERSION}",
                "weights": hashes.file(source.weights),
                "config": dict(source.config),
                "quick_gelu": source.quick_gelu,
                "preprocessing": source.preprocessing.describe(),
                "tokenizer": hash_files(source.tokenizer_files, hashes),
                "precision": device.numerics,
            }
        )
        self._lock = threading.Lock()
        if source.has_plain_transformer:
            self.patches = partial(self._look, give_patches)
            self.attention = partial(self._look, give_attention)
            self.block_attention = partial(self._look, give_block_attention)
        elif source.is_convolutional:
            self.patches = partial(self._feature_map)

    @cached_property
    def network(self) -> Any:
        import open_clip

        source = self.source
        config = {} if source.library_name.startswith(("hf-hub:", "local-dir:")) else {"pretrained": str(source.weights)}
        try:
            with warnings.catch_warnings():
                # The activation is set correctly here; open_clip would still warn that the architecture's default differs.
                warnings.filterwarnings("ignore", message="QuickGELU mismatch")
                network = open_clip.create_model(
                    source.library_name,
                    **config,
                    force_quick_gelu=source.quick_gelu,
                    require_pretrained=True,
                    weights_only=True,
                )
        except LOADING_ERRORS as error:
            raise refusal(source.weights, error, other_architecture(source, str(error))) from error
        return self.device.install(network)

    @cached_property
    def tokenizer(self) -> Any:
        import open_clip

        return open_clip.get_tokenizer(self.source.library_name)

    @cached_property
    def causal_tower(self) -> CausalTower | None:
        """The text encoder for the fast path; None where open_clip's own forward is used."""
        return read_causal_tower(self.network) if self.text_rule.readout else None

    @property
    def logit_scale(self) -> float:
        stored = stored_scalar(self.source.weights, ("logit_scale",))
        return float(np.exp(stored)) if stored is not None else float(self.network.logit_scale.float().exp().reshape(-1)[0])

    @property
    def logit_bias(self) -> float:
        bias = stored_scalar(self.source.weights, ("logit_bias",))
        if bias is None and self.source.config.get("init_logit_bias") is not None:
            bias = float(self.network.logit_bias.float().reshape(-1)[0])
        return bias or 0.0

    def prepare(self, picture: Image.Image) -> Floats:
        return self.source.preprocessing(picture)

    def window(self, width: int, height: int) -> tuple[float, float, float, float]:
        return self.source.preprocessing.window(width, height)

    @cached_property
    def passes(self) -> PicturePasses:
        return PicturePasses(self.spec, self.device, lambda pictures: self.network.encode_image(pictures, normalize=False))

    @property
    def in_flight(self) -> int:
        """How many pictures should be started before the first ones are collected."""
        return self.passes.in_flight

    def start_images(self, prepared: Floats) -> Collect:
        return self.passes.start(prepared)

    def encode_images(self, prepared: Floats) -> Floats:
        return self.start_images(prepared)()

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        with self._lock:
            return tokenize(self.tokenizer, self.text_rule, texts)

    def encode_texts(self, ids: Sequence[Tokens]) -> Floats:
        if not ids:
            return np.empty((0, 0), np.float32)
        if self.causal_tower is not None:
            with running(self.spec, ids=ids, device=self.device):
                return encode_causal(self.causal_tower, ids)
        # Tokens after the readout position have no effect, so truncated rows are padded with 0.
        context = self.text_rule.context
        padded = np.stack([np.pad(row, (0, context - len(row))) for row in ids])
        with running(self.spec, ids=ids, device=self.device):
            batches = [
                to_floats(self.network.encode_text(self.device.tokens(padded[i : i + PADDED_ROWS]), normalize=False))
                for i in range(0, len(padded), PADDED_ROWS)
            ]
        return np.concatenate(batches)

    def vision_blocks(self) -> list[VisionBlock]:
        visual = self.network.visual
        return [_vision_block(block, tuple(visual.grid_size)) for block in visual.transformer.resblocks]

    def last_stage(self) -> Any:
        """The module that gives the last map of features of a convolutional encoder."""
        visual = self.network.visual
        return visual.trunk.stages[-1] if hasattr(visual, "trunk") else visual.layer4

    def _feature_map(self, prepared: Floats) -> Floats:
        with running(self.spec, prepared, device=self.device):
            return to_floats(feature_map(self.last_stage(), lambda: self.network.visual(self.device.pictures(prepared))))

    def _look(self, give: Any, prepared: Floats) -> Floats:
        blocks = self.vision_blocks()
        with running(self.spec, prepared, device=self.device):
            found: Floats = give(blocks, self.network.visual, self.device, prepared)
        return found


def _vision_block(block: Any, grid: tuple[int, int]) -> VisionBlock:
    from torch.nn import functional

    width = block.attn.embed_dim

    def queries_keys(x: Any) -> tuple[Any, Any]:
        weight, bias = block.attn.in_proj_weight[: 2 * width], block.attn.in_proj_bias[: 2 * width]
        queries, keys = functional.linear(block.ln_1(x), weight, bias).chunk(2, dim=-1)
        return queries, keys

    return VisionBlock(block, queries_keys, block.attn.num_heads, 1, grid)


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> OpenClipModel:
    source = known_source(
        f"open_clip:{name}",
        "open_clip_torch",
        hashes,
        find=lambda: find_source(name),
        files=lambda found: found.files,
        to_json=OpenClipSource.to_json,
        from_json=OpenClipSource.from_json,
    )
    return OpenClipModel(source, hashes, TorchDevice(device, precision, threads))
