"""Where an endpoint is, and what it may be told: https, or this machine; the key comes from the environment and stays there."""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from eyechart.errors import UsageError

KEY_VARIABLE = "EYECHART_ENDPOINT_KEY"


@dataclass(frozen=True)
class Address:
    """`base` as given, such as https://host/v1; `key_variable` names the environment variable that holds the key, if any."""

    base: str
    key_variable: str = KEY_VARIABLE

    def __post_init__(self) -> None:
        parts = urlsplit(self.base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"endpoint {_shown(self.base)!r} is no address; write for instance https://host/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError(
                f"endpoint {_shown(self.base)!r}: leave out user, password and everything behind the path; "
                f"a key belongs into the environment variable {self.key_variable}"
            )
        if parts.scheme == "http" and not _is_this_machine(parts.hostname):
            raise UsageError(f"endpoint {_shown(self.base)!r} would get captions and key unencrypted; use https, or this machine")

    @property
    def chat(self) -> str:
        return f"{self.base.rstrip('/')}/chat/completions"

    def headers(self) -> dict[str, str]:
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            return {}
        if not key.isascii() or not key.isprintable():
            raise UsageError(f"{self.key_variable} holds characters that no key has; set it again")
        return {"Authorization": f"Bearer {key}"}


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(base: str) -> str:
    """The address without what might be secret in it."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}" if parts.scheme else "(no scheme)"
