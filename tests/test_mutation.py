"""The runner of mutation tests: which changes are made, and how a run is summed up."""

import ast
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from mutation.coverage import Tracer, by_file, statement_lines  # noqa: E402
from mutation.mutants import mutants_of  # noqa: E402
from mutation.session import TestRun, covering, functions_in, replace_code  # noqa: E402
from mutation.summary import summarize  # noqa: E402
from mutation.tests_of import tests_of as files_that_test  # noqa: E402

SOURCE = '''"""A file."""

_BLOCK = 1 << 20


def share(hits: int, n: int = 3) -> float:
    """Never mutated: 1 + 1."""
    rows = max(1, _BLOCK // n)
    if n <= 0:
        raise ValueError(f"{n + 1} is no number")
    return max(hits, rows) / n + 0.5


def shown(n: int) -> object:
    return charts.bars(value="share", zero=True, height=2 * n)
'''


@pytest.fixture
def mutants(tmp_path):
    folder = tmp_path / "src" / "eyechart" / "metrics"
    folder.mkdir(parents=True)
    (folder / "share.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path, mutants_of(folder / "share.py", tmp_path)


def test_each_mutant_is_one_change_of_the_code_within_functions(mutants):
    """Constants of the module, defaults, docstrings, block sizes, charts and errors are left alone."""
    root, found = mutants
    assert sorted((m.before, m.after) for m in found) == sorted(
        [
            (
                "if n <= 0:\n    raise ValueError(f'{n + 1} is no number')",
                "if not n <= 0:\n    raise ValueError(f'{n + 1} is no number')",
            ),
            ("n <= 0", "n < 0"),
            ("0", "1"),
            ("max(hits, rows) / n + 0.5", "max(hits, rows) / n - 0.5"),
            ("max(hits, rows) / n", "max(hits, rows) * n"),
            ("max(hits, rows)", "min(hits, rows)"),
            ("0.5", "1.5"),
            ("0.5", "0.25"),
        ]
    )
    whole = ast.unparse(ast.parse(SOURCE))
    changed = [ast.unparse(mutant.tree(root)) for mutant in found]
    assert len({whole, *changed}) == 1 + len(found)
    for mutant, text in zip(found, changed, strict=True):
        assert sum(a != b for a, b in zip(whole.splitlines(), text.splitlines(), strict=True)) == 1, mutant
    assert len({mutant.id for mutant in found}) == len(found)


def test_a_summary_counts_by_folder_with_wilsons_interval(mutants):
    """Six of seven were noticed: 48.7% to 97.4% by Wilson's interval. Mutants that time out are noticed."""
    _, found = mutants
    outcomes = ["killed"] * 5 + ["timed out", "survived", "equivalent"]
    text = summarize(dict(zip(found, outcomes, strict=True))).splitlines()
    assert text[-1] == "all: 6 of 7 noticed, 85.7% (95% CI 48.7% to 97.4%); 1 timed out, 1 equivalent"
    assert text[-2] == text[-1].replace("all", "metrics", 1)
    assert sum(line.startswith("survived: ") for line in text) == sum(line.startswith("timed out: ") for line in text) == 1


def test_the_tests_of_a_file_begin_with_its_own():
    found = files_that_test("src/eyechart/metrics/intervals/mover.py", ROOT)
    assert found[0] == "tests/metrics/intervals/test_mover.py"
    beside = [file for file in found if file.startswith("tests/metrics/intervals/")]
    assert found[: len(beside)] == beside and len(found) > len(beside)


def test_a_file_without_a_test_of_its_own_is_tested_by_those_of_its_users(tmp_path):
    sources = {"probes/tasks/rows.py": "", "probes/ood.py": "from eyechart.probes.tasks.rows import ood\n", "probes/other.py": ""}
    tests = ["probes/test_ood.py", "probes/test_other.py", "probes/tasks/test_near.py"]
    for folder, files in (("src/eyechart", sources), ("tests", dict.fromkeys(tests, ""))):
        for name, text in files.items():
            (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / name).write_text(text, encoding="utf-8")
    near = "tests/probes/tasks/test_near.py"
    assert files_that_test("src/eyechart/probes/tasks/rows.py", tmp_path) == ["tests/probes/test_ood.py", near]
    (tmp_path / "tests/probes/tasks/test_rows.py").touch()
    assert files_that_test("src/eyechart/probes/tasks/rows.py", tmp_path) == ["tests/probes/tasks/test_rows.py", near]


def test_listed_equivalent_mutants_exist():
    """The id of a mutant changes with its file, its function and its code: one that is gone is removed or listed anew."""
    listed = tomllib.loads((ROOT / "tests" / "equivalent_mutants.toml").read_text(encoding="utf-8"))["mutant"]
    files = {entry["id"]: entry["change"].split(":")[0] for entry in listed}
    assert len(files) == len(listed), "an id is listed twice"
    ids = {file: {mutant.id for mutant in mutants_of(ROOT / file, ROOT)} for file in {*files.values()} if (ROOT / file).is_file()}
    assert [mutant for mutant, file in files.items() if mutant not in ids.get(file, set())] == []


STATEMENTS = """def first(n):
    if (
        n > 1
    ):
        return n + (
            2
        )
    return 0
"""


def test_a_statement_is_all_of_its_lines_and_of_one_with_a_body_only_the_head():
    assert statement_lines(ast.parse(STATEMENTS)) == {
        1: range(1, 2), **dict.fromkeys((2, 3, 4), range(2, 5)), **dict.fromkeys((5, 6, 7), range(5, 8)), 8: range(8, 9),
    }  # fmt: skip


def test_lines_that_run_are_found_and_a_mutant_is_tried_by_the_tests_that_run_it(mutants):
    """Fast tests come before slow ones, the nearest first."""
    root, found = mutants
    space = {}
    path = root / "src/eyechart/metrics/share.py"
    exec(compile(SOURCE, str(path), "exec"), space)
    hits = Tracer([root / "src"])(lambda: space["share"](1, 2))
    assert by_file(hits, root) == {"src/eyechart/metrics/share.py": [6, 8, 9, 11]}
    lines = {"src/eyechart/metrics/share.py": frozenset([8, 9, 11])}
    runs = {
        "tests/far.py::a": TestRun(0.1, lines),
        "tests/near.py::slow": TestRun(2.0, lines),
        "tests/near.py::fast": TestRun(1.0, lines),
        "tests/near.py::elsewhere": TestRun(0.5, {"src/eyechart/metrics/share.py": frozenset([8, 9])}),
        "tests/near.py::other": TestRun(0.1, {"src/eyechart/metrics/other.py": frozenset([11])}),
    }
    last = next(mutant for mutant in found if mutant.line == 11)
    assert covering(last, ["tests/near.py"], runs, root) == ["tests/near.py::fast", "tests/far.py::a", "tests/near.py::slow"]
    long = {name: TestRun(7.0, run.lines) for name, run in runs.items()}
    assert covering(last, ["tests/far.py"], long, root) == ["tests/far.py::a"]  # no more than eight seconds of tests


def test_functions_that_are_imported_get_the_code_of_the_mutant(mutants):
    root, found = mutants
    space = {}
    exec(compile(SOURCE, str(root / "src/eyechart/metrics/share.py"), "exec"), space)
    share = space["share"]
    functions = [function for function in functions_in(root / "src") if function is share]
    assert functions == [share] and share(4, 2) == (1 << 19) / 2 + 0.5
    (minimum,) = [mutant for mutant in found if mutant.after == "min(hits, rows)"]
    replace_code(minimum, root, functions)
    assert share(4, 2) == 4 / 2 + 0.5
