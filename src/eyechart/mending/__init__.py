"""Repairs as people call them: from a model and pictures to something better, and a page that says who gained and who lost."""

from eyechart.mending.captions import MendedCaptions, mend_captions
from eyechart.mending.classifier import Mended, mend

__all__ = ["Mended", "MendedCaptions", "mend", "mend_captions"]
