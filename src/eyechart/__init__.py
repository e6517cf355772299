"""Eyechart: an eye examination for vision-language models."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Examination", "__version__", "examine", "run"]

if TYPE_CHECKING:
    from eyechart.exam import examine, run
    from eyechart.examination import Examination


def __getattr__(name: str) -> Any:
    # Importing the package stays cheap; the exam and all it needs come with the first use.
    if name in {"Examination", "examine", "run"}:
        from importlib import import_module

        return getattr(import_module("eyechart.examination" if name == "Examination" else "eyechart.exam"), name)
    raise AttributeError(f"module 'eyechart' has no attribute {name!r}")
