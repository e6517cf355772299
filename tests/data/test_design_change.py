from dataclasses import replace

import pytest

from eyechart.data.class_design import ClassDesign
from eyechart.data.design_change import changed
from eyechart.errors import UsageError

BASE = ClassDesign("base", {"person": ("man", "woman"), "crime": ("thief",)}, harmful=("crime",))


def test_a_class_is_added_to_a_group_that_may_be_new():
    assert changed(BASE, "+child:person").groups["person"] == ("man", "woman", "child")
    assert changed(BASE, "+ dog : animal").groups["animal"] == ("dog",)


def test_a_class_is_dropped_or_called_otherwise():
    assert changed(BASE, "-woman").names == ("man", "thief")
    assert changed(BASE, "thief->burglar").group_of["burglar"] == "crime"


def test_several_changes_follow_each_other():
    merged = changed(BASE, "-man; -woman; +person:person")
    assert merged.names == ("person", "thief")
    assert merged.harmful == BASE.harmful


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("+child", r"write '\+class:group'"),
        ("+thief:person", "already exists, in 'crime'"),
        ("-thef", "not a class of base; did you mean 'thief'"),
        ("man->woman", "already is a class"),
        ("child", "write '.class:group', '-class' or"),
        ("-man; -woman", "two classes must remain"),
        ("", "the change is empty"),
        (" ; ", "the change is empty"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(UsageError, match=message):
        changed(BASE, change)


def test_a_renamed_class_keeps_its_synonyms_and_is_right_for_its_old_label():
    named = replace(BASE, synonyms={"thief": ("burglar",)})
    after = changed(named, "thief->robber")
    assert after.labels_of("robber") == ("robber", "thief")
    assert after.synonyms == {"robber": ("burglar",)}
    dropped = changed(after, "-robber")
    assert (dropped.synonyms, dropped.labels) == ({}, {})
