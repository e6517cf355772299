"""Models of the zoo that differ in the order of their training captions alone; and the command."""

import json

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.store import Store

pytestmark = pytest.mark.slow


def changes(repaired, way="orders"):
    return {f.slice["trial"]: f for f in repaired.findings if f.baseline and f.slice["captions"] == way}


def repaired(model, tmp_path):
    from eyechart.repair.captions.settings import CaptionSettings

    settings = CaptionSettings(way="orders", absent=1)
    out = tmp_path / "c.json"
    return eyechart.repair_captions(
        model, "world-retrieval", out=out, settings=settings, limit=160, store=Store(tmp_path / "store")
    ).repaired


def test_a_model_that_learned_an_order_gains_where_captions_have_another(tmp_path):
    found = changes(repaired("zoo:largest-first-0", tmp_path))
    assert found["scenario 2"].low > 0.2 and found["text → image, R@1, large named later"].low > 0.2
    assert found["text → image, R@1"].low > 0


def test_its_twin_that_learned_none_gains_nothing(tmp_path):
    found = changes(repaired("zoo:random-order-0", tmp_path))
    for trial in ("all trials", "scenario 2", "text → image, R@1", "image → text, R@1"):
        assert found[trial].low <= 0 <= found[trial].high


def test_the_command_leaves_what_was_found_and_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = ["--model", "demo:", "--data", "world-scenes", "--limit", "42", "--absent", "1", "--store", "store", "--quiet"]
    assert main(["repair", "captions", *asked, "--out", "new/c.json"]) == 0
    said = capsys.readouterr().out
    assert "page: new/c-page/index.html" in said and "scenario 2" in said
    card = json.loads((tmp_path / "new" / "c.json").read_text())
    assert card["way"] in ("as is", "orders", "parts", "both") and card["purposes"] == ["matching", "retrieval"]
    assert "held-out pictures" in (tmp_path / "new" / "c-page" / "index.html").read_text()


def test_what_makes_no_sense_is_said_before_anything_is_encoded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = ["repair", "captions", "--model", "demo:", "--store", "store", "--limit", "60"]
    assert main([*asked, "--data", "world-objects", "--out", "c.json"]) == 3
    assert main([*asked, "--data", "world-scenes", "--out", "c.txt"]) == 2
    assert main([*asked, "--data", "world-scenes", "--out", "c.json", "--classes", "x"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert ["a caption repair needs one of them" in said[0], "c.json" in said[1], "--classes" in said[2]] == [True] * 3
    assert not list((tmp_path / "store").rglob("*.arrow"))
