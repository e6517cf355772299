"""A command loads its own parser only, and reads a run folder once."""

import subprocess
import sys

import pytest
from tests.report.sample_run import write_sample_run

from eyechart.cli.main import COMMANDS, build_parser, main
from eyechart.cli.parser import Parser
from eyechart.cli.study_command import ACTIONS as STUDY
from eyechart.cli.world_command import ACTIONS as WORLD

_LOADED = (
    "import sys; from eyechart.cli.main import main\n"
    "try: main(sys.argv[1:])\n"
    "except SystemExit: pass\n"
    "mine = [m.removeprefix('eyechart.cli.') for m in sys.modules if m.startswith('eyechart.cli.')]\n"
    "print('LOADED', *sorted(m for m in mine if m.endswith('_command') or m.startswith(('study_', 'world_', 'repair_'))))"
)


def loaded(*words: object, cwd=None) -> list[str]:
    """The modules of commands that a command imports."""
    done = subprocess.run([sys.executable, "-c", _LOADED, *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize(
    ("words", "modules"),
    [
        (["--help"], []),
        (["examine", "--help"], ["examine_command"]),
        (["study", "--help"], ["study_command"]),
        (["study", "show", "--help"], ["study_command", "study_options", "study_show"]),
        (["world", "zoo", "--help"], ["world_command", "world_zoo"]),
        (["repair", "--help"], ["repair_command", "repair_options"]),
        (["exmine"], []),
    ],
)
def test_only_the_chosen_command_is_loaded(words, modules):
    assert loaded(*words) == modules


def test_an_examination_loads_no_other_command(tmp_path):
    words = ["--model", "demo:", "--data", "world-objects", "--limit", 36, "--probes", "zero_shot", "--prompts", "single"]
    assert loaded("examine", *words, "--quiet", "--store", tmp_path / "store", cwd=tmp_path) == ["examine_command"]


@pytest.mark.parametrize(("names", "module"), [(COMMANDS, "{}_command"), (STUDY, "study_{}"), (WORLD, "world_{}")])
def test_every_command_has_a_module_with_a_description(names, module):
    from importlib import import_module

    for name in names:
        found = import_module(f"eyechart.cli.{module.format(name)}")
        assert found.__doc__.startswith("`eyechart ")
        found.add_arguments(Parser(prog=name))


def test_the_help_lists_every_command():
    text = build_parser().format_help()
    assert all(f"    {name}" in text for name in COMMANDS)


@pytest.mark.parametrize("words", [["exmine"], ["study", "trnd"], ["world", "rendr"], ["examine", "--modle", "demo:"]])
def test_misspelt_commands_and_flags_get_a_suggestion(words, capsys):
    with pytest.raises(SystemExit):
        main(words)
    assert "did you mean" in capsys.readouterr().err


@pytest.fixture
def reads(monkeypatch):
    """The folders that `read_run` is called with, wherever it was imported."""
    import eyechart.exam
    import eyechart.report.exports.static_charts
    import eyechart.report.page  # noqa: F401 - all that use `read_run` are loaded before it is replaced
    from eyechart.findings import run as module

    calls, original = [], module.read_run

    def read_run(folder):
        calls.append(folder)
        return original(folder)

    for name, loaded_module in list(sys.modules.items()):
        if name.startswith("eyechart") and getattr(loaded_module, "read_run", None) is original:
            monkeypatch.setattr(loaded_module, "read_run", read_run)
    return calls


@pytest.mark.parametrize("words", [["--charts", "svg"], ["--markdown"], ["--model-card", "one"], []])
def test_a_report_reads_the_run_once(tmp_path, reads, words):
    pytest.importorskip("vl_convert")
    folder = write_sample_run(tmp_path / "run", models=("one",))
    assert main(["report", str(folder), *words]) == 0
    assert len(reads) == 1


def test_an_examination_with_charts_reads_the_run_once(tmp_path, reads, monkeypatch):
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    words = ["--model", "demo:", "--data", "world-objects", "--limit", "36", "--probes", "zero_shot", "--prompts", "single"]
    assert main(["examine", *words, "--quiet", "--store", "store", "--charts", "svg", "--charts", "png"]) == 0
    assert len(reads) == 1


def test_placing_an_examination_reads_the_run_once(tmp_path, reads, monkeypatch):
    from eyechart.findings.mark import mark

    monkeypatch.setenv("EYECHART_STUDY", str(tmp_path / "study.parquet"))
    folder = write_sample_run(tmp_path / "run", models=("one",))
    mark(folder)
    assert main(["study", "place", str(folder)]) == 0
    assert len(reads) == 1


def test_a_suggested_repair_reads_the_run_once(tmp_path, reads, capsys):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    words = ["--model", "demo:", "--data", "world-people", "--out", str(tmp_path / "r.safetensors")]
    assert main(["repair", *words, "--suggested", str(folder)]) == 2  # nothing is suggested there
    assert len(reads) == 1 and "suggests no change" in capsys.readouterr().err
