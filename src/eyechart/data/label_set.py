"""Sets of labels for multi-label questions: those that ship with Eyechart, and files that users write."""

from importlib.resources import files
from pathlib import Path

from eyechart.data.class_design import design_names, read_design
from eyechart.errors import UsageError, did_you_mean
from eyechart.files.text import read_text

_SETS = files("eyechart.data") / "label_sets"


def label_set_names() -> list[str]:
    return sorted(entry.name.removesuffix(".txt") for entry in _SETS.iterdir() if entry.name.endswith(".txt"))


def grouped_labels(spec: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The labels of a set, and its groups of labels: those of a class design (a name or a .toml file); none for a plain list."""
    if spec in design_names() or spec.endswith(".toml"):
        design = read_design(spec)
        return design.names, dict(design.groups)
    return read_labels(spec), {}


def read_labels(spec: str) -> tuple[str, ...]:
    """Read a label set by name (`occupations-300`, `appearance`), or from a file with one label per line and # for comments."""
    if spec in label_set_names():
        text, where = (_SETS / f"{spec}.txt").read_text(encoding="utf-8"), spec
    else:
        path = Path(spec)
        if not path.is_file():
            hint = did_you_mean(spec, label_set_names())
            raise UsageError(f"labels {spec!r}: neither a label set ({', '.join(label_set_names())}) nor a file of labels{hint}")
        text, where = read_text(path), spec
    words = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    seen: set[str] = set()
    twice = next((word for word in words if word in seen or seen.add(word)), None)  # type: ignore[func-returns-value]
    if twice is not None:
        raise UsageError(f"{where}: label {twice!r} is listed twice")
    if len(words) < 2:
        raise UsageError(f"{where}: a label set needs at least two labels")
    return tuple(words)
