"""Start of pyarrow. It imports pandas, where that is installed, with the first list that becomes an array: a third of a second
for a command that never uses it."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


def start_without_pandas() -> None:
    """Let pyarrow look for pandas now and not find it. `to_pandas()` and arrays of pandas still load it when they are used."""
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        pa.array([None])
    finally:
        sys.meta_path.remove(hidden)


class _Hidden:
    """A finder of modules that does not find pandas."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None
