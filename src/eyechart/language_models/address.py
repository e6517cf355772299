"""The address of an endpoint: https, or this machine. The key is read from an environment variable and never stored."""

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from eyechart.errors import UsageError
from eyechart.files.http import is_encrypted_or_local

KEY_VARIABLE = "EYECHART_ENDPOINT_KEY"
_SECRET = 8  # letters of the shortest key that is kept out of replies


@dataclass(frozen=True)
class Address:
    """An OpenAI-compatible endpoint.

    base: The base address, such as https://host/v1.
    key_variable: The environment variable that holds the key, if there is one.
    """

    base: str
    key_variable: str = KEY_VARIABLE

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base)
            _ = parts.port  # ValueError for a port that is no number
        except ValueError:
            raise UsageError("the endpoint is not an address; write for example https://host/v1") from None
        if "://" not in self.base:
            raise UsageError("the endpoint begins with neither http:// nor https://; write for example https://host/v1")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"endpoint {_shown(self.base)!r} is not an address; write for example https://host/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise UsageError(
                f"endpoint {_shown(self.base)!r}: leave out user, password, query and fragment; "
                f"put a key into the environment variable {self.key_variable}"
            )
        if not is_encrypted_or_local(self.base):
            raise UsageError(f"endpoint {_shown(self.base)!r} would get key and contents unencrypted; use https, or this machine")

    @property
    def chat(self) -> str:
        return f"{self.base.rstrip('/')}/chat/completions"

    def without_key(self, text: str) -> str:
        """A text of the server, with "[key]" in place of the key. A few letters, such as EMPTY, are no secret and stay."""
        key = self._key()
        return re.sub(re.escape(key), "[key]", text, flags=re.IGNORECASE) if len(key) >= _SECRET else text

    def _key(self) -> str:
        return os.environ.get(self.key_variable, "").strip()

    def headers(self) -> dict[str, str]:
        key = self._key()
        if not key:
            return {}
        if not key.isascii() or not key.isprintable():
            raise UsageError(f"{self.key_variable} contains characters that no key has; set it again")
        return {"Authorization": f"Bearer {key}"}


def _shown(base: str) -> str:
    """The address without parts that may be secret."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
