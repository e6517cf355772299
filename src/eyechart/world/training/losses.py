"""The contrastive losses of pictures and captions, and the auxiliary loss of the first part of a run."""

from __future__ import annotations

from typing import Any

from eyechart.world.drawing import NAMES
from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.training.pairs import HIDDEN
from eyechart.world.training.recipe_checks import CELLS

OUTPUTS = (len(NAMES), len(COLORS), len(TEXTURES))
_WEIGHTS = (1.0, 0.3, 0.3)


def infonce(logits: Any, same: Any) -> Any:
    """Cross-entropy in both directions (Radford et al. 2021, figure 3). Captions with the same meaning share the target."""
    target = same.float() / same.float().sum(1, keepdim=True)
    return -((target * logits.log_softmax(1)).sum(1).mean() + (target * logits.T.log_softmax(1)).sum(1).mean()) / 2


def sigmoid(logits: Any, same: Any) -> Any:
    """The sigmoid loss of every pair: −Σ log σ(±(logit)) over the batch (Zhai et al. 2023, equation 1)."""
    import torch

    sign = 2 * same.float() - 1
    return -torch.nn.functional.logsigmoid(sign * logits).sum(1).mean()


def patch_loss(outputs: Any, cells: Any) -> Any:
    """The cross-entropy of name, color and texture of the patches that show an object. In `outputs` [n, patches, k·34] a patch
    covers k cells of the truth."""
    import torch

    pictures, patches, _ = outputs.shape
    along = round(patches**0.5)
    finer = CELLS // along
    spread = outputs.reshape(pictures, along, along, finer, finer, sum(OUTPUTS)).permute(0, 1, 3, 2, 4, 5)
    flat, truth = spread.reshape(-1, sum(OUTPUTS)), cells.reshape(-1, len(OUTPUTS))
    shown = truth[:, 0] != HIDDEN
    parts = flat[shown].split(OUTPUTS, dim=1)
    losses = [torch.nn.functional.cross_entropy(part, truth[shown, i]) for i, part in enumerate(parts)]
    return sum(weight * loss for weight, loss in zip(_WEIGHTS, losses, strict=True))
