"""Prompt sets: templates with one `{}` each for the class name."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PromptSet:
    """A set of templates.

    name: The set's name.
    templates: Templates with one `{}` each.
    source: Where they come from.
    """

    name: str
    templates: tuple[str, ...]
    source: str

    def __len__(self) -> int:
        return len(self.templates)

    def fill(self, class_name: str) -> list[str]:
        """The prompts of a class."""
        return [t.replace("{}", class_name) for t in self.templates]
