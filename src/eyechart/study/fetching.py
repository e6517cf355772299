"""A published results table from the network: https only, with a size limit and a time limit."""

import ssl
from urllib.parse import unquote, urlsplit

from eyechart.errors import DataError, UsageError
from eyechart.files.http import BadStatus, HttpFailure, HttpRequest, NotEncrypted, TooLarge, TooSlow, fetch_bytes

MOST_BYTES = 64 << 20
SECONDS = 60.0


def is_url(source: str) -> bool:
    """Whether a source is an address rather than a path; 'C:\\tables' is a path."""
    return "://" in source


def fetch(url: str, *, most_bytes: int = MOST_BYTES, seconds: float = SECONDS, context: ssl.SSLContext | None = None) -> bytes:
    """The bytes behind an https address.

    Args:
        url: The address. Redirects are followed to https addresses only.
        most_bytes: The size limit.
        seconds: The time limit for the whole request.
        context: The certificates to trust; None for those of the machine.
    """
    try:
        return fetch_bytes(HttpRequest(url, most_bytes, seconds, context=context))
    except NotEncrypted as failure:
        raise UsageError(f"{failure.url}: only https addresses are fetched; download the file and give its path") from None
    except TooLarge as failure:
        raise DataError(f"{url}: {failure}, so it is no results table; download it and give its path") from failure
    except TooSlow as failure:
        raise DataError(f"{url}: not there after {seconds:.0f} s; download the file and give its path") from failure
    except BadStatus as failure:
        raise DataError(f"{url}: {failure}; check the address in a browser") from failure
    except HttpFailure as failure:
        raise DataError(f"{url}: cannot be fetched ({failure}); download the file and give its path") from failure


def file_name(url: str) -> str:
    """The last part of an address's path, as a table's file would be called."""
    return unquote(urlsplit(url).path).rpartition("/")[2] or "table.csv"
