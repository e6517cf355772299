"""Live class design: from a changed class to all numbers of the screen, against computing the same from scratch.

    python benchmarks/workbench.py [--pictures 50000 500000] [--classes 100] [--width 512] [--rounds 7]

Pictures and classes are random unit vectors with attributes as FairFace has them (7, 2 and 9 values). A new class is encoded by
the text encoder of the embedded model under 80 templates, and its vector is brought to the width of the others; that time is
part of the sum. The peer classifies all pictures with one matrix product and computes the same numbers with the functions of the
probes `class_change` and `class_groups`.
"""

import argparse
import resource
import statistics
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.files.hashing import HashMemory
from eyechart.metrics.classification.predictions import best_classes, ensembles
from eyechart.metrics.vectors import unit
from eyechart.models.open import open_model
from eyechart.probes.class_change.changes import DesignChanges
from eyechart.probes.class_groups.rates import GroupRates
from eyechart.prompts.library import load_prompts
from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.design_desk import DesignDesk, with_class
from eyechart.workbench.live_design import LiveClass, LiveDesign
from eyechart.workbench.live_outcome import UNLABELED, LiveOutcome
from eyechart.workbench.opened_model import OpenedPictures

TEMPLATES = load_prompts("openai-80")


class RandomModel:
    """What a desk needs of an opened model: random pictures, and classes of which new ones are encoded by the embedded model."""

    name, logits = "random", (100.0, 0.0)

    def __init__(self, pictures: int, classes: int, width: int) -> None:
        rng = np.random.default_rng(0)
        self._encoder = open_model("demo:", hashes=HashMemory(), device="cpu", precision="float32")
        self._known = {(f"class {c}",): v for c, v in enumerate(unit(rng.standard_normal((classes, width)).astype(np.float32)))}
        self._bridge = rng.standard_normal((self._encode("a").shape[1], width)).astype(np.float32)
        truth = rng.integers(0, classes, pictures)
        vectors = rng.standard_normal((pictures, width)).astype(np.float32) * np.float32(0.15)
        vectors += np.stack(list(self._known.values()))[truth]
        groups = {
            f"attr.{name}": [f"{name} {v}" for v in rng.integers(0, n, pictures)]
            for name, n in (("race", 7), ("gender", 2), ("age", 9))
        }
        table = pa.table({"id": [str(i) for i in range(pictures)], "label": [f"class {t}" for t in truth], **groups})
        no_files = SimpleNamespace(take=lambda _: None)
        dataset = Dataset("random", table, no_files)  # type: ignore[arg-type]
        self._opened = OpenedPictures(dataset, unit(vectors), np.arange(pictures), SimpleNamespace())
        self.encoding = 0.0

    def _encode(self, name: str) -> np.ndarray:
        texts = sorted(TEMPLATES.fill(name))
        return ensembles(self._encoder.encode_texts(self._encoder.tokenize(texts).ids), np.array([len(texts)]))

    def pictures(self, _: str) -> OpenedPictures:
        return self._opened

    def class_vectors(self, classes: list[tuple[str, ...]], _: tuple[str, ...]) -> np.ndarray:
        for names in classes:
            if names not in self._known:
                start = time.perf_counter()
                self._known[names] = unit(self._encode(names[0]) @ self._bridge)[0]
                self.encoding += time.perf_counter() - start
        return np.stack([self._known[names] for names in classes])


def from_scratch(desk: DesignDesk, design: LiveDesign) -> None:
    """The same numbers as the probes compute them: all pictures, one half."""
    half = desk.explore
    outcomes = []
    for one in (desk.base, design):
        vectors = desk.opened.class_vectors([c.names for c in one.classes], one.templates)
        predicted = best_classes(desk.pictures.vectors, vectors, np.arange(len(vectors)))
        outcomes.append(LiveOutcome(one, predicted[half.rows], desk.vocabulary))
    before, after = outcomes
    list(DesignChanges(before, half.units, half.labels, half.people, {}, UNLABELED).findings(after))
    list(GroupRates(after.design, after.kinds, half.units, half.people, {}).findings())


def milliseconds(work: object) -> float:
    start = time.perf_counter()
    work()  # type: ignore[operator]
    return 1000 * (time.perf_counter() - start)


def measure(pictures: int, classes: int, width: int, rounds: int) -> None:
    opened = RandomModel(pictures, classes, width)
    groups = ["person"] * (classes - 10) + ["animal"] * 5 + ["crime"] * 5
    listed = tuple(LiveClass((f"class {c}",), group, (f"class {c}",)) for c, group in enumerate(groups))
    desk = DesignDesk(opened, "random")  # type: ignore[arg-type]
    desk.base = LiveDesign(listed, TEMPLATES.templates, ("crime",))
    design_answer(desk, desk.base)
    times: dict[str, list[float]] = {"add": [], "drop": [], "reword": [], "from scratch": []}
    encoding = []
    for n in range(rounds):
        added = with_class(desk.base, f"new class {n}", "person", ())
        opened.encoding = 0.0
        times["add"].append(milliseconds(lambda added=added: design_answer(desk, added)))
        encoding.append(1000 * opened.encoding)
        dropped = replace(desk.base, classes=desk.base.classes[:n] + desk.base.classes[n + 1 :])
        times["drop"].append(milliseconds(lambda dropped=dropped: design_answer(desk, dropped)))
        worded = (*desk.base.classes[:-1], LiveClass((f"other words {n}",), "crime", ()))
        reworded = replace(desk.base, classes=worded)
        times["reword"].append(milliseconds(lambda reworded=reworded: design_answer(desk, reworded)))
        times["from scratch"].append(milliseconds(lambda added=added: from_scratch(desk, added)))
    middle = {name: statistics.median(values) for name, values in times.items()}
    words = [f"candidate {i}" for i in range(200)]
    opened.class_vectors([(w,) for w in words], ())
    suggesting = milliseconds(lambda: desk.suggest(desk.base, words, "person"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    kept = (desk.pictures.vectors.nbytes + desk.columns.nbytes) / 1e9
    print(
        f"{pictures:,} pictures × {classes} classes, width {width}: add {middle['add']:.0f} ms (of it one class encoded "
        f"{statistics.median(encoding):.0f} ms), reword {middle['reword']:.0f} ms, drop {middle['drop']:.0f} ms; from scratch "
        f"{middle['from scratch']:.0f} ms = {middle['from scratch'] / middle['add']:.1f} × the time of add; 200 candidates "
        f"{suggesting:.0f} ms; peak memory {peak:.2f} GB, vectors and scores {kept:.2f} GB",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, nargs="+", default=[50_000, 500_000])
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    for pictures in args.pictures:
        measure(pictures, args.classes, args.width, args.rounds)


if __name__ == "__main__":
    main()
