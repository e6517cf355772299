# ruff: noqa: E501 - commands and figures, one a line
"""Commands that write a page beside a result, and what the workbench saves, for crash points and faults of the disk."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import EyechartError
from torture.crashes import Command, files_in

_PORT = 8000  # nobody listens there: the application is called directly
_HOST = f"127.0.0.1:{_PORT}"
_SAVED = {
    "design": {"kind": "toml", "name": "mine", "replace": True},
    "classifier": {"kind": "classifier", "name": "mine", "replace": True},
}


def saving_commands(work: Path) -> list[Command]:
    """`work` holds what `examine_once` made."""
    photos, out, store = work / "photos", work / "out", work / "store"
    opened = (photos, out, store)
    return [
        Command("study compare --out", ("study", "compare", "--y", "imagenet-v2", "--by", "loss", "--resamples", "10", "--out", "compared"), files_in("compared")),
        Command("study place --out", ("study", "place", "out", "--resamples", "10", "--out", "placed"), files_in("placed"), prepare=(out,)),
        *(Command(f"open: save a {name}", (name,), files_in("out/workbench"), prepare=opened, call=_save) for name in _SAVED),
        Command("open: tag", ("tag",), files_in("out/workbench"), prepare=opened, call=_save),
        Command("open: measure", ("measure",), _looks, prepare=opened, call=_save),
    ]  # fmt: skip


def _save(arguments: Sequence[str]) -> int:
    """Send a request to the application of the workbench, as the browser does, without a socket."""
    from eyechart.workbench.server import workbench_app
    from eyechart.workbench.state import WorkbenchState

    (what,) = arguments
    body = {"at": {"run": "r0", "model": "demo", "dataset": "photos"}, "rows": [0, 3], **_SAVED.get(what, {})}
    try:
        state = WorkbenchState(Path("out"))
        app = workbench_app(state, port=_PORT, token="once")
        _, headers, _ = asyncio.run(_request(app, "GET", "/", b"", [], query=b"token=once"))
        cookie = headers[b"set-cookie"].split(b";")[0]
        given = [(b"cookie", cookie), (b"origin", f"http://{_HOST}".encode()), (b"content-type", b"application/json")]
        address = f"/api/{what if what in ('tag', 'measure') else 'save'}"
        status, _, said = asyncio.run(_request(app, "POST", address, json.dumps(body).encode(), given))
        state.close()
    except (EyechartError, OSError) as error:  # the command line says both
        print(f"eyechart: {error}", file=sys.stderr)
        return 6
    if status != 200:
        print(f"eyechart: {said.decode()}", file=sys.stderr)
        return 1 if status == 500 else 2
    return 0


async def _request(
    app: Any, method: str, path: str, body: bytes, given: list[tuple[bytes, bytes]], query: bytes = b""
) -> tuple[int, dict[bytes, bytes], bytes]:
    """Status, headers and body of one answer."""
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(), "query_string": query,
        "headers": [(b"host", _HOST.encode()), *given], "scheme": "http", "root_path": "", "server": ("127.0.0.1", _PORT),
    }  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])


def _looks(place: Path) -> Any:
    """Whether a look at the held-out half is counted: each has its time."""
    from eyechart.workbench.looks import Looks

    return Looks(place / "out").count("demo", "photos") > 0
