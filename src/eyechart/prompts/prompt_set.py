"""A prompt set: templates with one `{}` each, in which a class name is put."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PromptSet:
    name: str
    templates: tuple[str, ...]
    source: str

    def __len__(self) -> int:
        return len(self.templates)

    def fill(self, class_name: str) -> list[str]:
        return [t.replace("{}", class_name) for t in self.templates]
