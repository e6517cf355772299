"""A run as Markdown, model card, notebook output and chart files."""
