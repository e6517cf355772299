"""The image and text encoder of a torch model as modules that torch.onnx can trace: arrays or tokens in, named outputs out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from eyechart.models.causal_text import CausalTower
from eyechart.models.hf import HfModel
from eyechart.models.hf_text import features
from eyechart.models.open_clip import OpenClipModel
from eyechart.models.open_clip_text import TextRule
from eyechart.models.sbert import SbertModel
from eyechart.models.timm import TimmModel
from eyechart.models.vision_blocks import VisionBlock, feature_map, watch_blocks

TorchModel = OpenClipModel | HfModel | TimmModel | SbertModel


@dataclass(frozen=True)
class Tower:
    """An encoder to trace. `run` gives the outputs in the order of their names, with the weights of `network` only.

    A `dynamic` text encoder takes any length up to `context`, another one exactly that length; `readout` is where its vector
    is read."""

    network: Any
    run: Callable[[Any], tuple[Any, ...]]
    outputs: tuple[str, ...] = ("text_embeds",)
    context: int = 0
    readout: str = "end"
    dynamic: bool = True


def image_tower(model: TorchModel, *, all_blocks: bool = False) -> Tower | None:
    """The image encoder. `all_blocks` adds the class token's attention in every block, where the model gives it."""
    if isinstance(model, SbertModel):
        return None
    if isinstance(model, TimmModel):
        return _timm_tower(model)
    encode = _image_encoder(model)
    wanted = [name for name in ("attention", "block_attention", "patches") if hasattr(model, name)]
    if not all_blocks and "block_attention" in wanted:
        wanted.remove("block_attention")
    if not wanted:
        return Tower(model.network, lambda x: (encode(x),), ("image_embeds",))
    if isinstance(model, OpenClipModel) and model.source.is_convolutional:
        return Tower(model.network, partial(_with_feature_map, model.last_stage(), encode), ("image_embeds", "patches"))
    blocks = model.vision_blocks()
    watched = blocks if "block_attention" in wanted else blocks[-1:]

    def run(x: Any) -> tuple[Any, ...]:
        vectors: list[Any] = []
        seen: list[tuple[VisionBlock, Any, Any]] = []
        watch_blocks(watched, lambda *one: seen.append(one), lambda: vectors.append(encode(x)))
        return (vectors[0], *(_of_blocks(name, seen) for name in wanted))

    return Tower(model.network, run, ("image_embeds", *wanted))


def _with_feature_map(stage: Any, encode: Callable[[Any], Any], x: Any) -> tuple[Any, Any]:
    vectors: list[Any] = []
    found = feature_map(stage, lambda: vectors.append(encode(x)))
    return vectors[0], found


def _of_blocks(name: str, seen: Sequence[tuple[VisionBlock, Any, Any]]) -> Any:
    """One output, computed from the blocks' inputs and outputs."""
    import torch

    last, before, after = seen[-1]
    if name == "attention":
        return last.attention_of(before)
    if name == "patches":
        return last.patches_of(after)
    return torch.stack([block.class_attention_of(x) for block, x, _ in seen], dim=1)


def _image_encoder(model: OpenClipModel | HfModel) -> Callable[[Any], Any]:
    network = model.network
    if isinstance(model, OpenClipModel):
        return lambda x: network.encode_image(x, normalize=False)
    return lambda x: features(network.get_image_features(pixel_values=x))


def _timm_tower(model: TimmModel) -> Tower:
    network, scores, patches = model.network, hasattr(model, "class_scores"), hasattr(model, "patches")

    def run(x: Any) -> tuple[Any, ...]:
        if patches:
            final, (last,) = network.forward_intermediates(x, indices=1, norm=False, output_fmt="NCHW")
        else:
            final, last = network.forward_features(x), None
        found = [network.forward_head(final, pre_logits=True)]
        if scores:
            found.append(network.forward_head(final))
        if last is not None:
            found.append(last.permute(0, 2, 3, 1))
        return tuple(found)

    names = ("image_embeds", *(["scores"] if scores else []), *(["patches"] if patches else []))
    return Tower(network, run, names)


def text_tower(model: TorchModel) -> Tower | None:
    if isinstance(model, TimmModel):
        return None
    network = model.network
    if isinstance(model, SbertModel):
        pooling = str(getattr(network[1], "pooling_mode", "mean")) if len(network) > 1 else "mean"
        return Tower(
            network,
            lambda ids: (network({"input_ids": ids, "attention_mask": _ones(ids)})["sentence_embedding"],),
            context=int(network.max_seq_length),
            readout={"cls": "first", "lasttoken": "last"}.get(pooling, "mean"),
        )
    context = model.text_rule.context
    if model.causal_tower is not None:
        return Tower(network, _causal(model.causal_tower, model.text_rule), context=context)
    if isinstance(model, OpenClipModel):
        encode = partial(network.encode_text, normalize=False)
        return Tower(network, lambda ids: (encode(ids),), context=context, readout=_open_clip_readout(model), dynamic=False)
    if model.family == "siglip":
        run = lambda ids: (features(network.get_text_features(input_ids=ids)),)  # noqa: E731
        return Tower(network, run, context=context, readout="last", dynamic=False)
    run = lambda ids: (features(network.get_text_features(input_ids=ids, attention_mask=_ones(ids))),)  # noqa: E731
    return Tower(network, run, context=context, readout="first")


def _open_clip_readout(model: OpenClipModel) -> str:
    text = model.source.text
    if text.get("hf_model_name"):
        return "mean" if "mean" in text.get("hf_pooler_type", "mean_pooler") else "first"
    pool = "last" if text.get("embed_cls") else text.get("pool_type", "argmax")
    return {"first": "first", "last": "last"}.get(pool, "end")


def _ones(ids: Any) -> Any:
    import torch

    return torch.ones_like(ids)


def _causal(tower: CausalTower, rule: TextRule) -> Callable[[Any], tuple[Any, ...]]:
    """A causal pass over rows of one length with readout at the end token, so that padding after it has no effect."""
    import torch
    from torch.nn import functional

    def run(ids: Any) -> tuple[Any, ...]:
        rows, length = ids.shape
        x = tower.embedding[ids] + tower.positions[:length]
        width = x.shape[-1]
        shape = (rows, length, tower.heads, width // tower.heads)
        seen = torch.ones(length, length, dtype=torch.bool, device=ids.device).tril()
        for block in tower.blocks:
            normed = block.ln_1(x)
            keys, values = block.keys_values(normed).chunk(2, dim=-1)
            q, k, v = (part.reshape(shape).transpose(1, 2) for part in (block.query(normed), keys, values))
            attended = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
            x = x + block.out(attended.transpose(1, 2).reshape(rows, length, width))
            x = x + block.mlp(block.ln_2(x))
        end = (ids if rule.readout == "argmax" else (ids == rule.eos).to(torch.int64)).argmax(dim=-1)
        return (tower.finish(x[torch.arange(rows, device=ids.device), end]),)

    return run


def write_onnx(tower: Tower, example: Any, dynamic: Sequence[str], name: str, path: Any) -> None:
    """Trace an encoder and write it; `dynamic` names the leading axes of variable size."""
    import torch

    class Traced(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = tower.network  # registers its weights with the traced module

        def forward(self, x: Any) -> Any:
            return tower.run(x)

    fast = torch.backends.mha.get_fastpath_enabled()
    # The fused inference kernel of nn.MultiheadAttention has no counterpart in ONNX.
    torch.backends.mha.set_fastpath_enabled(False)
    # Beyond 2 GB, the format requires the weights in a separate file.
    large = sum(p.numel() * p.element_size() for p in tower.network.parameters()) > 1_800_000_000
    try:
        with torch.no_grad():
            torch.onnx.export(
                Traced().eval(),
                (example,),
                path,
                input_names=[name],
                output_names=list(tower.outputs),
                dynamic_shapes=(dict.fromkeys(range(len(dynamic)), torch.export.Dim.DYNAMIC),),
                dynamo=True,
                external_data=large,
                verbose=False,
                artifacts_dir=path.parent,
            )
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
