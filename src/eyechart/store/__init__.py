"""Everything encoded, kept by content: `Store`."""

from eyechart.store.store import Store

__all__ = ["Store"]
