"""The embedded world's datasets, asked for by name: from Python, a plan and the command line."""

import json

import pytest
from tests.witness import Witness, rows

import eyechart
from eyechart.cli.main import main
from eyechart.errors import DataError, UsageError
from eyechart.inputs import open_data
from eyechart.plan import DataPlan, read_plan
from eyechart.world.datasets.registry import WORLD_DATASETS


def test_a_model_is_examined_on_the_world(store, tmp_path):
    witness = Witness()
    asked = {"prompts": "single", "probes": ["zero_shot"], "limit": 36, "out": tmp_path / "out", "store": store}
    exam = eyechart.examine("demo:", "world-objects", progress=witness, **asked)
    (top1,) = rows(exam, "top1")
    assert (top1["dataset"], top1["n"]) == ("world-objects", 36)
    assert 0 <= top1["value"] <= 1
    assert witness.encoded("pictures") == 36
    again = Witness()
    eyechart.examine("demo:", "world-objects", progress=again, **{**asked, "out": tmp_path / "again"})
    assert again.encoded("pictures") == 0  # known by their identity, without rendering


def test_a_limit_takes_the_first_pictures_and_never_more_than_there_are():
    part = open_data(DataPlan("world-people", limit=14, name="mine"), seed=9)
    assert part.name == "mine" and len(part) == 14
    assert sorted(part.table["label"].to_pylist()) == sorted(2 * [c.label for c in part.classes])
    assert len(open_data(DataPlan("world-people", limit=10**6), seed=0)) == 1008


def test_class_names_may_be_others(tmp_path):
    (tmp_path / "names.txt").write_text("\n".join(f"{name}\tthe {name}" for name in _shapes()))
    dataset = open_data(DataPlan("world-objects", limit=18, classes=str(tmp_path / "names.txt")), seed=0)
    assert [c.name for c in dataset.classes] == [f"the {name}" for name in _shapes()]


def _shapes():
    return [c.label for c in WORLD_DATASETS.get("world-objects").classes]


@pytest.mark.parametrize("wrong", [{"split": "test"}, {"columns": {"label": "x"}}, {"root": "photos"}, {"limit": 0}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(UsageError):
        open_data(DataPlan("world-objects", **wrong), seed=0)


def test_photographs_come_from_root(photos):
    dataset = open_data(DataPlan("world-ood", limit=4, root=str(photos)), seed=0)
    assert dataset.table["attr.kind"].to_pylist().count("photograph") == 15


def test_the_name_goes_before_a_folder_of_that_name(photos, tmp_path, monkeypatch):
    """So that a plan means the same pictures wherever it is run; the folder is a path away."""
    photos.rename(tmp_path / "world-objects")
    monkeypatch.chdir(tmp_path)
    named = open_data(DataPlan("world-objects", limit=18), seed=0)
    assert named.ids()[0] == "00000-cube"
    assert "write ./world-objects" in str(named.notices[0])
    assert len(open_data(DataPlan("./world-objects"), seed=0)) == 15
    (tmp_path / "plan.toml").write_text('[[models]]\nspec = "demo:"\n[[datasets]]\nsource = "world-objects"\n')
    monkeypatch.chdir("/")
    assert read_plan(tmp_path / "plan.toml").datasets[0].source == "world-objects"


def test_datasets_are_listed_with_a_sentence_each(capsys):
    assert main(["datasets", "--json"]) == 0
    listed = {row["example"]: row["about"] for row in json.loads(capsys.readouterr().out)}
    for name in WORLD_DATASETS:
        assert len(listed[name].split()) > 5


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("world", r"datasets of the embedded world: world-.*world-objects.*`eyechart datasets`"),
        ("world-object", r"did you mean 'world-objects'\?"),
        ("imagenet", "imagenet:FOLDER"),
        ("photographs", "no dataset of that name; `eyechart datasets` lists all"),
        ("folder/photographs", "no such file or folder"),
    ],
)
def test_a_name_that_means_nothing_is_told_what_there_is(source, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=told):
        open_data(DataPlan(source), seed=0)


def test_a_misspelt_folder_is_told_its_neighbor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "worlds").mkdir()
    with pytest.raises(DataError, match=r"no such file or folder; did you mean 'worlds'\?"):
        open_data(DataPlan("world"), seed=0)
