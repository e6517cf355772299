"""Repairs as people call them: from a model and pictures to something better, and a page that says who gained and who lost."""

from eyechart.mending.classifier import Mended, mend

__all__ = ["Mended", "mend"]
