"""The one HTTP client: https only (or http to this machine), with a size limit and a time limit for the whole request."""

import queue
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from typing import Any, Literal
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, ProxyHandler, Request, build_opener

Redirects = Literal["follow", "refuse"]

_CHUNK = 1 << 16
_SAID = 4000  # bytes of an error's body that are read


class HttpFailure(Exception):
    """A request that gave no content; the message is the reason."""


class NotEncrypted(HttpFailure):
    """An address that is neither https nor, where that is allowed, http to this machine."""

    def __init__(self, url: str) -> None:
        super().__init__("only https addresses are allowed")
        self.url = url


class BadStatus(HttpFailure):
    """The server answered with an error, or with a redirect that is not followed."""

    def __init__(self, code: int, reason: str, retry_after: float | None = None, body: bytes = b"") -> None:
        super().__init__(f"the server answers {code} {reason}")
        self.code = code
        self.body = body  # the beginning of what the server says about it
        self.retry_after = retry_after  # seconds that the server asks to wait; None where it does not say


class TooLarge(HttpFailure):
    """The content is larger than the limit."""


class TooSlow(HttpFailure):
    """The time limit has passed."""


class Unreachable(HttpFailure):
    """No connection, or one that is not trusted or that broke."""


@dataclass(frozen=True)
class HttpRequest:
    """What is requested, and within which limits.

    url: The address.
    most_bytes: The largest content that is read.
    seconds: The time limit for everything together: connection, headers, redirects and content.
    body: The content of a POST request; None for GET.
    headers: Headers besides `User-Agent`. `Authorization` is never sent to another host.
    redirects: "follow" only to https addresses, or "refuse".
    loopback: Whether http is allowed to this machine (localhost, 127.0.0.0/8, ::1).
    context: The certificates to trust; None for those of the machine.
    """

    url: str
    most_bytes: int
    seconds: float
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    redirects: Redirects = "follow"
    loopback: bool = False
    context: ssl.SSLContext | None = None


def fetch_bytes(request: HttpRequest) -> bytes:
    """The content behind an address; an HttpFailure says why there is none.

    A socket's own timeout covers one wait and begins again with every byte, so the work is done on a thread. When the time limit
    has passed, its connections are closed, which ends the thread too, however slowly a status line or a header arrives.
    """
    _require_encryption(request.url, request)
    outcome: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
    opened: list[HTTPConnection] = []
    until = time.monotonic() + request.seconds

    def work() -> None:
        try:
            outcome.put(_download(request, opened, until))
        except Exception as error:  # noqa: BLE001 - raised again by the caller
            outcome.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        found = outcome.get(timeout=request.seconds)
    except queue.Empty:
        for connection in opened:
            _hang_up(connection)
        raise _too_slow(request) from None
    if isinstance(found, Exception):
        raise found
    return found


def is_encrypted_or_local(url: str) -> bool:
    """Whether an address is https, or http to this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:  # such as a bracket that is not closed
        return False
    scheme = parts.scheme.lower()
    return bool(parts.hostname) and (scheme == "https" or (scheme == "http" and _is_this_machine(parts.hostname or "")))


def _download(request: HttpRequest, opened: list[HTTPConnection], until: float) -> bytes:
    opener = build_opener(
        _Proxies(),
        _Http(opened, until),
        _Https(opened, until, request.context or ssl.create_default_context()),
        _Redirects(request, until),
    )
    try:
        prepared = Request(request.url, data=request.body, headers={"User-Agent": "eyechart", **request.headers})
        with opener.open(prepared, timeout=request.seconds) as answer:
            length = answer.headers.get("Content-Length", "")
            expected = int(length) if length.isdecimal() and "Transfer-Encoding" not in answer.headers else None
            if expected is not None and expected > request.most_bytes:
                raise _too_large(request)
            parts, size = [], 0
            # read1 returns what has arrived; read would wait for a whole chunk, however slowly it comes.
            while part := answer.read1(_CHUNK):
                parts.append(part)
                size += len(part)
                if size > request.most_bytes:
                    raise _too_large(request)
                _check_time(until)
    except HTTPError as error:
        wait = _retry_after(error.headers.get("Retry-After"))
        raise BadStatus(error.code, str(error.reason), wait, _beginning(error)) from error
    except TimeoutError as error:
        raise _too_slow(request) from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError | socket.timeout):
            raise _too_slow(request) from error
        raise Unreachable(str(reason)) from error
    if expected is not None and size < expected:  # read1 takes a broken connection for the end of the content
        raise Unreachable(f"the connection broke after {size:,} of {expected:,} bytes")
    return b"".join(parts)


class _Proxies(ProxyHandler):
    """The proxies of the environment, but never for this machine: keys and captions for it must not leave it."""

    def proxy_open(self, req: Request, proxy: str, type: str) -> Any:
        return None if _is_this_machine(urlsplit(req.full_url).hostname or "") else super().proxy_open(req, proxy, type)


class _Http(HTTPHandler):
    """Notes every connection, so that it can be closed when the time limit has passed."""

    def __init__(self, opened: list[HTTPConnection], until: float) -> None:
        super().__init__()
        self._opened, self._until = opened, until

    def http_open(self, req: Request) -> Any:
        def connect(host: str, **options: Any) -> HTTPConnection:
            return _noted(HTTPConnection(host, **options), self._opened, self._until)

        return self.do_open(connect, req)


class _Https(HTTPSHandler):
    """The same for https."""

    def __init__(self, opened: list[HTTPConnection], until: float, context: ssl.SSLContext) -> None:
        super().__init__(context=context)
        self._opened, self._until, self._trusted = opened, until, context

    def https_open(self, req: Request) -> Any:
        def connect(host: str, **options: Any) -> HTTPConnection:
            return _noted(HTTPSConnection(host, context=self._trusted, **options), self._opened, self._until)

        return self.do_open(connect, req)


def _noted(connection: HTTPConnection, opened: list[HTTPConnection], until: float) -> HTTPConnection:
    """The connection, noted before it is made. One that is made after the time limit is closed at once: nobody else would."""
    plain = connection.connect

    def connect() -> None:
        plain()
        if time.monotonic() > until:
            connection.close()
            raise TimeoutError

    connection.connect = connect  # type: ignore[method-assign]
    opened.append(connection)
    return connection


class _Redirects(HTTPRedirectHandler):
    """Follows to https addresses only, within the time limit, and drops the key where the host changes."""

    def __init__(self, request: HttpRequest, until: float) -> None:
        self._request, self._until = request, until

    def redirect_request(self, req: Request, fp: object, code: int, msg: str, headers: object, newurl: str) -> Request | None:
        if self._request.redirects == "refuse":
            return None
        _require_encryption(newurl, self._request)
        _check_time(self._until)
        following = super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
        if following is not None and urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            following.remove_header("Authorization")
        return following


def _require_encryption(url: str, request: HttpRequest) -> None:
    try:
        encrypted = urlsplit(url).scheme.lower() == "https"
    except ValueError as error:
        raise Unreachable(f"not an address: {error}") from None
    if not is_encrypted_or_local(url) or not (encrypted or request.loopback):
        raise NotEncrypted(url)


def _hang_up(connection: HTTPConnection) -> None:
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # closed already


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _check_time(until: float) -> None:
    if time.monotonic() > until:
        raise TimeoutError


def _beginning(error: HTTPError) -> bytes:
    """The first bytes of an error's body. The status says enough where they do not arrive."""
    try:
        return error.read(_SAID)
    except (HTTPException, OSError, ValueError):
        return b""


def _retry_after(header: str | None) -> float | None:
    """The header in seconds. Its other form, a date, needs two clocks that agree, and is not used."""
    return float(header) if header is not None and header.strip().isdecimal() else None


def _too_large(request: HttpRequest) -> TooLarge:
    return TooLarge(f"larger than {request.most_bytes / 1e6:.0f} MB")


def _too_slow(request: HttpRequest) -> TooSlow:
    return TooSlow(f"no complete answer after {request.seconds:.0f} s")
