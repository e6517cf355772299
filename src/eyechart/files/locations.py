"""Folders in the user's cache: where things are kept that no flag or variable places elsewhere."""

import os
import sys
from pathlib import Path


def default_store_path() -> Path:
    """EYECHART_STORE, or a folder in the user's cache."""
    if chosen := os.environ.get("EYECHART_STORE"):
        return Path(chosen).expanduser()
    return _cache() / "eyechart" / "store"


def default_replies_path() -> Path:
    """Replies of language models, next to the store."""
    return default_store_path().parent / "replies"


def _cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
