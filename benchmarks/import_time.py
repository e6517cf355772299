"""Import of the package, beside that of NumPy, each in a fresh interpreter; the interpreter's own start is taken off.

python benchmarks/import_time.py
"""

import subprocess
import sys
import time


def seconds(code: str, repeats: int = 9) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2]


def main() -> None:
    nothing = seconds("pass")
    ours, numpy = seconds("import eyechart") - nothing, seconds("import numpy") - nothing
    print(f"import eyechart {1000 * ours:.0f} ms (limit 300 ms), import numpy {1000 * numpy:.0f} ms, ratio {ours / numpy:.2f}")


if __name__ == "__main__":
    main()
