"""Nobody is recognized by name unless that is said: in no probe that uses labels, and in no repair."""

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.data.identity import identity_column
from eyechart.data.open import open_dataset
from eyechart.errors import UsageError


@pytest.fixture
def faces(tmp_path, picture_bytes):
    for i in range(24):
        (tmp_path / f"{i}.jpg").write_bytes(picture_bytes(i))
    return tmp_path


def table(folder, head, cell):
    path = folder / "faces.csv"
    path.write_text(f"path,{head}\n" + "".join(f"{i}.jpg,{cell(i)}\n" for i in range(24)))
    return path


def test_a_column_of_identities_or_a_label_read_from_one_is_found(faces):
    assert identity_column(open_dataset(table(faces, "label,identity", lambda i: f"smiling,p{i}"))) == "identity"
    assert (
        identity_column(open_dataset(table(faces, "Identity", lambda i: f"p{i % 3}"), columns={"label": "Identity"}))
        == "identity"
    )
    assert identity_column(open_dataset(table(faces, "label", lambda i: f"p{i % 3}"))) is None


def test_every_probe_that_uses_labels_is_skipped_unless_asked_for(faces):
    path = table(faces, "celebrity", lambda i: f"person {i % 3}")
    asked = {
        "columns": {"label": "celebrity"},
        "prompts": "bare",
        "profile": "classify",
        "store": faces / "store",
        "corruptions": [],
    }
    refused = eyechart.examine("demo:", path, out=faces / "a", **asked)
    reasons = {s["probe"]: s["reason"] for s in refused.skips.to_pylist()}
    assert {"zero_shot", "worst", "class_count", "calibration", "ood", "prompts", "lint"} <= {
        probe for probe, reason in reasons.items() if "identifies people (column celebrity); --identify" in reason
    }
    assert not [r for r in refused.findings.to_pylist() if r["metric"] == "top1"]
    allowed = eyechart.examine("demo:", path, out=faces / "b", identify=True, **asked)
    assert [r for r in allowed.findings.to_pylist() if r["metric"] == "top1"]


def test_probes_that_use_labels_only_where_they_are_there_get_none(faces):
    """skew needs pictures and groups alone, but reports accuracy by group where there are labels."""
    path = table(faces, "label,identity,hat", lambda i: f"class {i % 2},person {i % 3},{'red' if i % 4 < 2 else 'blue'}")
    asked = {
        "prompts": "bare",
        "probes": ["skew"],
        "settings": {"skew": {"least": 2}},
        "store": faces / "store",
        "out": faces / "a",
    }
    refused = eyechart.examine("demo:", path, **asked)
    assert not [r for r in refused.findings.to_pylist() if r["probe"] == "skew"]
    allowed = eyechart.examine("demo:", path, identify=True, **asked)  # into the same folder
    assert [r for r in allowed.findings.to_pylist() if r["metric"] == "group_accuracy"]


def test_a_repair_is_refused_unless_asked_for(faces, capsys):
    path = table(faces, "person_name", lambda i: f"person {i % 3}")
    asked = {"columns": {"label": "person_name"}, "prompts": ["bare"], "out": faces / "r.safetensors"}
    with pytest.raises(UsageError, match="identifies people"):
        eyechart.repair_classifier("demo:", path, **asked)
    words = ["repair", "--model", "demo:", "--data", str(path), "--column", "label=person_name", "--prompts", "bare", "--quiet"]
    words += ["--store", str(faces / "store"), "--out", str(faces / "r.safetensors")]
    assert main(words) == 2 and "--identify" in capsys.readouterr().err
    main([*words, "--identify"])
    assert "identifies people" not in capsys.readouterr().err
