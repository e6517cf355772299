"""A better zero-shot classifier or caption encoding, measured on held-out pictures."""
