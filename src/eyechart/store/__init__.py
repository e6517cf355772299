"""The store: all vectors that were computed, by content."""

from eyechart.store.store import Store

__all__ = ["Store"]
