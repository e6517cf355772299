"""Prompt sets: templates that class names are put into."""
