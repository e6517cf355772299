"""The rooms of the house: who may import from whom."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import eyechart

PACKAGE = Path(eyechart.__file__).parent
LEAVES = {
    "errors", "hashing", "notice", "registry", "progress", "metrics", "findings", "prompts", "naming", "atomic", "text_file",
    "endpoint",
}  # fmt: skip
LEFT_OF = {
    "metrics": set(),
    "findings": {"errors", "notice", "atomic", "hashing"},
    "prompts": {"errors", "notice", "atomic", "text_file"},
    "naming": set(),
    "endpoint": {"errors", "atomic"},
    "classifier": {"errors", "atomic"},
    "data": LEAVES,
    "models": LEAVES,
    "world": LEAVES | {"data", "models"},
    "generators": LEAVES | {"data", "models", "world"},
    "encode": LEAVES | {"data", "models", "world"},
    "store": LEAVES | {"data", "models", "world", "encode"},
    "probes": LEAVES | {"data", "models", "world", "encode", "store"},
    "repair": LEAVES | {"data", "models", "world", "encode", "store", "probes", "classifier"},
    "report": LEAVES,
    "study": LEAVES,
}


def imported_rooms(file: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in getattr(node, "names", [])]
        if isinstance(node, ast.Import | ast.ImportFrom):
            rooms |= {name.split(".")[1] for name in names if name.startswith("eyechart.")}
    return rooms


@pytest.mark.parametrize("room", sorted(LEFT_OF))
def test_a_room_imports_only_from_rooms_to_its_left(room):
    wrong = {
        f"{file.relative_to(PACKAGE)} imports {other}"
        for file in (PACKAGE / room).rglob("*.py")
        for other in imported_rooms(file) - LEFT_OF[room] - {room}
    }
    assert wrong == set()


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, eyechart; print([m for m in ('torch', 'onnxruntime', 'pyarrow', 'scipy', 'rich') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from eyechart.cli.main import build_parser; build_parser().format_help();"
        "print([m for m in ('torch', 'onnxruntime', 'pyarrow', 'scipy', 'rich') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
