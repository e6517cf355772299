"""The datasets of the embedded world."""
