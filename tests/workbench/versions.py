"""A run over versions of few pictures: some labels have one original only, so that a half lacks them."""

import csv
from pathlib import Path
from typing import Any

from PIL import ImageEnhance

import eyechart
from eyechart.data.picture import Decoding
from eyechart.inputs import open_data
from eyechart.plan import DataPlan

VERSIONS = 8


def examine_versions(folder: Path, store: Path, given: dict[str, Any]) -> Path:
    """Eight brightnesses of each original: three originals of every label, but of `cone` and `star` only one."""
    dataset, data = open_data(DataPlan("world-objects", limit=180), seed=0), folder / "versions"
    data.mkdir(parents=True)
    rows, seen = [], {}
    for row, label in enumerate(dataset.table.column("label").to_pylist()):
        seen[label] = seen.get(label, 0) + 1
        if seen[label] > (1 if label in ("cone", "star") else 3):
            continue
        picture = Decoding().decode(dataset.pictures.read(row))
        for version in range(VERSIONS):
            name = f"{row}-{version}.png"
            ImageEnhance.Brightness(picture).enhance(0.2 + 0.2 * version).save(data / name)
            rows.append({"file": name, "label": label, "attr.source_id": f"original {row}"})
    with (data / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["file", "label", "attr.source_id"])
        writer.writeheader()
        writer.writerows(rows)
    options = {"probes": ["zero_shot"], "corruptions": [], "default_ood": False, "prompts": "bare", "store": store, **given}
    eyechart.examine("demo:", data / "labels.csv", out=folder / "exams" / "versions", **options)
    return folder / "exams"
