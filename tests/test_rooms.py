"""The rooms of the house: which package may import which. Every file of the package is covered, and imports by string too."""

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import eyechart

PACKAGE = Path(eyechart.__file__).parent

LEAVES = {"arrays", "errors", "exports", "notice", "profiles", "progress", "registry", "files", "docs"}
DATA_SIDE = LEAVES | {"metrics", "findings", "prompts"}
# Room → the rooms that it may import from. Data moves from left to right and never back.
MAY_IMPORT: dict[str, set[str]] = {
    "arrays": set(),
    "exports": set(),
    "notice": set(),
    "profiles": set(),
    "errors": {"notice"},
    "registry": {"errors"},
    "progress": {"notice"},
    "files": {"errors", "notice"},
    "docs": {"errors", "exports", "files"},
    "metrics": {"arrays"},
    "findings": LEAVES,
    "prompts": LEAVES,
    "language_models": LEAVES,
    "classifier": LEAVES,
    "models": LEAVES | {"metrics", "language_models"},
    "data": LEAVES | {"findings"},
    "corruptions": LEAVES | {"data"},
    "world": LEAVES | {"metrics", "prompts", "data", "models", "corruptions"},
    "generators": LEAVES | {"data", "models", "world"},
    "encode": LEAVES | {"data", "models"},
    "store": LEAVES | {"encode"},
    "plan": LEAVES | {"data", "models", "world"},
    "probes": DATA_SIDE | {"data", "models"},
    "session": DATA_SIDE | {"data", "models", "encode", "store", "probes", "plan", "language_models"},
    "verdict": LEAVES | {"findings", "metrics"},
    "report": LEAVES | {"docs", "findings", "verdict", "comparison"},
    "comparison": LEAVES | {"metrics", "findings"},
    "gate": LEAVES | {"metrics", "findings", "comparison"},
    "study": LEAVES | {"metrics", "findings", "models"},
    "inputs": LEAVES | {"findings", "data", "models", "world", "plan"},
    "reopening": LEAVES | {"data", "models", "corruptions", "world", "plan", "inputs"},
    "companions": LEAVES | {"data", "corruptions", "world", "plan", "probes", "session"},
    "dataset_facts": LEAVES | {"data", "plan", "reopening", "session"},
    "exam_inputs": LEAVES | {"data", "models", "plan", "probes", "session", "store", "inputs", "companions"},
    # It names the entry-point group of probes and loads none of them.
    "finished_run": LEAVES | {"findings", "prompts", "models", "plan", "inputs", "session", "store", "report", "probes"},
    "clusters": LEAVES | {"data", "models", "encode", "store", "plan", "session", "inputs", "exam_inputs"},
    "examination": LEAVES | {"findings", "verdict", "report"},
}
ANYTHING_LEFT = set(MAY_IMPORT)
MAY_IMPORT["exam_work"] = ANYTHING_LEFT - {"study", "generators", "classifier", "finished_run", "examination"}
MAY_IMPORT |= {
    "repair": ANYTHING_LEFT - {"generators", "study", "examination", "finished_run"},
    "exam": (ANYTHING_LEFT | {"exam_work"}) - {"study", "generators", "classifier"},
}
MAY_IMPORT |= {"workbench": set(MAY_IMPORT) - {"generators", "study", "gate"}}
MAY_IMPORT |= {"cli": set(MAY_IMPORT), "__main__": {"cli"}, "__init__": set(MAY_IMPORT)}


def room_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else file.stem


def imported_modules(file: Path) -> set[str]:
    """Modules of ours that a file imports, by statement or by a string such as "eyechart.models.onnx:open"."""
    found, tree = set(), ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} | {f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found |= set(re.findall(r"(?<![\w`])eyechart(?:\.[a-z_]\w*)+(?=$|[:.])", node.value))
    return {name for name in found if name.startswith("eyechart.") and _is_module(name)}


def _is_module(name: str) -> bool:
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return path.is_dir() or path.with_suffix(".py").is_file()


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_room_has_a_rule():
    assert {room_of(file) for file in FILES} <= set(MAY_IMPORT)


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_from_rooms_to_its_left(room):
    wrong = {
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in FILES
        if room_of(file) == room
        for module in imported_modules(file)
        if module.split(".")[1] not in MAY_IMPORT[room] | {room}
    }
    assert wrong == set()


@pytest.mark.parametrize("other", ["encode", "store", "world", "language_models", "session", "report"])
def test_probes_know_nothing_of_how_vectors_are_made_or_shown(other):
    assert other not in MAY_IMPORT["probes"]


def test_a_probe_imports_no_other_probe():
    """What two probes share is in `probes/tasks`."""
    shared = {"tasks", "contract", "cross_model", "registry", "testing"}
    wrong = set()
    for file in (PACKAGE / "probes").rglob("*.py"):
        own = file.relative_to(PACKAGE / "probes").parts[0].removesuffix(".py")
        for module in imported_modules(file):
            parts = module.split(".")
            if parts[1] == "probes" and len(parts) > 2 and parts[2] not in shared | {own} and own != "__init__":
                wrong.add(f"{file.relative_to(PACKAGE)} imports {module}")
    assert wrong == set()


def test_nobody_imports_an_underscore_name_of_another_package():
    wrong = set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eyechart"):
                private = [a.name for a in node.names if a.name.startswith("_") and not a.name.startswith("__")]
                private += [part for part in (node.module or "").split(".") if part.startswith("_")]
                wrong |= {f"{file.relative_to(PACKAGE)}: {node.module} {name}" for name in private}
    assert wrong == set()


def test_a_string_that_names_a_module_counts_as_an_import():
    names = imported_modules(PACKAGE / "models" / "sources.py")
    assert "eyechart.models.onnx" in names and find_spec("eyechart.models.onnx") is not None


def test_tests_mirror_the_package():
    """Every folder of tests is a folder of the package, but for the backends and the tests of the whole."""
    tests = Path(__file__).parent
    folders = {str(f.parent.relative_to(tests)) for f in tests.rglob("test_*.py")} - {".", "backends"}
    assert {folder for folder in folders if not (PACKAGE / folder).is_dir()} == set()


def test_every_folder_of_the_package_has_tests():
    tests = Path(__file__).parent
    folders = {file.parent.relative_to(PACKAGE) for file in FILES} - {Path()}
    assert {str(folder) for folder in folders if not list((tests / folder).glob("test_*.py"))} == set()


HEAVY = "[m for m in ('torch', 'onnxruntime', 'pyarrow', 'scipy', 'rich', 'numpy') if m in sys.modules]"


def heavy_after(code: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print({HEAVY})"], capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()[-1]


def test_importing_the_package_imports_nothing_heavy():
    assert heavy_after("import eyechart; dir(eyechart)") == "[]"


def test_help_imports_nothing_heavy():
    assert heavy_after("from eyechart.cli.main import build_parser; build_parser().format_help()") == "[]"
