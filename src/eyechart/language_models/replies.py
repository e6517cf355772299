"""A cache of replies in a folder, by the hash of the request, so that a run can be repeated without the network."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.files.atomic import remove_abandoned, write_text


@dataclass(frozen=True)
class Replies:
    """A cache of replies.

    folder: The folder of the cache.
    """

    folder: Path

    def find(self, request: Mapping[str, Any]) -> str | None:
        """The cached reply; None where there is none, or its file is damaged."""
        try:
            cached = json.loads(self._place(request).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        reply = cached.get("reply") if isinstance(cached, dict) else None
        return reply if isinstance(reply, str) else None

    def keep(self, request: Mapping[str, Any], reply: str) -> None:
        """Cache a reply together with its request, without address and key."""
        text = json.dumps({"asked": request, "reply": reply}, ensure_ascii=False, indent=1) + "\n"
        remove_abandoned(self._place(request).parent, below=False)
        # Half of a surrogate pair is no UTF-8; its backslash notation is JSON's own.
        write_text(self._place(request), text.encode("utf-8", "backslashreplace").decode("utf-8"))

    def _place(self, request: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(
            json.dumps(request, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
        ).hexdigest()
        return self.folder / digest[:2] / f"{digest}.json"
