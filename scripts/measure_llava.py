"""Measure the LLaVA models of the zoo against their image encoders: does the language half help where the encoder is weak?

    python scripts/measure_llava.py     writes zoo/llava_scores.json

Both classify the same 1,800 pictures of world-long-tail among 18 names: the model by the log-likelihood of each name as the
reply, the encoder with its own text encoder ("a photo of a NAME"). Bands are chosen by the frequency of names in long-tailed
training, before anything is measured, so there is no selection by either one's errors.
"""

import io
import json
from pathlib import Path

import numpy as np
from PIL import Image

from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.models.answering import CLASS_QUESTION
from eyechart.models.open import open_model
from eyechart.world.datasets.open import open_world
from eyechart.world.drawing import NAMES
from eyechart.world.zoo import zoo_folder

ROOT = Path(__file__).parents[1]
SCORES = ROOT / "zoo" / "llava_scores.json"
MODELS = ("llava", "llava-long-tail-even", "llava-long-tail", "llava-language-prior", "llava-option-order")
BANDS = ("all", "common", "middling", "rare")


def pictures(dataset) -> list[Image.Image]:
    return [Image.open(io.BytesIO(dataset.pictures.read(row))).convert("RGB") for row in range(len(dataset))]


def by_likelihood(name: str, shown: list[Image.Image]) -> np.ndarray:
    model = open_model(f"zoo:{name}")
    return np.array([model.log_likelihoods(picture, CLASS_QUESTION, NAMES)[:, 0].argmax() for picture in shown])


def by_tower(name: str, shown: list[Image.Image]) -> np.ndarray:
    model = open_model(f"zoo:{name}")
    texts = model.encode_texts(model.tokenize([f"a photo of a {one}" for one in NAMES]).ids)
    images = np.concatenate(
        [model.encode_images(np.stack([model.prepare(p) for p in shown[i : i + 64]])) for i in range(0, len(shown), 64)]
    )
    cosines = images @ (texts / np.linalg.norm(texts, axis=1, keepdims=True)).T
    return cosines.argmax(axis=1)


def compared(model: np.ndarray, tower: np.ndarray) -> dict:
    units = np.arange(len(model))
    a, b = clustered_share(model, units), clustered_share(tower, units)
    low, high = share_difference(a, b)
    parts = {
        "model": [a.value, a.estimate.low, a.estimate.high],
        "tower": [b.value, b.estimate.low, b.estimate.high],
        "gain": [a.value - b.value, low, high],
    }
    return {key: [round(float(number), 4) for number in of] for key, of in parts.items()} | {"n": len(model)}


def main() -> None:
    dataset = open_world("world-long-tail", n=1800)
    shown = pictures(dataset)
    truth = np.array([NAMES.index(label) for label in dataset.table.column("label").to_pylist()])
    bands = np.array(dataset.table.column("attr.band").to_pylist())
    towers, found = {}, {}
    for name in MODELS:
        recipe = json.loads((zoo_folder(name) / "recipe.json").read_text())["recipe"]
        tower = recipe["vision_tower"]
        if tower not in towers:
            towers[tower] = by_tower(tower, shown) == truth
        right = by_likelihood(name, shown) == truth
        rows = {band: np.ones(len(truth), bool) if band == "all" else bands == band for band in BANDS}
        found[name] = {"tower": tower, "bands": {band: compared(right[of], towers[tower][of]) for band, of in rows.items()}}
        print(name, {band: of["gain"] for band, of in found[name]["bands"].items()}, flush=True)
    SCORES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
