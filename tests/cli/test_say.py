"""What commands print cannot control the terminal, whatever the names in it are."""

import ast
import csv
import sys
from pathlib import Path

import pytest

import eyechart
from eyechart.cli.main import build_parser
from eyechart.cli.predictions_command import _output
from eyechart.cli.printing import print_table, say

CLI = Path(eyechart.__file__).parent / "cli"


def test_lines_stay_lines_and_control_characters_go(capsys):
    say("photos\x1b[2J\u202e", "second \x07line")
    assert capsys.readouterr().out == "photos\ufffd[2J\ufffd\nsecond \ufffdline\n"


def test_a_name_cannot_begin_a_line(capsys):
    say("skipped: cat\neyechart: all pictures are fine")
    assert capsys.readouterr().out == "skipped: cat eyechart: all pictures are fine\n"


def test_the_title_of_a_table_cannot_control_the_terminal(capsys):
    print_table(["model"], [["a model with a long name\x1b[2J"]], title="store\x1b[31m\u202e")
    out = capsys.readouterr().out
    assert "store\ufffd[31m\ufffd" in out and "\x1b" not in out


@pytest.mark.parametrize("words", [["probes", "--nonsense\x1b[2J"], ["probes", "zero\u202e\x07shot"]])
def test_a_wrong_argument_cannot_control_the_terminal(words, capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args(words)
    shown = capsys.readouterr().err
    assert not set("\x1b\x07\u202e") & set(shown) and "error: " in shown


@pytest.mark.parametrize("file", sorted(CLI.glob("*.py")), ids=lambda file: file.stem)
def test_no_command_prints_past_it(file):
    """`print` and `sys.stdout.write` are used in printing.py alone; Markdown goes to stdout as it is, escaped by its writer."""
    calls = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    printed = [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    assert file.name == "printing.py" or not printed


def test_rows_on_a_terminal_cannot_control_it(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with _output(None) as out:
        csv.writer(out).writerows([["cat\x1b[2J", "1"], ["d\u202eog", "2"]])
    assert capsys.readouterr().out == "cat\ufffd[2J,1\nd\ufffdog,2\n"


def test_rows_in_a_pipe_are_as_they_are(capsys):
    with _output(None) as out:
        out.write("cat\x1b[2J,1\n")
    assert capsys.readouterr().out == "cat\x1b[2J,1\n"
