"""Replies that were given once, kept in a folder under the hash of what was asked: a run is repeated without the network."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.files.atomic import write_text


@dataclass(frozen=True)
class Replies:
    folder: Path

    def find(self, asked: Mapping[str, Any]) -> str | None:
        """The reply; None where it was never given, or its file is damaged."""
        try:
            kept = json.loads(self._place(asked).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        reply = kept.get("reply") if isinstance(kept, dict) else None
        return reply if isinstance(reply, str) else None

    def keep(self, asked: Mapping[str, Any], reply: str) -> None:
        """What was asked is kept beside, so that a reader of the folder sees it. Neither address nor key is."""
        write_text(self._place(asked), json.dumps({"asked": asked, "reply": reply}, ensure_ascii=False, indent=1) + "\n")

    def _place(self, asked: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(
            json.dumps(asked, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
        ).hexdigest()
        return self.folder / digest[:2] / f"{digest}.json"
