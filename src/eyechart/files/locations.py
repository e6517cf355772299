"""The folders that Eyechart uses by default: the one rule for cache paths."""

import os
import sys
from pathlib import Path


def default_store_path() -> Path:
    """The store's folder: EYECHART_STORE, or a folder in the user's cache."""
    if chosen := os.environ.get("EYECHART_STORE"):
        return Path(chosen).expanduser()
    return cache_folder() / "store"


def default_replies_path() -> Path:
    """Replies of language models, next to the store."""
    return default_store_path().parent / "replies"


def cache_folder() -> Path:
    """Eyechart's folder in the user's cache, by the rules of the operating system (XDG on Linux)."""
    return _user_cache() / "eyechart"


def _user_cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
