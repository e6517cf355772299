"""Models compared on the same pictures: differences with paired intervals, changed predictions and thresholds."""
