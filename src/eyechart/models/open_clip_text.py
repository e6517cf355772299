"""open_clip's text encoders: tokens truncated at the readout position, and causal encoders for the fast path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.models.causal_text import CausalBlock, CausalTower
from eyechart.models.encoder import TokenizedTexts, Tokens


@dataclass(frozen=True)
class TextRule:
    """How a text encoder is run. Where `readout` is 'argmax' (the highest token, which is the end token) or 'eos' (the first end
    token), it is causal, and what follows that position has no effect; None: padded as in training."""

    context: int
    readout: str | None
    eos: int = 2

    def truncate(self, row: Tokens) -> Tokens:
        if self.readout is None:
            return row
        return row[: int(np.argmax(row if self.readout == "argmax" else row == self.eos)) + 1]


def rule_of(config: Mapping[str, Any]) -> TextRule:
    text = config["text_cfg"]
    context = int(text.get("context_length", 77))
    pool = text.get("pool_type", "argmax")
    # CoCa appends a class token after the padding; SigLIP's text encoder and those of the hub attend to all positions.
    whole = text.get("hf_model_name") or text.get("embed_cls") or text.get("no_causal_mask") or pool not in ("argmax", "eos")
    return TextRule(context, None if whole else pool, int(text.get("eos_id", 2)))


def tokenize(tokenizer: Any, rule: TextRule, texts: Sequence[str]) -> TokenizedTexts:
    from open_clip import tokenizer as library

    if isinstance(tokenizer, library.SimpleTokenizer):
        whole = [[tokenizer.sot_token_id, *tokenizer.encode(text), tokenizer.eot_token_id] for text in texts]
        truncated = np.array([len(row) > rule.context for row in whole], dtype=bool)
        if tokenizer.reduction_fn is None:
            rows = [np.array(row[: rule.context], np.int64) for row in whole]
            for row, is_cut in zip(rows, truncated, strict=True):
                if is_cut:
                    row[-1] = tokenizer.eot_token_id
            if rule.readout is None:
                rows = [np.pad(row, (0, rule.context - len(row))) for row in rows]
            return TokenizedTexts([rule.truncate(row) for row in rows], truncated)
    else:
        clean = getattr(tokenizer, "clean_fn", None) or (lambda text: library.canonicalize_text(library.basic_clean(text)))
        lengths = [len(ids) for ids in tokenizer.tokenizer([clean(text) for text in texts], verbose=False)["input_ids"]]
        truncated = np.array([length > rule.context for length in lengths], dtype=bool)
    padded = np.asarray(tokenizer(list(texts)).numpy(), dtype=np.int64)
    return TokenizedTexts([rule.truncate(row) for row in padded], truncated)


def read_causal_tower(model: Any) -> CausalTower | None:
    """The text encoder's parts, if all of them are of a known kind; None where open_clip's own forward must be used."""
    import torch
    from open_clip.transformer import LayerScale, ResidualAttentionBlock, TextTransformer
    from torch import nn

    text = model.text if hasattr(model, "text") else model
    if hasattr(model, "text") and (type(text) is not TextTransformer or text.cls_emb is not None or text.use_pad_mask):
        return None
    mask, blocks, projection = text.attn_mask, list(text.transformer.resblocks), text.text_projection
    if mask is None or not torch.equal(mask.float(), torch.full_like(mask, -torch.inf, dtype=torch.float32).triu(1)):
        return None
    for block in blocks:
        plain = (
            type(block) is ResidualAttentionBlock and type(block.attn) is nn.MultiheadAttention and not hasattr(block, "ln_1_kv")
        )
        scales = all(type(scale) in (nn.Identity, LayerScale) for scale in (block.ls_1, block.ls_2))
        if not (plain and scales and block.attn.in_proj_weight is not None and block.attn.bias_k is None):
            return None
        if block.attn.add_zero_attn or block.attn.in_proj_bias is None:
            return None

    def finish(x: Any) -> Any:
        x = text.ln_final(x)
        if projection is None:
            return x
        return projection(x) if isinstance(projection, nn.Linear) else x @ projection

    dtype = text.transformer.get_cast_dtype()
    embedding, positions = text.token_embedding.weight.to(dtype), text.positional_embedding.to(dtype)
    return CausalTower(embedding, positions, tuple(_block(block) for block in blocks), blocks[0].attn.num_heads, finish)


def _block(block: Any) -> CausalBlock:
    from torch.nn import functional

    attention = block.attn
    width = attention.embed_dim
    query, keys_values = attention.in_proj_weight[:width].contiguous(), attention.in_proj_weight[width:].contiguous()
    query_bias, keys_values_bias = attention.in_proj_bias[:width].contiguous(), attention.in_proj_bias[width:].contiguous()
    return CausalBlock(
        ln_1=block.ln_1,
        query=lambda x: functional.linear(x, query, query_bias),
        keys_values=lambda x: functional.linear(x, keys_values, keys_values_bias),
        out=lambda x: block.ls_1(attention.out_proj(x)),
        ln_2=block.ln_2,
        mlp=lambda x: block.ls_2(block.mlp(x)),
    )
