"""Import of the package beside that of NumPy, and `eyechart --help` beside a bare interpreter, each in a fresh process.

    python benchmarks/import_time.py

The interpreter's own start is taken off the imports, not off `--help`. Seconds of the clock, and processor seconds, which other
work on the machine changes less.
"""

import resource
import subprocess
import sys
import time


def seconds(*words: str, repeats: int = 9) -> tuple[float, float]:
    """The median of the clock, and of the processor."""
    clock, processor = [], []
    for _ in range(repeats):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        clock.append(time.perf_counter() - start)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return sorted(clock)[repeats // 2], sorted(processor)[repeats // 2]


def main() -> None:
    nothing = seconds("-c", "pass")
    ours, numpy = (seconds("-c", f"import {name}")[0] - nothing[0] for name in ("eyechart", "numpy"))
    shown = seconds("-m", "eyechart", "--help")
    print(f"import eyechart {1000 * ours:.0f} ms (limit 300 ms), import numpy {1000 * numpy:.0f} ms, ratio {ours / numpy:.2f}")
    print(
        f"eyechart --help {1000 * shown[0]:.0f} ms (limit 150 ms), {shown[0] / nothing[0]:.1f} × a bare interpreter; "
        f"processor {1000 * shown[1]:.0f} ms"
    )


if __name__ == "__main__":
    main()
