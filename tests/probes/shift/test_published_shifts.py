"""Published sets, from their folders to findings: small copies of their layouts, and a model whose vectors are made up."""

import json

import numpy as np
import pytest
from tests.data.published.layouts import WNIDS, draw, in_folders, objectnet, vid_robust
from tests.witness import rows

import eyechart
from eyechart.cli.main import main
from eyechart.data.class_file import read_classes

NAMES = [c.name for c in read_classes("imagenet-1k")]


@pytest.fixture
def look(tmp_path, store):
    """Examine a table of vectors: every class name points somewhere of its own, and every picture where it is told to."""
    directions = np.random.default_rng(0).standard_normal((1000, 64)).astype(np.float32)

    def examine(answers, data, **options):
        names, first = np.unique(NAMES, return_index=True)
        np.savez(
            tmp_path / "vectors.npz",
            image_ids=np.array(list(answers)),
            image_vectors=directions[list(answers.values())],
            texts=names,
            text_vectors=directions[first],
        )
        model = f"vectors:{tmp_path / 'vectors.npz'}"
        return eyechart.examine(model, data, out=tmp_path / "out", store=store, classes="imagenet-1k", **options)

    return examine


def found(exam, metric, **slice):
    kept = [r for r in rows(exam, metric) if slice.items() <= json.loads(r["slice"]).items()]
    assert len(kept) == 1
    return kept[0]


def test_imagenet_beside_its_shifts(look, tmp_path):
    """The clock (409) is taken for a digital one (530), which ObjectNet calls the same; the turtles for other turtles."""
    in_folders(tmp_path / "val", [WNIDS[i] for i in (409, 770, 1, 33)], files=("a.png",))
    in_folders(tmp_path / "v2", ["770", "1"], files=("a.jpeg",))
    in_folders(tmp_path / "imagenet-r", [WNIDS[1]], files=("art.png",))
    objectnet(tmp_path / "objectnet-1.0")
    vid_robust(tmp_path / "vid")
    frames = [f"val/ILSVRC2015_val_00000000/{n:06d}.JPEG" for n in range(10, 16)]
    answers = {
        f"{WNIDS[409]}/a.png": 530, f"{WNIDS[770]}/a.png": 770, f"{WNIDS[1]}/a.png": 1, f"{WNIDS[33]}/a.png": 34,
        f"{WNIDS[1]}/art.png": 1, "770/a.jpeg": 770, "1/a.jpeg": 999,
        "alarm_clock/1.png": 530, "shoe/1.png": 409,
        **dict(zip(frames, (35, 36, 37, 0, 281, 370), strict=True)),
    }  # fmt: skip
    exam = look(
        answers,
        f"imagenet:{tmp_path / 'val'}",
        shifts=[
            f"imagenet-v2:{tmp_path / 'v2'}",
            f"imagenet-r:{tmp_path}",
            f"objectnet:{tmp_path / 'objectnet-1.0'}",
            f"imagenet-vid-robust:{tmp_path / 'vid'}",
        ],
        probes=["shift"],
    )
    assert found(exam, "shifted_accuracy", shift="imagenet-v2")["value"] == 0.5
    assert found(exam, "source_accuracy", shift="imagenet-r")["n"] == 1  # of the four classes, R has the goldfish
    assert found(exam, "shifted_accuracy", shift="imagenet-r")["value"] == 1.0
    assert found(exam, "source_accuracy", shift="objectnet")["value"] == 1.0
    assert found(exam, "shifted_accuracy", shift="objectnet")["value"] == 0.5
    assert found(exam, "shifted_accuracy", shift="imagenet-vid-robust", k=0)["value"] == 1.0
    assert found(exam, "shifted_accuracy", shift="imagenet-vid-robust", k=2)["value"] == 0.0
    robustness = {json.loads(r["slice"])["shift"]: r["value"] for r in rows(exam, "effective_robustness")}
    # ObjectNet's list is not whole here; a probit axis ends where all answers on the source are right.
    assert set(robustness) == {"imagenet-v2", "imagenet-r", "imagenet-vid-robust"}
    assert [shift for shift, value in robustness.items() if value is not None] == ["imagenet-v2"]


def test_corrupted_pictures_are_paired_with_those_they_were_made_of(look, tmp_path):
    pictures = {f"{WNIDS[c]}/{i}.png": c for c in (1, 2) for i in range(6)}
    for i, path in enumerate(pictures):
        draw(tmp_path / "val" / path, i)
    assert main(["corrupt", str(tmp_path / "val"), str(tmp_path / "bad"), "--corruption", "contrast", "--quiet"]) == 0
    spoiled = {f"contrast/{s}/{path}": c if s < 5 else 3 - c for s in range(1, 6) for path, c in pictures.items()}
    exam = look(
        {**pictures, **spoiled}, f"imagenet:{tmp_path / 'val'}", shifts=[f"corrupted:{tmp_path / 'bad'}"], probes=["corruption"]
    )
    assert found(exam, "corrupted_error_rate", corruption="contrast", severity=4)["value"] == 0.0
    assert found(exam, "corrupted_error_rate", corruption="contrast", severity=5)["value"] == 1.0
    assert found(exam, "mean_corrupted_accuracy")["value"] == 0.8
    whole = [r for r in rows(exam, "relative_accuracy") if "corruption" not in json.loads(r["slice"])]
    assert [r["value"] for r in whole] == [0.8]
    assert not rows(exam, "mce")
