"""The classifier file: what `eyechart repair` writes and anyone can load. Of other packages it needs NumPy alone."""

from eyechart.classifier.classifier import Answers, Classifier

__all__ = ["Answers", "Classifier"]
