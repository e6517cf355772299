"""Differences between groups: skew of rankings and contingency tests."""
