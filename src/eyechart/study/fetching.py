"""A published table from the network: https only, no more than a cap, no longer than a limit; nothing is run, nothing is followed
to another scheme."""

import queue
import socket
import ssl
import threading
import time
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from eyechart.errors import DataError, UsageError

MOST_BYTES = 64 << 20
SECONDS = 60.0
_CHUNK = 1 << 16


def is_url(source: str) -> bool:
    """Whether a source is an address rather than a path; 'C:\\tables' is a path."""
    return "://" in source


def fetch(url: str, *, most_bytes: int = MOST_BYTES, seconds: float = SECONDS, context: ssl.SSLContext | None = None) -> bytes:
    """The bytes behind an https address. `context` says whom to trust, None the machine's authorities.

    The limit is for everything together: finding the server, greeting it, its headers, every redirection and the file. A socket's
    own limit is for one wait, and starts anew with every byte that drips in, so the work is done on a thread that is left behind.
    """
    _require_https(url)
    outcome: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

    def work() -> None:
        try:
            outcome.put(_download(url, most_bytes, seconds, context))
        except Exception as error:  # noqa: BLE001 - raised again by the caller
            outcome.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        found = outcome.get(timeout=seconds)
    except queue.Empty:
        raise _too_slow(url, seconds) from None
    if isinstance(found, Exception):
        raise found
    return found


def _download(url: str, most_bytes: int, seconds: float, context: ssl.SSLContext | None) -> bytes:
    limit = time.monotonic() + seconds
    try:
        with _opener(context, limit).open(Request(url, headers={"User-Agent": "eyechart"}), timeout=seconds) as answer:
            told = answer.headers.get("Content-Length", "")
            expected = int(told) if told.isdecimal() and "Transfer-Encoding" not in answer.headers else None
            if expected is not None and expected > most_bytes:
                raise _too_large(url, most_bytes)
            parts, size = [], 0
            # read1 gives what has come; read would wait for a whole chunk, however slowly it drips.
            while part := answer.read1(_CHUNK):
                parts.append(part)
                size += len(part)
                if size > most_bytes:
                    raise _too_large(url, most_bytes)
                _in_time(limit)
    except HTTPError as error:
        raise DataError(f"{url}: the server answers {error.code} {error.reason}; check the address in a browser") from error
    except TimeoutError as error:
        raise _too_slow(url, seconds) from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError | socket.timeout):
            raise _too_slow(url, seconds) from error
        raise DataError(f"{url}: cannot be fetched ({reason}); download the file and give its path") from error
    if expected is not None and size < expected:  # read1 takes a connection that breaks for the end of the file
        raise DataError(f"{url}: the connection broke after {size:,} of {expected:,} bytes; try again, or download the file")
    return b"".join(parts)


def file_name(url: str) -> str:
    """The last part of an address's path, as a table's file would be called."""
    return unquote(urlsplit(url).path).rpartition("/")[2] or "table.csv"


class _OnlyHttps(HTTPRedirectHandler):
    def __init__(self, limit: float) -> None:
        self.limit = limit

    def redirect_request(self, req: Request, fp: object, code: int, msg: str, headers: object, newurl: str) -> Request | None:
        _require_https(newurl)
        _in_time(self.limit)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _opener(context: ssl.SSLContext | None, limit: float) -> OpenerDirector:
    return build_opener(HTTPSHandler(context=context or ssl.create_default_context()), _OnlyHttps(limit))


def _in_time(limit: float) -> None:
    if time.monotonic() > limit:
        raise TimeoutError


def _require_https(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme.lower() != "https" or not parts.hostname:
        raise UsageError(f"{url}: only https addresses are fetched; download the file and give its path")


def _too_large(url: str, most_bytes: int) -> DataError:
    return DataError(f"{url}: larger than {most_bytes / 1e6:.0f} MB, so it is no results table; download it and give its path")


def _too_slow(url: str, seconds: float) -> DataError:
    return DataError(f"{url}: not there after {seconds:.0f} s; download the file and give its path")
