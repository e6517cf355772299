"""Shift and retrieval on models of the zoo: one that knows another look, one that was fine-tuned, and their twins."""

import json
from contextlib import closing

import pytest

import eyechart
from eyechart.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    place = tmp_path_factory.mktemp("exams")

    def ask(model, data, probe, **more):
        with closing(Store(place / "store")) as store:
            out = place / f"{model}-{data}"
            exam = eyechart.examine(f"zoo:{model}", data, prompts="bare", probes=[probe], out=out, store=store, **more)
        return [row | {"slice": json.loads(row["slice"])} for row in exam.findings.to_pylist() if row["probe"] == probe]

    return ask


def drop(rows):
    return next(row for row in rows if row["metric"] == "accuracy_drop" and row["slice"].get("shift") == "poster")


def recall(rows):
    return next(row for row in rows if row["metric"] == "text_to_image_r1" and not row["slice"])


@pytest.mark.long
def test_a_look_that_was_never_seen_is_a_loss_and_one_that_was_learned_is_none(asked):
    studio, poster = (drop(asked(model, "world-shifts", "shift")) for model in ("random-order-0", "poster"))
    assert studio["low"] > 0.2
    assert poster["low"] <= 0 <= poster["high"]


def test_fine_tuning_as_a_classifier_costs_retrieval_and_another_seed_does_not(asked):
    parent, child, sibling = (
        recall(asked(model, "world-retrieval", "retrieval", limit=600))
        for model in ("random-order-0", "fine-tuned", "random-order-1")
    )
    assert child["high"] < parent["low"]
    assert sibling["low"] <= parent["high"]
    assert sibling["high"] >= parent["low"]
