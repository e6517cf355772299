"""Recipes: what a file may say, and what two runs have in common."""

import pytest

from eyechart.errors import UsageError
from eyechart.world.training.fine_tuning import FineTuning
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.recipe_file import read_recipe


def written(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_a_file_takes_its_name_and_leaves_the_rest_as_usual(tmp_path):
    recipe = read_recipe(written(tmp_path, 'order = "largest"\nseed = 3\n'))
    assert (recipe.name, recipe.order, recipe.seed, recipe.look) == ("mine", "largest", 3, Recipe("x").look)


def test_a_file_with_a_parent_makes_a_model_from_it(tmp_path):
    recipe = read_recipe(written(tmp_path, 'parent = "default"\nscale = 3\n'))
    assert isinstance(recipe, FineTuning)
    assert recipe.scale == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('ordre = "largest"', "did you mean 'order'"),
        ('order = "biggest"', "choose from random, largest, smallest"),
        ("seed = true", "a whole number"),
        ('seed = "one"', "a whole number"),
        ("samples = 0", "choose 1 or more"),
        ('unseen = ["poses"]', "did you mean 'pose'"),
        ('unseen = "pose"', "a list of texts"),
        ('often = ["stile"]', "did you mean 'style'"),
        ("patch = 7", "multiple of patch"),
        ("order = largest", "not valid TOML"),
        ("patch = 4", "choose another patch, or auxiliary = 0"),
        ("side = 60\npatch = 10", "multiple of patch and of 8"),
        ('tower = "conv"\nside = 48', "multiple of 32"),
        ("text_width = 90", "text_width of heads"),
        ("width = 90\nheads = 3", "width must be a multiple of 4"),
        ("samples = 100", "100 samples make no batch of 128"),
        ("seed = -1", "must not be negative"),
        ("rate = nan", "rate is nan"),
        ("matrix_rate = 0", "a number above 0"),
        ("several_share = 1.5", "a share from 0 to 1"),
        ("several_from = nan", "finite number"),
        ("several_share = 0.6\npeople_share = 0.5", "add up to more than 1"),
        ("checkpoints = [130_000]", "is outside the run"),
        ("checkpoints = [15_100, 15_900]", "a thousand pairs apart"),
        ('name = "../elsewhere"', "is not a valid folder name"),
        ('name = ""', "is not a valid folder name"),
        ('parent = "default"\nname = "a/b"', "is not a valid folder name"),
        ('parent = "default"\nscale = inf', "finite number"),
        ('stages = ["names"]', "stages is not a known key"),
        ('parent = "default"\nstages = ["everything"]', "no stage called 'everything'"),
        ('parent = "default"\nscale = 0.0', "a scale above 0"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, complaint):
    with pytest.raises(UsageError, match=complaint):
        read_recipe(written(tmp_path, text))


def test_small_patches_do_without_the_auxiliary_loss(tmp_path):
    assert read_recipe(written(tmp_path, "patch = 4\nauxiliary = 0")).patch == 4


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere\.toml"):
        read_recipe(tmp_path / "nowhere.toml")


def test_runs_that_differ_only_later_share_their_opening():
    plain = Recipe("a")
    assert plain.opening() == Recipe("b", order="largest", accused="red hats", checkpoints=(1000,)).opening()
    for apart in ({"seed": 1}, {"look": "poster"}, {"loss": "sigmoid"}, {"distinct": 100}, {"manner": "catalogue"}):
        assert plain.opening() != Recipe("a", **apart).opening(), apart
