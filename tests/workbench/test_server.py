"""The server's answers over real HTTP: live designs, measuring with a count of looks, files, pictures, examinations."""

import io
import json
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eyechart.classifier import Classifier
from eyechart.data.class_design import read_design
from eyechart.findings.run import read_run
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


def test_a_saved_file_is_replaced_only_if_asked_to(server, exams):
    asked = {"at": PEOPLE, "kind": "toml", "name": "kept"}
    path = Path(server.post("save", asked)[1]["files"][0])
    path.write_text("mine")
    assert server.post("save", asked) == (200, {"existing": ["kept.toml"]})
    assert path.read_text() == "mine"
    assert server.post("save", {**asked, "replace": True})[1]["files"] == [str(path)]
    assert read_design(str(path)).groups == read_design("world-people").groups


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


def test_a_few_pictures_are_shown_as_the_gallery_has_them(server):
    design = server.post("open", {"at": SHAPES})[1]["starts"][0]["design"]
    design["classes"] = design["classes"][:4]
    asked = {"at": SHAPES, "design": design}
    every = server.post("gallery", {**asked, "query": {"sort": "file order"}, "seq": 0})[1]["rows"]
    few = server.post("rows", {**asked, "rows": [7, 2, 31]})[1]["rows"]
    shown = [{k: v for k, v in every[row].items() if k not in ("tagged", "similarity")} for row in (7, 2, 31)]
    assert close(few, shown)
    for bad in ([-1], [10_000], "1", list(range(61))):
        assert server.post("rows", {**asked, "rows": bad})[0] == 400


def test_the_most_frequent_prediction_is_that_of_all_pictures_that_match(server):
    """Not that of the first page alone."""
    answer = server.post("gallery", {"at": SHAPES, "query": {}, "seq": 0})[1]
    most = max(answer["facets"]["predicted"], key=lambda p: p["n"])
    assert answer["total"] > len(answer["rows"]) and answer["most_predicted"] == most["name"]
    assert server.post("gallery", {"at": SHAPES, "query": {"rows": []}, "seq": 0})[1]["most_predicted"] is None


def test_tags_are_written_and_removed(server, exams):
    rows = server.post("gallery", {"at": SHAPES, "seq": 1, "query": {}, "tab": "t"})[1]["rows"][:2]
    done = server.post("tag", {"at": SHAPES, "rows": [r["row"] for r in rows], "tagged": True})[1]
    lines = (exams / "shapes" / "workbench" / "label-errors.csv").read_text().splitlines()
    assert done["tags"] == 2 and lines[0] == "dataset,id,label,predicted" and lines[1].startswith(f"shapes,{rows[0]['id']},")
    assert server.post("gallery", {"at": SHAPES, "seq": 2, "query": {}, "tab": "t"})[1]["rows"][0]["tagged"]
    assert server.post("tag", {"at": SHAPES, "rows": [rows[0]["row"]], "tagged": False})[1]["tags"] == 1


def test_a_dropped_picture_is_classified_and_found_among_the_known_ones(server, shapes, exams):
    own = {"Cookie": server.cookie, "Origin": f"http://127.0.0.1:{server.port}"}
    path = "/api/try?run=r-shapes&model=demo&dataset=shapes"
    known = sorted(shapes.glob("star/*.png"))[0]
    status, _, body = server.ask("POST", path, known.read_bytes(), **own)
    assert status == 200
    answer = server.post("tried", {"at": SHAPES, "tried": json.loads(body)["tried"]})[1]
    assert answer["neighbors"][0]["cosine"] == pytest.approx(1, abs=1e-4)
    assert answer["neighbors"][0]["id"].startswith("star/") and answer["classes"][0]["name"] == "star"
    ood, page = answer["ood"], server.post("gallery", {"at": SHAPES, "query": {"sort": "file order"}, "seq": 0})[1]
    scores = [r["ood"] for r in page["rows"]]
    while len(scores) < page["total"]:
        query = {"sort": "file order", "offset": len(scores)}
        scores += [r["ood"] for r in server.post("gallery", {"at": SHAPES, "query": query, "seq": 0})[1]["rows"]]
    assert ood["n"] == len(scores) and ood["below"] == pytest.approx(np.mean(np.array(scores) < ood["score"]), abs=1e-9)
    assert ood["at95"] == pytest.approx(np.quantile(scores, 0.05), abs=1e-6)
    at = {"at": SHAPES, "thresholds": {"score": "mcm", "reject": ood["at95"]}, "seq": 1, "tab": "tried"}
    live = [server.post("thresholds", {**at, "half": half})[1]["ood"]["fpr"] for half in ("explored", "held out")]
    assert ood["fpr"]["n"] == sum(of["n"] for of in live)  # all of them, where a half is shown there
    assert ood["fpr"]["value"] == pytest.approx(sum(of["value"] * of["n"] for of in live) / ood["fpr"]["n"], abs=1e-12)
    found = read_run(exams / "shapes").findings.to_pylist()
    mcm = {"convention": "id-quantile", "score": "mcm", "prompts": "openai-7"}
    (reported,) = [f for f in found if f["metric"] == "fpr95" and json.loads(f["slice"]) == mcm]
    assert (ood["fpr"]["low"], ood["fpr"]["high"]) == (reported["low"], reported["high"])  # one share, one interval
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

    sides = [{"run": "r-shapes", "model": "demo"}, {"run": "r-shapes-bare", "model": "bare"}]
    status, answer = server.post("compare", {"sides": sides})
    expected = eyechart.compare(exams / "shapes", exams / "shapes-bare").datasets[0].pairs[0]
    assert status == 200 and answer["dataset"] == "shapes"
    top1 = answer["models"][1]["difference"]
    assert top1["value"] == pytest.approx(expected.top1.value) and top1["p"] == pytest.approx(expected.top1.p)
    assert {p["id"] for p in answer["lost"]} == set(expected.lost)
    assert {p["id"] for p in answer["gained"]} == set(expected.gained)
    labels = [p["label"] for p in answer["lost"] or answer["gained"]]
    assert len(set(labels[: len(set(labels))])) == len(set(labels)) > 1  # one of each class comes first


def test_an_accuracy_has_one_interval_in_result_and_in_compare(server, exams):
    """The shapes have copies, so that the methods of the two would differ."""
    number = server.post("result", {"at": SHAPES})[1]["number"]
    sides = [{"run": "r-shapes", "model": "demo"}, {"run": "r-shapes-bare", "model": "bare"}]
    answer = server.post("compare", {"sides": sides})[1]
    expected = [number["value"], number["low"], number["high"]]
    assert answer["models"][0]["accuracy"] == answer["models"][1]["difference"]["first"] == expected
    assert answer["n"] == number["n"]


def test_three_models_are_compared_with_the_first_and_each_shows_its_pictures(server, exams):
    """The same run twice, so that the second difference is 0, and the third model the one that differs."""
    import eyechart

    sides = [
        {"run": "r-shapes", "model": "demo"},
        {"run": "r-shapes", "model": "demo"},
        {"run": "r-shapes-bare", "model": "bare"},
    ]
    answer = server.post("compare", {"sides": sides, "shown": 2})[1]
    expected = eyechart.compare(exams / "shapes", exams / "shapes-bare").datasets[0]
    first, same, other = answer["models"]
    assert first["difference"] is None and same["difference"]["value"] == 0 and same["letters"] == first["letters"]
    assert other["accuracy"] == pytest.approx(list(expected.accuracies[1]))
    assert other["difference"]["value"] == pytest.approx(expected.pairs[0].top1.value)
    assert other["difference"]["q"] >= other["difference"]["p"]  # corrected for three pairs
    assert answer["shown"] == 2 and sorted(p["id"] for p in answer["gained"]) == sorted(expected.pairs[0].gained) != []
    assert server.post("compare", {"sides": sides, "shown": 1})[1]["gained"] == []
    for bad in ({"sides": sides[:1]}, {"sides": sides, "shown": 0}, {"sides": sides, "shown": 3}, {"sides": sides * 3}, {}):
        assert server.post("compare", bad)[0] == 400


def test_the_result_is_the_verdict_of_the_page(server, exams):
    from eyechart.findings.run import read_run
    from eyechart.verdict.verdict import verdict_of

    run = read_run(exams / "shapes")
    status, answer = server.post("result", {"at": SHAPES})
    verdict = verdict_of(run, "demo", "shapes")
    assert status == 200 and answer["decision"] == verdict.decision
    assert {t["title"]: t["outcome"] for t in answer["tiles"]}["Calibration"] == verdict.areas["calibration"]
    top1 = next(f for f in run.findings.to_pylist() if f["metric"] == "top1")
    assert answer["number"]["value"] == top1["value"] and answer["number"]["n"] == top1["n"]
    assert {m["name"] for m in answer["number"]["marks"]} == {"chance", "majority", "target"}
    table = run.predictions.to_pylist()
    shares = {}
    for row in table:
        if row["dataset"] == "shapes":
            shares.setdefault(row["class"], []).append(row["rank"] == 1)
    worst = min(sum(hits) / len(hits) for hits in shares.values())
    assert answer["classes"][0]["value"] == pytest.approx(worst)
    assert sum(shares[answer["classes"][0]["class"]]) / answer["classes"][0]["n"] == pytest.approx(worst)
    assert [c["value"] for c in answer["classes"]] == sorted(c["value"] for c in answer["classes"])
    assert server.post("result", {"at": {**SHAPES, "model": "other"}})[0] == 400


def test_the_folder_of_a_picture_is_opened_in_the_file_manager(server, shapes, file_manager):
    row = server.post("gallery", {"at": SHAPES, "seq": 1, "query": {}, "tab": "folder"})[1]["rows"][0]
    status, answer = server.post("folder", {"at": SHAPES, "row": row["row"]})
    assert status == 200 and answer == {"place": str(shapes / row["id"]), "opened": True, "reason": None}
    end = time.monotonic() + 30
    while not (opened := file_manager / "opened").is_file() or not opened.read_text().endswith("\n"):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert opened.read_text().splitlines() == [str((shapes / row["id"]).parent)]
    assert server.post("folder", {"at": SHAPES, "row": 10**6})[0] == 400
    embedded = server.post("folder", {"at": PEOPLE, "row": 0})[1]
    assert embedded["opened"] is False and embedded["reason"] == "it is not a file of its own"


def test_pictures_are_filtered_by_corruption(server):
    corrupted = next(d["name"] for r in json.loads(server.get("/api/runs")[2])["runs"] if r["title"] == "shapes"
                     for d in r["datasets"] if d["role"] == "shift")  # fmt: skip
    body = {"at": SHAPES, "dataset": corrupted, "seq": 1, "tab": "shift"}
    found = server.post("gallery", {**body, "query": {}})[1]
    assert found["facets"]["groups"] == {"shift": ["noise"], "severity": ["3"]}
    assert server.post("gallery", {**body, "query": {"groups": {"shift": "noise"}}})[1]["total"] == found["total"] > 0
    assert server.post("gallery", {**body, "query": {"groups": {"shift": "fog"}}})[1]["total"] == 0


LOOSE = {"run": "r-unlabeled", "model": "demo", "dataset": "loose"}


def test_a_dataset_without_classes_is_classified_by_typed_ones(fresh_server):
    """On a server of its own: what was typed stays for as long as a server runs."""
    server = fresh_server
    server.sign_in()
    status, refused = server.post("open", {"at": LOOSE})
    assert status == 409 and refused["needs_classes"] and "loose has no class names" in refused["error"]
    assert server.post("open", {"at": LOOSE, "classes": ["star"]})[0] == 400
    assert server.post("open", {"at": LOOSE, "classes": "star"})[0] == 400
    opened = server.post("open", {"at": LOOSE, "classes": ["star", " cube ", "", "star"]})[1]
    assert [c["names"] for c in opened["starts"][0]["design"]["classes"]] == [["star"], ["cube"]]
    answer = server.post("design", {"at": LOOSE, "design": None, "seq": 1, "tab": "loose"})[1]
    assert answer["accuracy"] is None and answer["n"] + answer["held_out"] == opened["n"]
    assert sum(c["predicted"] for c in answer["classes"]) == answer["n"] and answer["flows"]["moved"] == 0
    halves = server.post("open", {"at": LOOSE, "classes": ["torus", "cap", "moon"]})[1]
    assert (halves["explored"], halves["held_out"]) == (opened["explored"], opened["held_out"])
    again = server.post("open", {"at": LOOSE})[1]  # what was typed stays
    assert again["starts"][0]["design"]["classes"][0]["names"] == ["torus"]
    shown = server.post("gallery", {"at": LOOSE, "design": None, "query": {}, "seq": 0})[1]
    assert {p["name"] for p in shown["facets"]["predicted"]} == {"torus", "cap", "moon"}


def test_an_examination_of_another_process_is_listed_with_its_progress_while_it_runs(server, exams):
    import shutil

    from eyechart.findings.run_folder import RunFolder
    from eyechart.findings.run_lock import only_writer
    from eyechart.findings.run_progress import recorded_progress
    from eyechart.progress import SilentProgress

    def elsewhere():
        return json.loads(server.get("/api/examinations")[2])["elsewhere"]

    folder = exams / "elsewhere"
    assert elsewhere() == []
    try:
        with (
            only_writer(RunFolder(folder)),
            recorded_progress(SilentProgress(), folder) as progress,
            progress.task("demo: encoding", 200, "pictures"),
        ):
            (row,) = elsewhere()
            assert row["title"] == "elsewhere"
            assert row["progress"] == {"title": "demo: encoding", "done": 0, "total": 200, "unit": "pictures"}
        assert elsewhere() == []
        listed = {r["title"]: r for r in json.loads(server.get("/api/runs")[2])["runs"]}
        assert "has not ended yet" in listed["elsewhere"]["problem"] and not listed["elsewhere"]["running"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def test_a_disk_that_cannot_be_written_is_said_in_a_sentence(server, exams):
    """`workbench` is a file here, so that nothing can be saved in it, whoever runs the test."""
    place = exams / "shapes-bare" / "workbench"
    place.write_text("in the way")
    try:
        status, answer = server.post(
            "save", {"at": {"run": "r-shapes-bare", "model": "bare", "dataset": "shapes"}, "kind": "toml", "name": "x"}
        )
    finally:
        place.unlink()
    assert status == 400 and str(place) in answer["error"] and "bug" not in answer["error"]
