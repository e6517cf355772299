"""A better encoding of captions with several objects."""
