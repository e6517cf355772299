"""Class lists before and after a change."""

import pytest

from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import DataError, UsageError
from eyechart.repair.class_lists import class_lists

TOYS = ClassList("toys", (PictureClass("n1", "ball", ("sphere",)), PictureClass("n2", "doll"), PictureClass("n3", "car")))


def spelled(classes: ClassList) -> list[tuple[str, str]]:
    return [(c.label, c.name) for c in classes]


def test_an_added_class_may_mean_a_label_that_is_there():
    lists = class_lists(TOYS, change="+teddy:n2")
    assert spelled(lists.after) == [("n1", "ball"), ("n2", "doll"), ("n2", "teddy"), ("n3", "car")]
    assert lists.after[0].synonyms == ("sphere",) and lists.changed


def test_a_label_may_be_said_in_another_word_and_dropped():
    assert spelled(class_lists(TOYS, change="doll->puppet; -car").after) == [("n1", "ball"), ("n2", "puppet")]


def test_without_a_change_the_list_stays():
    lists = class_lists(TOYS)
    assert lists.after is TOYS and not lists.changed and not lists.harmful_after.any()


def test_a_design_knows_which_classes_do_harm():
    lists = class_lists(None, "world-people-without-kid", "+kid:role")
    assert "kid" not in [c.name for c in lists.before] and "kid" in [c.name for c in lists.after]
    assert [c.name for c, harmful in zip(lists.after, lists.harmful_after, strict=True) if harmful] == ["thief"]


def test_names_that_are_not_distinct_cannot_be_changed():
    cranes = ClassList("c", (PictureClass("n1", "crane"), PictureClass("n2", "crane")))
    with pytest.raises(UsageError, match="two classes are named 'crane'"):
        class_lists(cranes, change="-crane")


def test_no_classes_at_all():
    with pytest.raises(DataError, match="no class names"):
        class_lists(None)


def test_one_class_alone_is_no_choice():
    with pytest.raises(DataError, match="only 'ball'"):
        class_lists(ClassList("toys", TOYS.classes[:1]))


def test_a_class_of_a_design_stands_for_the_label_of_the_dataset_that_it_is_right_for(tmp_path):
    """Its own name, or the one label that the design lists for it; a classifier cannot hold both."""
    (tmp_path / "d.toml").write_text("[groups]\na = ['x', 'y']\n[synonyms]\nx = ['ex']\n[labels]\nx = ['one']\n")

    def labeled(*labels):
        dataset = ClassList("dataset", tuple(PictureClass(label, label) for label in labels))
        return class_lists(dataset, str(tmp_path / "d.toml")).after

    assert spelled(labeled("one", "y")) == [("one", "x"), ("y", "y")]
    assert spelled(labeled("x", "y")) == spelled(labeled("z", "w")) == [("x", "x"), ("y", "y")]
    assert labeled("one")[0].names == ("x", "ex")
    with pytest.raises(UsageError, match=r"'x' is right for several labels \(x, one\)"):
        labeled("x", "one", "y")
