"""The effect of half-precision vectors on every headline metric: the embedded world, examined twice with the embedded model.

python benchmarks/store_precision.py [--limit 200]
"""

import argparse
import tempfile
from pathlib import Path

from eyechart.exam import examine
from eyechart.findings.run import Run


def values(run: Run) -> dict[tuple[str, str, str, str], dict[str, object]]:
    rows = run.findings.to_pylist()
    return {(r["probe"], r["metric"], r["dataset"], r["slice"]): r for r in rows if r["metric"] in run.headline(r["probe"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        options = {"limit": args.limit, "profile": "all", "store": Path(work) / "store"}
        runs = [examine("demo:", out=Path(work) / p, store_precision=p, **options).run for p in ("float32", "float16")]
        whole, half = (values(run) for run in runs)
    assert whole.keys() == half.keys()
    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for key, first in whole.items():
        second = half[key]
        assert first["n"] == second["n"]
        if first["value"] is None or second["value"] is None:
            continue
        width = (first["high"] - first["low"]) if first["high"] is not None and first["low"] is not None else float("nan")
        rows.setdefault(key[:2], []).append((abs(first["value"] - second["value"]), width))
    print("| metric | findings | largest difference | in widths of its 95% interval |")
    print("| --- | --- | --- | --- |")
    for (probe, metric), found in sorted(rows.items()):
        difference, width = max(found, key=lambda pair: pair[0])
        share = f"{difference / width:.4f}" if width == width and width > 0 else ""
        print(f"| {probe}.{metric} | {len(found)} | {difference:.2g} | {share if difference else '0'} |")


if __name__ == "__main__":
    main()
