"""Which tests should notice a change of a source file: those of its mirror image, and those that import it. Where a file has no
test of its own, such as a part that several probes share, also those of the source files that import it."""

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
    module = module_of(path)
    pattern = re.compile(rf"\bfrom {re.escape(module)} import |\bimport {re.escape(module)}\b")
    own = _own_test(inside, root)
    mirror = own.parent
    importing = _matching(sorted((root / "tests").rglob("test_*.py")), pattern)
    users = [] if own.is_file() else _matching(sorted((root / SOURCE).rglob("*.py")), pattern)
    of_users = [_own_test(user.relative_to(root / SOURCE), root) for user in users]
    beside = sorted(mirror.glob("test_*.py")) if mirror.is_dir() and mirror != root / "tests" else []
    near = [file for file in importing if file.parent == mirror]
    ordered = (own, *near, *of_users, *beside, *importing)
    chosen = dict.fromkeys(file for file in ordered if file.is_file() and "backends" not in file.parts)
    return [str(file.relative_to(root)) for file in chosen]


def module_of(path: str) -> str:
    """The dotted name of a source file, relative to the repository."""
    return ".".join(Path(path).relative_to("src").with_suffix("").parts).removesuffix(".__init__")


def _own_test(inside: Path, root: Path) -> Path:
    """The test file of a source file, relative to the package."""
    return root / "tests" / inside.parent / f"test_{inside.stem if inside.stem != '__init__' else inside.parent.name}.py"


def _matching(files: list[Path], pattern: re.Pattern[str]) -> list[Path]:
    return [file for file in files if pattern.search(file.read_text(encoding="utf-8"))]
