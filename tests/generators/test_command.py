"""`eyechart generate` as a user types it."""

import json

import pytest

from eyechart.data.open import open_dataset


@pytest.fixture
def generate(commands, tmp_path):
    def run(*words):
        return commands.run("generate", *words, cwd=tmp_path)

    return run


def test_prompts_alone_then_pictures_of_the_world(generate, tmp_path):
    done = generate("prompts", "--objects", "2", "--sets", "2", "--template", "a photo of {}")
    assert done.returncode == 0, done.stderr
    assert "4 prompts in prompts/prompts.jsonl, 0 pictures generated" in done.stdout
    row = json.loads((tmp_path / "prompts" / "prompts.jsonl").read_text().splitlines()[0])
    assert row["prompt"].startswith("a photo of a") and len(row["objects"]) == 2 and row["picture"].startswith("pictures/")
    asked = ("drawn", "--names", "simco-18", "--sets", "2", "--generator", "world:no-order", "--side", "32", "--quiet", "--json")
    assert json.loads(generate(*asked).stdout) == {"out": "drawn", "prompts": 6, "drawn": 6}
    assert len(open_dataset(f"generated:{tmp_path / 'drawn'}")) == 6


def test_what_makes_no_sense_ends_in_one_line(generate):
    for words, why in ((("--generator", "x:y"), "no generator called"), (("--objects", "9"), "choose 2 to 8")):
        done = generate("out", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1) and why in done.stderr
