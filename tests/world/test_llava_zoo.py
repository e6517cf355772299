"""The LLaVA models of the zoo: planted defects are found by the probes, and the healthy twin stays quiet. No torch is needed."""

import json
from pathlib import Path

import pytest

from eyechart.exam import examine
from eyechart.world.zoo import zoo_models

ZOO = Path(__file__).parents[2] / "zoo"
PLANTED = ("llava-language-prior", "llava-option-order", "llava-long-tail", "llava-long-tail-even")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The same 54 pictures for the healthy model and both defects of its language half."""
    folder = tmp_path_factory.mktemp("llava")
    return {
        name: examine(
            f"zoo:{name}", "world-objects", limit=54, probes=["answers", "picture_use", "zero_shot", "worst"],
            settings={"answers": {"asks": ["choice"], "pictures": 0}, "picture_use": {"pictures": 54}}, prompts=["single"],
            out=folder / name, store=folder / "store",
        )
        for name in ("llava", "llava-language-prior", "llava-option-order")
    }  # fmt: skip


def value(run, metric, **slice):
    (row,) = [r for r in run.findings.to_pylist() if r["metric"] == metric and json.loads(r["slice"]) == slice]
    return row


@pytest.mark.slow
def test_the_language_prior_shows_in_picture_use_and_not_in_the_twin(runs):
    planted, healthy = (value(runs[name], "picture_effect") for name in ("llava-language-prior", "llava"))
    assert planted["high"] < 0.35 and healthy["low"] > 0.5
    assert value(runs["llava-language-prior"], "unchanged", shown="swapped")["low"] > 0.7
    assert value(runs["llava"], "unchanged", shown="swapped")["high"] < 0.35


@pytest.mark.slow
def test_the_option_order_shows_in_answers_and_not_in_the_twin(runs):
    planted, healthy = (value(runs[name], "first_option_excess") for name in ("llava-option-order", "llava"))
    assert planted["low"] > 0.1  # the limit of the verdict
    assert healthy["low"] <= 0 <= healthy["high"] and abs(healthy["value"]) < 0.05
    assert value(runs["llava-option-order"], "order_changed")["low"] > 0.2
    assert value(runs["llava"], "order_changed")["high"] < 0.2


@pytest.mark.slow
def test_the_language_prior_has_no_preference_for_a_place(runs):
    found = value(runs["llava-language-prior"], "first_option_excess")
    assert found["low"] <= 0 <= found["high"]


@pytest.mark.slow
def test_zero_shot_and_worst_answer_by_likelihoods(runs):
    found = value(runs["llava"], "top1", answers="class scores")
    assert found["low"] > 0.4 and found["n"] == 54
    assert any(r["probe"] == "worst" and r["metric"] == "worst_at_k" for r in runs["llava"].findings.to_pylist())
    predicted = [r for r in runs["llava"].predictions.to_pylist() if r["prompts"] is None]
    assert len(predicted) == 54
    right = sum(r["predicted"] == r["label"] for r in predicted)
    assert right / 54 == pytest.approx(found["value"])


def test_models_are_small_and_in_the_standard_format():
    for name in ("llava", *PLANTED):
        folder = ZOO / name
        assert json.loads((folder / "config.json").read_text())["architectures"] == ["LlavaForConditionalGeneration"]
        assert sum(file.stat().st_size for file in folder.iterdir()) < 4_000_000
        assert {"tokenizer.json", "processor_config.json", "chat_template.jinja"} <= {f.name for f in folder.iterdir()}


def test_every_planted_model_has_its_twin_in_the_catalogue():
    known = zoo_models()
    assert {name for name in known if name.startswith("llava-")} == set(PLANTED)
    assert all(known[name].twin in ("llava", "llava-long-tail") for name in PLANTED)


def test_language_repairs_rare_names_where_its_own_training_shows_them_and_only_there():
    """What scripts/measure_llava.py measured on 1,800 pictures: intervals of accuracy − accuracy of the tower, paired."""
    scores = json.loads((ZOO / "llava_scores.json").read_text())
    rare = {name: scores[name]["bands"]["likelihood"]["rare"]["gain"] for name in scores}
    assert rare["llava-long-tail-even"][1] > 0.1
    assert rare["llava-long-tail"][2] < -0.1
    assert rare["llava"][1] <= 0 <= rare["llava"][2]
    chosen = {name: scores[name]["bands"]["choice"]["rare"]["gain"] for name in scores}  # two options, drawn at random
    assert chosen["llava-long-tail-even"][1] > 0 and chosen["llava-long-tail"][2] < -0.1
    assert chosen["llava"][1] <= 0 <= chosen["llava"][2]
