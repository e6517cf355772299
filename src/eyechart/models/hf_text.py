"""The text encoders of transformers' dual encoders: how each family is tokenized and run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Floats
from eyechart.models.causal_text import CausalBlock, CausalTower
from eyechart.models.encoder import TokenizedTexts, Tokens
from eyechart.models.open_clip_text import TextRule
from eyechart.models.text_batches import by_length
from eyechart.models.torch_device import TorchDevice, to_floats

ALIGN_CONTEXT = 64  # ALIGN's processor pads to 64 tokens, though its BERT could take 512


def rule_of(config: Any, tokenizer: Any) -> TextRule:
    """From the configuration as transformers reads it, which handles its older forms."""
    if config.model_type == "align":
        return TextRule(ALIGN_CONTEXT, None)
    text = config.text_config
    context = min(int(text.max_position_embeddings), int(tokenizer.model_max_length))
    if config.model_type == "siglip":
        return TextRule(context, None)
    # Configurations written before transformers 4.31 have the wrong end token 2; their models read out at the highest token.
    return TextRule(context, "argmax" if text.eos_token_id == 2 else "eos", int(text.eos_token_id))


def tokenize(tokenizer: Any, family: str, rule: TextRule, texts: Sequence[str]) -> TokenizedTexts:
    """Token ids: CLIP and ALIGN unpadded; SigLIP padded to its context and in lower case, as in training.

    SigLIP's tokenizer lower-cases itself, the one saved with SigLIP 2 does not."""
    texts = [text.lower() for text in texts] if family == "siglip" else list(texts)
    rows = tokenizer(texts, padding=False, truncation=False, verbose=False)["input_ids"]
    truncated = np.array([len(row) > rule.context for row in rows], dtype=bool)
    if family == "siglip":
        rows = tokenizer(texts, padding="max_length", max_length=rule.context, truncation=True)["input_ids"]
    elif truncated.any():
        for i in np.flatnonzero(truncated):
            rows[i] = tokenizer(texts[i], max_length=rule.context, truncation=True)["input_ids"]
    return TokenizedTexts([rule.truncate(np.array(row, np.int64)) for row in rows], truncated)


def encode_rows(network: Any, family: str, device: TorchDevice, ids: Sequence[Tokens]) -> Floats:
    """Vectors from transformers' own forward, with one length per batch.

    SigLIP attends to its padding and gets no mask. CLIP and ALIGN ignore what follows their texts, so they are not padded."""
    import torch

    vectors: dict[int, Floats] = {}
    with torch.inference_mode():
        for places, rows in by_length(ids):
            mask = {} if family == "siglip" else {"attention_mask": device.tokens(np.ones_like(rows))}
            found = network.get_text_features(input_ids=device.tokens(rows), **mask)
            vectors |= dict(zip(places.tolist(), to_floats(features(found)), strict=True))
    return np.stack([vectors[i] for i in range(len(ids))]) if ids else np.empty((0, 0), np.float32)


def features(found: Any) -> Any:
    """The vectors, which transformers 5 wraps and transformers 4 returns directly."""
    return found if not hasattr(found, "pooler_output") else found.pooler_output


def read_causal_tower(network: Any) -> CausalTower | None:
    """CLIP's text encoder, if all its parts are of a known kind; None where transformers' own forward must be used."""
    from transformers.models.clip import modeling_clip

    text = network.text_model
    layers = list(text.encoder.layers)
    for layer in layers:
        if type(layer) is not modeling_clip.CLIPEncoderLayer or type(layer.mlp) is not modeling_clip.CLIPMLP:
            return None
        if type(layer.self_attn).__name__ not in ("CLIPAttention", "CLIPSdpaAttention"):
            return None
    return CausalTower(
        text.embeddings.token_embedding.weight,
        text.embeddings.position_embedding.weight,
        tuple(_block(layer) for layer in layers),
        layers[0].self_attn.num_heads,
        lambda x: network.text_projection(text.final_layer_norm(x)),
    )


def _block(layer: Any) -> CausalBlock:
    import torch
    from torch.nn import functional

    attention = layer.self_attn
    weight = torch.cat([attention.k_proj.weight, attention.v_proj.weight])
    bias = torch.cat([attention.k_proj.bias, attention.v_proj.bias])
    return CausalBlock(
        ln_1=layer.layer_norm1,
        query=attention.q_proj,
        keys_values=lambda x: functional.linear(x, weight, bias),
        out=attention.out_proj,
        ln_2=layer.layer_norm2,
        mlp=layer.mlp,
    )
