"""The tables that ship: the published values, with their licenses."""

import csv

import pytest

from eyechart.study import shipped_tables as shipped
from eyechart.study.shipped_tables import read_shipped_table

# As published; timm at the native size of the model, 224 pixels.
PUBLISHED = [
    ("open_clip", "open_clip:ViT-B-32/laion2b_s34b_b79k", "imagenet", 0.6656),
    ("open_clip", "open_clip:ViT-B-32/laion2b_s34b_b79k", "imagenet-v2", 0.5814),
    ("timm", "timm:resnet50.a1_in1k", "imagenet-a", 0.09973),
    ("timm", "timm:resnet50.a1_in1k", "imagenet-real", 0.85712),
    ("model_soups", "model_soups:greedy_soup", "imagenet", 0.81026),
    ("model_soups", "model_soups:greedy_soup", "imagenet-v2", 0.6955),
    ("robustbench", "robustbench:AlexNet", "imagenet-3dcc.near_focus.1", 0.4616),
]


@pytest.mark.parametrize(("origin", "model", "measure", "value"), PUBLISHED)
def test_a_published_value_is_in_the_table(origin, model, measure, value):
    rows = [r for r in read_shipped_table(origin).to_pylist() if (r["model"], r["metric"]) == (model, measure)]
    assert [row["value"] for row in rows] == [pytest.approx(value, abs=1e-9)]


def test_only_tables_that_may_be_shipped_are_and_each_names_its_license():
    tables = {table.origin: table for table in shipped.shipped_tables()}
    assert set(tables) == {"model_soups", "open_clip", "robustbench", "testbed", "timm"}  # not imagenet_x: CC-BY-NC
    assert {table.license for table in tables.values()} == {"MIT", "Apache-2.0"}
    notice = shipped.files("eyechart.study").joinpath("published", "NOTICE.txt").read_text()
    for table in tables.values():
        assert all(part in notice for part in (table.address, table.license, table.copyright, *table.files.values()))


def test_the_files_are_small():
    folder = shipped.files("eyechart.study").joinpath("published")
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 500_000


@pytest.mark.refdata
def test_the_files_are_those_that_the_script_makes_from_the_published_ones(imported, refdata):
    for table in shipped.shipped_tables():
        made = imported[table.origin].table
        assert read_shipped_table(table.origin).to_pylist() == made.to_pylist(), "run scripts/make_published_tables.py"


@pytest.mark.refdata
def test_every_accuracy_of_open_clip_is_the_published_one(refdata):
    """Against the CSV file, read by hand."""
    held = {
        (row["model"], row["metric"]): row["value"] for row in read_shipped_table("open_clip").to_pylist()
    }  # fmt: skip
    checked = 0
    with (refdata / "open_clip" / "openclip_results.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            name = f"open_clip:{row['name']}/{row['pretrained']}"
            if (name, "imagenet") in held:
                assert held[name, "imagenet"] == float(row["ImageNet 1k"])
                assert held[name, "imagenet-sketch"] == float(row["ImageNet Sketch"])
                checked += 1
    assert checked == 112


@pytest.mark.refdata
def test_recalls_of_both_directions_average_to_the_published_score(refdata):
    """open_clip publishes one score for Flickr30k and one for COCO in another file: the mean of R@1 in both directions."""
    held = {(row["model"], row["metric"]): row["value"] for row in read_shipped_table("open_clip").to_pylist()}
    checked = 0
    with (refdata / "open_clip" / "openclip_results.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            name = f"open_clip:{row['name']}/{row['pretrained']}"
            for dataset, column in (("flickr30k", "Flickr"), ("coco", "MSCOCO")):
                ways = [held.get((name, f"{dataset}-{way}-r1")) for way in ("text-to-image", "image-to-text")]
                if None not in ways:
                    assert sum(ways) / 2 == pytest.approx(float(row[column]), abs=1.01e-4)
                    checked += 1
    assert checked >= 200


def test_directions_and_ranks_of_retrieval_are_those_of_the_paper():
    """Radford et al. (2021), Table 13: CLIP ViT-L/14 at 336 pixels, zero-shot. open_clip ran it with other prompts."""
    paper = {
        "flickr30k-image-to-text": (0.880, 0.987, 0.994),
        "flickr30k-text-to-image": (0.687, 0.906, 0.952),
        "coco-image-to-text": (0.584, 0.815, 0.881),
        "coco-text-to-image": (0.378, 0.624, 0.722),
    }
    name = "open_clip:ViT-L-14-336/openai"
    held = {row["metric"]: row["value"] for row in read_shipped_table("open_clip").to_pylist() if row["model"] == name}
    for measure, recalls in paper.items():
        assert [held[f"{measure}-r{k}"] for k in (1, 5, 10)] == pytest.approx(recalls, abs=0.02)
