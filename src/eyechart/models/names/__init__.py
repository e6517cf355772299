"""What a model name says: architecture, training source and size."""
