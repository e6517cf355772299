"""The notebooks of examples/: every cell runs, offline, and prints what the notebook shows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.shown_output import difference

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
# What a kernel does with a cell, without a kernel: run it in the one namespace, and show its last expression.
RUN = """
import ast, contextlib, io, json, sys
space, shown = {}, []
for source in json.load(sys.stdin):
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "cell", "exec"), space)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), space)
    shown.append([out.getvalue(), value._repr_html_() if hasattr(value, "_repr_html_") else ""])
print(json.dumps(shown))
"""


def cells(notebook: Path) -> list[dict]:
    return [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 2


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_prints_what_it_shows(notebook, tmp_path):
    code = cells(notebook)
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(["".join(cell["source"]) for cell in code]),
        capture_output=True, text=True, cwd=tmp_path, timeout=600, env={**os.environ, "EYECHART_STORE": str(tmp_path / "store")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for cell, (printed, html) in zip(code, json.loads(done.stdout.splitlines()[-1]), strict=True):
        shown = "".join("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout")
        assert difference(shown, printed) == "", f"{notebook.name}: {''.join(cell['source'])}"
        assert bool(html) == any("text/html" in output.get("data", {}) for output in cell["outputs"])


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_is_small_was_run_in_order_and_names_no_machine(notebook):
    text = notebook.read_text(encoding="utf-8")
    assert len(text) < 100_000 and "/tmp" not in text and "/home" not in text and "/root" not in text
    assert [cell["execution_count"] for cell in cells(notebook)] == list(range(1, len(cells(notebook)) + 1))
    assert not [output for cell in cells(notebook) for output in cell["outputs"] if output["output_type"] == "error"]
