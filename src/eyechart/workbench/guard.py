"""Who may talk to the workbench: this machine's browser, with the token that was printed when it started.

Every request must name the server's own address as Host, so that a foreign name that resolves to this machine (DNS rebinding)
is refused. The token is in the address once; after that a cookie takes its place, which scripts cannot read and other sites
cannot send. What changes something must come from a page of the workbench itself.

The pages of examinations may come from other people, and have scripts of their own. They are served under a secret address of
their own and in a sandbox, so that these scripts have neither the cookie nor the origin of the workbench.
"""

import secrets
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_JSON = 4_000_000  # bytes of a request body
UPLOADS = ("/api/try",)

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The pages of examinations style their charts inline, and connect to nothing.
_PAGE_POLICY = "sandbox allow-scripts allow-popups allow-downloads; " + _POLICY.replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
).replace(" connect-src 'self';", "")


class TooLarge(Exception):
    """A request body is larger than is allowed."""


class Guard:
    """Refuses requests that do not come from the browser that was given the token.

    Args:
        app: The application.
        port: The port of the server.
        token: The token of the printed address. It is accepted once.
        pages: The secret beginning of the addresses of pages.
        most_upload: Bytes of an uploaded picture.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str, pages: str, most_upload: int) -> None:
        self._app, self._most_upload, self._pages = app, most_upload, f"/pages/{pages}/"
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._token: str | None = token
        self._cookie, self._secret = f"eyechart_{port}", secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no web sockets
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _sealed(scope, send)(refusal, receive)
            return
        most = self._most_upload if scope["path"] in UPLOADS else MOST_JSON
        length = Headers(scope=scope).get("content-length")
        if length is not None and (not length.isdecimal() or int(length) > most):
            await _sealed(scope, send)(_sentence(413, f"the request is larger than {most:,} bytes"), receive)
            return

        async def guarded_send(message: Message) -> None:
            await send(_with_headers(scope, message))

        await self._app(scope, _bounded(receive, most), guarded_send)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that may not go on; None where it may."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._hosts:
            return _sentence(421, "this server answers to its own address only")
        if scope["path"].startswith(self._pages) and scope["method"] in ("GET", "HEAD"):
            return None
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin != f"http://{host}":
            return _sentence(403, "requests from other sites are refused")
        given = _cookie(headers.get("cookie", ""), self._cookie)
        known = given is not None and secrets.compare_digest(given, self._secret)
        if scope["path"] == "/" and scope["method"] == "GET":
            token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if token and (known or self._uses_up(token)):
                return self._signed_in()
        if not known:
            return _sentence(401, "open the address that `eyechart open` printed; it works once, in one browser")
        if scope["method"] not in ("GET", "HEAD"):
            if origin is None or (site is not None and site != "same-origin"):
                return _sentence(403, "requests from other sites are refused")
        elif site is not None and site not in ("same-origin", "none"):
            return _sentence(403, "requests from other sites are refused")
        return None

    def _uses_up(self, token: str) -> bool:
        if self._token is None or not secrets.compare_digest(token.encode(), self._token.encode()):
            return False
        self._token = None
        return True

    def _signed_in(self) -> Response:
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(self._cookie, self._secret, httponly=True, samesite="strict", path="/")
        return response


def _sentence(status: int, text: str) -> Response:
    return PlainTextResponse(f"eyechart: {text}\n", status_code=status)


def _cookie(header: str, name: str) -> str | None:
    for part in header.split(";"):
        key, equals, value = part.strip().partition("=")
        if equals and key == name:
            return value
    return None


def _with_headers(scope: Scope, message: Message) -> Message:
    if message["type"] != "http.response.start":
        return message
    page = scope["path"].startswith("/pages/")
    extra = {
        "content-security-policy": _PAGE_POLICY if page else _POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "cross-origin" if page else "same-origin",
        "cross-origin-opener-policy": "same-origin",
    }
    known = {key.lower() for key, _ in message.get("headers", [])}
    added = [(k.encode(), v.encode()) for k, v in extra.items()]
    if b"cache-control" not in known:
        added.append((b"cache-control", b"no-store"))
    return {**message, "headers": [*message.get("headers", []), *added]}


def _sealed(scope: Scope, send: Send):  # type: ignore[no-untyped-def]
    async def answer(response: Response, receive: Receive) -> None:
        async def with_headers(message: Message) -> None:
            await send(_with_headers(scope, message))

        await response(scope, receive, with_headers)

    return answer


def _bounded(receive: Receive, most: int) -> Receive:
    """The body, which must not grow beyond `most` bytes, whatever its header says."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise TooLarge
        return message

    return bounded
