"""Scores and weights of prompt templates without labels (ZPE, CPE)."""
