"""The web app: addresses, and what answers them."""

import json
import math
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from eyechart.errors import EyechartError, UsageError, disk_error
from eyechart.notice import one_line
from eyechart.report.page_stamp import is_damaged
from eyechart.workbench.design_desk import NoClasses
from eyechart.workbench.design_requests import measure, open_desk, save, show_design, suggest
from eyechart.workbench.gallery_requests import open_folder, query_gallery, show_map, show_rows, tag
from eyechart.workbench.guard import Guard, TooLarge
from eyechart.workbench.opened_model import VectorsMissing
from eyechart.workbench.picture_requests import heat, picture, show_tried, tried_file, try_picture
from eyechart.workbench.run_requests import compare, encode, encoding, examinations, result, runs, start, stop
from eyechart.workbench.scored_names import ScoresMissing
from eyechart.workbench.state import Stale, WorkbenchState
from eyechart.workbench.threshold_requests import show_thresholds
from eyechart.workbench.tried_picture import MOST_BYTES

Asked = Callable[[WorkbenchState, Mapping[str, Any]], Awaitable[Any]]

_POSTS: dict[str, Asked] = {
    "result": result,
    "open": open_desk,
    "design": show_design,
    "measure": measure,
    "suggest": suggest,
    "save": save,
    "gallery": query_gallery,
    "rows": show_rows,
    "map": show_map,
    "tag": tag,
    "folder": open_folder,
    "thresholds": show_thresholds,
    "tried": show_tried,
    "compare": compare,
    "encode": encode,
    "start": start,
    "stop": stop,
}
_GETS: dict[str, Asked] = {"runs": runs, "examinations": examinations, "encoding": encoding}


def workbench_app(state: WorkbenchState, *, port: int, token: str) -> ASGIApp:
    """The application behind its guard."""
    static = Path(str(files("eyechart.workbench") / "static"))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> Any:
        yield
        state.close()

    async def index(_: Request) -> Response:
        return FileResponse(static / "index.html")

    async def page(request: Request) -> Response:
        return _page_file(state, request.path_params["run"], request.path_params["path"])

    async def uploaded(request: Request) -> Response:
        return await _answer(lambda: try_picture(state, request))

    routes = [
        Route("/", index),
        Mount("/static", StaticFiles(directory=static)),
        Route(f"/pages/{state.pages}/{{run}}/{{path:path}}", page),
        Route("/api/try", uploaded, methods=["POST"]),
        *(Route(f"/api/{name}", _posted(state, asked), methods=["POST"]) for name, asked in _POSTS.items()),
        *(Route(f"/api/{name}", _got(state, asked)) for name, asked in _GETS.items()),
        *(Route(f"/{name}", _file(state, give)) for name, give in (("picture", picture), ("heat", heat), ("tried", tried_file))),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _plain_error})
    return Guard(app, port=port, token=token, pages=state.pages, most_upload=MOST_BYTES)


def _posted(state: WorkbenchState, asked: Asked) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        async def work() -> Any:
            return await asked(state, await _body(request))

        return await _answer(work)

    return endpoint


def _got(state: WorkbenchState, asked: Asked) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return await _answer(lambda: asked(state, dict(request.query_params)))

    return endpoint


def _file(state: WorkbenchState, give: Asked) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            data: bytes = await give(state, dict(request.query_params))
        except EyechartError as error:
            return PlainTextResponse(f"eyechart: {error}\n", status_code=404)
        return Response(data, media_type="image/jpeg", headers={"cache-control": "private, max-age=600"})

    return endpoint


async def _answer(work: Callable[[], Awaitable[Any]]) -> Response:
    """What `work` gives, as JSON; an error as a sentence."""
    try:
        return _json(await work())
    except Stale:
        return _json({"stale": True})
    except TooLarge:
        return _json({"error": "the request is too large"}, 413)
    except (VectorsMissing, ScoresMissing) as error:
        about = {"missing": error.missing, "total": error.total, "dataset": error.dataset}
        return _json({"error": str(error), **about, "runs": isinstance(error, ScoresMissing)}, 409)
    except NoClasses as error:
        return _json({"error": str(error), "needs_classes": True}, 409)
    except EyechartError as error:
        return _json({"error": str(error)}, 400)
    except OSError as error:
        if error.errno is None:
            return _bug(error)
        return _json({"error": str(disk_error(error))}, 400)
    except Exception as error:  # noqa: BLE001 - the page must say that it is a bug, and the terminal where
        return _bug(error)


def _bug(error: Exception) -> Response:
    traceback.print_exception(error)
    return _json({"error": f"a bug in Eyechart ({type(error).__name__}: {error}); the terminal has the traceback"}, 500)


async def _body(request: Request) -> Mapping[str, Any]:
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        raise UsageError("the request must be JSON")
    try:
        content = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise UsageError("the request is not JSON") from None
    if not isinstance(content, dict):
        raise UsageError("the request must be a JSON object")
    return content


def _json(content: Any, status: int = 200) -> Response:
    return Response(json.dumps(_finite(content), ensure_ascii=False), status_code=status, media_type="application/json")


def _finite(content: Any) -> Any:
    """JSON has no NaN; what is not a number is null."""
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return content


def _page_file(state: WorkbenchState, run: str, path: str) -> Response:
    """A file of a run's page; nothing outside its folder `report`."""
    try:
        folder = (state.catalog.entry(run).folder / "report").resolve()
    except EyechartError as error:
        return PlainTextResponse(f"eyechart: {error}\n", status_code=404)
    try:
        file = (folder / (path or "index.html")).resolve()
        found = file.is_relative_to(folder) and file.is_file()
    except (OSError, ValueError, RuntimeError):  # a name that is too long or has a zero byte, or a loop of links
        found = False
    if not found:
        return PlainTextResponse("eyechart: there is no such file in the page\n", status_code=404)
    try:
        damaged = is_damaged(folder, file.relative_to(folder).as_posix())
    except OSError as error:
        return PlainTextResponse(f"eyechart: {disk_error(error)}\n", status_code=500)
    if damaged:
        remedy = f"`eyechart report {folder.parent}` writes the page again"
        return PlainTextResponse(one_line(f"eyechart: {file} is damaged; {remedy}") + "\n", status_code=500)
    return FileResponse(file)


async def _plain_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(f"eyechart: {error.detail}\n", status_code=error.status_code)
