"""A recipe file holds one of two things: a training run, or (where it names a parent) what is made from another model."""

from pathlib import Path

from eyechart.errors import UsageError
from eyechart.world.training.fine_tuning import FineTuning
from eyechart.world.training.recipe import Recipe, read_table


def read_recipe(path: Path) -> Recipe | FineTuning:
    """What the file leaves out is as usual; a key that no recipe has is refused by name."""
    try:
        derived = "parent" in {line.split("=")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from error
    return FineTuning(**read_table(path, FineTuning)) if derived else Recipe(**read_table(path, Recipe))
