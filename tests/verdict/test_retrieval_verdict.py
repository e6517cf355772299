"""Retrieval in the verdict: a useless model is bad, one that finds its captions good; R@1 is the main number of the page."""

import numpy as np
import pytest
from tests.found import run_of, table_of

import eyechart
from eyechart.findings.finding import Finding
from eyechart.report.view import views_of
from eyechart.verdict.verdict import verdict_of

PICTURES = 60
WHERE_NOTHING_IS_FOUND = np.roll(np.arange(PICTURES), 1)  # every caption finds the next picture


def examine(folder, store, finds):
    """Caption i points at picture `finds[i]`."""
    axes = np.eye(PICTURES, dtype=np.float32)
    names, captions = [f"{i}.png" for i in range(PICTURES)], [f"caption {i}" for i in range(PICTURES)]
    np.savez(
        folder / "model.npz",
        image_ids=np.array(names),
        image_vectors=axes,
        texts=np.array(captions),
        text_vectors=axes[finds],
        logit_scale=np.float32(100),
    )
    rows = [f"{name},{caption}" for name, caption in zip(names, captions, strict=True)]
    (folder / "photos.csv").write_text("\n".join(["path,caption", *rows]) + "\n")
    return eyechart.examine(
        f"vectors:{folder / 'model.npz'}", folder / "photos.csv", probes=["retrieval"], out=folder / "out", store=store
    )


def test_a_model_that_finds_no_caption_is_bad(tmp_path, store):
    exam = examine(tmp_path, store, WHERE_NOTHING_IS_FOUND)
    verdict = verdict_of(exam.run, exam.run.models[0])
    assert verdict.areas["retrieval"] == "bad" and "retrieval" in verdict.decision
    assert [r.sentence for r in verdict.bad] == [
        "Text-to-image R@1 is not above chance at 95% confidence.",
        "Image-to-text R@1 is not above chance at 95% confidence.",
    ]
    assert verdict.bad[0].figures[0].value == 0
    (chance,) = verdict.bad[0].figures[0].baselines
    assert chance.value == pytest.approx(1 / PICTURES)


def test_a_model_that_finds_all_captions_is_good(tmp_path, store):
    exam = examine(tmp_path, store, np.arange(PICTURES))
    verdict = verdict_of(exam.run, exam.run.models[0])
    assert verdict.areas["retrieval"] == "good" and not verdict.bad


def test_r1_with_chance_is_the_main_number_of_the_page(tmp_path, store):
    exam = examine(tmp_path, store, WHERE_NOTHING_IS_FOUND)
    (view,) = views_of(exam.run)
    assert (view.number.metric, view.number.value) == ("text_to_image_r1", 0)
    page = (tmp_path / "out" / "report" / "index.html").read_text(encoding="utf-8")
    start = page.index("main-number")
    hero = page[start : page.index("</svg>", start)]
    assert "text-to-image R@1" in hero and "chance 1.7%" in hero
    assert page.count('class="tile ') == 6


def test_a_target_for_r1_is_judged_beside_chance(tmp_path, store):
    half = np.concatenate([np.arange(30), 30 + np.roll(np.arange(30), 1)])  # R@1 is 50% in both directions
    exam = examine(tmp_path, store, half)
    model = exam.run.models[0]
    (ruling,) = verdict_of(exam.run, model, targets={"text_to_image_r1": 0.9}).bad
    assert ruling.sentence == "Text-to-image R@1 is below the target (90.0%)."
    assert verdict_of(exam.run, model, targets={"text_to_image_r1": 0.2}).areas["retrieval"] == "good"


def test_useless_retrieval_says_nothing_about_a_drop_of_accuracy():
    """Only accuracy that is not above its baselines makes a drop of accuracy meaningless."""
    retrieval = [
        Finding(metric="text_to_image_r1", value=0.0, n=60, low=0.0, high=0.06),
        Finding(metric="text_to_image_r1_chance", value=1 / 60, n=60),
    ]
    kept = [Finding(metric="relative_accuracy", value=0.99, n=400, low=0.97, high=1.01)]
    verdict = verdict_of(run_of(table_of(retrieval, probe="retrieval"), table_of(kept, probe="corruption")), "m")
    assert verdict.areas["retrieval"] == "bad" and verdict.areas["robustness"] == "good"
