"""Live class design: from a changed class to all numbers of the screen, against computing the same from scratch.

    python benchmarks/workbench.py [--pictures 50000 500000] [--classes 100] [--width 512] [--rounds 7]

Pictures and classes are random unit vectors with attributes as FairFace has them (7, 2 and 9 values). A new class is encoded by
the text encoder of the embedded model under 80 templates, and its vector is brought to the width of the others; that time is
part of the sum. Each change is timed twice: the computation alone, and through the real server on the loopback interface, from
the request to the parsed answer. What a browser adds is the drawing. The
processor time stands beside the time on the clock, because other programs on the machine add to the clock only. The peer
classifies all pictures with one matrix product and computes the same numbers with the functions of the probes `class_change` and
`class_groups`.
"""

import argparse
import http.client
import json
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import uvicorn

from eyechart import examine
from eyechart.data.dataset import Dataset
from eyechart.files.hashing import HashMemory
from eyechart.metrics.classification.predictions import best_classes, ensembles
from eyechart.metrics.vectors import unit
from eyechart.models.open import open_model
from eyechart.probes.class_change.changes import DesignChanges
from eyechart.probes.class_groups.rates import GroupRates
from eyechart.prompts.library import load_prompts
from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.design_desk import DesignDesk, with_class
from eyechart.workbench.live_design import LiveClass, LiveDesign
from eyechart.workbench.live_outcome import UNLABELED, LiveOutcome
from eyechart.workbench.opened_model import OpenedPictures
from eyechart.workbench.server import workbench_app
from eyechart.workbench.serving import listening_socket
from eyechart.workbench.state import WorkbenchState

TEMPLATES = load_prompts("openai-80")


class RandomModel:
    """What a desk needs of an opened model: random pictures, and classes of which new ones are encoded by the embedded model."""

    name, logits = "random", (100.0, 0.0)

    def __init__(self, pictures: int, classes: int, width: int) -> None:
        rng = np.random.default_rng(0)
        self._encoder = open_model("demo:", hashes=HashMemory(), device="cpu", precision="float32")
        self._known = {(f"class {c}",): v for c, v in enumerate(unit(rng.standard_normal((classes, width)).astype(np.float32)))}
        self._bridge = rng.standard_normal((self._encode("a").shape[1], width)).astype(np.float32)
        truth = rng.integers(0, classes, pictures)
        vectors = rng.standard_normal((pictures, width)).astype(np.float32) * np.float32(0.15)
        vectors += np.stack(list(self._known.values()))[truth]
        groups = {
            f"attr.{name}": [f"{name} {v}" for v in rng.integers(0, n, pictures)]
            for name, n in (("race", 7), ("gender", 2), ("age", 9))
        }
        table = pa.table({"id": [str(i) for i in range(pictures)], "label": [f"class {t}" for t in truth], **groups})
        no_files = SimpleNamespace(take=lambda _: None)
        dataset = Dataset("random", table, no_files)  # type: ignore[arg-type]
        self._opened = OpenedPictures(dataset, unit(vectors), np.arange(pictures), SimpleNamespace())
        self.encoding = 0.0

    def _encode(self, name: str) -> np.ndarray:
        texts = sorted(TEMPLATES.fill(name))
        return ensembles(self._encoder.encode_texts(self._encoder.tokenize(texts).ids), np.array([len(texts)]))

    def pictures(self, _: str) -> OpenedPictures:
        return self._opened

    def score(self, *_: object) -> None:
        """It has vectors, so no names are to be scored beforehand."""

    def class_vectors(self, classes: list[tuple[str, ...]], _: tuple[str, ...]) -> np.ndarray:
        for names in classes:
            if names not in self._known:
                start = time.perf_counter()
                self._known[names] = unit(self._encode(names[0]) @ self._bridge)[0]
                self.encoding += time.perf_counter() - start
        return np.stack([self._known[names] for names in classes])


def from_scratch(desk: DesignDesk, design: LiveDesign) -> None:
    """The same numbers as the probes compute them: all pictures, one half."""
    half = desk.explore
    outcomes = []
    for one in (desk.base, design):
        vectors = desk.opened.class_vectors([c.names for c in one.classes], one.templates)
        predicted = best_classes(desk.pictures.vectors, vectors, np.arange(len(vectors)))
        outcomes.append(LiveOutcome(one, predicted[half.rows], desk.vocabulary))
    before, after = outcomes
    list(DesignChanges(before, half.units, half.labels, half.people, {}, UNLABELED).findings(after))
    list(GroupRates(after.design, after.kinds, half.units, half.people, {}).findings())


class OneDesk(WorkbenchState):
    """The state of a workbench that has this desk open, whatever a request names."""

    def __init__(self, folder: Path, desk: DesignDesk) -> None:
        # A workbench opens examinations; its own desk is never asked for.
        examine("demo:", "world-objects", limit=36, probes=["zero_shot"], out=folder / "run", store=folder / "store")
        super().__init__(folder, store=folder / "store")
        self._desk = desk

    def desk(self, _: Any) -> DesignDesk:
        return self._desk


class Browser:
    """Sends requests as the page does, over one connection."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._connection.request("GET", f"/?token={token}")
        response = self._connection.getresponse()
        response.read()
        cookie = (response.getheader("set-cookie") or "").split(";")[0]
        self._headers = {"content-type": "application/json", "cookie": cookie, "origin": f"http://127.0.0.1:{port}"}
        self._seq = 0

    def design(self, design: LiveDesign) -> dict[str, Any]:
        """The answer to a class list."""
        self._seq += 1
        at = {"run": "r", "model": "random", "dataset": "random"}
        body = json.dumps({"at": at, "design": design.to_json(), "seq": self._seq, "tab": "a"})
        self._connection.request("POST", "/api/design", body, self._headers)
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"the server answered {response.status}: {answer}")
        return answer


@contextmanager
def served(desk: DesignDesk) -> Iterator[Browser]:
    """The real server with this desk."""
    with tempfile.TemporaryDirectory() as folder, listening_socket(0) as listener:
        port, token = listener.getsockname()[1], "benchmark"
        app = workbench_app(OneDesk(Path(folder), desk), port=port, token=token)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Browser(port, token)
        finally:
            server.should_exit = True
            thread.join()


Times = tuple[float, float]  # milliseconds on the clock, and of the processor


def timed(work: Callable[[], object]) -> Times:
    start, spent = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - spent)


def middle(times: list[Times]) -> Times:
    clock, processor = zip(*times, strict=True)
    return statistics.median(clock), statistics.median(processor)


def shown(times: Times) -> str:
    return f"{times[0]:.0f} ms ({times[1]:.0f} of the processor)"


def measure(pictures: int, classes: int, width: int, rounds: int) -> None:
    opened = RandomModel(pictures, classes, width)
    groups = ["person"] * (classes - 10) + ["animal"] * 5 + ["crime"] * 5
    listed = tuple(LiveClass((f"class {c}",), group, (f"class {c}",)) for c, group in enumerate(groups))
    desk = DesignDesk(opened, "random")  # type: ignore[arg-type]
    desk.base = LiveDesign(listed, TEMPLATES.templates, ("crime",))
    design_answer(desk, desk.base)

    def changed(way: str) -> Iterator[tuple[str, LiveDesign]]:
        for n in range(rounds):
            yield "add", with_class(desk.base, f"new class {way} {n}", "person", ())
            yield "drop", replace(desk.base, classes=desk.base.classes[:n] + desk.base.classes[n + 1 :])
            worded = (*desk.base.classes[:-1], LiveClass((f"other words {way} {n}",), "crime", ()))
            yield "reword", replace(desk.base, classes=worded)

    times: dict[str, list[Times]] = {}
    encoding = []
    for kind, design in changed("alone"):
        opened.encoding = 0.0
        times.setdefault(kind, []).append(timed(lambda design=design: design_answer(desk, design)))
        if kind == "add":
            encoding.append(1000 * opened.encoding)
            times.setdefault("from scratch", []).append(timed(lambda design=design: from_scratch(desk, design)))
    with served(desk) as browser:
        browser.design(desk.base)
        for kind, design in changed("served"):
            times.setdefault(f"{kind}, HTTP", []).append(timed(lambda design=design: browser.design(design)))
    found = {name: middle(values) for name, values in times.items()}
    words = [f"candidate {i}" for i in range(200)]
    opened.class_vectors([(w,) for w in words], ())
    suggesting = timed(lambda: desk.suggest(desk.base, words, "person"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    kept = (desk.pictures.vectors.nbytes + desk.columns.nbytes) / 1e9
    print(f"{pictures:,} pictures × {classes} classes, width {width}")
    for kind in ("add", "reword", "drop"):
        print(f"  {kind}: {shown(found[kind])}; through HTTP {shown(found[f'{kind}, HTTP'])}")
    print(f"  of adding, one class encoded: {statistics.median(encoding):.0f} ms")
    print(f"  from scratch: {shown(found['from scratch'])} = {found['from scratch'][1] / found['add'][1]:.1f} × adding")
    print(f"  200 candidates: {shown(suggesting)}")
    print(f"  peak memory {peak:.2f} GB, vectors and scores {kept:.2f} GB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, nargs="+", default=[50_000, 500_000])
    parser.add_argument("--classes", type=int, default=100)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    for pictures in args.pictures:
        measure(pictures, args.classes, args.width, args.rounds)


if __name__ == "__main__":
    main()
