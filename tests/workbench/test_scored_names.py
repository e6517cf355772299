"""A model that scores names and has no vectors, in the workbench: its numbers are those of the run and of the model."""

import asyncio
import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp, softmax
from tests.workbench.browser import run_apart

import eyechart
from eyechart.cli.main import main
from eyechart.data.picture import Decoding
from eyechart.errors import ModelError
from eyechart.findings.run import read_run
from eyechart.models.answering import CLASS_QUESTION
from eyechart.models.open import open_model
from eyechart.report.class_rows import class_rows
from eyechart.store.store import Store
from eyechart.verdict.verdict import verdict_of
from eyechart.workbench.design_desk import DesignDesk, with_class
from eyechart.workbench.gallery import Gallery, GalleryQuery
from eyechart.workbench.live_design import LiveClass
from eyechart.workbench.opened_model import OpenedModel
from eyechart.workbench.saved_classifier import live_classifier
from eyechart.workbench.scored_names import BARE, ScoredNames, ScoresMissing
from eyechart.workbench.state import Closing, WorkbenchState
from eyechart.workbench.threshold_desk import ThresholdDesk
from eyechart.workbench.thresholds import Thresholds
from eyechart.workbench.tried_picture import encode_picture, picture_answer
from eyechart.world.drawing import NAMES

PICTURES = 40


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llava")
    found = eyechart.examine(
        "zoo:llava",
        "world-objects",
        limit=PICTURES,
        probes=["zero_shot", "calibration"],
        out=folder / "run",
        store=folder / "store",
    )
    return folder, found.predictions.to_pylist()


@pytest.fixture
def desk(exam):
    folder, _ = exam
    opened = OpenedModel(read_run(folder / "run"), "zoo:llava", store=Store(folder / "store"))
    return DesignDesk(opened, "world-objects")


@pytest.fixture(scope="module")
def direct():
    """Log-likelihoods asked of the model itself, picture by picture."""
    model = open_model("zoo:llava")

    def scores(desk, names):
        pictures = desk.pictures.dataset.pictures
        shown = [Decoding().decode(pictures.read(row)) for row in range(len(desk.pictures.dataset))]
        return np.array([model.log_likelihoods(picture, CLASS_QUESTION, list(names))[:, 0] for picture in shown])

    return scores


def test_the_gallery_shows_the_predictions_of_the_run(exam, desk):
    gallery = Gallery(desk, desk.base)
    of_run = {row["id"]: row for row in exam[1]}
    assert len(gallery.ids) == PICTURES
    for row, id in enumerate(gallery.ids):
        shown = gallery.row(row)
        assert shown["predicted"] == of_run[id]["predicted"]
        assert shown["confidence"] == pytest.approx(of_run[id]["confidence"], abs=1e-5)
        assert shown["margin"] == pytest.approx(of_run[id]["margin"], abs=1e-5)
        assert shown["ood"] == pytest.approx(of_run[id]["ood_score"], abs=1e-5)
    wrong, _ = gallery.select(GalleryQuery(correct=False))
    assert wrong == sum(row["rank"] > 1 for row in exam[1])


def test_an_added_class_is_scored_by_its_own_name(desk, direct):
    larger = with_class(desk.base, "wheel", desk.base.classes[0].group, ())
    names = [c.name for c in larger.classes]
    expected = direct(desk, names)
    assert np.stack(desk.scores(larger), axis=1) == pytest.approx(expected, abs=1e-3)
    assert desk.best(larger)[0].tolist() == expected.argmax(axis=1).tolist()


def test_a_merged_class_is_as_likely_as_any_of_its_names(desk, direct):
    first, second, *rest = desk.base.classes
    merged = LiveClass((first.name, second.name), first.group, (*first.labels, *second.labels))
    design = desk.base.__class__((merged, *rest), desk.base.templates, desk.base.title, of_dataset=True)
    expected = logsumexp(direct(desk, [first.name, second.name]), axis=1)
    assert desk.scores(design)[0] == pytest.approx(expected, abs=1e-3)


def test_synonyms_count_alike_in_run_probe_and_workbench(tmp_path, direct):
    """Two classes have further names. A class is as likely as a reply with any of them, wherever it is scored."""
    names = {name: [name] for name in NAMES}
    names["cube"] += ["cube of wood", "box", "star"]
    names["torus"] += ["wheel"]
    classes = tmp_path / "classes.json"
    classes.write_text(json.dumps(names), encoding="utf-8")
    run = eyechart.examine(
        "zoo:llava", "world-objects", classes=str(classes), limit=18, probes=["zero_shot", "answers"],
        settings={"answers": {"asks": ["likelihood"]}}, out=tmp_path / "run", store=tmp_path / "store",
    )  # fmt: skip
    desk = DesignDesk(OpenedModel(read_run(tmp_path / "run"), "zoo:llava", store=Store(tmp_path / "store")), "world-objects")
    of_names = {name: direct(desk, [name])[:, 0] for name in [*NAMES, "box", "wheel"]}
    more = {"cube": ["box", "star"], "torus": ["wheel"]}
    expected = np.stack([logsumexp([of_names[n] for n in [name, *more.get(name, [])]], axis=0) for name in NAMES], axis=1)
    gallery, p = Gallery(desk, desk.base), softmax(expected, axis=1)
    labels = [c.labels[0] for c in desk.base.classes]
    order = [NAMES.index(label) for label in labels]
    assert np.stack(desk.scores(desk.base), axis=1) == pytest.approx(expected[:, order], abs=1e-3)
    for prompts in (None, "likelihood of the name"):
        rows = {row["id"]: row for row in run.predictions.to_pylist() if row["prompts"] == prompts}
        assert len(rows) == 18
        for place, id in enumerate(gallery.ids):
            assert rows[id]["predicted"] == NAMES[p[place].argmax()]
            assert rows[id]["confidence"] == pytest.approx(p[place].max(), abs=1e-4)
            assert gallery.row(place)["confidence"] == pytest.approx(p[place].max(), abs=1e-4)
    tried = encode_picture(desk, desk.pictures.dataset.pictures.read(3))
    found = picture_answer(desk, desk.base, gallery, ThresholdDesk(desk, desk.base), tried)
    assert found["classes"][0]["p"] == pytest.approx(p[3].max(), abs=1e-4)


def test_thresholds_divide_the_scores(desk, direct):
    """At temperature 2 the confidence is the softmax of half the log-likelihoods."""
    answer = ThresholdDesk(desk, desk.base).answer(desk.explore, Thresholds(temperature=2.0))
    p = softmax(direct(desk, [c.name for c in desk.base.classes]) / 2, axis=1)[desk.explore.rows]
    assert answer["overconfidence"] == pytest.approx(p.max(axis=1).mean() - answer["accuracy"], abs=1e-3)
    labels = desk.own_labels(desk.base, desk.explore)
    names = np.array([c.labels[0] for c in desk.base.classes])
    assert answer["accuracy"] == pytest.approx((names[p.argmax(axis=1)] == labels).mean())


def test_a_dropped_picture_is_classified_as_in_the_run(exam, desk):
    gallery = Gallery(desk, desk.base)
    tried = encode_picture(desk, desk.pictures.dataset.pictures.read(3))
    found = picture_answer(desk, desk.base, gallery, ThresholdDesk(desk, desk.base), tried)
    of_run = next(row for row in exam[1] if row["id"] == gallery.ids[3])
    assert [c["name"] for c in found["classes"][:5]] == of_run["top5_labels"]
    assert found["classes"][0]["p"] == pytest.approx(of_run["confidence"], abs=1e-4)
    assert found["neighbors"][0]["id"] == gallery.ids[3] and found["neighbors"][0]["cosine"] == pytest.approx(1, abs=1e-4)


def test_many_runs_wait_until_they_are_asked_for(desk, monkeypatch):
    monkeypatch.setitem(ScoredNames.fill.__kwdefaults__, "at_most", 10)
    larger = with_class(desk.base, "chimney", desk.base.classes[0].group, ())
    with pytest.raises(ScoresMissing, match="chimney: the model must run 40 times to score this class") as raised:
        desk.scores(larger)
    assert (raised.value.missing, raised.value.total) == (PICTURES, PICTURES)
    seen = []

    class Progress:
        def task(self, title, total, unit):
            seen.append(total)
            return self

        def __enter__(self):
            return self

        def __exit__(self, *about):
            pass

        def advance(self, n=1):
            seen.append(n)

        def line(self, text):
            pass

    desk.opened.encode("world-objects", Progress())
    assert seen == [PICTURES, *[1] * PICTURES]
    assert len(desk.scores(larger)) == len(desk.base.classes) + 1


def test_words_are_searched_by_their_likelihood(desk, direct):
    assert Gallery(desk, desk.base).like_words("a red hat") == pytest.approx(direct(desk, ["a red hat"])[:, 0], abs=1e-3)


def test_there_is_no_classifier_file_without_class_vectors(desk):
    with pytest.raises(ModelError, match="it scores names and has no class vectors"):
        live_classifier(desk, desk.base)


def test_a_request_that_is_cut_off_by_the_end_of_the_server_gets_a_sentence(exam):
    state, go = WorkbenchState(exam[0] / "run", store=exam[0] / "store"), threading.Event()

    async def cut_off():
        task = asyncio.ensure_future(state.compute(lambda: go.wait(60)))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(Closing, match="the workbench is closing"):
            await task

    run_apart(cut_off())
    go.set()
    state.close()


def test_what_is_typed_on_the_way_to_a_name_takes_no_column(desk, monkeypatch):
    """Templates that would take many runs are refused before anything is kept for them."""
    monkeypatch.setitem(ScoredNames.fill.__kwdefaults__, "at_most", 10)
    for number in range(3):
        with pytest.raises(ScoresMissing):
            desk.scores(replace(desk.base, templates=(f"{{}} {number}",)))
    _ = desk.scores(desk.base)
    assert np.count_nonzero(desk.pictures.vectors.any(axis=0)) == len(desk.base.classes)
    assert desk.opened.names.vectors([(("new",), BARE.templates)])[0].argmax() == len(desk.base.classes)


def test_companions_are_scored_with_the_classes_of_the_examined_dataset(tmp_path, monkeypatch):
    """Their scores are those that the run has stored: nothing is asked again."""
    plan = eyechart.Plan(
        models=(eyechart.ModelPlan("zoo:llava"),),
        datasets=(eyechart.DataPlan("world-objects", limit=20), eyechart.DataPlan("world-people", limit=12, role="ood")),
        probes=("zero_shot", "ood"), corruptions=(), default_ood=False,
    )  # fmt: skip
    eyechart.run(plan, out=tmp_path / "run", store=tmp_path / "store")
    opened = OpenedModel(read_run(tmp_path / "run"), "zoo:llava", store=Store(tmp_path / "store"))
    monkeypatch.setitem(ScoredNames.fill.__kwdefaults__, "at_most", 0)
    desk = DesignDesk(opened, "world-objects")
    thresholds = ThresholdDesk(desk, desk.base)
    found = thresholds.answer(desk.explore, Thresholds())["ood"]
    assert thresholds.notices == [] and found["sets"] == ["world-people"] and found["n_outside"] == 6


def test_its_classes_and_calibration_are_found_as_those_of_other_models(exam, capsys):
    """Its findings name the way it answers; that is no slice of the pictures."""
    run = str(exam[0] / "run")
    assert main(["predictions", run, "--by-class"]) == 0
    said = capsys.readouterr().out
    assert "no class has an accuracy" not in said and all(c in said for c in {row["class"] for row in exam[1]})
    assert main(["gate", run, "--fail-if", "ece > 0.99"]) == 0
    assert len(class_rows(read_run(exam[0] / "run"), "zoo:llava", "world-objects")) == 18
    clean = {"worst_class": 1.0}
    judged = verdict_of(read_run(exam[0] / "run"), "zoo:llava", targets=clean)
    (worst,) = [r for r in judged.rulings if r.area == "worst classes" and r.figures and r.figures[0].metric == "class_accuracy"]
    assert worst.figures[0].bounds.low == 1.0
