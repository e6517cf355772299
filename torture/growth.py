"""Growth: calls of functions at n and 4n. Work that grows faster than its input would take hours where the input is large.

Calls are counted, not seconds, so the figures are the same on every machine. Work inside one call of a C function is not seen.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from eyechart.data.class_file import read_classes
from eyechart.data.formats.table import read_table
from eyechart.data.label_set import read_labels
from eyechart.data.labels import attach_classes
from eyechart.errors import did_you_mean
from eyechart.files.records import parse_json
from eyechart.study.importers.open_clip import read_open_clip_results
from eyechart.study.importers.text_files import TextFile
from torture.layouts import PNG

MOST = 4.6  # calls at 4n over calls at n; 4 is linear, and sorting adds a logarithm


def calls(work: Callable[[], object]) -> int:
    """How many functions, of Python or C, are called."""
    count = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def growth(n: int = 500) -> dict[str, tuple[int, int]]:
    """What is done → calls at n and at 4n."""
    with tempfile.TemporaryDirectory() as work:
        for make in _WORK.values():
            make(Path(work), 10)()  # imports and caches are filled before anything is counted
        return {name: (calls(make(Path(work), n)), calls(make(Path(work), 4 * n))) for name, make in _WORK.items()}


def _columns(folder: Path, n: int) -> Callable[[], object]:
    names = ",".join(f"c{number}" for number in range(n))
    (folder / "t.csv").write_text(f"path,{names}\na.png,{','.join('1' * n)}\n")
    (folder / "a.png").write_bytes(PNG)
    return lambda: read_table(folder / "t.csv")


def _rows(folder: Path, n: int) -> Callable[[], object]:
    (folder / "r.csv").write_text("path,label\n" + "".join(f"{number}.png,c{number % 50}\n" for number in range(n)))
    return lambda: attach_classes(read_table(folder / "r.csv"), None)


def _label_set(folder: Path, n: int) -> Callable[[], object]:
    (folder / "l.txt").write_text("\n".join(f"label {number}" for number in range(n)))
    return lambda: read_labels(str(folder / "l.txt"))


def _classes(folder: Path, n: int) -> Callable[[], object]:
    (folder / "c.txt").write_text("\n".join(f"class {number}, kind {number}" for number in range(n)))
    return lambda: read_classes(folder / "c.txt")


def _json(folder: Path, n: int) -> Callable[[], object]:
    text = "[" + ",".join(f'{{"a": [{number}]}}' for number in range(n)) + "]"
    return lambda: parse_json(text, "t.json")


def _results(folder: Path, n: int) -> Callable[[], object]:
    rows = "".join(f"ViT-B-32,tag{number},151.28,14.78,0.4,0.6{number},0.42\n" for number in range(n))
    head = "name,pretrained,params (M),FLOPs (B),Average perf. on 38 datasets,ImageNet 1k,ImageNet Sketch\n"
    return lambda: read_open_clip_results([TextFile("r.csv", "r.csv", head + rows)])


def _did_you_mean(folder: Path, n: int) -> Callable[[], object]:
    known = [f"picture-{number:06d}.png" for number in range(20 * n)]
    return lambda: did_you_mean("picture-x", known)


_WORK: dict[str, Callable[[Path, int], Callable[[], object]]] = {
    "columns of a CSV": _columns,
    "rows of a CSV": _rows,
    "labels of a set": _label_set,
    "names of classes": _classes,
    "objects of a JSON file": _json,
    "rows of a results table": _results,
    "ids to find a similar one in": _did_you_mean,
}
