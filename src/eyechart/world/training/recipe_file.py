"""A recipe file: a training run, or (where it names a parent) a model made from another one."""

from pathlib import Path

from eyechart.files.records import Table, read_toml
from eyechart.world.training.fine_tuning import FineTuning
from eyechart.world.training.recipe import Recipe


def read_recipe(path: Path) -> Recipe | FineTuning:
    """The recipe of a TOML file. Absent keys get their defaults; the name is that of the file unless given."""
    content = read_toml(path)
    table = Table(str(path), content)
    return table.into(FineTuning, name=path.stem) if "parent" in content else table.into(Recipe, name=path.stem)
