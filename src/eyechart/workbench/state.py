"""The state of a workbench: what is open, and one thread in which everything is computed.

Models encode in one thread only, and what is typed fast comes faster than it can be computed: a request waits for the thread,
and is dropped where a newer one of the same kind has come meanwhile.
"""

import asyncio
import hashlib
import json
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from eyechart.errors import EyechartError, UsageError
from eyechart.progress import Progress, SilentProgress
from eyechart.store.store import Store
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.examinations import Examinations
from eyechart.workbench.gallery import Gallery
from eyechart.workbench.live_design import LiveDesign, parse_live_design
from eyechart.workbench.opened_model import OpenedModel, OpenedPictures
from eyechart.workbench.run_catalog import RunCatalog
from eyechart.workbench.threshold_desk import ThresholdDesk
from eyechart.workbench.tried_picture import TriedPicture
from eyechart.workbench.vector_map import VectorMap

KEPT = 6  # galleries and threshold desks, of which each class list has its own
KEPT_PICTURES = 8

T = TypeVar("T")


class Stale(Exception):
    """A newer request of the same kind has come."""


class Closing(EyechartError):
    """The server is being ended."""


class WorkbenchState:
    """Everything that is open.

    maps: UMAP layouts of pictures, which take long.
    pages: The secret beginning of the addresses of pages, which are served in a sandbox.

    Args:
        opened: A run, a folder with runs, or a store.
        store: The folder of the vectors; by default the opened store, or the user's cache folder.
        places: Datasets that have moved, and where they are now.
    """

    def __init__(self, opened: Path, *, store: str | Path | None = None, places: Mapping[str, str] | None = None) -> None:
        self.catalog = RunCatalog(opened)
        if store is None and self.catalog.is_store:
            store = opened
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="workbench")
        # The store's table of hashes belongs to the thread that opens it.
        self.store: Store = self._thread.submit(Store, store).result()
        self.examinations = Examinations(self.catalog, self.store.path)
        self.pages = secrets.token_urlsafe(24)
        self._places = dict(places or {})
        self._models: dict[tuple[str, str], OpenedModel] = {}
        self._desks: dict[tuple[str, str, str], DesignDesk] = {}
        self._galleries: OrderedDict[str, Gallery] = OrderedDict()
        self._thresholds: OrderedDict[str, ThresholdDesk] = OrderedDict()
        self._tried: OrderedDict[str, TriedPicture] = OrderedDict()
        self._newest: OrderedDict[str, int] = OrderedDict()
        self.maps: WeakKeyDictionary[OpenedPictures, VectorMap] = WeakKeyDictionary()
        self.encoding = EncodingProgress()

    async def compute(self, work: Callable[[], T], *, kind: str = "", number: int = 0) -> T:
        """Run work in the one thread.

        Args:
            work: What to compute.
            kind: Requests of one kind replace one another; "" for none.
            number: Grows with each request of the kind.

        Raises:
            Stale: If a newer request of the kind came before this one could be computed.
            Closing: If the server is ended meanwhile.
        """
        if kind:
            self._newest[kind] = max(number, self._newest.pop(kind, 0))
            while len(self._newest) > 1000:
                self._newest.popitem(last=False)

        def unless_stale() -> T:
            if kind and self._newest.get(kind, 0) > number:
                raise Stale
            return work()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, unless_stale)
        except asyncio.CancelledError:  # Ctrl-C while something is computed
            raise Closing("the workbench is closing") from None

    def model(self, run: str, model: str) -> OpenedModel:
        key = (run, model)
        content = self.catalog.run(run)
        if key in self._models and self._models[key].run is not content:  # the run was written again
            del self._models[key]
            self._desks = {k: d for k, d in self._desks.items() if k[:2] != key}
        if key not in self._models:
            if model not in content.models:
                raise UsageError(f"the run has no model {model!r}")
            self._models[key] = OpenedModel(content, model, store=self.store, places=self._places)
        return self._models[key]

    def desk(self, at: Any) -> DesignDesk:
        """The desk that a request names: {run, model, dataset}."""
        run, model, dataset = place_of(at)
        opened = self.model(run, model)
        key = (run, model, dataset)
        if key not in self._desks:
            if dataset not in opened.run.datasets:
                raise UsageError(f"the run has no dataset {dataset!r}")
            self._desks[key] = DesignDesk(opened, dataset)
        return self._desks[key]

    def open_typed(self, at: Any, names: Any) -> DesignDesk:
        """A desk that begins with typed class names; it replaces the one that was open."""
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UsageError("classes must be a list of names")
        run, model, dataset = place_of(at)
        opened = self.model(run, model)
        if dataset not in opened.run.datasets:
            raise UsageError(f"the run has no dataset {dataset!r}")
        desk = DesignDesk(opened, dataset, [name.strip() for name in names if name.strip()])
        _ = desk.base  # refuses a list that is none
        self._desks[run, model, dataset] = desk
        self._galleries.clear()
        self._thresholds.clear()
        return desk

    def gallery(self, at: Any, design: LiveDesign, dataset: str | None = None) -> Gallery:
        desk = self.desk(at)
        if dataset is not None and dataset not in desk.opened.run.datasets:
            raise UsageError(f"the run has no dataset {dataset!r}")
        key = _key(at, design, dataset or desk.dataset)
        return _kept(self._galleries, key, lambda: Gallery(desk, design, dataset))

    def thresholds(self, at: Any, design: LiveDesign) -> ThresholdDesk:
        desk = self.desk(at)
        return _kept(self._thresholds, _key(at, design, ""), lambda: ThresholdDesk(desk, design))

    def design(self, at: Any, content: Any) -> LiveDesign:
        """The design that a request describes; the run's where it has none."""
        return self.desk(at).base if content is None else parse_live_design(content)

    def keep_picture(self, tried: TriedPicture) -> str:
        name = secrets.token_urlsafe(9)
        self._tried[name] = tried
        while len(self._tried) > KEPT_PICTURES:
            self._tried.popitem(last=False)
        return name

    def tried(self, name: str) -> TriedPicture:
        if name not in self._tried:
            raise UsageError("this picture is not kept any more; drop it again")
        return self._tried[name]

    def close(self) -> None:
        self.examinations.close()
        self._thread.submit(self.store.close)
        self._thread.shutdown(wait=True)


class EncodingProgress:
    """The progress of encoding missing vectors, read from another thread."""

    def __init__(self) -> None:
        self.running, self.done, self.total = False, 0, 0

    def task(self, title: str, total: int | None, unit: str) -> Any:
        self.done, self.total = 0, total or 0
        outer, inner = self, SilentProgress().task(title, total, unit)

        class _Counting:
            def __enter__(self) -> "_Counting":
                inner.__enter__()
                return self

            def __exit__(self, *about: Any) -> None:
                inner.__exit__(*about)

            def advance(self, n: int = 1) -> None:
                outer.done += n

        return _Counting()

    def line(self, text: str) -> None:
        """Nothing to show."""


_: Progress = EncodingProgress()  # it is one


def place_of(at: Any) -> tuple[str, str, str]:
    run, model, dataset = (at.get(key) if isinstance(at, Mapping) else None for key in ("run", "model", "dataset"))
    if not (isinstance(run, str) and isinstance(model, str) and isinstance(dataset, str)):
        raise UsageError("the request must name a run, a model and a dataset")
    return run, model, dataset


def _key(at: Any, design: LiveDesign, more: str) -> str:
    content = json.dumps([place_of(at), design.to_json(), more], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _kept(kept: OrderedDict[str, T], key: str, make: Callable[[], T]) -> T:
    if key not in kept:
        kept[key] = make()
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return kept[key]
