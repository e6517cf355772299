"""The server's answers over real HTTP: live designs, measuring with a count of looks, files, pictures, examinations."""

import io
import json
import time

import pytest
from PIL import Image

from eyechart.classifier import Classifier
from eyechart.data.class_design import read_design
from eyechart.workbench.design_answer import design_answer

pytest.importorskip("starlette")

PEOPLE = {"run": "r-people", "model": "demo", "dataset": "world-people"}
SHAPES = {"run": "r-shapes", "model": "demo", "dataset": "shapes"}


def close(a, b):
    """Equal but for rounding, at any depth."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(close, a, b))
    return a == pytest.approx(b, abs=1e-6) if isinstance(a, float) else a == b


def test_the_answer_is_that_of_the_desk(server, people):
    _, opened = server.post("open", {"at": PEOPLE})
    design = opened["starts"][0]["design"]
    design["classes"] = [c for c in design["classes"] if c["names"] != ["kid"]]
    status, answer = server.post("design", {"at": PEOPLE, "design": design, "seq": 5, "tab": "same"})
    from eyechart.workbench.live_design import parse_live_design

    expected = json.loads(json.dumps(design_answer(people, parse_live_design(design))))
    assert status == 200 and answer.pop("seq") == 5 and answer.pop("milliseconds") > 0
    assert close(answer, expected)


def test_an_older_request_is_not_computed_after_a_newer_one(server):
    assert server.post("design", {"at": PEOPLE, "design": None, "seq": 10, "tab": "old"})[1]["seq"] == 10
    assert server.post("design", {"at": PEOPLE, "design": None, "seq": 9, "tab": "old"})[1] == {"stale": True}
    assert server.post("design", {"at": PEOPLE, "design": None, "seq": 9, "tab": "another"})[1]["seq"] == 9


def test_looks_are_counted_and_kept(server, exams):
    before = server.post("open", {"at": SHAPES})[1]["looks"]
    assert server.post("measure", {"at": SHAPES, "design": None})[1]["looks"] == before + 1
    assert server.post("thresholds", {"at": SHAPES, "half": "held out", "seq": 0})[1]["looks"] == before + 2
    assert server.post("thresholds", {"at": SHAPES, "half": "explored", "seq": 1, "tab": "x"})[0] == 200
    words = {"at": SHAPES, "design": None, "words": ["pyramid roof"], "group": "cone"}
    assert server.post("suggest", words)[1]["looks"] == before + 3
    assert server.post("open", {"at": SHAPES})[1]["looks"] == before + 3
    kept = json.loads((exams / "shapes" / "workbench" / "held-out-looks.json").read_text())
    assert len(kept["demo on shapes"]) == before + 3


def test_a_saved_design_is_what_design_reads(server, exams):
    status, answer = server.post("save", {"at": PEOPLE, "kind": "toml", "name": "mine"})
    assert status == 200
    assert read_design(answer["files"][0]).groups == read_design("world-people").groups
    assert (exams / "people" / "workbench" / "mine.toml").is_file()


def test_other_prompts_are_saved_beside_the_design(server, exams):
    design = server.post("open", {"at": PEOPLE})[1]["starts"][0]["design"]
    answer = server.post("save", {"at": PEOPLE, "kind": "toml", "name": "worded", "design": {**design, "templates": ["see {}"]}})[
        1
    ]
    from eyechart.prompts.library import load_prompts

    assert load_prompts(answer["files"][1]).templates == ("see {}",)


def test_the_exported_classifier_gives_the_numbers_on_the_screen(server, shape_desk):
    """Answered share and accuracy of answers, by the file alone, on the vectors of the explored half."""
    thresholds = {"temperature": 1.7, "abstain": 0.55}
    screen = server.post("thresholds", {"at": SHAPES, "thresholds": thresholds, "half": "explored", "seq": 1, "tab": "e"})[1]
    shown = {f["metric"]: f["value"] for f in screen["abstention"] if not f["slice"]}
    saved = server.post("save", {"at": SHAPES, "kind": "classifier", "name": "file", "thresholds": thresholds})[1]
    classifier = Classifier.load(saved["files"][0])
    rows = shape_desk.explore.rows
    labels = [shape_desk.pictures.dataset.table.column("label")[int(row)].as_py() for row in rows]
    answers = classifier(shape_desk.pictures.vectors[rows])
    right = answers.labels == labels
    assert 0 < answers.abstain.sum() < len(rows)
    assert shown["answered_share"] == pytest.approx((~answers.abstain).mean(), abs=1e-6)
    assert shown["selective_accuracy"] == pytest.approx(right[~answers.abstain].mean(), abs=1e-6)
    assert shown["correct_answers_kept"] == pytest.approx((~answers.abstain)[right].mean(), abs=1e-6)
    live = server.post("design", {"at": SHAPES, "design": None, "seq": 1, "tab": "f"})[1]
    assert live["accuracy"]["value"] == pytest.approx(right.mean(), abs=1e-6)
    assert classifier.card["model"]["spec"] == "demo:"


def test_tags_are_written_and_removed(server, exams):
    rows = server.post("gallery", {"at": SHAPES, "seq": 1, "query": {}, "tab": "t"})[1]["rows"][:2]
    done = server.post("tag", {"at": SHAPES, "rows": [r["row"] for r in rows], "tagged": True})[1]
    lines = (exams / "shapes" / "workbench" / "label-errors.csv").read_text().splitlines()
    assert done["tags"] == 2 and lines[0] == "dataset,id,label,predicted" and lines[1].startswith(f"shapes,{rows[0]['id']},")
    assert server.post("gallery", {"at": SHAPES, "seq": 2, "query": {}, "tab": "t"})[1]["rows"][0]["tagged"]
    assert server.post("tag", {"at": SHAPES, "rows": [rows[0]["row"]], "tagged": False})[1]["tags"] == 1


def test_a_dropped_picture_is_classified_and_found_among_the_known_ones(server, shapes):
    own = {"Cookie": server.cookie, "Origin": f"http://127.0.0.1:{server.port}"}
    path = "/api/try?run=r-shapes&model=demo&dataset=shapes"
    known = sorted(shapes.glob("star/*.png"))[0]
    status, _, body = server.ask("POST", path, known.read_bytes(), **own)
    assert status == 200
    answer = server.post("tried", {"at": SHAPES, "tried": json.loads(body)["tried"]})[1]
    assert answer["neighbors"][0]["cosine"] == pytest.approx(1, abs=1e-4)
    assert answer["neighbors"][0]["id"].startswith("star/") and answer["classes"][0]["name"] == "star"
    for bad, reason in ((b"no picture", "not a JPEG"), (b"", "empty"), (known.read_bytes()[:200], "truncated")):
        status, _, body = server.ask("POST", path, bad, **own)
        assert status == 400 and reason in json.loads(body)["error"]
    file = io.BytesIO()
    Image.new("1", (10_000, 6_000)).save(file, "PNG")
    status, _, body = server.ask("POST", path, file.getvalue(), **own)
    assert status == 400 and "too large" in json.loads(body)["error"]
    status, _, _ = server.ask("POST", path, None, **own, **{"Content-Length": "20000001"})
    assert status == 413


def test_heat_maps_are_pictures(server):
    for kind in ("attention", "patches"):
        status, headers, body = server.get(f"/heat?run=r-shapes&model=demo&dataset=shapes&of=shapes&row=3&kind={kind}")
        assert status == 200 and headers["content-type"] == "image/jpeg" and Image.open(io.BytesIO(body)).size == (320, 320)
    assert server.get("/heat?run=r-shapes&model=demo&dataset=shapes&row=3&kind=other")[0] == 404


def test_comparisons_are_those_of_eyechart_compare(server, exams):
    import eyechart

    sides = {"first": {"run": "r-shapes", "model": "demo"}, "second": {"run": "r-shapes-bare", "model": "bare"}}
    status, answer = server.post("compare", sides)
    expected = eyechart.compare(exams / "shapes", exams / "shapes-bare").datasets[0].pairs[0]
    assert status == 200 and answer["dataset"] == "shapes"
    assert answer["top1"]["value"] == pytest.approx(expected.top1.value) and answer["top1"]["p"] == pytest.approx(expected.top1.p)
    assert [p["id"] for p in answer["lost"]] == list(expected.lost) and [p["id"] for p in answer["gained"]] == list(
        expected.gained
    )


def started(server):
    """The state of the examination `started`; other tests may have started others on the same server."""
    children = json.loads(server.get("/api/examinations")[2])["children"]
    return next(child for child in children if child["name"] == "started")


def test_an_examination_is_started_with_what_the_form_offers_alone(server, exams):
    good = {"model": "demo:", "data": "world-objects", "name": "started", "limit": 36, "profile": "classify"}
    for change, reason in [
        ({"model": "--out=/tmp/x"}, "model"), ({"model": "onnx:/tmp"}, "model"), ({"data": "/etc"}, "dataset"),
        ({"name": "../x"}, "name"), ({"name": "people"}, "already"), ({"name": "--json"}, "name"), ({"limit": -1}, "limit"),
        ({"limit": "1; rm"}, "limit"), ({"profile": "x"}, "profile"),
    ]:  # fmt: skip
        status, answer = server.post("start", {**good, **change})
        assert status == 400 and reason in answer["error"]
    status, answer = server.post("start", good)
    assert status == 200 and answer["running"]
    end = time.monotonic() + 120
    while (state := started(server))["running"]:
        assert time.monotonic() < end
        time.sleep(0.3)
    assert state["exit_code"] == 0 and state["lines"]
    listed = {r["title"]: r for r in json.loads(server.get("/api/runs")[2])["runs"]}
    assert listed["started"]["models"] == ["demo"] and listed["started"]["page"]
    assert server.post("stop", {"name": "started"})[0] == 400
