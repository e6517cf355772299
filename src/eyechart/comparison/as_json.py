"""A comparison as JSON holds it: records as objects, with whether two models are separable."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.findings.metric import Metric
from eyechart.notice import Notice


def plain(value: Any) -> Any:
    """Records and tuples with names as dicts; tables are left to CSV."""
    if isinstance(value, Metric):
        return value.name
    if isinstance(value, Notice | Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        given = {f.name: getattr(value, f.name) for f in fields(value)}
        shown = {name: plain(of) for name, of in given.items() if not isinstance(of, pa.Table)}
        return shown | ({"separable": value.separable} if hasattr(value, "separable") else {})
    if hasattr(value, "_asdict"):
        return {name: plain(of) for name, of in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): plain(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [plain(of) for of in value]
    return value
