"""Inputs that once ended in a traceback, a hang or a crash: they are read, or refused with a sentence. docs/reliability.md."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from torture.corpus import read_entry
from torture.fuzz import attempt
from torture.layouts import generic_datasets, published_datasets
from torture.other_layouts import models, texts_and_plans

ENTRIES = sorted((Path(__file__).parent / "corpus").glob("*.json"))
TARGETS = {target.name: target for target in (*generic_datasets(), *published_datasets(), *texts_and_plans(), *models())}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda path: path.stem)
def test_an_input_that_once_failed_is_read_or_refused(entry):
    name, changed, places = read_entry(entry)
    target = TARGETS[name]
    assert attempt(target, {**target.files, **changed}, places)[0] in ("read", "refused")


@pytest.mark.parametrize("name", sorted(name for name, target in TARGETS.items() if target.share == 1))
def test_the_input_that_is_mutated_is_valid_itself(name):
    """Otherwise every mutation of it would be refused for the same reason, and nothing would be tested."""
    assert attempt(TARGETS[name], TARGETS[name].files) == ("read", "")


def test_an_exception_that_is_not_ours_is_a_failure():
    def use(folder):
        raise KeyError("a")

    from torture.layouts import Target

    assert attempt(Target("broken", {}, use), {})[0].startswith("KeyError")
