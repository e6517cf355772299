"""A model among published ones: result tables, trends, groups and ranks."""
