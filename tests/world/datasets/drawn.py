"""Shots of a dataset without rendering."""

from itertools import islice

from eyechart.world.datasets.registry import WORLD_DATASETS
from eyechart.world.datasets.world_dataset import Shot, Streams


def shots(name: str, n: int | None = None, seed: int = 0) -> list[Shot]:
    recipe = WORLD_DATASETS.get(name)
    return list(islice(recipe.draw(Streams(seed, recipe.number)), n or recipe.usual))
