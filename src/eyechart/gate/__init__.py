"""A gate for continuous integration: conditions on findings that fail, pass or cannot be decided."""
