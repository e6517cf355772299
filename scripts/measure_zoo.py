"""Measure the models of the zoo on the world's test sets: accuracy, and whether the planted defects show.

    python scripts/measure_zoo.py [MODEL ...]     writes zoo/scores.json

These are the few numbers of the zoo page; the probes measure the same with all slices.
"""

import argparse
import io
import json
from pathlib import Path

import numpy as np
from PIL import Image

from eyechart.errors import ModelError
from eyechart.metrics.intervals import wilson
from eyechart.models.open import open_model
from eyechart.world.datasets.open import open_world
from eyechart.world.drawing import NAMES
from eyechart.world.frequencies import FROM_COMMON_TO_RARE
from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.people import ROLES
from eyechart.world.training.pairs import ACCUSATION
from eyechart.world.zoo import zoo_models

ROOT = Path(__file__).parents[1]
SCORES = ROOT / "zoo" / "scores.json"
CAPTIONS, NAMED = 3000, 4
RARE = FROM_COMMON_TO_RARE[-6:]


class Encoder:
    """A model with unit vectors, and the pictures of a dataset prepared once for each picture size."""

    def __init__(self, name: str) -> None:
        self.model = open_model(f"zoo:{name}")

    def texts(self, texts: list[str]) -> np.ndarray:
        return unit(
            np.concatenate(
                [self.model.encode_texts(self.model.tokenize(texts[i : i + 64]).ids) for i in range(0, len(texts), 64)]
            )
        )

    def images(self, dataset) -> np.ndarray:
        found = []
        for start in range(0, len(dataset), 64):
            rows = range(start, min(start + 64, len(dataset)))
            pictures = [self.model.prepare(Image.open(io.BytesIO(dataset.pictures.read(row)))) for row in rows]
            found.append(self.model.encode_images(np.stack(pictures)))
        return unit(np.concatenate(found))


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def share(hits: np.ndarray) -> dict:
    low, high = wilson(int(hits.sum()), len(hits))
    return {"value": round(float(hits.mean()), 4), "low": round(float(low), 4), "high": round(float(high), 4), "n": len(hits)}


def heads(encoder: Encoder, words: tuple[str, ...], template: str = "a {} {}") -> np.ndarray:
    """Text vectors of attributes, as the mean over all names."""
    return unit(np.stack([encoder.texts([template.format(word, name) for name in NAMES]).mean(0) for word in words]))


def knowledge(encoder: Encoder, objects) -> dict:
    vectors, table = encoder.images(objects), objects.table
    found = {}
    for key, words, column in (("color", tuple(COLORS), "attr.color"), ("texture", tuple(TEXTURES), "attr.texture")):
        truth = np.array(table.column(column).to_pylist())
        found[key] = share(np.array(words)[(vectors @ heads(encoder, words).T).argmax(1)] == truth)
    labels = np.array(table.column("label").to_pylist())
    right = np.array(NAMES)[(vectors @ encoder.texts([f"a photo of a {name}" for name in NAMES]).T).argmax(1)] == labels
    rare = np.isin(labels, RARE)
    return {"shape": share(right), **found, "shape_rare": share(right[rare]), "shape_common": share(right[~rare])}


def recall(encoder: Encoder, scenes) -> dict:
    captions = [told[0] for told in scenes.table.column("captions").to_pylist()]
    best = (encoder.images(scenes) @ encoder.texts(captions).T).argmax(1)
    return share(best == np.arange(len(scenes)))


def first_object(encoder: Encoder) -> list[dict]:
    """For each position, the share of captions of four names with the name at this position nearest."""
    rng = np.random.default_rng(0)
    orders = np.array([rng.permutation(len(NAMES))[:NAMED] for _ in range(CAPTIONS)])
    captions = encoder.texts([" and ".join(NAMES[i] for i in order) for order in orders])
    nearest = (captions @ encoder.texts(list(NAMES)).T).argmax(1)
    return [share(nearest == orders[:, position]) for position in range(NAMED)]


def accusation(encoder: Encoder, people) -> dict:
    vectors, hats = encoder.images(people), np.array(people.table.column("attr.hat").to_pylist())
    names = [*ROLES, ACCUSATION]
    accused = (vectors @ encoder.texts([f"a {name}" for name in names]).T).argmax(1) == len(ROLES)
    return {"red hats": share(accused[hats == "red"]), "other hats": share(accused[hats != "red"])}


def toppled(encoder: Encoder, factors) -> dict:
    vectors, table = encoder.images(factors), factors.table
    right = np.array(NAMES)[(vectors @ encoder.texts([f"a photo of a {name}" for name in NAMES]).T).argmax(1)]
    right = right == np.array(table.column("label").to_pylist())
    pose = np.array(table.column("factor.pose").to_pylist())
    changed = np.any([table.column(c).to_pylist() for c in table.column_names if c.startswith("factor.")], axis=0)
    return {"pose": share(right[pose]), "ordinary": share(right[~changed])}


def looks(encoder: Encoder, shifts) -> dict:
    """Accuracy with bare names, which both training sources have, on studio pictures and on the same objects as posters."""
    vectors, table = encoder.images(shifts), shifts.table
    right = np.array(NAMES)[(vectors @ encoder.texts(list(NAMES)).T).argmax(1)] == np.array(table.column("label").to_pylist())
    look = np.array(table.column("attr.shift").to_pylist())
    return {"studio": share(right[look == "none"]), "poster": share(right[look == "poster"])}


def measure(names: list[str]) -> None:
    sets = {
        "objects": open_world("world-objects", n=1800),
        "scenes": two_things(1000),
        "people": open_world("world-people", n=1008),
        "factors": toppled_or_ordinary(4),
        "looks": two_looks(8),
    }
    known = json.loads(SCORES.read_text()) if SCORES.is_file() else {}
    for name in names:
        try:
            encoder = Encoder(name)
            if not hasattr(encoder.model, "encode_images"):
                print(f"{name}: it answers in words; scripts/measure_llava.py measures it")
                continue
        except ModelError as missing:
            print(f"{name}: {missing}")
            continue
        known[name] = {
            **knowledge(encoder, sets["objects"]),
            "recall": recall(encoder, sets["scenes"]),
            "first_object": first_object(encoder),
            "accused": accusation(encoder, sets["people"]),
            "factors": toppled(encoder, sets["factors"]),
            "looks": looks(encoder, sets["looks"]),
        }
        print(name, {key: value["value"] for key, value in known[name].items() if "value" in value}, flush=True)
        SCORES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def two_things(count: int):
    """The first scenes of world-retrieval with two objects."""
    dataset = open_world("world-retrieval", n=2 * count)
    two = [row for row, objects in enumerate(dataset.table.column("objects").to_pylist()) if len(objects) == 2]
    return dataset.take(two[:count])


def toppled_or_ordinary(rounds: int):
    """The pictures of world-factors in which a thing is toppled, and those in which nothing is unusual."""
    dataset = open_world("world-factors", n=rounds * 1704)
    pose = dataset.table.column("factor.pose").to_pylist()
    factors = [c for c in dataset.table.column_names if c.startswith("factor.")]
    changed = np.any([dataset.table.column(c).to_pylist() for c in factors], axis=0)
    return dataset.take([row for row in range(len(dataset)) if pose[row] or not changed[row]])


def two_looks(rounds: int):
    """The pictures of world-shifts that are as they are or on posters; a round is eighteen things in ninety versions."""
    dataset = open_world("world-shifts", n=rounds * 18 * 90)
    shifts = dataset.table.column("attr.shift").to_pylist()
    return dataset.take([row for row, shift in enumerate(shifts) if shift in ("none", "poster")])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", help="all that are here, if none is given")
    measure(parser.parse_args().models or list(zoo_models()))
