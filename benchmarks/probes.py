"""The probes of trust under shift, on 50,000 pictures × 1,000 classes, against the bare products of the scores.

    python benchmarks/probes.py [--pictures 50000] [--classes 1000] [--width 512] [--prompts openai-80] [--probes NAME …]

The exam dataset has that many pictures and 16 factors. Its companions are a shifted set, a corrupted one of fifteen cells and an
out-of-distribution one, each with a fifth of its pictures. Other probes can be named; those that need more than vectors, labels,
classes and factors, do not apply, or use no prompts are listed and skipped.
The bound: all of them together take no more than twice the products of all pictures with the classes under each prompt set that
any of them used, and 5 s; under 3 GB.
Seconds are processor seconds of one thread, since the machine may have other work.
"""

# ruff: noqa: E402  (NumPy reads the number of threads when it is imported)
import argparse
import os
import re
import resource
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.data.role import Role
from eyechart.metrics.classification.shared_scores import SharedScores
from eyechart.models.card import ModelCard
from eyechart.notice import counted
from eyechart.probes.contract import NotApplicable, Probe, ProbeInput, TextRequest
from eyechart.probes.registry import get_probe
from eyechart.prompts.library import load_prompts

BOUND_GB, BOUND_RATIO, BOUND_SECONDS = 3.0, 2.0, 5.0
UNDER_SHIFT = ["zero_shot", "factors", "ood", "calibration", "prompts", "shift", "corruption"]
ENOUGH = {"pictures", "images", "texts", "labels", "classes", "factors", "logit_scale"}
FACTORS, CELLS = 16, 15


class NoPictures:
    """Nobody looks at the pictures: the vectors are there."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def place(self, row: int) -> str:
        return f"picture {row}"

    def read(self, row: int) -> bytes:
        raise OSError("there are vectors alone")

    def take(self, rows: Sequence[int]) -> "NoPictures":
        return NoPictures(len(rows))


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


class Bench:
    """Datasets of one made-up model: classes lie apart, pictures around them, prompts a little beside their class."""

    def __init__(self, classes: int, width: int, prompts: Sequence[str]) -> None:
        self.rng = np.random.default_rng(0)
        self.heads = unit(self.noise(classes, width))
        self.wordings = self.noise(4096, width) * np.float32(0.3 / width**0.5)
        self.classes = ClassList("bench", tuple(PictureClass(f"class {i}", f"class {i}") for i in range(classes)))
        self.prompts = tuple(load_prompts(name) for name in prompts)
        self.shared = SharedScores()
        self.place: dict[str, int] = {}
        self.said = np.empty((0, width), np.float32)

    def noise(self, *shape: int) -> np.ndarray:
        return self.rng.standard_normal(shape, dtype=np.float32)

    def say(self, texts: Sequence[str]) -> None:
        """Make the vectors of these texts, which is no part of the comparison."""
        new = [text for text in dict.fromkeys(texts) if text not in self.place]
        meant = [int(found.group(1)) if (found := re.search(r"class (\d+)", text)) else 0 for text in new]
        wordings = [zlib.crc32(text.encode()) % len(self.wordings) for text in new]
        self.place |= {text: len(self.said) + i for i, text in enumerate(new)}
        self.said = np.concatenate([self.said, unit(self.heads[meant] + self.wordings[wordings])])

    def texts(self, texts: Sequence[str]) -> np.ndarray:
        return self.said[[self.place[text] for text in texts]]

    def inputs(self, n: int, name: str, role: Role, blur: float, **columns: Any) -> ProbeInput:
        """`blur`: how far pictures lie from their class; out-of-distribution pictures are near to none, and have no labels."""
        truth, width = self.rng.integers(0, len(self.classes), n), self.heads.shape[1]
        center = np.float32(0) if role == "ood" else self.heads[truth]
        table = {"id": [f"{name}-{i}" for i in range(n)], **columns}
        if role != "ood":
            table["label"] = [self.classes[int(t)].label for t in truth]
        return ProbeInput(
            model="bench",
            card=ModelCard("bench", "bench"),
            dataset=Dataset(name, pa.table(table), NoPictures(n), None if role == "ood" else self.classes, role=role),
            images=unit(center + np.float32(blur / width**0.5) * self.noise(n, width)),
            clusters=np.arange(n),
            texts=self.texts,
            prompts=self.prompts,
            settings=None,
            logit_scale=100.0,
            shared=self.shared,
        )

    def sets(self, n: int) -> list[ProbeInput]:
        part, cell = max(1, n // 5), max(1, n // 75)
        factors = {f"factor.{i}": self.rng.random(n) < 0.3 / (i + 1) for i in range(FACTORS)}
        spoiled = {
            "attr.shift": [f"corruption {i // 5}" for i in range(CELLS) for _ in range(cell)],
            "attr.severity": [i % 5 + 1 for i in range(CELLS) for _ in range(cell)],
            "attr.source_id": [f"exam-{i}" for _ in range(CELLS) for i in range(cell)],
        }
        return [
            self.inputs(n, "exam", "exam", 4.0, **factors),
            self.inputs(part, "shifted", "shift", 5.0),
            self.inputs(CELLS * cell, "corrupted", "shift", 6.0, **spoiled),
            self.inputs(part, "ood", "ood", 4.0),
        ]

    def fresh(self, sets: Sequence[ProbeInput]) -> list[ProbeInput]:
        """The same datasets, with no scores computed yet."""
        self.shared = SharedScores()
        return [replace(inputs, shared=self.shared) for inputs in sets]


def peak_gb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024**3 if sys.platform == "darwin" else peak / 1024**2


def product(sets: Sequence[ProbeInput], heads: np.ndarray) -> float:
    """Seconds that the bare scores of all pictures take, a block at a time, with nothing but the best class kept."""
    start = time.process_time()
    for inputs in sets:
        for row in range(0, len(inputs.images), 4096):
            (inputs.images[row : row + 4096] @ heads.T).argmax(axis=1)
    return time.process_time() - start


def asked(probe: Probe, sets: Sequence[ProbeInput], bench: Bench) -> tuple[float, set[str]]:
    """Seconds of one probe on the exam dataset, and the prompt sets that its findings name."""
    companions = {g.dataset.name: g for g in sets} if probe.compares else {}
    inputs = replace(sets[0], settings=probe.settings, companions=companions)
    bench.say(probe.texts(TextRequest(inputs.dataset, inputs.prompts, inputs.settings)))
    start = time.process_time()
    answer = probe.ask(inputs)
    return time.process_time() - start, {str(f.slice["prompts"]) for f in answer.findings if "prompts" in f.slice}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=50_000)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--prompts", nargs="+", default=["openai-80"])
    parser.add_argument("--probes", nargs="+", default=UNDER_SHIFT)
    args = parser.parse_args()
    bench = Bench(args.classes, args.width, args.prompts)
    sets = bench.sets(args.pictures)
    rows = sum(len(g.images) for g in sets)
    bare = product(sets, bench.heads)
    print(f"{args.pictures:,} pictures of {rows:,} in all × {args.classes:,} classes: one product {bare:.1f} s", flush=True)
    total, used = 0.0, set(args.prompts)
    for name in args.probes:
        probe = get_probe(name)
        if probe.across or not set(probe.needs) <= ENOUGH:
            print(f"{name}: needs {', '.join(sorted(set(probe.needs) - ENOUGH)) or 'several models'}")
            continue
        try:
            seconds, prompts = asked(probe, sets, bench)
        except NotApplicable as reason:
            print(f"{name}: {reason}")
            continue
        if not prompts:
            print(f"{name}: {seconds:.1f} s, not counted: it asks nothing of classes in prompts")
            continue
        total, used = total + seconds, used | prompts
        print(f"{name}: {seconds:.1f} s, {counted(len(prompts), 'prompt set')}; peak so far {peak_gb():.2f} GB", flush=True)
    bare = (bare + product(sets, bench.heads)) / 2  # before and after, for the machine has other work
    bound = BOUND_RATIO * bare * len(used) + BOUND_SECONDS
    print(f"together {total:.1f} s, {total / bare / len(used):.2f} × the products of {len(used)} prompt sets ({bare:.1f} s each)")
    print(f"bound: {bound:.1f} s; peak {peak_gb():.2f} GB of {BOUND_GB:.0f}")
    if total > bound or peak_gb() > BOUND_GB:
        raise SystemExit("beyond the bound")


if __name__ == "__main__":
    main()
