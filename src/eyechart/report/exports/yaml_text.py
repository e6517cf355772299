"""Plain data as YAML, without a YAML library."""

import json
import re
from typing import Any

# Keys that need no quotes; YAML reads some other words as booleans or numbers.
_PLAIN_KEYS = {"model-index", "name", "results", "task", "type", "dataset", "metrics", "value", "id", "task_id", "notes"}
# Characters that JSON allows in strings and YAML does not, even within quotes; and those that change the direction of writing.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")


def yaml_text(value: Any, indent: int = 0) -> str:
    """Mappings and lists in block style, all else as JSON, a subset of YAML, so that no text can break out of its quotes."""
    pad = " " * indent
    if isinstance(value, dict) and value:
        lines = []
        for key, inner in value.items():
            nested = isinstance(inner, dict | list) and inner
            shown = f"\n{yaml_text(inner, indent + 2)}" if nested else f" {_scalar(inner)}\n"
            lines.append(f"{pad}{key if key in _PLAIN_KEYS else _scalar(key)}:{shown}")
        return "".join(lines)
    if isinstance(value, list) and value:
        return "".join(f"{pad}- {yaml_text(item, indent + 2).lstrip()}" for item in value)
    return f"{pad}{_scalar(value)}\n"


def _scalar(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
