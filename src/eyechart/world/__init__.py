"""The embedded world: rendered scenes with exact truth, and small models trained on them."""
