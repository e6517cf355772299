"""`eyechart lint`: what was not checked is never called right."""

import json

import pytest

from eyechart.cli.main import main


@pytest.fixture
def folder(tmp_path, drawn, shared_store, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EYECHART_STORE", str(shared_store))
    return drawn


@pytest.fixture
def answers(folder, tmp_path):
    """A file with the right answer for every picture."""
    rows = [f"{path.relative_to(folder).as_posix()},{path.parent.name}" for path in sorted(folder.glob("*/*.png"))]
    (tmp_path / "answers.csv").write_text("\n".join(["id,label", *rows]) + "\n")
    return "predictions:answers.csv"


def test_a_file_of_predictions_checks_names_alone(folder, answers, capsys):
    assert main(["lint", "--model", answers, "--data", str(folder), "--quiet"]) == 7
    out = capsys.readouterr().out
    assert "labels and pictures were not checked: it is a file of predictions" in out
    assert "0 class names look wrong, of 3" in out and "nothing looks wrong" not in out


def test_json_says_what_was_not_checked(folder, answers, capsys):
    assert main(["lint", "--model", answers, "--data", str(folder), "--quiet", "--json"]) == 7
    (reason,) = json.loads(capsys.readouterr().out)["not_checked"]
    assert reason.startswith("it is a file of predictions")


def test_the_folder_is_named_by_model_and_data(folder, tmp_path, capsys):
    assert main(["lint", "--model", "demo:", "--data", str(folder), "--quiet"]) == 0
    assert (tmp_path / "exams" / f"lint--demo--{folder.name}" / "report" / "index.html").is_file()
    assert "page: " in capsys.readouterr().out
