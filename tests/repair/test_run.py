"""The repair as a user calls it: from the command and from Python, on the embedded world."""

import json
from contextlib import closing

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.prompts.score_ledger import ScoreLedger
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
    assert code == 0 and "targeted-class accuracy" in said and "Top-1 accuracy: " in said and "page: r-page/index.html" in said
    page = (tmp_path / "r-page" / "index.html").read_text()
    assert "What changed" in page and "held-out pictures" in page
    card = json.loads((tmp_path / "r.json").read_text())
    assert card["model"]["name"] == "demo" and card["described_by"] == "world" and card["dataset"]["n"] == 108
    classifier = eyechart.Classifier.load(tmp_path / "r.safetensors")
    assert len(classifier.labels) == 18 and classifier.coverage == 0.9 and (tmp_path / "r.onnx").stat().st_size > 1000


def test_a_repair_that_was_stopped_goes_on_where_it_was(typed, tmp_path, monkeypatch):
    asked, weighed = ["--limit", 72, "--prompts", "openai-7", "--weights", "cpe", "--out", "r.safetensors"], []
    done = ScoreLedger.done

    def stopped_after(count):
        def note(ledger, template, scores):
            done(ledger, template, scores)
            weighed.append(template)
            if len(weighed) == count:
                raise KeyboardInterrupt

        monkeypatch.setattr(ScoreLedger, "done", note)

    stopped_after(3)
    code, _, said = typed(*asked)
    assert code == 130 and "run the same command again" in said and (tmp_path / ".r-weighing.jsonl").is_file()
    stopped_after(0)
    assert typed(*asked)[0] == 0 and weighed == list(range(7))
    assert not (tmp_path / ".r-weighing.jsonl").exists()


def test_adding_the_missing_class_lowers_the_planted_harm(tmp_path):
    """The list of world-people without a word for kids: they have to be called something, and are called thieves."""
    settings = Settings(design="world-people-without-kid", change="+kid:role", weights="uniform")
    with closing(Store(tmp_path / "store")) as store:
        repaired = eyechart.repair_classifier(
            "demo:",
            "world-people",
            out=tmp_path / "r.safetensors",
            prompts=("single",),
            settings=settings,
            limit=224,
            store=store,
        )
    found = {f.metric: f for f in repaired.repaired.findings if set(f.slice) <= {"k"}}
    assert found["harm_rate_change"].high < 0 and found["top1_change"].low > 0
    assert "kid" in repaired.classifier.names and repaired.classifier.about["protocol"]["settings"]["change"] == "+kid:role"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--out", "r.pt"], "safetensors"),
        (["--out", "r.safetensors", "--keep", "1.5"], "between 0 and 1"),
        (["--out", "r.safetensors", "--change=-shpere"], "did you mean 'sphere'"),
        (["--out", "r.safetensors", "--describe", "nothing.json"], "there is no such JSON file"),
        (["--out", "r.safetensors", "--describe", "https://host/v1"], "--describe-model"),
        (["--out", "r.safetensors", "--offline"], "--describe URL"),
        (["--out", "r.safetensors", "--describe-all"], "--describe-all needs descriptions"),
        (["--out", "r.safetensors", "--coverage", "1"], "--coverage: coverage must be between 0 and 1"),
        (["--out", "r.safetensors", "--cost", "nan"], "--cost: cost must not be negative"),
        (["--out", "taken.safetensors"], "is a folder"),
        (["--out", "other.safetensors"], "other-page contains files"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_line_before_anything_is_encoded(typed, tmp_path, words, reason):
    (tmp_path / "taken.safetensors").mkdir()
    (tmp_path / "other-page").mkdir()
    (tmp_path / "other-page" / "mine.txt").touch()
    code, _, said = typed("--limit", 72, "--prompts", "single", *words)
    assert code == 2 and reason in said and len(said.splitlines()) == 1
    assert not list((tmp_path / "store").rglob("*.arrow"))


def test_too_few_pictures_or_classes_are_refused_before_anything_is_encoded(typed, tmp_path):
    code, _, said = typed("--out", "r.safetensors", "--limit", 36)
    assert code == 3 and "there are 36" in said
    code, _, said = typed("--out", "r.safetensors", "--design", "world-people")
    assert code == 3 and "labels that are in its class list" in said and len(said.splitlines()) == 1
    (tmp_path / "one.txt").write_text("cube\n")
    code, _, said = typed("--out", "r.safetensors", "--classes", "one.txt")
    assert code == 3 and len(said.splitlines()) == 1
    assert not list((tmp_path / "store").rglob("*.arrow"))


def test_people_are_recognized_only_where_that_is_asked_for(tmp_path, picture_bytes):
    """Sixty pictures of three persons. A list of classes of one's own does not use their labels."""
    for i in range(60):
        (tmp_path / f"{i}.jpg").write_bytes(picture_bytes(i))
    rows = "".join(f"{i}.jpg,person {i % 3}\n" for i in range(60))
    (tmp_path / "faces.csv").write_text(f"path,identity\n{rows}")
    asked = {"columns": {"label": "identity"}, "prompts": ["bare"], "out": tmp_path / "r.safetensors"}
    with closing(Store(tmp_path / "store")) as store:
        with pytest.raises(UsageError, match="identifies people"):
            eyechart.repair_classifier("demo:", tmp_path / "faces.csv", store=store, **asked)
        assert not (tmp_path / "r.safetensors").exists()
        done = eyechart.repair_classifier("demo:", tmp_path / "faces.csv", store=store, identify=True, **asked)
    assert done.file.is_file() and set(done.classifier.labels) == {"person 0", "person 1", "person 2"}
