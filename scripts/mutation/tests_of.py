"""Which tests should notice a change of a source file: those of its mirror image, and those that import it."""

import re
from pathlib import Path

SOURCE = Path("src/eyechart")


def tests_of(path: str, root: Path) -> list[str]:
    """Test files, the nearest first.

    Args:
        path: A source file, relative to the repository.
        root: The repository.
    """
    inside = Path(path).relative_to(SOURCE)
    module = ".".join(("eyechart", *inside.with_suffix("").parts)).removesuffix(".__init__")
    mirror = root / "tests" / inside.parent
    own = mirror / f"test_{inside.stem if inside.stem != '__init__' else inside.parent.name}.py"
    pattern = re.compile(rf"\bfrom {re.escape(module)} import |\bimport {re.escape(module)}\b")
    importing = [file for file in sorted((root / "tests").rglob("test_*.py")) if pattern.search(file.read_text(encoding="utf-8"))]
    beside = sorted(mirror.glob("test_*.py")) if mirror.is_dir() and mirror != root / "tests" else []
    near = [file for file in importing if file.parent == mirror]
    ordered = (own, *near, *beside, *importing)
    chosen = dict.fromkeys(file for file in ordered if file.is_file() and "backends" not in file.parts)
    return [str(file.relative_to(root)) for file in chosen]
