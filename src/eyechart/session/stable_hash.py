"""A short hash of anything that JSON can hold, the same in every process."""

import hashlib
import json
from typing import Any


def stable_hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
