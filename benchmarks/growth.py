"""How time and memory of each probe grow with the pictures and with the classes: the exponent of a fitted power law.

    python benchmarks/growth.py [--pictures N N …] [--classes N N …] [--width 64] [--probes NAME …]
    python benchmarks/growth.py                                                          # 10³ to 10⁶ pictures, 10 to 10⁴ classes
    python benchmarks/growth.py --pictures 1000 4000 16000 64000 --classes 10 40 160     # some minutes

Pictures grow at the second number of classes, classes at the second number of pictures. Every size runs in a process of its own,
of one thread: processor seconds of the probe alone, and the peak of its memory beside what was there before (the vectors). The
bare products of the same scores are measured the same way, as a probe of their own: the peer. The exponent is the slope of log y
over log n; sizes at which a probe takes less than 0.05 s, or 16 MB, say nothing and are left out. None may be above 1.1 in
pictures.
"""

# ruff: noqa: E402  (NumPy reads the number of threads when it is imported)
import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from eyechart.findings.finding import to_table
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.registry import get_probe
from probes import Bench, product

PROBES = [
    "products", "zero_shot", "factors", "ood", "calibration", "prompts", "shift", "corruption", "class_count", "margin", "worst",
]  # fmt: skip
MOST = 1.1  # the bound of the exponent in pictures
LEAST_SECONDS, LEAST_MB = 0.05, 16.0


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def measure(name: str, pictures: int, classes: int, width: int) -> dict[str, float] | None:
    """Seconds and megabytes of one probe, in this process; None where it does not apply to this size."""
    bench = Bench(classes, width, ["single"])
    sets = bench.sets(pictures)
    if name == "products":
        before = peak_mb()
        return {"seconds": product(sets, bench.heads), "mb": peak_mb() - before}
    companions = {g.dataset.name: g for g in sets}
    upstream = {}

    def asked(which: str) -> float:
        probe = get_probe(which)
        inputs = replace(
            sets[0], settings=probe.settings, companions=companions if probe.compares else {}, upstream=dict(upstream)
        )
        bench.say(probe.texts(TextRequest(inputs.dataset, inputs.prompts, inputs.settings)))
        start = time.process_time()
        answer = probe.ask(inputs)
        seconds = time.process_time() - start
        about = {"model": "bench", "dataset": "exam", "protocol": "", "version": probe.version, "metrics": probe.metrics}
        upstream[which] = to_table(answer.findings, probe=which, **about)
        return seconds

    try:
        for earlier in get_probe(name).after:
            asked(earlier)
        sets = bench.fresh(sets)  # the scores that an earlier probe left would make this one look cheap
        before = peak_mb()
        return {"seconds": asked(name), "mb": peak_mb() - before}
    except NotApplicable as reason:
        print(f"{name}, {pictures:,} × {classes:,}: {reason}", file=sys.stderr)
        return None


def measured(name: str, pictures: int, classes: int, width: int) -> dict[str, float] | None:
    """The same in a process of its own."""
    words = [sys.executable, __file__, "--one", name, str(pictures), str(classes), str(width)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] | None = json.loads(done.stdout.splitlines()[-1])
    return found


def exponent(sizes: Sequence[int], values: Sequence[float], least: float) -> float | None:
    """The slope of log y over log n, of the values that are large enough to say something; None for fewer than two."""
    kept = [(n, y) for n, y in zip(sizes, values, strict=True) if y >= least]
    if len(kept) < 2:
        return None
    n, y = np.log(np.array(kept)).T
    return float(np.polyfit(n, y, 1)[0])


def shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--classes", type=int, nargs="+", default=[10, 100, 1000, 10_000])
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--probes", nargs="+", default=PROBES)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        name, *sizes = args.one
        print(json.dumps(measure(name, *map(int, sizes))))
        return
    middle_pictures, middle_classes = (sizes[min(1, len(sizes) - 1)] for sizes in (args.pictures, args.classes))
    beyond = []
    print(
        "| probe | by | sizes | seconds | MB | exponent of time | of memory |\n| --- | --- | --- | --- | --- | --- | --- |",
        flush=True,
    )
    for name in args.probes:
        for by, sizes in (("pictures", args.pictures), ("classes", args.classes)):
            runs = [
                (n, done)
                for n in sizes
                if (done := measured(name, *((n, middle_classes) if by == "pictures" else (middle_pictures, n)), args.width))
            ]
            if not runs:
                continue
            kept, seconds, mb = [n for n, _ in runs], [f["seconds"] for _, f in runs], [f["mb"] for _, f in runs]
            of_time, of_memory = exponent(kept, seconds, LEAST_SECONDS), exponent(kept, mb, LEAST_MB)
            cells = [
                name,
                by,
                ", ".join(f"{n:,}" for n in kept),
                ", ".join(f"{s:.2f}" for s in seconds),
                ", ".join(f"{m:.0f}" for m in mb),
                shown(of_time),
                shown(of_memory),
            ]
            print(f"| {' | '.join(cells)} |", flush=True)
            if by == "pictures":
                found = {"time": of_time, "memory": of_memory}
                beyond += [f"{name} ({what})" for what, slope in found.items() if slope is not None and slope > MOST]
    if beyond:
        raise SystemExit(f"above {MOST} in pictures: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
