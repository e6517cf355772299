"""The zoo: its catalogue agrees with its recipes, and its models are found."""

import json
from pathlib import Path

import pytest

from eyechart.cli.main import main
from eyechart.errors import ModelError, UsageError
from eyechart.world.training.fine_tuning import FineTuning
from eyechart.world.training.recipe_file import read_recipe
from eyechart.world.zoo import checkpoints, zoo_folder, zoo_models

pytestmark = pytest.mark.slow

RECIPES = Path(__file__).parents[2] / "zoo" / "recipes"


def test_every_resident_has_its_recipe_and_every_recipe_its_resident():
    assert {path.stem for path in RECIPES.glob("*.toml")} == set(zoo_models())


def test_recipes_are_called_as_their_files():
    assert all(read_recipe(path).name == path.stem for path in RECIPES.glob("*.toml"))


def test_twins_and_parents_are_zoo_models():
    known = zoo_models()
    assert all(r.twin in known for r in known.values() if r.twin)
    parents = {r.parent for path in RECIPES.glob("*.toml") if isinstance(r := read_recipe(path), FineTuning)}
    assert parents <= set(known)


def test_what_is_planted_has_a_twin_and_an_expectation():
    for resident in zoo_models().values():
        assert (resident.planted is None) == (resident.twin is None) == (resident.expected is None), resident.name


@pytest.mark.parametrize("order", ["largest-first", "smallest-first"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_caption_orders_differ_from_their_twins_in_nothing_else(order, seed):
    twin, other = (read_recipe(RECIPES / f"{name}-{seed}.toml").known() for name in ("random-order", order))
    assert {key for key in twin if twin[key] != other[key]} - {"name", "checkpoints"} == {"order"}


def test_the_folder_is_found_by_the_variable(monkeypatch, tmp_path):
    (tmp_path / "default").mkdir()
    (tmp_path / "default" / "model.json").write_text("{}")
    monkeypatch.setenv("EYECHART_ZOO", str(tmp_path))
    assert zoo_folder("default") == tmp_path / "default"


def test_a_model_that_is_not_here_is_said_so(monkeypatch, tmp_path):
    monkeypatch.setenv("EYECHART_ZOO", str(tmp_path))
    with pytest.raises(ModelError, match="EYECHART_ZOO"):
        zoo_folder("long-tail")


def test_a_misspelt_model_is_recognized(monkeypatch, tmp_path):
    monkeypatch.setenv("EYECHART_ZOO", str(tmp_path))
    with pytest.raises(UsageError, match="did you mean 'zoo:long-tail'"):
        zoo_folder("longtail")


def test_a_variable_that_names_no_folder_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("EYECHART_ZOO", str(tmp_path / "gone"))
    with pytest.raises(UsageError, match="not a folder"):
        zoo_folder("default")


def test_checkpoints_are_those_of_zoo_models_in_the_order_of_training(monkeypatch, tmp_path):
    for name in ("random-order-1-at-120k", "random-order-1-at-15k", "unknown-at-15k", "random-order-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.json").write_text("{}")
    monkeypatch.setenv("EYECHART_ZOO", str(tmp_path))
    assert checkpoints() == ["random-order-1-at-15k", "random-order-1-at-120k"]


def test_the_command_lists_models_and_checkpoints(monkeypatch, tmp_path, capsys):
    (tmp_path / "random-order-1-at-15k").mkdir()
    (tmp_path / "random-order-1-at-15k" / "model.json").write_text("{}")
    monkeypatch.setenv("EYECHART_ZOO", str(tmp_path))
    assert main(["world", "zoo", "--json"]) == 0
    told = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert told["random-order-1-at-15k"]["about"] == "random-order-1 after 15k pairs of its training"
    assert {name for name, row in told.items() if row["here"]} == {"default", "random-order-1-at-15k"}
