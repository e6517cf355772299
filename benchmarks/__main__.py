"""Every timed comparison, one after the other: python -m benchmarks (in an environment with open_clip)."""

import runpy
from pathlib import Path

for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
    print(f"\n== {path.name}", flush=True)
    runpy.run_path(str(path), run_name="__main__")
