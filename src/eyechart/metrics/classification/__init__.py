"""Accuracy, ranks, margins, worst classes, linear classifiers."""
