"""Captions said in other ways: worked out by hand."""

from collections import Counter
from itertools import permutations

import pytest

from eyechart.errors import DataError
from eyechart.repair.captions.listings import Listing, locate_objects, parse_listing


def test_things_change_places_and_all_else_stays():
    found = locate_objects("A photo of a cube and a red star, at night.", ["a red star", "a cube"])
    assert found.objects == ("a cube", "a red star") and found.between == ("A photo of ", " and ", ", at night.")
    assert found.permuted() == ["A photo of a cube and a red star, at night.", "A photo of a red star and a cube, at night."]
    assert found.single_objects() == ["A photo of a cube, at night.", "A photo of a red star, at night."]


def test_names_are_found_as_whole_words_and_the_longer_first():
    found = locate_objects("carrot and car and teddy bear and bear", ["bear", "car", "teddy bear", "carrot"])
    assert found.objects == ("carrot", "car", "teddy bear", "bear")


def test_a_thing_that_is_named_twice_is_given_twice():
    assert locate_objects("cube and cube", ["cube", "cube"]).permuted() == ["cube and cube"]
    with pytest.raises(DataError, match="'cube' was not found in it"):
        locate_objects("a cube and a star", ["cube", "cube"])


@pytest.mark.parametrize(("things", "reason"), [([], "no objects"), (["moon"], "'moon'"), (["star", ""], "''")])
def test_what_is_not_there_is_named(things, reason):
    with pytest.raises(DataError, match=reason):
        locate_objects("cube and star", things)


@pytest.mark.parametrize("order", list(permutations(["cube", "star", "pot"])))
def test_every_order_of_a_caption_is_said_in_the_same_texts(order):
    found = locate_objects(" and ".join(order), order)
    assert found.permuted() == [" and ".join(p) for p in permutations(["cube", "pot", "star"])]
    assert (
        found.single_objects() == ["cube", "pot", "star"]
        and found.canonical == locate_objects("cube and pot and star", order).canonical
    )


@pytest.mark.parametrize(("count", "most", "texts"), [(4, 24, 24), (5, 24, 20), (6, 24, 24), (3, 2, 3)])
def test_many_things_stand_in_each_place_equally_often(count, most, texts):
    names = [f"n{i}" for i in range(count)]
    said = [text.split(" ") for text in Listing(tuple(names), ("", *[" "] * (count - 1), "")).permuted(most)]
    assert len(said) == texts
    for place in range(count):
        assert set(Counter(words[place] for words in said).values()) == {texts // count}


NAMES = frozenset({"cube", "star", "stop sign", "man", "horse"})


@pytest.mark.parametrize(
    ("caption", "things"),
    [
        ("cube and star", ("cube", "star")),
        ("a photo of a red cube, a stop sign, and two Star.", ("a red cube", "a stop sign", "two Star")),
        ("cube, red + star, blue", None),  # what is like what is not said by the names alone
        ("a man riding a horse", None),
        ("a man on a horse and a star", None),
        ("a black and white cube", None),
        ("a cube", None),
    ],
)
def test_only_captions_that_list_known_things_are_taken_apart(caption, things):
    found = parse_listing(caption, NAMES)
    assert (found and found.objects) == things
    assert found is None or found.caption == caption


@pytest.mark.parametrize(
    ("caption", "takes"),
    [("a man and two dogs", True), ("a black and white cat", False), ("a man and a woman sit on a bench", False)],
)
def test_without_names_articles_tell_things(caption, takes):
    assert (parse_listing(caption) is not None) == takes


LONG_NAMES = frozenset({"bottle of wine", "stop sign", "cube"})


@pytest.mark.parametrize(
    ("part", "takes"),
    [
        ("a cube", True),
        ("two bottle of wine", True),
        ("red stop sign", True),
        ("cube stop sign", False),  # a name of one word before it, at the very start
        ("a cube bottle of wine", False),  # and right before it
        ("stop sign cube", False),
        ("a stop sign of cube", False),
        ("bottle of wine cube", False),
        ("the bottle of wine by cube", False),
        ("wine", False),
    ],
)
def test_a_part_names_one_object_and_no_other(part, takes):
    assert (parse_listing(f"{part} and cube", LONG_NAMES) is not None) == takes


def test_objects_may_touch_but_not_overlap():
    found = locate_objects("a!!bc", ["a!", "!bc"])
    assert found.objects == ("a!", "!bc") and found.between == ("", "", "")
    assert locate_objects("ab!!c", ["!c", "ab!"]).objects == ("ab!", "!c")
    with pytest.raises(DataError, match="'!!b' was not found"):
        locate_objects("a!!!b", ["a!!", "!!b"])


def test_names_of_more_than_three_words_are_not_looked_for():
    assert parse_listing("bottle of wine and cube", frozenset({"bottle of wine", "cube"})) is not None
    assert parse_listing("bottle of red wine and cube", frozenset({"bottle of red wine", "cube"})) is None


@pytest.mark.parametrize(("objects", "between"), [((), ("",)), (("cube",), ("",)), (("cube",), ("", " and ", ""))])
def test_a_listing_has_an_object_and_one_piece_more(objects, between):
    with pytest.raises(ValueError, match="at least one object, and one piece of text more"):
        Listing(objects, between)


def test_as_many_permutations_as_are_allowed_come_in_their_order():
    found = Listing(("a", "b", "c"), ("", " ", " ", ""))
    assert found.permuted(6) == [" ".join(order) for order in permutations("abc")]
    assert found.permuted(5) == ["a b c", "b c a", "c a b"] or found.permuted(5) == ["a c b", "c b a", "b a c"]


def test_without_names_a_part_has_two_to_four_words():
    for part, takes in (("dogs", False), ("a dog", True), ("a big red dog", True), ("a very big red dog", False)):
        assert (parse_listing(f"{part} and a cat") is not None) == takes
