"""Trends over populations of models: axes, line fits, effective robustness."""
