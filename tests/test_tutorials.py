"""The tutorials: every command in them is run, and prints what the page shows.

A block of ```console holds commands (`$ eyechart …`) and their output; `…` on a line of its own stands for lines left out.
A block of ```toml that begins with `# FILE` is a file that the reader makes. Numbers may differ a little between machines.
"""

import re
import shlex
from pathlib import Path

import pytest
from tests.command_server import Commands
from tests.shown_output import difference

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def steps(page: str) -> list[tuple[str, str]]:
    """The files and commands of a tutorial in their order: ("file", text) or (command, output)."""
    found: list[tuple[str, str]] = []
    for kind, text in _BLOCK.findall((TUTORIALS / page).read_text(encoding="utf-8")):
        if kind == "toml" and text.startswith("# "):
            found.append(("file", text))
        elif kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
                lines = part.splitlines()
                command = lines.pop(0)
                while command.endswith("\\"):
                    command = command[:-1] + lines.pop(0)
                found.append((command, "\n".join(lines)))
    return found


def follow(page: str, folder: Path, commands: Commands) -> int:
    """Do what the tutorial says; the number of commands."""
    count = 0
    environment = {
        "COLUMNS": "100",
        "EYECHART_STORE": str(folder / "store"),
        "EYECHART_STUDY": str(folder / "study"),
    }
    for command, shown in steps(page):
        if command == "file":
            name, _, text = shown.removeprefix("# ").partition("\n")
            (folder / name.strip()).write_text(text, encoding="utf-8")
            continue
        program, *words = shlex.split(command)
        assert program == "eyechart", f"{page}: {command}"
        done = commands.run(*words, cwd=folder, env=environment, timeout=1800)
        assert "Traceback" not in done.stderr, done.stderr
        found = difference(shown, done.stdout + "".join(re.findall(r"^eyechart: .*$", done.stderr, re.M)))
        assert not found, f"{page}: $ {command}\n{found}\n\n{done.stdout}\n{done.stderr}"
        count += 1
    return count


@pytest.mark.slow
def test_a_paper_figure(tmp_path, commands):
    assert follow("paper-figure.md", tmp_path, commands) >= 4


@pytest.mark.slow
def test_a_class_list_is_audited(tmp_path, commands):
    assert follow("audit.md", tmp_path, commands) >= 4


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.refdata
@pytest.mark.assets
def test_whether_to_ship(refdata, assets, tmp_path, commands):
    """A real CLIP on real photographs, and a model that cannot know them."""
    for name in ("photos", "photos-other", "clothing"):
        (tmp_path / name).symlink_to(refdata / name)
    tower = assets / "openai-vit-b16"
    if not tower.is_dir():
        pytest.skip(f"{tower} does not exist: run `make test-assets`")
    (tmp_path / "clip-vit-b16").symlink_to(tower)
    assert follow("ship.md", tmp_path, commands) == 6


@pytest.mark.parametrize(
    ("shown", "printed", "departs"),
    [
        ("a 97.1% b", "a   97.0%\nb", False),
        ("a 97.1% b", "a 90.0% b", True),
        ("a\n…\nc", "a\nb\nc", False),
        ("a\n…", "a\nb\nc", False),
        ("a", "a\nb", True),
        ("…\nc", "a\nb", True),
        ("✓ accuracy", "✗ accuracy", True),
        ("n = 1,008", "n = 1008", False),
        ("n = 342", "n = 300", True),
        ("", "", False),
    ],
)
def test_the_comparison_notices_what_departs(shown, printed, departs):
    assert bool(difference(shown, printed)) == departs
