import pytest

from eyechart.data.class_file import read_classes
from eyechart.data.class_name_checks import check_names, split_words


def found(*names):
    return [(issue.kind, issue.names, issue.suggestion) for issue in check_names(names)]


@pytest.mark.parametrize(
    ("name", "kind", "suggestion"),
    [
        ("AnnualCrop", "not split", "annual crop"),
        ("hot_dog", "not split", "hot dog"),
        ("longsleeve", "not split", "long sleeve"),
        ("girafe", "spelling", "giraffe"),
        ("elephnat", "spelling", "elephant"),
        ("zebbra", "spelling", "zebra"),
        ("n01440764", "identifier", ""),
        ("class 3", "identifier", ""),
        ("12", "no letters", ""),
    ],
)
def test_names_that_look_wrong(name, kind, suggestion):
    assert found(name, "cat") == [(kind, (name,), suggestion)]


@pytest.mark.parametrize("name", ["cat", "T-shirt", "iPod", "BMW X5", "fire engine", "goldfish", "naïve", "Stop sign"])
def test_names_that_are_fine(name):
    assert found(name, "dog") == []


def test_names_of_one_thing():
    assert found("cat", "Cat ") == [("duplicate", ("cat", "Cat "), "")]
    assert found("t-shirt", "T shirts") == [("almost duplicate", ("t-shirt", "T shirts"), "")]
    assert found("A310", "A320") == []  # numbers tell them apart


def test_the_known_duplicates_of_imagenet_are_found():
    """Two pairs of the 1,000 names that OpenAI curated are equal (missile and sunglasses); the rest is left alone."""
    issues = check_names([c.name for c in read_classes("imagenet-1k")])
    assert [(i.kind, i.names) for i in issues] == [("duplicate", (name, name)) for name in ("missile", "sunglasses")]


def test_words():
    assert split_words("HerbaceousVegetation") == ["herbaceous", "vegetation"]
    assert split_words("SUV") == ["suv"]


@pytest.mark.parametrize("name", ["qwxzv", "hjkl", "a photo of sdfsdf", "zzzzz", "qaxzvu"])
def test_letters_that_no_word_has_side_by_side_are_no_word(name):
    (issue,) = check_names([name])
    assert issue.kind == "no word" and "the model may not know it" in str(issue)


@pytest.mark.parametrize(
    "name", ["teapot", "quinoa", "tzatziki", "stethoscope", "rhythm", "czech flag", "TV", "SUV", "猫", "naïve café", "bok choy"]
)
def test_words_and_short_abbreviations_are_not_called_no_word(name):
    assert not [issue for issue in check_names([name]) if issue.kind == "no word"]
