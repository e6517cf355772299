"""Intervals at 50,000 pictures: 1,000 bootstrap resamples of each metric, and AUROC against scikit-learn's.

    python benchmarks/intervals.py [--pictures 50000] [--resamples 1000] [--rounds 5]

Every metric is timed with every picture by itself and with pictures in clusters of two to three, which are resampled together.
The bound is 5 s each. AUROC takes turns with scikit-learn's on the same scores; prints the median ratio. Seconds are the
processor's, of one thread.
"""

# ruff: noqa: E402  (NumPy reads the number of threads when it is imported)
import argparse
import os
import statistics
import time
from collections.abc import Callable

for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
from sklearn.metrics import roc_auc_score

from eyechart.metrics.calibration.ece import ece_intervals, gaps
from eyechart.metrics.calibration.selective import aurc_interval, selective_risk
from eyechart.metrics.intervals import bootstrap_mean, share_interval
from eyechart.metrics.ranking.auroc import auroc
from eyechart.metrics.ranking.intervals import Scored, bootstrap_ranking, delong

BOUND_SECONDS = 5.0
Run = Callable[[], object]


def timed(run: Run) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def metrics(n: int, clusters: np.ndarray | None, resamples: int) -> dict[str, Run]:
    rng = np.random.default_rng(0)
    scores, inside = rng.normal(size=n), rng.random(n) < 0.5
    scored = Scored(scores + inside, inside, clusters)
    confidence, right = rng.beta(5, 2, n), rng.random(n) < 0.7
    settings = {"clusters": clusters, "seed": 0, "resamples": resamples}
    return {
        "a share": lambda: share_interval(right, **settings),
        "a mean": lambda: bootstrap_mean(scores, **settings),
        "AUROC (DeLong)": lambda: delong(scored),
        "AUROC, AUPR and FPR95": lambda: bootstrap_ranking(scored, seed=0, resamples=resamples),
        "ECE": lambda: ece_intervals(gaps(confidence, right), **settings),
        "AURC (influence)": lambda: aurc_interval(confidence, ~right, clusters),
        "selective risk": lambda: selective_risk(confidence, ~right, 0.8, **settings),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=50_000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    n, slow = args.pictures, []
    clusters = np.random.default_rng(1).integers(0, n * 2 // 5, n)
    print(f"{args.resamples:,} resamples of {n:,} pictures, in seconds: each by itself, in clusters")
    apart, together = metrics(n, None, args.resamples), metrics(n, clusters, args.resamples)
    for name in apart:
        seconds = [timed(run[name]) for run in (apart, together)]
        slow += [name] if max(seconds) > BOUND_SECONDS else []
        print(f"{name}: {seconds[0]:.2f}, {seconds[1]:.2f}", flush=True)
    rng = np.random.default_rng(2)
    inside, outside = rng.normal(1, 1, n // 2), rng.normal(0, 1, n // 2)
    scores, truth = np.concatenate([inside, outside]), np.repeat([True, False], n // 2)
    times = [(timed(lambda: roc_auc_score(truth, scores)), timed(lambda: auroc(inside, outside))) for _ in range(args.rounds)]
    ratio = statistics.median(theirs / ours for theirs, ours in times)
    print(f"AUROC: {ratio:.1f} × as fast as scikit-learn's ({1000 * statistics.median(ours for _, ours in times):.0f} ms)")
    if slow or ratio < 1:
        raise SystemExit(f"beyond the bound: {', '.join(slow) or 'AUROC'}")


if __name__ == "__main__":
    main()
