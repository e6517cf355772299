"""Checks of a recipe's numbers, before a run of many minutes begins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.world.training.recipe import Recipe

CELLS = 8  # cells per side of the auxiliary loss
LARGEST_SIDE = 512  # largest picture of the world
_COUNTS = ("samples", "batch", "side", "patch", "width", "layers", "heads", "text_width", "text_layers", "embedding")
_SHARES = ("auxiliary", "several_from", "several_share", "people_share")


def check_name(name: str) -> None:
    """Refuse a name that cannot be a folder name: run and model are stored under it."""
    if not name or name != name.strip(". ") or any(sign in name for sign in "/\\\0"):
        raise UsageError(f"recipe: the name {name!r} is not a valid folder name; choose another, such as 'mine'")


def check_numbers(recipe: Recipe) -> None:
    for key in _COUNTS:
        if getattr(recipe, key) < 1:
            raise UsageError(f"recipe {recipe.name}: {key} is {getattr(recipe, key)}; choose 1 or more")
    for problem in _problems(recipe):
        raise UsageError(f"recipe {recipe.name}: {problem}")


def _problems(recipe: Recipe) -> Iterator[str]:
    if recipe.seed < 0 or recipe.distinct < 0:
        yield "seed and distinct must not be negative"
    if recipe.samples < recipe.batch:
        yield f"{recipe.samples} samples make no batch of {recipe.batch}; give more, or a smaller batch"
    for key in _SHARES:
        if not 0 <= getattr(recipe, key) <= 1:
            yield f"{key} is {getattr(recipe, key)}; choose a share from 0 to 1"
    if recipe.several_share + recipe.people_share > 1:
        yield "several_share and people_share add up to more than 1"
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
        yield "side must be a multiple of 32 for a convolutional image encoder, which halves it five times"
    if recipe.tower == "vit" and recipe.auxiliary and CELLS % (recipe.side // recipe.patch):
        yield f"the auxiliary loss takes 1, 2, 4 or {CELLS} patches along a side; choose another patch, or auxiliary = 0"


def _lost_checkpoints(recipe: Recipe) -> Iterator[str]:
    for pairs in recipe.checkpoints:
        if not recipe.batch <= pairs <= recipe.samples:
            yield f"the checkpoint {pairs} is outside the run; choose from {recipe.batch} to {recipe.samples} pairs"
    if len({pairs // 1000 for pairs in recipe.checkpoints}) < len(recipe.checkpoints):
        yield "two checkpoints would have the same name; keep them a thousand pairs apart"
