"""A fast and exact forward pass of causal text encoders with readout at the end token: no padding, and shared prefixes once.

All nodes of a prompt tree go through a block together, as one flat matrix; only attention follows the paths. The last
block computes keys and values for all tokens, and the rest for the end tokens only. Pre-norm blocks as in CLIP:
x + attention(ln_1 x), then x + mlp(ln_2 x).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.arrays import Floats
from eyechart.models.encoder import Tokens
from eyechart.models.prompt_tree import PromptTree, groves
from eyechart.models.torch_device import to_floats

if TYPE_CHECKING:
    import torch

MOST_NODES = 8192  # limits the memory of one pass; more nodes do not make the matrix products faster
LEAST_NODES = 512  # of a tree, where trees are divided among threads
SLICE = 1024  # rows of the hidden layer at a time, so that it stays in the cache between its two products

Step = Callable[[Any], Any]


@dataclass(frozen=True)
class CausalBlock:
    """The steps of a transformer block over [n, width].

    ln_1: The norm before attention.
    query: The projection to queries.
    keys_values: The projection to keys and values, concatenated.
    out: The output projection of attention, with the layer scale if there is one.
    ln_2: The norm before the MLP.
    mlp: The MLP, with the layer scale if there is one.
    """

    ln_1: Step
    query: Step
    keys_values: Step
    out: Step
    ln_2: Step
    mlp: Step


@dataclass(frozen=True)
class CausalTower:
    """A causal text encoder.

    embedding: The token embeddings.
    positions: The position embeddings.
    blocks: The transformer blocks.
    heads: The number of attention heads.
    finish: The final norm and projection of the end tokens' states.
    """

    embedding: torch.Tensor
    positions: torch.Tensor
    blocks: tuple[CausalBlock, ...]
    heads: int
    finish: Step


def encode_causal(tower: CausalTower, rows: Sequence[Tokens]) -> Floats:
    """[n, d] vectors of token rows that end with their end token.

    On a CPU every thread computes trees of its own. A tree has hundreds of short steps; if all threads shared each of them, they
    would meet at hundreds of barriers, and one thread that has to wait for its core would hold up the others at every one."""
    import torch

    threads = torch.get_num_threads() if tower.embedding.device.type == "cpu" else 1
    trees = list(groves(rows, _nodes_of_a_tree(rows, threads)))
    half = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None

    def encode(tree: PromptTree) -> Floats:
        with torch.inference_mode():
            return to_floats(_encode_tree(tower, tree))

    def encode_alone(tree: PromptTree) -> Floats:
        torch.set_num_threads(1)  # of this thread
        with torch.autocast("cpu", half or torch.bfloat16, enabled=half is not None):  # autocast is a matter of each thread, too
            return encode(tree)

    if threads == 1 or len(trees) < 2:
        computed = [encode(tree) for _, tree in trees]
    else:
        try:
            with ThreadPoolExecutor(min(threads, len(trees)), thread_name_prefix="eyechart-texts") as pool:
                computed = list(pool.map(encode_alone, [tree for _, tree in trees]))
        finally:
            torch.set_num_threads(threads)
    vectors = np.empty((len(rows), computed[0].shape[1] if computed else 0), np.float32)
    for (places, _), of_tree in zip(trees, computed, strict=True):
        vectors[places] = of_tree
    return vectors


def _nodes_of_a_tree(rows: Sequence[Tokens], threads: int) -> int:
    """So many that every thread has a tree, and no tree is small: its products would be slow, and prefixes shared less."""
    nodes = sum(len(row) for row in rows)
    return max(LEAST_NODES, min(MOST_NODES, nodes // (2 * threads))) if threads > 1 else MOST_NODES


def _encode_tree(tower: CausalTower, tree: PromptTree) -> torch.Tensor:
    import torch

    device = tower.embedding.device
    tokens, positions, ends = (torch.from_numpy(part).to(device) for part in (tree.tokens, tree.positions, tree.ends))
    paths = [torch.from_numpy(branch.path).to(device) for branch in tree.branches]
    x = tower.embedding[tokens] + tower.positions[positions]
    for block in tower.blocks[:-1]:
        normed = block.ln_1(x)
        queries, keys_values = block.query(normed), block.keys_values(normed)
        attended = torch.empty_like(queries)
        for branch, path in zip(tree.branches, paths, strict=True):
            own = slice(branch.start, branch.start + branch.own * len(path))
            attended[own] = _attend(queries[own], keys_values, path, branch.own, tower.heads)
        x = _finish_block(block, x, attended)
    return tower.finish(_last_block(tower, x, ends, paths))


def _last_block(tower: CausalTower, x: torch.Tensor, ends: torch.Tensor, paths: Sequence[torch.Tensor]) -> torch.Tensor:
    """The last block, computed at the end tokens only, once for equal rows."""
    import torch

    block = tower.blocks[-1]
    normed = block.ln_1(x)
    keys_values = block.keys_values(normed)
    unique, back = torch.unique(ends, return_inverse=True)
    queries = block.query(normed[unique])
    attended = torch.empty_like(queries)
    for path in paths:
        where = torch.searchsorted(unique, path[:, -1].contiguous())
        attended[where] = _attend(queries[where], keys_values, path, 1, tower.heads)
    return _finish_block(block, x[unique], attended)[back]


def _attend(queries: torch.Tensor, keys_values: torch.Tensor, path: torch.Tensor, own: int, heads: int) -> torch.Tensor:
    """Causal attention of each row's last `own` positions."""
    import torch
    import torch.nn.functional as functional

    rows, length = path.shape
    width = queries.shape[1]
    q = queries.view(rows, own, heads, width // heads).transpose(1, 2)
    gathered = keys_values[path.reshape(-1)].view(rows, length, 2, heads, width // heads)
    k, v = gathered[:, :, 0].transpose(1, 2), gathered[:, :, 1].transpose(1, 2)
    mask = None
    if own > 1:
        mask = torch.ones(own, length, dtype=torch.bool, device=queries.device).tril(length - own)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(rows * own, width)


def _finish_block(block: CausalBlock, x: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
    x = x + block.out(attended)
    for begin in range(0, len(x), SLICE):
        x[begin : begin + SLICE] += block.mlp(block.ln_2(x[begin : begin + SLICE]))
    return x
