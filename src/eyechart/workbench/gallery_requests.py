"""Requests about pictures of a dataset: filters, search, the map, tags."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from eyechart.errors import UsageError
from eyechart.workbench.gallery import PAGE, Gallery, GalleryQuery, few_pictures
from eyechart.workbench.saved_files import read_tags, write_tags
from eyechart.workbench.state import WorkbenchState, place_of
from eyechart.workbench.tried_picture import vector_of
from eyechart.workbench.vector_map import umap_map, vector_map

MOST_ROWS = 50_000

Body = Mapping[str, Any]


async def query_gallery(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """One page of pictures. With `ids`, the ids of all that match, for an export."""
    run, _, _ = place_of(body.get("at"))
    query, number = _query(body.get("query") or {}), body.get("seq")
    if not isinstance(number, int):
        raise UsageError("seq must be a whole number")

    def work() -> dict[str, Any]:
        gallery = _gallery(state, body)
        if body.get("ids"):
            return {"ids": [gallery.ids[row] for row in gallery.matching(query)]}
        similarity = None
        if body.get("words"):
            similarity = gallery.like_words(str(body["words"]))
        elif isinstance(body.get("near"), int):
            similarity = gallery.like_vector(gallery.pictures.vectors[_row(gallery, body["near"])])
        elif body.get("tried"):
            desk, design = state.desk(body.get("at")), state.design(body.get("at"), body.get("design"))
            similarity = gallery.like_vector(vector_of(desk, design, state.tried(str(body["tried"]))))
        total, rows = gallery.select(query, similarity)
        tags = read_tags(state.catalog.entry(run).folder, gallery.name)
        shown = []
        for row in rows:
            about = gallery.row(int(row))
            near = None if similarity is None else float(similarity[row])
            shown.append({**about, "tagged": about["id"] in tags, "similarity": near})
        most = gallery.most_predicted(query)
        return {"total": total, "rows": shown, "facets": gallery.facets, "most_predicted": most, "seq": number}

    return await state.compute(work, kind=f"gallery {body.get('tab')}" if number else "", number=number)


async def show_rows(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """A few pictures by their rows, under a class list that may change with the next key."""
    rows = _rows(body.get("rows"))
    if len(rows) > PAGE:
        raise UsageError(f"rows must be a list of at most {PAGE} whole numbers")

    def work() -> dict[str, Any]:
        at = body.get("at")
        return {"rows": few_pictures(state.desk(at), state.design(at, body.get("design")), rows)}

    return await state.compute(work)


async def show_map(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """The map of the vectors: places, and whether each picture is classified correctly.

    UMAP takes seconds, so it is computed in another thread and kept.
    """
    layout = body.get("layout", "pca")
    if layout not in ("pca", "umap"):
        raise UsageError("layout must be pca or umap")
    gallery = await state.compute(lambda: _gallery(state, body))
    vectors = await state.compute(lambda: gallery.map_vectors)
    if layout == "pca":
        found = await state.compute(lambda: vector_map(vectors))
    else:
        found = state.maps[gallery.pictures] if gallery.pictures in state.maps else await run_in_threadpool(umap_map, vectors)
        state.maps[gallery.pictures] = found

    def answer() -> dict[str, Any]:
        return {
            "layout": layout,
            "rows": found.rows.tolist(),
            "x": [round(float(v), 4) for v in found.places[:, 0]],
            "y": [round(float(v), 4) for v in found.places[:, 1]],
            "correct": [1 if gallery.correct[r] else 0 if gallery.labeled[r] else -1 for r in found.rows],
            "predicted": gallery.top.predicted[found.rows].tolist(),
            "explained": None if found.explained is None else found.explained.tolist(),
            "n": len(gallery.ids),
        }

    return await state.compute(answer)


async def tag(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """Tag pictures as label errors, or remove the tag."""
    run, _, _ = place_of(body.get("at"))
    rows = _rows(body.get("rows"))

    def work() -> dict[str, Any]:
        gallery = _gallery(state, body)
        chosen = [gallery.row(_row(gallery, row)) for row in rows]
        listed = [(about["id"], str(about["label"] or ""), about["predicted"]) for about in chosen]
        folder = state.catalog.entry(run).folder
        path = write_tags(folder, gallery.name, listed, tagged=body.get("tagged") is not False)
        return {"file": str(path), "tags": len(read_tags(folder, gallery.name))}

    return await state.compute(work)


async def open_folder(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """Show the file of a picture in the file manager of this machine."""

    def work() -> str:
        gallery = _gallery(state, body)
        return gallery.dataset.pictures.place(_row(gallery, body.get("row")))

    place = await state.compute(work)
    path, opener = Path(place), _opener()
    if not path.is_file():
        return {"place": place, "opened": False, "reason": "it is not a file of its own"}
    if opener is None:
        return {"place": place, "opened": False, "reason": "no file manager was found"}
    path = path.resolve()
    subprocess.Popen([opener, str(path.parent)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {"place": str(path), "opened": True, "reason": None}


def _opener() -> str | None:
    return shutil.which({"darwin": "open", "win32": "explorer"}.get(sys.platform, "xdg-open"))


def _gallery(state: WorkbenchState, body: Body) -> Gallery:
    at, dataset = body.get("at"), body.get("dataset")
    if dataset is not None and not isinstance(dataset, str):
        raise UsageError("dataset must be a text")
    return state.gallery(at, state.design(at, body.get("design")), dataset)


def _row(gallery: Gallery, row: Any) -> int:
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < len(gallery.ids):
        raise UsageError("there is no such picture")
    return row


def _rows(content: Any) -> list[int]:
    if not isinstance(content, list) or len(content) > MOST_ROWS or not all(isinstance(row, int) for row in content):
        raise UsageError(f"rows must be a list of at most {MOST_ROWS:,} whole numbers")
    return content


def _query(content: Any) -> GalleryQuery:
    if not isinstance(content, Mapping):
        raise UsageError("query must be an object")
    offset, ranges = content.get("offset") or 0, content.get("ranges") or {}
    groups = content.get("groups") or {}
    if not isinstance(offset, int) or offset < 0 or not isinstance(ranges, Mapping) or not isinstance(groups, Mapping):
        raise UsageError("offset must be a whole number, ranges and groups must be objects")
    correct, half = content.get("correct"), content.get("half")
    if half not in (None, "explored", "held out"):
        raise UsageError("half must be explored or held out")
    return GalleryQuery(
        label=_text(content.get("label")),
        predicted=_text(content.get("predicted")),
        correct=correct if isinstance(correct, bool) else None,
        ranges={str(name): _bounds(of) for name, of in ranges.items()},
        groups={str(name): str(value) for name, value in groups.items()},
        rows=None if content.get("rows") is None else tuple(_rows(content["rows"])),
        half=half,
        sort=str(content.get("sort") or "surest wrong"),
        offset=offset,
    )


def _bounds(of: Any) -> tuple[float | None, float | None]:
    if not isinstance(of, list) or len(of) != 2 or not all(b is None or isinstance(b, int | float) for b in of):
        raise UsageError("a range must be [low, high]")
    return of[0], of[1]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
