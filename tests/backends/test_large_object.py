"""A vision transformer of timm, which has no words, as a baseline for large_object: through the command, against timm itself."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from PIL import Image

from eyechart.cli.main import main
from eyechart.data.dataset import Dataset
from eyechart.findings.run import read_run
from eyechart.world.datasets.open import open_world

from .test_timm import SMALL
from .test_timm import save as save_timm

LIMIT = 126  # of pictures in each dataset: 27 scenes of three things, 36 of four, 45 of five


@torch.inference_mode()
def features(network: torch.nn.Module, dataset: Dataset) -> np.ndarray:
    """Unit vectors by timm's own transform and forward."""
    transform = timm.data.create_transform(**timm.data.resolve_model_data_config(network), is_training=False)
    pictures = [Image.open(io.BytesIO(dataset.pictures.read(row))).convert("RGB") for row in range(len(dataset))]
    batch = torch.stack([transform(picture) for picture in pictures])
    vectors = network.forward_head(network.forward_features(batch), pre_logits=True).numpy()
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def counted_by_hand(network: torch.nn.Module, scenes: Dataset, singles: Dataset, things: int) -> dict[str, list[float]]:
    """Scene by scene: `nearest` by size, the largest first, and how many scenes are `kept`."""
    vectors, of_one = features(network, scenes), features(network, singles)
    names = [objects[0]["name"] for objects in singles.table["objects"].to_pylist()]
    targets = {}
    for name in sorted(set(names)):
        mean = np.mean([vector for vector, own in zip(of_one, names, strict=True) if own == name], axis=0)
        targets[name] = mean / np.linalg.norm(mean)
    hits, kept = [], []
    for vector, objects in zip(vectors, scenes.table["objects"].to_pylist(), strict=True):
        if len(objects) != things:
            continue
        ranked = sorted(targets, key=lambda name: -float(vector @ targets[name]))
        by_size = [thing["name"] for thing in sorted(objects, key=lambda thing: -thing["area"])]
        hits.append([float(ranked[0] == name) for name in by_size])
        kept.append(float(set(ranked[:things]) == set(by_size)))
    return {"nearest": list(np.mean(hits, axis=0)), "kept": [float(np.mean(kept))]}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> tuple[torch.nn.Module, str]:
    path = tmp_path_factory.mktemp("vit") / "mine.safetensors"
    return save_timm(path, SMALL), f"timm:{SMALL}/{path}"


def examine(model: str, out: Path, *more: str) -> int:
    asked = ["--model", model, "--data", "world-scenes", "--limit", str(LIMIT), "--probes", "large_object"]
    return main(["examine", *asked, *more, "--out", str(out), "--store", str(out.parent / "store"), "--quiet"])


def test_the_command_counts_what_timm_gives(network: tuple[torch.nn.Module, str], tmp_path: Path) -> None:
    tower, model = network
    assert examine(model, tmp_path / "out", "--gallery", "world-objects") == 0
    rows = [r | {"slice": json.loads(r["slice"])} for r in read_run(tmp_path / "out").findings.to_pylist()]
    assert {r["slice"]["against"] for r in rows if "against" in r["slice"]} == {"pictures"}
    expected = counted_by_hand(tower, open_world("world-scenes", n=LIMIT), open_world("world-objects", n=LIMIT), 4)

    def found(metric: str, **where: object) -> float:
        (row,) = [r for r in rows if r["metric"] == metric and r["slice"] == {"against": "pictures", "objects": 4, **where}]
        return float(row["value"])

    assert [found("object_share", size_rank=k) for k in (1, 2, 3, 4)] == pytest.approx(expected["nearest"])
    assert found("all_objects_retrieved") == pytest.approx(expected["kept"][0])
    assert sum(expected["nearest"]) > 0


def test_without_targets_it_says_what_to_give(
    network: tuple[torch.nn.Module, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert examine(network[1], tmp_path / "out") == 7
    assert "give one with --gallery" in " ".join(capsys.readouterr().out.split())
