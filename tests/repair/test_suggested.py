"""From an examination that suggests a class to a classifier that has it."""

import json

import pyarrow.parquet as pq
import pytest
from tests.found import table_of

import eyechart
from eyechart.classifier.classifier import Classifier
from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.findings.finding import Finding
from eyechart.repair.suggested import suggested_change


def examined(folder, *findings):
    """A run folder whose only findings are these."""
    folder.mkdir()
    pq.write_table(
        table_of(findings, model="m", dataset="d", probe="class_change", protocol="p", version=2), folder / "findings.parquet"
    )
    (folder / "protocol.json").write_text(json.dumps({"protocols": {}}))
    return folder


def suggestion(change, low, high, design="fairface"):
    where = {"change": change, "prompts": "single"}
    return Finding(
        metric="suggested_harm_rate_change",
        value=(low + high) / 2,
        n=168,
        low=low,
        high=high,
        slice=where,
        unit="fraction",
        higher_is_better=False,
        baseline=design,
    )


def test_a_sure_suggestion_is_given_with_its_design(tmp_path):
    folder = examined(tmp_path / "x", suggestion("+child:person", -0.2, -0.1), suggestion("+toy:thing", -0.2, 0.1))
    assert suggested_change(folder) == ("+child:person", "fairface")


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        ([], "suggests no change of classes"),
        ([suggestion("+child:person", -0.2, 0.01)], "not significant"),
        ([suggestion("+child:person", -0.2, 0.0)], "not significant"),
        ([suggestion("+child:person", -0.2, -0.1), suggestion("-thief", -0.2, -0.1)], "--change='-thief'"),
    ],
)
def test_what_is_missing_unsure_or_twofold_is_not_applied(tmp_path, findings, words):
    with pytest.raises(UsageError, match=words):
        suggested_change(examined(tmp_path / "x", *findings))


def test_a_design_of_ones_own_is_given_with_the_examination(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text('harmful = ["crime"]\n[groups]\nperson = ["man"]\ncrime = ["thief"]\n')
    folder = examined(tmp_path / "x", suggestion("+child:person", -0.2, -0.1, design="mine"))
    assert suggested_change(folder, str(own)) == ("+child:person", str(own))
    with pytest.raises(UsageError, match=r"give its file: --design mine\.toml"):
        suggested_change(folder)
    with pytest.raises(UsageError, match="class design mine, not of fairface"):
        suggested_change(folder, "fairface")


def test_from_the_exam_to_the_classifier(tmp_path, monkeypatch, capsys, store):
    """The list without a class for kids is repaired by what the exam of it suggests, word by word as a user would type it."""
    monkeypatch.chdir(tmp_path)
    eyechart.examine("demo:", "world-people", probes=["class_change"], prompts="single", limit=336, out="exam", store=store)
    store.close()
    asked = ["repair", "--model", "demo:", "--data", "world-people", "--limit", "336", "--prompts", "single", "--quiet"]
    assert main([*asked, "--store", str(store.path), "--suggested", "exam", "--out", "repaired.safetensors"]) == 0, (
        capsys.readouterr().err
    )
    assert "kid" in Classifier.load(tmp_path / "repaired.safetensors").names
    with pytest.raises(SystemExit):
        main([*asked, "--suggested", "exam", "--change", "+kid:role", "--out", "twice.safetensors"])
    assert "not allowed with argument --suggested" in capsys.readouterr().err
