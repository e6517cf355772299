"""A multimodal model behind a server, examined like any other model: dry run, run, second run, page, and what is skipped."""

import json

import pyarrow.parquet as pq
import pytest
from tests.answering_server import COLORS, answering, color_of, write_colors

from eyechart.cli.main import main
from eyechart.errors import ModelError
from eyechart.exam import examine
from eyechart.findings.run import read_run
from eyechart.language_models.chat_client import EndpointError
from eyechart.store.store import Store
from eyechart.verdict.not_tested import not_tested
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.opened_model import OpenedModel


@pytest.fixture(scope="module")
def colors(tmp_path_factory):
    folder = write_colors(tmp_path_factory.mktemp("data") / "colors", each=3)
    (folder / "red" / "broken.png").write_bytes(b"\x89PNG not a picture")
    return folder


@pytest.fixture(scope="module")
def server():
    with answering(lambda picture, question: color_of(picture)) as running:
        yield running


@pytest.fixture(scope="module")
def exam(server, colors, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exam")
    spec = f"chat:{server.base}#tiny,price_in=1,price_out=1"
    settings = {"answers": {"tower": "demo:"}, "self_agreement": {"pictures": 4}, "picture_use": {"pictures": 4}}
    found = examine(spec, colors, settings=settings, out=folder / "out", store=folder / "store")
    return found, folder, spec, settings, len(server.seen)


def rows(exam, metric):
    return [row for row in exam.findings.to_pylist() if row["metric"] == metric and row["slice"] == "{}"]


def test_accuracy_and_tower_are_those_of_the_pictures(exam):
    found = exam[0]
    (accuracy,), (gain,) = rows(found, "choice_accuracy"), rows(found, "choice_gain")
    assert (accuracy["model"], accuracy["value"], accuracy["n"]) == ("chat:tiny", 1.0, 12)
    (tower,) = rows(found, "choice_tower_accuracy")
    assert gain["value"] == pytest.approx(1 - tower["value"]) and gain["baseline"] == "tower under openai-80"


def test_tokens_and_cost_are_sums_over_the_replies(exam):
    found = [row for row in exam[0].findings.to_pylist() if json.loads(row["slice"]) == {"asked": "choice"}]
    values = {row["metric"]: row["value"] for row in found}
    assert values["prompt_tokens"] == 24 * 100 and values["cost"] == pytest.approx(24 * 103 / 1e6)


def test_a_broken_picture_is_set_aside_and_named(exam):
    assert [row["id"] for row in exam[0].set_aside] == ["red/broken.png"]


def test_a_second_run_asks_nothing_and_gives_the_same_rows(exam, server, colors):
    found, folder, spec, settings, asked = exam
    again = examine(spec, colors, settings=settings, out=folder / "again", store=folder / "store")
    assert len(server.seen) == asked
    assert again.findings.equals(found.findings)


def test_longer_replies_are_asked_for_again_and_reopened_so(colors, tmp_path):
    """What a notice advises, `tokens=1024`, must have an effect in the same folder."""
    with answering(lambda picture, question: color_of(picture)) as server:
        for place, tokens in enumerate((64, 1024), start=1):
            spec = f"chat:{server.base}#tiny,side=20,tokens={tokens}"
            settings = {"answers": {"asks": ["free"], "pictures": 4}}
            found = examine(spec, colors, probes=["answers"], settings=settings, out=tmp_path / "out", store=tmp_path / "store")
            assert [body["max_tokens"] for *_, body in server.seen] == [64] * 4 + [1024] * 4 * (place - 1)
    facts = json.loads((tmp_path / "out" / "protocol.json").read_text())["models"]["chat:tiny"]
    assert facts["spec"] == f"chat:{server.base}#tiny,side=20,tokens=1024"
    assert facts["replies"] == "temperature 0, at most 1024 tokens"
    assert len(rows(found, "free_accuracy")) == 1


def test_kept_replies_cost_what_the_prices_of_this_run_say(colors, tmp_path):
    costs = []
    with answering(lambda picture, question: color_of(picture)) as server:
        for price in (0, 1, 5):
            settings = {"answers": {"asks": ["free"], "pictures": 4}}
            out, store = tmp_path / f"out{price}", tmp_path / "store"
            spec = f"chat:{server.base}#tiny,price_in={price}"
            found = examine(spec, colors, probes=["answers"], settings=settings, out=out, store=store)
            costs.append([row["value"] for row in found.findings.to_pylist() if row["metric"] == "cost"])
        assert len(server.seen) == 4
    assert costs == [[], [pytest.approx(400 / 1e6)], [pytest.approx(2000 / 1e6)]]


def test_the_page_shows_conversations_with_the_towers_answer(exam):
    folder = exam[1] / "out"
    (path,) = (folder / "exhibits").rglob("*conversations-choice*.parquet")
    first = pq.read_table(path).to_pylist()[0]
    assert {"id", "asked", "reply", "read as", "class", "tower"} <= set(first)
    page = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "Conversations" in page or any(
        "Conversations" in p.read_text(encoding="utf-8", errors="ignore") for p in (folder / "report").rglob("*.js*")
    )


def test_the_page_of_a_model_without_vectors_begins_with_its_errors(colors, tmp_path):
    with answering(lambda picture, question: "red") as running:
        found = examine(f"chat:{running.base}#tiny", colors, probes=["answers"], out=tmp_path / "out", store=tmp_path / "store")
    page = found.report().read_text(encoding="utf-8")
    first_screen = page[page.index('class="failures"') :][:20_000]
    others = sorted({path.parent.name for path in colors.glob("*/*.png")} - {"red"})
    assert all(name in first_screen for name in others) and "9 errors" in page


def test_no_command_is_shown_for_what_a_chat_server_cannot_be_asked(exam):
    """Profile classify needs class scores. Calibration is tested by stated confidences, of which this model gives none."""
    run = read_run(exam[1] / "out")
    rulings = {r.area: r for r in not_tested(run, run.models[0], None, ())}
    for area in ("worst classes", "groups", "robustness"):
        assert rulings[area].remedy == "" and "it gives no log-likelihoods of answers" in rulings[area].sentence
    assert rulings["calibration"].remedy == "" and "replies state a number" in rulings["calibration"].sentence


def test_stated_confidences_are_the_way_to_test_the_calibration_of_a_chat_model(colors, tmp_path):
    with answering(lambda picture, question: color_of(picture)) as running:
        examine(f"chat:{running.base}#tiny", colors, probes=["answers"], out=tmp_path / "out", store=tmp_path / "store")
    run = read_run(tmp_path / "out")
    rulings = {r.area: r for r in not_tested(run, run.models[0], None, ())}
    assert rulings["calibration"].remedy.endswith("/colors --probes verbal_confidence")


def test_reasoning_is_kept_and_shown_and_not_read_as_the_answer(colors, tmp_path):
    """Each reply considers all colors first. Replies about blue pictures end within the reasoning."""

    def thinks(picture, question):
        color = color_of(picture)
        return f"<think>{', '.join(COLORS)}? Let me see." + ("" if color == "blue" else f"</think>{color}")

    with answering(thinks) as running:
        spec = f"chat:{running.base}#tiny"
        found = examine(spec, colors, probes=["answers"], out=tmp_path / "out", store=tmp_path / "store")
    value = {row["metric"]: row["value"] for row in found.findings.to_pylist() if row["slice"] in ("{}", '{"asked": "free"}')}
    assert (value["free_accuracy"], value["empty"], value["undecided"]) == (0.75, 0.25, 0.0)
    (path,) = (tmp_path / "out" / "exhibits").rglob("*conversations-free*.parquet")
    replies = {row["class"]: row["reply"] for row in pq.read_table(path).to_pylist()}
    assert replies["red"] == "<think>red, green, blue, yellow? Let me see.</think>red"
    assert replies["blue"] == "<think>red, green, blue, yellow? Let me see. (reasoning without an answer)"


def test_compare_takes_it_like_any_other_model(exam, colors, tmp_path, capsys):
    clip = tmp_path / "clip"
    examine("demo:", colors, probes=["zero_shot"], out=clip, store=tmp_path / "store")
    capsys.readouterr()
    assert main(["compare", str(clip), str(exam[1] / "out"), "--json"]) == 0
    said = capsys.readouterr().out
    assert "chat:tiny" in said and "free answer" in said


def test_the_workbench_says_why_its_class_list_cannot_be_tried(exam):
    _, folder, *_ = exam
    run = read_run(folder / "out")
    desk = DesignDesk(OpenedModel(run, run.models[0], store=Store(folder / "store")), run.datasets[0])
    with pytest.raises(ModelError, match="it answers in words and gives no log-likelihoods, so class lists"):
        desk.classify(desk.base)


def test_a_dry_run_counts_requests_and_sends_none(server, colors, tmp_path, capsys):
    before = len(server.seen)
    args = ["examine", "--model", f"chat:{server.base}#other", "--data", str(colors), "--out", str(tmp_path / "out")]
    assert main([*args, "--store", str(tmp_path / "store"), "--dry-run", "--probes", "answers"]) == 0
    said = capsys.readouterr().out
    # Three for each of 12 pictures; the thirteenth is broken.
    assert "36 questions to ask, one request each (0 are answered in the store)" in said and "likelihoods" not in said
    assert len(server.seen) == before and not (tmp_path / "store").exists()


@pytest.mark.parametrize("probe", ["answers", "zero_shot"])
def test_a_dry_run_counts_the_class_names_that_are_scored(colors, tmp_path, capsys, probe):
    args = ["examine", "--model", "zoo:llava", "--data", str(colors), "--out", str(tmp_path / "out")]
    assert main([*args, "--store", str(tmp_path / "store"), "--dry-run", "--probes", probe]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "48 log-likelihoods of given answers to compute, for 12 pictures with a question" in said


def test_probes_that_cannot_be_asked_are_skipped_with_a_sentence(server, colors, tmp_path):
    found = examine(
        f"chat:{server.base}#tiny", colors, probes=["zero_shot", "answers"], out=tmp_path / "out", store=tmp_path / "store"
    )
    reason = "it has no image encoder, and gives no log-likelihoods of answers"
    assert [(s["probe"], s["reason"]) for s in found.skips.to_pylist()] == [("zero_shot", reason)]


def test_a_model_without_words_skips_the_probe(colors, tmp_path):
    found = examine("demo:", colors, probes=["zero_shot", "answers"], out=tmp_path / "out", store=tmp_path / "store")
    assert [s["reason"] for s in found.skips.to_pylist()] == ["it does not answer questions in words"]


def test_a_server_that_fails_is_an_error_and_what_was_answered_is_kept(colors, tmp_path):
    with answering(lambda picture, question: color_of(picture)) as server:
        server.raw = [None] * 5 + [(404, {}, b"")] * 100
        spec = f"chat:{server.base}#tiny,at_once=1"
        with pytest.raises(EndpointError, match="has the model 'tiny'"):
            examine(spec, colors, probes=["answers"], out=tmp_path / "out", store=tmp_path / "store")
        server.raw, before = [], len(server.seen)
        examine(spec, colors, probes=["answers"], out=tmp_path / "out", store=tmp_path / "store")
        assert len(server.seen) - before == 36 - 5
