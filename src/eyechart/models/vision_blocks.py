"""Patch tokens and attention of the blocks of a vision transformer, recorded during the library's own forward.

Patches are the raw output of the last block, before the final norm, for every source; those of a convolutional network are
its last map of features, before pooling. Attention is recomputed from a block's input, since
the libraries' fused kernels do not return it: softmax(q·k / √d), each row summing to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Floats
from eyechart.models.torch_device import TorchDevice, to_floats

Network = Callable[[Any], object]


@dataclass(frozen=True)
class VisionBlock:
    """`queries_keys` maps the block's input [n, tokens, width] to queries and keys of the same shape; `lead` tokens
    (the class token) come before the `grid` of patches."""

    block: Any
    queries_keys: Callable[[Any], tuple[Any, Any]]
    heads: int
    lead: int
    grid: tuple[int, int]

    def attention_of(self, x: Any) -> Any:
        """[n, heads, tokens, tokens] from the block's input."""
        q, k = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.queries_keys(x))
        return ((q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)).float().softmax(dim=-1)

    def class_attention_of(self, x: Any) -> Any:
        """[n, heads, tokens]: attention of the class token only; that of all tokens in every block would take too much memory."""
        q, k = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.queries_keys(x))
        return ((q[:, :, :1] * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)).float().softmax(dim=-1).squeeze(2)

    def patches_of(self, y: Any) -> Any:
        return y[:, self.lead :].unflatten(1, self.grid)


def watch_blocks(blocks: Sequence[VisionBlock], note: Callable[[VisionBlock, Any, Any], None], run: Callable[[], object]) -> None:
    """Call `note` with each block, its input and its output, in order, while `run` runs the network."""

    def hook(block: VisionBlock) -> Callable[..., None]:
        def noted(_module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            x = args[0] if args else kwargs["hidden_states"]
            note(block, x, output[0] if isinstance(output, tuple) else output)

        return noted

    with ExitStack() as stack:
        for block in blocks:
            stack.callback(block.block.register_forward_hook(hook(block), with_kwargs=True).remove)
        run()


def feature_map(stage: Any, run: Callable[[], object]) -> Any:
    """[n, h, w, d]: the output [n, d, h, w] of a stage while `run` runs the network."""
    seen: list[Any] = []
    hook = stage.register_forward_hook(lambda _module, _args, output: seen.append(output))
    try:
        run()
    finally:
        hook.remove()
    return seen[-1].permute(0, 2, 3, 1)


def give_patches(blocks: Sequence[VisionBlock], network: Network, device: TorchDevice, prepared: Floats) -> Floats:
    """[n, h, w, d] of the last block."""
    return _given(blocks[-1:], lambda block, _x, y: block.patches_of(y), network, device, prepared)[0]


def give_attention(blocks: Sequence[VisionBlock], network: Network, device: TorchDevice, prepared: Floats) -> Floats:
    """[n, heads, tokens, tokens] of the last block."""
    return _given(blocks[-1:], lambda block, x, _y: block.attention_of(x), network, device, prepared)[0]


def give_block_attention(blocks: Sequence[VisionBlock], network: Network, device: TorchDevice, prepared: Floats) -> Floats:
    """[n, blocks, heads, tokens] from the class token."""
    return np.stack(_given(blocks, lambda block, x, _y: block.class_attention_of(x), network, device, prepared), axis=1)


def _given(
    blocks: Sequence[VisionBlock],
    look: Callable[[VisionBlock, Any, Any], Any],
    network: Network,
    device: TorchDevice,
    prepared: Floats,
) -> list[Floats]:
    """The result of `look` for every block's input and output, computed at once, so that no tokens are kept."""
    import torch

    seen: list[Floats] = []
    with torch.inference_mode():
        watch_blocks(
            blocks,
            lambda block, x, y: seen.append(to_floats(look(block, x, y))),
            lambda: network(device.pictures(prepared)),
        )
    return seen
