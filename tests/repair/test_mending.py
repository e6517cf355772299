"""The repair as a user calls it: from the command and from Python, on the embedded world."""

import json
from contextlib import closing

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.repair.settings import Settings
from eyechart.store import Store


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """The command with these words: its exit code and what it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EYECHART_STORE", str(tmp_path / "store"))

    def run(*words: object) -> tuple[int, str, str]:
        code = main(["repair", "--quiet", "--model", "demo:", "--data", "world-objects", *map(str, words)])
        return code, *capsys.readouterr()

    return run


def test_the_command_leaves_a_classifier_and_a_page(typed, tmp_path):
    asked = ["--limit", 108, "--prompts", "single", "--prompts", "openai-7", "--describe", "world"]
    code, said, _ = typed(*asked, "--out", "r.safetensors", "--onnx", "r.onnx")
    assert code == 0 and "Held-out pictures that are named rightly" in said and "page: r-page/index.html" in said
    page = (tmp_path / "r-page" / "index.html").read_text()
    assert "Who gained and who lost" in page and "pictures that the repair did not see" in page
    card = json.loads((tmp_path / "r.json").read_text())
    assert card["model"]["name"] == "demo" and card["described_by"] == "world" and card["dataset"]["n"] == 108
    classifier = eyechart.Classifier.load(tmp_path / "r.safetensors")
    assert len(classifier.labels) == 18 and classifier.coverage == 0.9 and (tmp_path / "r.onnx").stat().st_size > 1000


def test_adding_the_missing_class_lowers_the_planted_harm(tmp_path):
    """The list of world-people without a word for kids: they have to be called something, and are called thieves."""
    settings = Settings(design="world-people-without-kid", change="+kid:role", weights="uniform")
    with closing(Store(tmp_path / "store")) as store:
        mended = eyechart.mend(
            "demo:",
            "world-people",
            out=tmp_path / "r.safetensors",
            prompts=("single",),
            settings=settings,
            limit=224,
            store=store,
        )
    found = {f.metric: f for f in mended.repaired.findings if set(f.slice) <= {"k"}}
    assert found["harm_change"].high < 0 and found["top1_change"].low > 0
    assert "kid" in mended.classifier.names and mended.classifier.about["protocol"]["settings"]["change"] == "+kid:role"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--out", "r.pt"], "safetensors"),
        (["--out", "r.safetensors", "--keep", "1.5"], "between 0 and 1"),
        (["--out", "r.safetensors", "--change=-shpere"], "did you mean 'sphere'"),
        (["--out", "r.safetensors", "--describe", "nothing.json"], "neither 'world' nor"),
        (["--out", "r.safetensors", "--describe", "https://host/v1"], "--describe-model"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_line_before_anything_is_encoded(typed, tmp_path, words, reason):
    code, _, said = typed("--limit", 72, "--prompts", "single", *words)
    assert code == 2 and reason in said and len(said.splitlines()) == 1
    assert not list((tmp_path / "store").rglob("*.arrow"))
