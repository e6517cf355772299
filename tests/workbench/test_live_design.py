"""Class lists from requests: what is refused, and what a design file can hold."""

import pytest

from eyechart.data.class_design import read_design
from eyechart.errors import UsageError
from eyechart.workbench.live_design import LiveClass, LiveDesign, design_toml, from_class_design, parse_live_design

GOOD = {
    "classes": [
        {"names": ["cat"], "group": "animal"}, {"names": ["thief"], "group": "crime"}, {"names": ["dog"], "group": "animal"},
    ],
    "templates": ["a photo of a {}."],
    "harmful": ["crime"],
}  # fmt: skip


def test_classes_of_a_group_follow_one_another():
    design = parse_live_design(GOOD)
    assert [c.name for c in design.classes] == ["cat", "dog", "thief"]
    assert design.class_design.names == ("cat", "dog", "thief")
    assert design.classes[0].labels == ("cat",)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"classes": [{"names": ["cat"], "group": "a"}]}, "2 to"),
        ({"classes": "cat"}, "list of classes"),
        ({"classes": [{"names": [], "group": "a"}, {"names": ["b"], "group": "a"}]}, "no name"),
        ({"classes": [{"names": ["b"], "group": ""}, {"names": ["c"], "group": "a"}]}, "no group"),
        ({"classes": [{"names": ["b"], "group": "a"}, {"names": ["b"], "group": "c"}]}, "twice"),
        ({"classes": [{"names": ["b\n[x]"], "group": "a"}, {"names": ["c"], "group": "a"}]}, "one line"),
        ({"classes": [{"names": ["x" * 301], "group": "a"}, {"names": ["c"], "group": "a"}]}, "one line"),
        ({"classes": [{"names": [str(i)], "group": "a"} for i in range(2001)]}, "2 to"),
        ({"classes": [{"names": [7], "group": "a"}, {"names": ["c"], "group": "a"}]}, "one line"),
        ({"templates": ["a photo"]}, "needs {}"),
        ({"templates": []}, "no template"),
        ({"templates": ["{}"] * 201}, "at most 200"),
    ],
)
def test_what_is_no_design_is_refused(change, reason):
    with pytest.raises(UsageError, match=reason.replace("{", r"\{").replace("}", r"\}")):
        parse_live_design({**GOOD, **change})


def test_names_with_quotes_and_unicode_survive_the_file(tmp_path):
    names = ['say "hi"', "back\\slash", "naïve 🐱", "a=b", "[x]"]
    design = LiveDesign(tuple(LiveClass((n,), "g'1\"", (n,)) for n in names), ("{}",), ("g'1\"",))
    path = tmp_path / "d.toml"
    path.write_text(design_toml(design), encoding="utf-8")
    assert read_design(str(path)).groups == {"g'1\"": tuple(names)}


def test_a_file_holds_all_names_and_labels_of_a_class(tmp_path):
    classes = (
        LiveClass(("cat", "kitten"), "a", ("cat",)),
        LiveClass(("big dog",), "a", ("big dog", "dog")),
        LiveClass(("hen", "cock"), "b", ("hen", "cock", "chick")),
    )
    path = tmp_path / "d.toml"
    path.write_text(design_toml(LiveDesign(classes, ("{}",))))
    assert from_class_design(read_design(str(path)), ("{}",)).classes == classes


def test_a_file_cannot_say_that_a_class_is_wrong_for_the_label_of_its_own_name():
    classes = (LiveClass(("boots",), "shoes", ("shoes",)), LiveClass(("high boots",), "boots", ("boots",)))
    with pytest.raises(UsageError, match="'boots' is not right for the label 'boots'"):
        design_toml(LiveDesign(classes, ("{}",), of_dataset=True))


def test_a_reworded_class_of_a_design_stays_right_for_its_label():
    content = {**GOOD, "classes": [{"names": ["kitten"], "group": "animal", "labels": ["cat"]}, *GOOD["classes"][1:]]}
    assert parse_live_design(content).classes[0].labels == ("kitten", "cat")
