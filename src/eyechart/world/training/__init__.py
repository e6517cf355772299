"""Training of the small models of the embedded world."""
