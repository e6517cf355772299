"""Whether a run can be made of a recipe's numbers. Asked before anything is trained: a run takes many minutes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.world.training.recipe import Recipe

CELLS = 8  # patches of the truth along a side, of which the auxiliary loss asks
LARGEST_SIDE = 512  # of pictures of the world
_COUNTS = ("samples", "batch", "side", "patch", "width", "layers", "heads", "text_width", "text_layers", "embedding")
_SHARES = ("auxiliary", "several_from", "several_share", "people_share")


def check_name(name: str) -> None:
    """A recipe's name is that of the folders of its run and its model."""
    if not name or name != name.strip(". ") or any(sign in name for sign in "/\\\0"):
        raise UsageError(f"recipe: the name {name!r} cannot be that of a folder; choose another, such as 'mine'")


def check_numbers(recipe: Recipe) -> None:
    for key in _COUNTS:
        if getattr(recipe, key) < 1:
            raise UsageError(f"recipe {recipe.name}: {key} is {getattr(recipe, key)}; choose 1 or more")
    for complaint in _complaints(recipe):
        raise UsageError(f"recipe {recipe.name}: {complaint}")


def _complaints(recipe: Recipe) -> Iterator[str]:
    if recipe.seed < 0 or recipe.distinct < 0:
        yield "seed and distinct must not be negative"
    if recipe.samples < recipe.batch:
        yield f"{recipe.samples} samples make no batch of {recipe.batch}; give more, or a smaller batch"
    for key in _SHARES:
        if not 0 <= getattr(recipe, key) <= 1:
            yield f"{key} is {getattr(recipe, key)}; choose a share from 0 to 1"
    if recipe.several_share + recipe.people_share > 1:
        yield "several_share and people_share are more than all together"
    for key in ("matrix_rate", "rate"):
        if not 0 < getattr(recipe, key) < math.inf:
            yield f"{key} is {getattr(recipe, key)}; choose a number above 0"
    yield from _unfit_towers(recipe)
    yield from _lost_checkpoints(recipe)


def _unfit_towers(recipe: Recipe) -> Iterator[str]:
    if recipe.side % recipe.patch or recipe.side % CELLS or recipe.side > LARGEST_SIDE:
        yield f"side must be a multiple of patch and of {CELLS}, and at most {LARGEST_SIDE}"
    if recipe.width % recipe.heads or recipe.width % 4 or recipe.text_width % recipe.heads:
        yield "width must be a multiple of 4, and width and text_width of heads"
    if recipe.tower == "conv" and recipe.side % 32:
        yield "side must be a multiple of 32 for a convolutional tower, which halves it five times"
    if recipe.tower == "vit" and recipe.auxiliary and CELLS % (recipe.side // recipe.patch):
        yield f"the auxiliary loss takes 1, 2, 4 or {CELLS} patches along a side; choose another patch, or auxiliary = 0"


def _lost_checkpoints(recipe: Recipe) -> Iterator[str]:
    for pairs in recipe.checkpoints:
        if not recipe.batch <= pairs <= recipe.samples:
            yield f"the checkpoint {pairs} lies outside of the run; choose from {recipe.batch} to {recipe.samples} pairs"
    if len({pairs // 1000 for pairs in recipe.checkpoints}) < len(recipe.checkpoints):
        yield "two checkpoints would have one name; keep them a thousand pairs apart"
