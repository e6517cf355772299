"""A recipe file: a training run, (where it names a parent) a model made from another one, or (where it names a vision tower) a
multimodal language model on it."""

from pathlib import Path

from eyechart.files.records import Table, read_toml
from eyechart.world.training.fine_tuning import FineTuning
from eyechart.world.training.llava.recipe import LlavaRecipe
from eyechart.world.training.recipe import Recipe


def read_recipe(path: Path) -> Recipe | FineTuning | LlavaRecipe:
    """The recipe of a TOML file. Absent keys get their defaults; the name is that of the file unless given."""
    content = read_toml(path)
    table = Table(str(path), content)
    if "vision_tower" in content:
        return table.into(LlavaRecipe, name=path.stem)
    return table.into(FineTuning, name=path.stem) if "parent" in content else table.into(Recipe, name=path.stem)
