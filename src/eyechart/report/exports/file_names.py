"""File names for names that users chose: safe on every system, never a path, and different for different names."""

from collections.abc import Iterable

from eyechart.findings.exhibit import slug


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Name → file name. A number is appended where two names would have the same one, even on a file system without case.

    Example:
        >>> file_names(["ViT/B", "ViT-B", "clothing"])
        {'ViT/B': 'ViT-B', 'ViT-B': 'ViT-B-2', 'clothing': 'clothing'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        base, number = slug(name), 1
        chosen = base
        while chosen.lower() in taken:
            number += 1
            chosen = f"{base}-{number}"
        taken.add(chosen.lower())
        found.setdefault(name, chosen)
    return found
