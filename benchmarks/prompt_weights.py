"""CMM, ZPE and CPE of 50,000 pictures × 1,000 classes × 247 templates of width 512, against the bare products of the scores.

    python benchmarks/prompt_weights.py [--pictures 50000] [--classes 1000] [--templates 247] [--width 512] [--ledger FILE]

Both scores and, for one template, all margins are read off block by block; the bare products are computed in the same blocks, and
the two take turns template by template, so that a busy machine slows both. With --ledger the scores are kept in a file, and a
stopped run goes on with the next template. Bounds: twice the products, 4 GB.
Seconds are the processor's, of one thread.
"""

# ruff: noqa: E402  (NumPy reads the number of threads when it is imported)
import argparse
import os
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np

from eyechart.arrays import Floats
from eyechart.metrics.classification.margins import class_margins, picture_margins
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.classification.worst_classes import worst_count
from eyechart.metrics.prompts.template_scores import cpe, mean_picture, picture_blocks, template_scores, zpe
from eyechart.metrics.prompts.weights import prompt_weights
from eyechart.metrics.vectors import unit
from eyechart.progress import TerminalProgress
from eyechart.prompts.score_ledger import ScoreLedger

BOUND_RATIO, BOUND_GB = 2.0, 4.0


def peak_gb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e9 if sys.platform == "darwin" else peak / 1024**2


class Clock:
    """Processor seconds by what they were spent on."""

    def __init__(self) -> None:
        self.bare = self.made = 0.0
        self.templates = 0


def main(pictures: int, classes: int, templates: int, width: int, file: Path) -> None:
    rng = np.random.default_rng(0)
    heads = unit(rng.standard_normal((classes, width), dtype=np.float32))
    images = unit(heads[rng.integers(0, classes, pictures)] + rng.standard_normal((pictures, width), dtype=np.float32) * 0.1)
    blocks = picture_blocks(images, classes)
    labels = best_classes(images, heads, np.arange(classes))
    clock = Clock()

    def wording(template: int) -> Floats:
        """Made when it is asked for, as a store would hand it out, and in the same breath multiplied without more."""
        start = time.process_time()
        shift = np.random.default_rng(template).standard_normal((classes, width), dtype=np.float32) * 0.05
        vectors = unit(heads + shift)
        clock.made += time.process_time() - start
        weights = np.ascontiguousarray(vectors.T)
        start = time.process_time()
        for block in blocks:
            block @ weights
        clock.bare += time.process_time() - start
        clock.templates += 1
        return vectors

    key = f"{pictures} x {classes} x {templates} x {width}"
    ledger = ScoreLedger(file, key, templates, ("cpe", "zpe"))
    k = worst_count(classes)
    with TerminalProgress().task("templates", templates, "templates") as task:
        task.advance(templates - int(np.isnan(ledger.known).any(axis=1).sum()))

        def done(template: int, scores: np.ndarray) -> None:
            ledger.done(template, scores)
            task.advance()

        start = time.process_time()
        measures = [cpe(labels, k), zpe(mean_picture(blocks))]
        scores = template_scores(blocks, wording, templates, measures, known=ledger.known, done=done)
        spent = time.process_time() - start - clock.bare - clock.made
    if not clock.templates:
        raise SystemExit(f"{file} has all scores already; remove it to measure again")
    start = time.process_time()
    margins = class_margins(picture_margins(images, heads, labels), labels, classes)
    of_margins = time.process_time() - start
    kept = [int(prompt_weights(column).kept.sum()) for column in scores.T]
    per = clock.bare / clock.templates
    print(f"{pictures:,} pictures × {classes:,} classes × {templates} templates of width {width} ({clock.templates} in this run)")
    print(f"ZPE and CPE together: {spent:.1f} s, {spent / clock.bare:.2f} × the bare products ({clock.bare:.1f} s)")
    print(f"CMM of one template: {of_margins:.2f} s, {of_margins / per:.2f} × its product ({per:.2f} s)")
    print(f"worst {k} margins: {margins.worst(k):.3f}")
    print(f"templates kept: {kept[0]} by CPE, {kept[1]} by ZPE; peak resident memory {peak_gb():.2f} GB")
    if spent > BOUND_RATIO * clock.bare or of_margins > BOUND_RATIO * per or peak_gb() > BOUND_GB:
        raise SystemExit(f"more than {BOUND_RATIO} × the products, or than {BOUND_GB} GB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("pictures", 50_000), ("classes", 1000), ("templates", 247), ("width", 512)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--ledger", type=Path, help="keep the scores here, to go on after a stop")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        file = asked.ledger or Path(folder) / "scores"
        main(asked.pictures, asked.classes, asked.templates, asked.width, file)
