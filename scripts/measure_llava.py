"""Measure the LLaVA models of the zoo: their planted defects, and whether the language half helps where the encoder is weak.

    python scripts/measure_llava.py     writes zoo/llava_scores.json

Model and encoder classify the same 1,800 pictures of world-long-tail in two ways. Among all 18 names: the model by the
log-likelihood of each name as the reply, the encoder with its own text encoder ("a photo of a NAME"). And between two options, of
which the wrong one is drawn at random, in both orders: the model in words, the encoder by its cosines. Bands are chosen by the
frequency of names in long-tailed training, before anything is measured, so there is no selection by either one's errors.

Planted defects are measured by the probes `answers` and `picture_use` with their default settings, on 360 pictures of
world-objects; options are drawn at random.
"""

import io
import json
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import eyechart
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.models.answering import CLASS_QUESTION
from eyechart.models.open import open_model
from eyechart.probes.answers.options import Choice, choice_text, choices
from eyechart.probes.answers.settings import Settings
from eyechart.probes.tasks.answer_reading import read_choice
from eyechart.world.datasets.open import open_world
from eyechart.world.drawing import NAMES
from eyechart.world.zoo import zoo_folder

ROOT = Path(__file__).parents[1]
SCORES = ROOT / "zoo" / "llava_scores.json"
MODELS = ("llava", "llava-long-tail-even", "llava-long-tail", "llava-language-prior", "llava-option-order")
BANDS = ("all", "common", "middling", "rare")
PLANTED = {
    "choice_accuracy": "{}",
    "first_option_excess": "{}",
    "order_changed": "{}",
    "picture_effect": "{}",
    "unchanged": '{"shown": "swapped"}',
}


def pictures(dataset) -> list[Image.Image]:
    return [Image.open(io.BytesIO(dataset.pictures.read(row))).convert("RGB") for row in range(len(dataset))]


def by_likelihood(name: str, shown: list[Image.Image]) -> np.ndarray:
    model = open_model(f"zoo:{name}")
    return np.array([model.log_likelihoods(picture, CLASS_QUESTION, NAMES)[:, 0].argmax() for picture in shown])


def by_choice(name: str, shown: list[Image.Image], classes, options: list[Choice], truth: np.ndarray) -> np.ndarray:
    """[n, 2] whether the model chooses the true name, in both orders. An undecided reply is wrong."""
    model = open_model(f"zoo:{name}")

    def right(picture: Image.Image, order: tuple[int, ...], true: int) -> bool:
        read = read_choice(model.answer(picture, choice_text(classes, order)), [classes[c].names for c in order])
        return read.option >= 0 and order[read.option] == true

    return np.array([[right(p, order, t) for order in o.orders()] for p, o, t in zip(shown, options, truth, strict=True)])


def cosines_of_tower(name: str, shown: list[Image.Image]) -> np.ndarray:
    model = open_model(f"zoo:{name}")
    texts = model.encode_texts(model.tokenize([f"a photo of a {one}" for one in NAMES]).ids)
    images = np.concatenate(
        [model.encode_images(np.stack([model.prepare(p) for p in shown[i : i + 64]])) for i in range(0, len(shown), 64)]
    )
    return images @ (texts / np.linalg.norm(texts, axis=1, keepdims=True)).T


def compared(model: np.ndarray, tower: np.ndarray) -> dict:
    """Both on the same pictures; `model` has a column for each question about a picture, and `tower` one answer."""
    units = np.repeat(np.arange(len(model)), model.shape[1])
    a, b = clustered_share(model.ravel(), units), clustered_share(np.repeat(tower, model.shape[1]), units)
    low, high = share_difference(a, b)
    parts = {
        "model": [a.value, a.estimate.low, a.estimate.high],
        "tower": [b.value, b.estimate.low, b.estimate.high],
        "gain": [a.value - b.value, low, high],
    }
    return {key: [round(float(number), 4) for number in of] for key, of in parts.items()} | {"n": len(model)}


def planted(name: str) -> dict:
    """What the probes find, with their intervals."""
    with tempfile.TemporaryDirectory() as folder:
        run = eyechart.examine(
            f"zoo:{name}", "world-objects", limit=360, probes=["answers", "picture_use"],
            settings={"answers": {"pictures": 360, "asks": ["choice"]}},
            out=Path(folder) / "run", store=Path(folder) / "store",
        )  # fmt: skip
        rows = {(r["metric"], r["slice"]): r for r in run.findings.to_pylist()}
    found = {metric: rows[metric, slice] for metric, slice in PLANTED.items()}
    return {
        metric: {key: round(float(r[key]), 4) for key in ("value", "low", "high")} | {"n": r["n"]} for metric, r in found.items()
    }


def main() -> None:
    dataset = open_world("world-long-tail", n=1800)
    shown = pictures(dataset)
    truth = np.array([NAMES.index(label) for label in dataset.table.column("label").to_pylist()])
    bands = np.array(dataset.table.column("attr.band").to_pylist())
    rows = {band: np.ones(len(truth), bool) if band == "all" else bands == band for band in BANDS}
    options = choices(dataset.classes, dataset.label_indices(), dataset.ids(), Settings(), None)
    labels = dataset.label_indices()
    column = [NAMES.index(c.label) for c in dataset.classes]
    towers, found = {}, {}
    for name in MODELS:
        recipe = json.loads((zoo_folder(name) / "recipe.json").read_text())["recipe"]
        tower = recipe["vision_tower"]
        if tower not in towers:
            towers[tower] = cosines_of_tower(tower, shown)
        cosines = towers[tower]
        drawn = zip(cosines, options, strict=True)
        chosen = np.array([max(sorted(o.classes), key=lambda c, row=row: row[column[c]]) for row, o in drawn])
        ways = {
            "likelihood": (by_likelihood(name, shown)[:, None] == truth[:, None], cosines.argmax(axis=1) == truth),
            "choice": (by_choice(name, shown, dataset.classes, options, labels), chosen == labels),
        }
        found[name] = {
            "tower": tower,
            "planted": planted(name),
            "bands": {way: {b: compared(m[of], t[of]) for b, of in rows.items()} for way, (m, t) in ways.items()},
        }
        for way, of in found[name]["bands"].items():
            print(name, way, {band: of[band]["gain"] for band in BANDS}, flush=True)
        print(name, found[name]["planted"], flush=True)
    SCORES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
