"""What commands print cannot control the terminal, whatever the names in it are."""

import ast
from pathlib import Path

import pytest

import eyechart
from eyechart.cli.printing import say

CLI = Path(eyechart.__file__).parent / "cli"


def test_lines_stay_lines_and_control_characters_go(capsys):
    say("photos\x1b[2J\u202e\nsecond \x07line")
    assert capsys.readouterr().out == "photos\ufffd[2J\ufffd\nsecond \ufffdline\n"


@pytest.mark.parametrize("file", sorted(CLI.glob("*.py")), ids=lambda file: file.stem)
def test_no_command_prints_past_it(file):
    """`print` and `sys.stdout.write` are used in printing.py alone; Markdown goes to stdout as it is, escaped by its writer."""
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    printed = [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    assert file.name == "printing.py" or not printed
