"""The classifier file that `eyechart repair` writes. Loading it needs NumPy only."""

from eyechart.classifier.classifier import Answers, Classifier

__all__ = ["Answers", "Classifier"]
