"""Log-likelihoods of class names as class scores: the classification probes answer for a model without vectors."""

import numpy as np
import pytest
from PIL import Image
from tests.answering_server import COLORS, write_colors
from tests.color_words import distance

from eyechart.exam import examine
from eyechart.models import sources
from eyechart.models.sources import ModelSource, add_source


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scored")
    colors = write_colors(folder / "colors", each=8)
    source = ModelSource(
        "color-words", "tests.color_words:open", "color-words:", ("answers",), "colors in words", needs_name=False
    )
    add_source(source)
    try:
        return examine("color-words:", colors, corruptions=["noise:5"], out=folder / "out", store=folder / "store"), colors
    finally:
        sources._SOURCES.pop("color-words")
        sources._OPENERS._own.pop("color-words")


def found(exam, probe, metric):
    return [r for r in exam.findings.to_pylist() if (r["probe"], r["metric"]) == (probe, metric)]


def test_the_probes_that_use_class_scores_answer(exam):
    answered = {row["probe"] for row in exam[0].findings.to_pylist()}
    assert {"answers", "calibration", "corruption", "ood", "zero_shot", "worst", "prompts"} <= answered


def test_confidence_is_the_softmax_of_the_likelihoods(exam):
    run, colors = exam
    rows = {row["id"]: row for row in run.predictions.to_pylist() if row["dataset"] == "colors" and row["prompts"] is None}
    assert len(rows) == 32
    for id, row in list(rows.items())[:4]:
        picture = Image.open(colors / id).convert("RGB")
        scores = np.exp([-distance(picture, name) for name in sorted(COLORS)])
        assert row["confidence"] == pytest.approx(float((scores / scores.sum()).max()), rel=1e-4)


def test_ood_uses_scores_and_no_vectors(exam):
    scores = {row["slice"] for row in found(exam[0], "ood", "ood_auroc")} | {r["slice"] for r in found(exam[0], "ood", "auroc")}
    assert scores and not any("mahalanobis" in s or "nearest" in s for s in scores)
    assert all("class scores" in s for s in scores)


def test_probes_of_vectors_are_skipped_with_a_sentence(exam):
    reasons = {row["probe"]: row["reason"] for row in exam[0].skips.to_pylist() if row["dataset"] == "colors"}
    assert reasons["class_count"] == "it has no image encoder"
    assert all(reason.strip() for reason in reasons.values())
