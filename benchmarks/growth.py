"""How time and memory of each probe grow with the pictures and with the classes: the exponent of a fitted power law.

    python benchmarks/growth.py [--pictures N N …] [--classes N N …] [--width 64] [--probes NAME …] [--ledger FILE] [--minutes 15]
    python benchmarks/growth.py                                                          # 10³ to 10⁶ pictures, 10 to 10⁴ classes
    python benchmarks/growth.py --pictures 1000 4000 16000 64000 --classes 10 40 160     # some minutes

Pictures grow at the second number of classes, classes at the second number of pictures. Every run is a process of its own, of
one thread, and a line of the ledger: the same command continues where it was stopped, or where its minutes were up. Measured are
processor seconds of the probe alone, and the peak of its memory beside what was there before (the vectors). The bare products of
the same scores are measured the same way, as a probe of their own: the peer. The exponent is the slope of log y over log n; sizes
at which a probe takes less than 0.05 s, or 16 MB, say nothing and are left out. None may be above 1.1 in pictures.
"""

# ruff: noqa: E402  (NumPy reads the number of threads when it is imported)
import argparse
import json
import os
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from eyechart.findings.finding import to_table
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.registry import get_probe
from probes import Bench, product

Run = dict[str, float]  # seconds and megabytes
Key = tuple[str, int, int, int]  # probe, pictures, classes, width

PROBES = [
    "products", "zero_shot", "factors", "ood", "calibration", "prompts", "shift", "corruption", "class_count", "margin", "worst",
]  # fmt: skip
MOST = 1.1  # the bound of the exponent in pictures
LEAST_SECONDS, LEAST_MB = 0.05, 16.0


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def measure(name: str, bench: Bench, sets: Sequence[ProbeInput]) -> Run | None:
    """Seconds and megabytes of one probe, in this process; None where it does not apply to this size."""
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
        print(f"{name}: {reason}", file=sys.stderr)
        return None


def in_child(work: Callable[[], Run | None]) -> Run | None:
    """What `work` returns in a fork of this process, which has the memory of its parent and a peak of its own."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.write(send, json.dumps(work()).encode())
            status = 0
        finally:
            if status:
                traceback.print_exc()
            os._exit(status)
    os.close(send)
    with os.fdopen(receive, "rb") as answer:
        text = answer.read()
    if os.waitpid(child, 0)[1]:
        raise SystemExit("a probe failed, see above; what was measured before is in the ledger")
    found: Run | None = json.loads(text)
    return found


def measure_size(names: Sequence[str], pictures: int, classes: int, width: int) -> None:
    """Print a line for each probe at one size. The pictures are made once; every probe runs in a fork."""
    bench = Bench(classes, width, ["single"])
    sets = bench.sets(pictures)
    for name in names:
        print(json.dumps(in_child(partial(measure, name, bench, sets))), flush=True)


def fill(
    ledger: Path, sizes: Sequence[tuple[int, int]], names: Sequence[str], width: int, minutes: float
) -> dict[Key, Run | None]:
    """All runs of the ledger, with those that were missing measured now, the smallest sizes first, until the time is up."""
    known: dict[Key, Run | None] = {}
    for line in ledger.read_text().splitlines() if ledger.exists() else ():
        name, *numbers, run = json.loads(line)
        known[(name, *numbers)] = run
    end = time.monotonic() + 60 * minutes
    for pictures, classes in sizes:
        missing = [name for name in names if (name, pictures, classes, width) not in known]
        if not missing:
            continue
        if time.monotonic() > end:
            print(f"not measured, the time is up: {pictures:,} pictures × {classes:,} classes", file=sys.stderr)
            continue
        words = [sys.executable, __file__, "--size", str(pictures), str(classes), "--width", str(width), "--probes", *missing]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as work, ledger.open("a") as out:
            assert work.stdout is not None
            for name, line in zip(missing, work.stdout, strict=False):
                known[(name, pictures, classes, width)] = json.loads(line)
                out.write(json.dumps([name, pictures, classes, width, json.loads(line)]) + "\n")
                out.flush()
                print(f"{name}, {pictures:,} × {classes:,}: {line.strip()}", file=sys.stderr, flush=True)
                if time.monotonic() > end:
                    work.terminate()
                    break
        if work.returncode > 0:
            raise SystemExit(work.returncode)
    return known


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
    parser.add_argument("--ledger", type=Path, default=Path("growth.jsonl"))
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--size", type=int, nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.size:
        pictures, classes = args.size
        measure_size(args.probes, pictures, classes, args.width)
        return
    middle_pictures, middle_classes = (sizes[min(1, len(sizes) - 1)] for sizes in (args.pictures, args.classes))
    grid = {(n, middle_classes) for n in args.pictures} | {(middle_pictures, n) for n in args.classes}
    known = fill(args.ledger, sorted(grid, key=lambda size: size[0] * size[1]), args.probes, args.width, args.minutes)
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
                if (done := known.get((name, *((n, middle_classes) if by == "pictures" else (middle_pictures, n)), args.width)))
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
