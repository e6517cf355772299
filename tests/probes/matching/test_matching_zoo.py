"""Scenes on the whole way, in the layout of COCO: instances with boxes and areas, a folder of pictures, single things beside."""

import json

import pytest
from tests.witness import rows

import eyechart
from eyechart.world.datasets.open import open_world
from eyechart.world.zoo import present

pytestmark = pytest.mark.slow


@pytest.fixture
def coco(tmp_path):
    """World scenes as COCO would give them out, and a folder of pictures of single things, one subfolder a name."""
    scenes, singles = open_world("world-scenes", n=70), open_world("world-objects", n=54)
    names = sorted(set(singles.table["label"].to_pylist()))
    folder = tmp_path / "coco"
    (folder / "annotations").mkdir(parents=True)
    (folder / "val").mkdir()
    images, annotations = [], []
    for number, things in enumerate(scenes.table["objects"].to_pylist()):
        (folder / "val" / f"{number}.png").write_bytes(scenes.pictures.read(number))
        images.append({"id": number, "file_name": f"{number}.png", "width": 64, "height": 64})
        for thing in things:
            left, top, right, bottom = thing["box"]
            box = {"bbox": [left, top, right - left, bottom - top], "area": thing["area"] * 4096}
            annotations.append({"image_id": number, "category_id": names.index(thing["name"]), **box})
    categories = [{"id": number, "name": name} for number, name in enumerate(names)]
    content = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "annotations" / "instances_val.json").write_text(json.dumps(content))
    for number, name in enumerate(singles.table["label"].to_pylist()):
        (tmp_path / "single" / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / "single" / name / f"{number}.png").write_bytes(singles.pictures.read(number))
    return folder


def test_coco_s_layout_does(coco, store, tmp_path):
    settings = {"matching": {"least": 10}, "large_object": {"least": 10}}
    exam = eyechart.examine(
        "demo:", f"coco:{coco}", gallery=[coco.parent / "single"], probes=["matching", "large_object"], settings=settings,
        out=tmp_path / "out", store=store,
    )  # fmt: skip
    assert rows(exam, "scenario_1")[0]["low"] > 0.8
    assert rows(exam, "scenario_1")[0]["n"] == 70 * 4
    names = len(list((coco.parent / "single").iterdir()))
    assert rows(exam, "large_object_share")[0]["low"] > 1 / names  # more often than one of all names drawn at random
    assert {json.loads(r["slice"])["against"] for r in rows(exam, "all_objects_retrieved")} == {"pictures", "names"}
    assert exam.report().is_file()


@pytest.mark.parametrize(("model", "planted"), [("zoo:largest-first-0", True), ("zoo:random-order-0", False)])
def test_order_of_training_captions_is_found_and_absent_in_the_twin(model, planted, store, tmp_path):
    """The twins differ in one thing: whether training captions named the largest thing first."""
    if model.removeprefix("zoo:") not in present():
        pytest.skip(f"{model} is not here; docs/zoo.md says how to train it")
    settings = {"matching": {"pictures": 150, "shown": 0}}
    exam = eyechart.examine(
        model, "world-scenes", limit=252, probes=["matching"], settings=settings, out=tmp_path / "out", store=store
    )
    effect = next(r for r in rows(exam, "order_effect") if r["slice"] == "{}")
    assert (effect["low"] > 0) == planted
    assert planted or effect["low"] < 0 < effect["high"]
    first, second = (next(r for r in rows(exam, f"scenario_{k}") if r["slice"] == "{}") for k in (1, 2))
    assert not planted or second["high"] < 0.3 < 0.9 < first["low"]
