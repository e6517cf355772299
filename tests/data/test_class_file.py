import pytest

from eyechart.data.class_file import read_classes
from eyechart.errors import DataError, UsageError


@pytest.fixture
def put(tmp_path):
    def write(name, content):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


def spelled(classes):
    return [(c.label, *c.names) for c in classes]


def test_imagenet_has_1000_classes_of_which_two_pairs_share_a_name():
    classes = read_classes("imagenet-1k")
    names = [c.name for c in classes]
    assert (len(classes), len(set(names)), len({c.label for c in classes})) == (1000, 998, 1000)
    assert [i for i, name in enumerate(names) if name == "missile"] == [657, 744]
    assert [i for i, name in enumerate(names) if name == "sunglasses"] == [836, 837]
    assert (classes[0].label, classes[0].name, classes[999].label) == ("n01440764", "tench", "n15075141")
    assert "MIT" in classes.source


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "cat\n\n  maine coon \r\n", [("cat", "cat"), ("maine coon", "maine coon")]),
        ("a.txt", "\ufeffn1\tcat\thouse cat\tpussycat\nn2\tdog\n", [("n1", "cat", "house cat", "pussycat"), ("n2", "dog")]),
        (
            "a.csv",
            'label,name,synonyms\nn1,cat,house cat|pussycat\nn2,"dog, big",\n',
            [("n1", "cat", "house cat", "pussycat"), ("n2", "dog, big")],
        ),
        ("a.csv", "n1,cat\nn2,dog\n", [("n1", "cat"), ("n2", "dog")]),
        ("a.csv", "name\ncat\ndog\n", [("cat", "cat"), ("dog", "dog")]),
        ("a.tsv", "name\tlabel\ncat\tn1\n", [("n1", "cat")]),
        ("a.json", '["cat", "dog"]', [("cat", "cat"), ("dog", "dog")]),
        ("a.json", '{"n1": "cat", "n2": ["dog", "hound"]}', [("n1", "cat"), ("n2", "dog", "hound")]),
    ],
)
def test_files_of_class_names(put, name, content, expected):
    assert spelled(read_classes(put(name, content))) == expected


def test_two_classes_may_share_a_name(put):
    assert len(read_classes(put("a.csv", "n1,sunglasses\nn2,sunglasses\n"))) == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "", "it contains no class names"),
        ("a.txt", "cat\ndog\n\ncat\n", "row 4: label 'cat' is already used in row 1"),
        ("a.txt", "n1\t \n", "row 1: the name is empty"),
        ("a.csv", "label,name\n,cat\n", "row 2: the label is empty"),
        ("a.csv", "n1,cat,x,y\n", "row 1: 4 columns instead of 3"),
        ("a.csv", "label,name,color\nn1,cat,red\n", "row 1: column 'color' is not one of label, name, synonyms"),
        ("a.csv", 'n1,"cat\n', "not readable as a table"),
        ("a.json", '{"n1": "cat",\n "n1": "dog"}', "the key 'n1' is repeated in one object"),
        ("a.json", '{"n1": 3}', "entry 1: a class is a name"),
        ("a.json", "[1, 2]", "entry 1: a class is a name"),
        ("a.json", "3", "neither a list of names nor an object"),
        ("a.json", "[", "row 1: not valid JSON"),
    ],
)
def test_files_that_cannot_be_used_name_the_place(put, name, content, message):
    with pytest.raises(DataError, match=f"{name}(, |: ).*{message}|{name}(, |: ){message}"):
        read_classes(put(name, content))


def test_a_list_that_is_nowhere_names_the_nearest():
    with pytest.raises(
        UsageError, match=r"'imagenet1k': neither a class list \(.*imagenet-1k.*\) nor a file.*did you mean 'imagenet-1k'"
    ):
        read_classes("imagenet1k")


@pytest.mark.parametrize("content, message", [('["cat", "dog\\ud800"]', "lone surrogate"), ("[" * 100_000, "nested too deeply")])
def test_json_that_cannot_be_class_names_is_refused(tmp_path, content, message):
    (tmp_path / "names.json").write_text(content)
    with pytest.raises(DataError, match=rf"names\.json.*{message}"):
        read_classes(tmp_path / "names.json")
