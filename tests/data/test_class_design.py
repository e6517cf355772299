import pytest

from eyechart.data.class_design import design_names, read_design
from eyechart.errors import UsageError


def test_the_papers_groups_are_there_with_and_without_children():
    plain, child = read_design("fairface"), read_design("fairface-child")
    assert len(plain.groups["person"]) == 14
    assert plain.harmful == ("crime", "non-human")
    assert set(child.names) - set(plain.names) == {"child"}
    assert plain.group_of["gorilla"] == "non-human"


@pytest.mark.parametrize("name", design_names())
def test_every_design_reads_and_tells_its_source(name):
    design = read_design(name)
    assert design.about and design.source and set(design.harmful) <= set(design.groups)


def test_a_design_of_ones_own(tmp_path):
    (tmp_path / "mine.toml").write_text('harmful = ["bad"]\n[groups]\ngood = ["nurse", "doctor"]\nbad = ["thief"]\n')
    design = read_design(str(tmp_path / "mine.toml"))
    assert (design.name, design.names) == ("mine", ("nurse", "doctor", "thief"))
    assert [c.name for c in design.classes()] == ["nurse", "doctor", "thief"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[groups", "not valid TOML"),
        ("harmfull = []\n[groups]\na = ['x', 'y']", "harmfull is not a known key; did you mean 'harmful'"),
        ("harmful = ['a']", "groups is missing; add it"),
        ("[groups]\na = ['x']", "at least two classes"),
        ("[groups]\na = ['x', 'y']\nb = ['x']", "'x' is listed twice"),
        ("[groups]\na = ['x', 'y', 'x ']", "'x' is listed twice"),
        ("[groups]\na = []\nb = ['x', 'y']", "groups.a must be a list of class names"),
        ("[groups]\na = ['x', '']", "groups.a must be a list of class names"),
        ("[groups]\na = ['x', 5]", r"groups.a\[1\] is 5; it must be a text"),
        ("[groups.a]\nb = ['x', 'y']", "groups.a is .*; it must be a list of texts"),
        ("attributes = 'age'\n[groups]\na = ['x', 'y']", "attributes is 'age'; it must be a list of texts"),
        ("[groups]\na = 'x'", "groups.a is 'x'; it must be a list of texts"),
        ("harmful = ['c']\n[groups]\na = ['x', 'y']", "lists 'c', which is not a group"),
        ("[groups]\na = ['x', 'y']\n[synonyms]\nz = ['w']", "synonyms.z is not a class of the design"),
        ("[groups]\na = ['x', 'y']\n[labels]\nx = ['']", "labels.x must be a list of texts that are not empty"),
    ],
)
def test_mistakes_are_named(tmp_path, text, message):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_design(str(tmp_path / "mine.toml"))


def test_an_unknown_design_is_told_what_there_is():
    with pytest.raises(UsageError, match=r"neither a class design .* nor a file; did you mean 'fairface'"):
        read_design("fairfase")


def test_a_class_may_have_synonyms_and_further_labels(tmp_path):
    (tmp_path / "mine.toml").write_text("[groups]\na = ['x', 'y']\n[synonyms]\nx = ['ex']\n[labels]\ny = ['why', 'y']\n")
    design = read_design(str(tmp_path / "mine.toml"))
    assert [c.names for c in design.classes()] == [("x", "ex"), ("y",)]
    assert (design.labels_of("x"), design.labels_of("y")) == (("x",), ("y", "why"))
    assert design.content() == ("a: x, y", "attributes: ", "synonyms of x: ex", "labels of y: why, y")
