"""Readers of published result tables."""
