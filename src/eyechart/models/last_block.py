"""Patch tokens and attention of the last block of a vision transformer, taken while the library's own forward runs.

Patches are the raw output of the last block, before the final norm, for every backend alike. Attention is computed again
from the block's own input, since the libraries' fused kernels do not give it: softmax(q·k / √d), each row summing to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eyechart.models.encoder import Floats
from eyechart.models.torch_device import TorchDevice, to_floats


@dataclass(frozen=True)
class LastBlock:
    """`queries_keys` maps the block's input [n, tokens, width] to queries and keys of the same shape; `lead` tokens
    (the class token) come before the `grid` of patches."""

    block: Any
    queries_keys: Callable[[Any], tuple[Any, Any]]
    heads: int
    lead: int
    grid: tuple[int, int]

    def attention_of(self, x: Any) -> Any:
        q, k = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.queries_keys(x))
        return ((q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)).float().softmax(dim=-1)

    def patches_of(self, y: Any) -> Any:
        return y[:, self.lead :].unflatten(1, self.grid)


def watch_block(last: LastBlock, run: Callable[[], object]) -> tuple[Any, Any]:
    """The input and output of the block while `run` runs the network."""
    seen: list[Any] = []

    def note(_module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        x = args[0] if args else kwargs["hidden_states"]
        seen[:] = [x, output[0] if isinstance(output, tuple) else output]

    handle = last.block.register_forward_hook(note, with_kwargs=True)
    try:
        run()
    finally:
        handle.remove()
    return seen[0], seen[1]


def give_patches(last: LastBlock, network: Callable[[Any], object], device: TorchDevice, prepared: Floats) -> Floats:
    import torch

    with torch.inference_mode():
        return to_floats(last.patches_of(watch_block(last, lambda: network(device.pictures(prepared)))[1]))


def give_attention(last: LastBlock, network: Callable[[Any], object], device: TorchDevice, prepared: Floats) -> Floats:
    import torch

    with torch.inference_mode():
        return to_floats(last.attention_of(watch_block(last, lambda: network(device.pictures(prepared)))[0]))
