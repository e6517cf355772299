"""A dry run counts what a model that answers questions will be asked: exactly as many questions as are asked afterwards."""

import json

import pytest
from PIL import Image
from tests.answering_server import answering, color_of, write_colors
from tests.color_words import ColorWords

from eyechart.exam import dry_run, run
from eyechart.models import sources
from eyechart.models.sources import ModelSource, add_source
from eyechart.plan import DataPlan, ModelPlan, Plan

SCORING = ["answers", "calibration", "corruption", "ood", "picture_use", "prompts", "worst", "zero_shot"]
IN_WORDS = ["answers", "none_of_these", "picture_use", "self_agreement"]


class Counted(ColorWords):
    """Counts what it is asked."""

    replies, scorings, options = 0, 0, 0

    def answer(self, picture, question):
        Counted.replies += 1
        return super().answer(picture, question)

    def log_likelihoods(self, picture, question, options):
        Counted.scorings += 1
        Counted.options += len(options)
        return super().log_likelihoods(picture, question, options)


def open(name, hashes, device, precision, threads):
    return Counted()


@pytest.fixture
def counted():
    source = ModelSource("counted", f"{__name__}:open", "counted:", ("answers", "likelihoods"), "counts", needs_name=False)
    add_source(source)
    Counted.replies = Counted.scorings = Counted.options = 0
    yield Counted
    sources._SOURCES.pop("counted")
    sources._OPENERS._own.pop("counted")


@pytest.fixture(scope="module")
def colors(tmp_path_factory):
    """Pictures of four colors, one of which cannot be decoded, a class with two names, and out-of-distribution pictures."""
    folder = write_colors(tmp_path_factory.mktemp("data") / "colors", each=9)
    (folder / "red" / "broken.png").write_bytes(b"\x89PNG not a picture")
    names = {"red": ["red", "scarlet"], "green": ["green"], "blue": ["blue"], "yellow": ["yellow"]}
    (folder.parent / "classes.json").write_text(json.dumps(names), encoding="utf-8")
    (folder.parent / "gray").mkdir()
    for level in range(40, 200, 10):
        Image.new("RGB", (24, 24), (level, level, level)).save(folder.parent / "gray" / f"{level}.png")
    (folder.parent / "gray" / "broken.png").write_bytes(b"\x89PNG not a picture")
    return folder


def plan_of(spec, colors, *probes, settings=None):
    own = DataPlan(str(colors), classes=str(colors.parent / "classes.json"))
    data = (own, DataPlan(str(colors.parent / "gray"), role="ood"))
    corruptions = ("noise:3",) if "corruption" in probes else None
    return Plan((ModelPlan(spec),), data, probes, corruptions=corruptions, settings=settings or {})


def stated(plan, tmp_path, out="out"):
    (cost, *_), (total,) = (found := dry_run(plan, out=tmp_path / out, store=tmp_path / "store")).datasets, found.totals
    return cost.cost, total


@pytest.mark.parametrize("probe", [*SCORING, "none_of_these", "self_agreement"])
def test_questions_and_log_likelihoods_are_as_many_as_the_dry_run_says(counted, colors, tmp_path, probe):
    plan = plan_of("counted:", colors, probe)
    cost, total = stated(plan, tmp_path)
    assert counted.replies == counted.scorings == 0
    run(plan, out=tmp_path / "out", store=tmp_path / "store")
    assert (cost.new_questions, cost.new_scorings, cost.new_options) == (counted.replies, counted.scorings, counted.options)
    assert counted.replies + counted.scorings > 0 and "up to" not in total


@pytest.mark.parametrize(
    ("probe", "world"),
    [
        ("factors", "world-factors"),
        ("shape_bias", "world-cue-conflict"),
        ("shift", "world-shifts"),
        ("skew", "world-people"),
        ("object_hallucination", "world-scenes"),
        ("object_questions", "world-scenes"),
    ],
)
def test_those_of_the_embedded_world_are_too(counted, tmp_path, probe, world):
    settings = {"factors": {"least": 5}} if probe == "factors" else {}
    plan = Plan((ModelPlan("counted:"),), (DataPlan(world, limit=200),), (probe,), settings=settings)
    cost, _ = stated(plan, tmp_path)
    run(plan, out=tmp_path / "out", store=tmp_path / "store")
    assert (cost.new_questions, cost.new_scorings, cost.new_options) == (counted.replies, counted.scorings, counted.options)
    assert counted.replies + counted.scorings > 0


def test_questions_of_several_probes_are_counted_once(counted, colors, tmp_path):
    plan = plan_of("counted:", colors, *SCORING, *IN_WORDS[1:])
    cost, total = stated(plan, tmp_path)
    run(plan, out=tmp_path / "out", store=tmp_path / "store")
    assert (cost.new_questions, cost.new_scorings, cost.new_options) == (counted.replies, counted.scorings, counted.options)
    assert f"{counted.options:,} log-likelihoods of given answers to compute, for {counted.scorings:,} pictures" in total
    again, total = stated(plan, tmp_path, out="other")
    assert (again.new_questions, again.new_scorings, again.new_options) == (0, 0, 0)
    assert again.questions == cost.questions and "log-likelihoods" not in total


def test_all_names_of_a_class_are_counted(counted, colors, tmp_path):
    cost, _ = stated(plan_of("counted:", colors, "zero_shot"), tmp_path)
    assert (cost.new_scorings, cost.new_options) == (36, 5 * 36)  # four classes with five names


def test_questions_that_depend_on_answers_are_an_upper_bound(counted, colors, tmp_path):
    plan = plan_of("counted:", colors, "verbal_confidence")
    cost, total = stated(plan, tmp_path)
    assert cost.new_questions == 2 * 36 and "up to 72 questions to ask" in total
    run(plan, out=tmp_path / "out", store=tmp_path / "store")
    again, total = stated(plan, tmp_path, out="other")
    assert counted.replies <= 72 and again.new_questions == 0 and "up to" not in total


@pytest.mark.parametrize("probe", IN_WORDS)
def test_a_server_gets_as_many_requests_as_the_dry_run_says(colors, tmp_path, probe):
    with answering(lambda picture, question: color_of(picture)) as server:
        plan = plan_of(f"chat:{server.base}#tiny", colors, probe)
        cost, total = stated(plan, tmp_path)
        assert server.seen == []
        run(plan, out=tmp_path / "out", store=tmp_path / "store")
        assert len(server.seen) == cost.new_questions > 0 and f"{cost.new_questions:,} questions to ask" in total
        assert "up to" not in total and "log-likelihoods" not in total


def test_a_tower_changes_the_options_and_not_their_number(colors, tmp_path):
    settings = {"answers": {"tower": "demo:", "distractors": "tower", "asks": ("choice",)}}
    with answering(lambda picture, question: color_of(picture)) as server:
        plan = plan_of(f"chat:{server.base}#tiny", colors, "answers", settings=settings)
        cost, _ = stated(plan, tmp_path)
        run(plan, out=tmp_path / "out", store=tmp_path / "store")
        assert len(server.seen) == cost.new_questions == 72


@pytest.mark.parametrize("probe", ["none_of_these", "object_questions", "verbal_confidence"])
def test_the_tokens_of_all_replies_are_reported(colors, tmp_path, probe):
    """The server counts 100 tokens for every question: about out-of-distribution pictures, stated confidences and all objects."""
    with answering(lambda picture, question: "80" if "0 to 100" in question else color_of(picture)) as server:
        plan = plan_of(f"chat:{server.base}#tiny", colors, probe)
        if probe == "object_questions":
            plan = Plan(plan.models, (DataPlan("world-scenes", limit=20),), (probe,))
        found = run(plan, out=tmp_path / "out", store=tmp_path / "store")
        asked = len(server.seen)
    tokens = [row["value"] for row in found.findings.to_pylist() if row["metric"] == "prompt_tokens"]
    assert len(tokens) == 2 and sum(tokens) == 100 * asked > 0
