"""Requests for pictures: of the opened datasets, dropped ones, and heat maps over both."""

import io
from collections.abc import Mapping
from typing import Any

from PIL import Image
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from eyechart.data.picture import BrokenPicture, memory_for
from eyechart.errors import DataError, UsageError
from eyechart.workbench.heat_maps import heat_map
from eyechart.workbench.opened_model import OpenedPictures
from eyechart.workbench.state import WorkbenchState
from eyechart.workbench.tried_picture import encode_picture, picture_answer

SIDES = (96, 160, 320, 1024)

Query = Mapping[str, str]


async def picture(state: WorkbenchState, query: Query) -> bytes:
    """A small copy of a picture of an opened dataset."""
    side = int(query["side"]) if query.get("side", "").isdecimal() else 160
    if side not in SIDES:
        raise UsageError(f"side must be one of {', '.join(map(str, SIDES))}")
    pictures, row = await state.compute(lambda: _found(state, query))
    decoding = state.model(query["run"], query["model"]).decoding

    def small() -> bytes:
        try:
            data = pictures.dataset.pictures.read(row)
            with memory_for(data):
                return _jpeg(decoding.decode(data), side)
        except OSError as error:
            raise DataError(f"the picture cannot be read ({error.strerror or error})") from error

    data: bytes = await run_in_threadpool(small)
    return data


async def heat(state: WorkbenchState, query: Query) -> bytes:
    """A heat map over a picture of a dataset, or over a dropped one."""

    def work() -> bytes:
        opened = state.model(query.get("run", ""), query.get("model", ""))
        vector = None
        if query.get("tried"):
            tried = state.tried(query["tried"])
            seen, own = tried.picture, tried.vector
        else:
            pictures, row = _found(state, query)
            seen, own = opened.decoding.decode(pictures.dataset.pictures.read(row)), pictures.vectors[row]
        if query.get("kind") == "patches" and query.get("of") and own is not None:
            desk = state.desk({"run": query["run"], "model": query["model"], "dataset": query["of"]})
            vectors, _ = desk.class_vectors(desk.base)
            vector = vectors[int((vectors @ own).argmax())]
        return heat_map(opened.model, seen, query.get("kind", "attention"), vector)

    return await state.compute(work)


async def tried_file(state: WorkbenchState, query: Query) -> bytes:
    """A small copy of a dropped picture."""
    return _jpeg(state.tried(query.get("tried", "")).picture.copy(), 320)


async def try_picture(state: WorkbenchState, request: Request) -> dict[str, Any]:
    """Encode a picture that was dropped, and keep it. The body is the file itself."""
    at = {key: request.query_params.get(key) for key in ("run", "model", "dataset")}
    data = await request.body()

    def work() -> dict[str, Any]:
        try:
            return {"tried": state.keep_picture(encode_picture(state.desk(at), data))}
        except BrokenPicture as error:
            raise DataError(f"this is not a picture that can be used: {error.reason}") from error

    return await state.compute(work)


async def show_tried(state: WorkbenchState, body: Mapping[str, Any]) -> dict[str, Any]:
    """The classes, the OOD score and the neighbors of a picture that is kept."""

    def work() -> dict[str, Any]:
        at = body.get("at")
        design = state.design(at, body.get("design"))
        tried = state.tried(str(body.get("tried")))
        return picture_answer(state.desk(at), design, state.gallery(at, design), state.thresholds(at, design), tried)

    return await state.compute(work)


def _found(state: WorkbenchState, query: Query) -> tuple[OpenedPictures, int]:
    opened = state.model(query.get("run", ""), query.get("model", ""))
    dataset = query.get("dataset", "")
    if dataset not in opened.run.datasets:
        raise UsageError(f"the run has no dataset {dataset!r}")
    pictures = opened.pictures(dataset)
    if "id" in query:
        row = opened.row_of(dataset, query["id"])
    else:
        row = int(query["row"]) if query.get("row", "").isdecimal() else -1
    if not 0 <= row < len(pictures.dataset):
        raise UsageError("there is no such picture")
    return pictures, row


def _jpeg(seen: Image.Image, side: int) -> bytes:
    """A small JPEG; the picture itself is made small."""
    seen.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=3.0)
    out = io.BytesIO()
    seen.save(out, "JPEG", quality=85)
    return out.getvalue()
