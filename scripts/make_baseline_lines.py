"""Fit the baseline lines that effective robustness is measured against, and write them as data.

    python scripts/make_baseline_lines.py PATH/TO/imagenet-testbed

The folder holds `robustness_top1s.csv` and `model_types.csv` of github.com/modestyachts/imagenet-testbed (MIT). Baseline models
are those that Taori et al. (2020) call standard, without the testbed's variants of one network (aws, batch64, subsample) and
without those under 55% on ImageNet, which no longer lie on the line.
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np

from eyechart.metrics.trends.axes import AXES, to_axis
from eyechart.metrics.trends.lines import fit_trend

OUT = Path(__file__).parent.parent / "src" / "eyechart" / "metrics" / "baseline_lines.json"
VARIANTS = ("aws", "batch64", "subsample")
LEAST = 55.0
CITATION = (
    "R. Taori, A. Dave, V. Shankar, N. Carlini, B. Recht, L. Schmidt, Measuring Robustness to Natural Distribution Shifts in "
    "Image Classification, NeurIPS 2020; top-1 accuracies from github.com/modestyachts/imagenet-testbed (MIT)"
)

# shift → (the testbed's column of the source, of the shifted set, classes of the source list that count, source pictures count as
# right when they get a class of the same group)
SETS = {
    "imagenet-v2": ("val", "imagenetv2-matched-frequency-format-val", 1000, False),
    "imagenet-v2-threshold0.7": ("val", "imagenetv2-threshold-0.7-format-val", 1000, False),
    "imagenet-v2-top-images": ("val", "imagenetv2-top-images-format-val", 1000, False),
    "imagenet-sketch": ("val", "imagenet-sketch", 1000, False),
    "imagenet-a": ("val-on-imagenet-a-classes", "imagenet-a", 200, False),
    "imagenet-r": ("val-on-imagenet-r-classes", "imagenet-r", 200, False),
    "objectnet": ("val-on-objectnet-classes", "objectnet-1.0-beta", 125, False),
    "imagenet-vid-robust": ("val-on-vid-robust-classes", "imagenet-vid-robust_pm0", 288, True),
    "imagenet-vid-robust-pm10": ("val-on-vid-robust-classes", "imagenet-vid-robust_pm10", 288, True),
    "stylized-imagenet": ("val", "stylized_imagenet", 1000, False),
}


def share(text: str) -> float:
    return float(text) / 100 if text else np.nan


def baseline_models(folder: Path) -> list[dict[str, str]]:
    with (folder / "model_types.csv").open(encoding="utf-8") as file:
        standard = {row["model"] for row in csv.DictReader(file) if row["natural_type"] == "STANDARD"}
    with (folder / "robustness_top1s.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] in standard]
    return [row for row in rows if not any(v in row["model"] for v in VARIANTS) and float(row["val"] or 0) >= LEAST]


def lines_of(shift: str, models: list[dict[str, str]]) -> list[dict[str, object]]:
    source_column, shift_column, classes, grouped = SETS[shift]
    known = [row for row in models if row[source_column] and row[shift_column]]
    lines: list[dict[str, object]] = []
    for axis in AXES:
        points = [(share(row[source_column]), share(row[shift_column]), row["model"]) for row in known]
        finite = [p for p in points if np.isfinite(to_axis(p[:2], axis)).all()]
        x, y = np.array([p[0] for p in finite]), np.array([p[1] for p in finite])
        for fit in ("ols", "huber"):
            trend = fit_trend(x, y, np.arange(len(x)), x_axis=axis, y_axis=axis, fit=fit, seed=0, resamples=4000)
            spread = np.cov(trend.slopes, trend.intercepts)
            lines.append(
                {
                    "source": "imagenet",
                    "shift": shift,
                    "columns": [source_column, shift_column],
                    "classes": classes,
                    "grouped": grouped,
                    "axis": axis,
                    "fit": fit,
                    "slope": round(trend.line.slope, 6),
                    "intercept": round(trend.line.intercept, 6),
                    "covariance": [float(f"{v:.4g}") for v in (spread[0, 0], spread[0, 1], spread[1, 1])],
                    "n": trend.n,
                    "r2": round(trend.r2, 4),
                    "source_range": [round(float(x.min()), 4), round(float(x.max()), 4)],
                    "dropped": sorted(p[2] for p in points if p not in finite),
                }
            )
    return lines


def main() -> None:
    models = baseline_models(Path(sys.argv[1]))
    lines = [line for shift in SETS for line in lines_of(shift, models)]
    head = {
        "about": "shift = T⁻¹(slope · T(source) + intercept), accuracies as fractions, T the axis; covariance of "
        "(slope, intercept) from 4,000 bootstrap resamples of models; "
        "dropped: models at exactly 0 or 1, which the axis cannot hold",
        "baseline": "natural_type STANDARD, name without aws, batch64 and subsample, val of 55% or more",
        "citation": CITATION,
    }
    rows = ",\n  ".join(json.dumps(line, ensure_ascii=False) for line in lines)
    text = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}") + f',\n "lines": [\n  {rows}\n ]\n}}\n'
    OUT.write_text(text, encoding="utf-8")
    print(f"{len(lines)} lines to {OUT.name}")


if __name__ == "__main__":
    main()
