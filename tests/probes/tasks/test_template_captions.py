"""Captions from names: which sets, in which order, with which words."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from eyechart.probes.tasks.name_lists import NameList
from eyechart.probes.tasks.template_captions import COLORS, TemplateCaptions, join_names, template_captions

NAMES = NameList("test", tuple("abcdefghij"))


def made(count=3, style="bare", order="balanced", captions=30, seed=0, names=NAMES):
    return template_captions(names, count, style, order=order, captions=captions, seed=seed)


@pytest.mark.parametrize(("count", "captions", "sets"), [(3, 30, 10), (4, 30, 7), (2, 1, 1), (5, 5, 1)])
def test_every_set_is_used_once_in_every_rotation(count, captions, sets):
    """As many whole sets as fit into the wanted number, and at least one."""
    found = made(count, captions=captions)
    assert (len(found), found.count) == (sets * count, count)
    for number in range(sets):
        first, *others = found.objects[found.sets == number]
        assert len(set(first.tolist())) == count
        assert [other.tolist() for other in others] == [np.roll(first, -turn).tolist() for turn in range(1, count)]
    assert len({tuple(sorted(row)) for row in found.objects.tolist()}) == sets
    assert found.texts == tuple(" and ".join(NAMES.names[i] for i in row) for row in found.objects)


def test_names_occur_about_equally_often():
    """Twelve sets of three of ten names are four permutations without one name each: 3.6 times each name on average."""
    counts = Counter(made(3, captions=36).objects[:12].ravel().tolist())
    assert set(counts) == set(range(10)) and max(counts.values()) - min(counts.values()) <= 3


@pytest.mark.parametrize("captions", [2 * 45, 2 * 45 + 1, 1000])
def test_all_sets_are_used_where_they_are_no_more_than_wanted(captions):
    """In the order of the list, with the names of each set in random order."""
    found = made(2, captions=captions)
    assert [sorted(row) for row in found.objects[:45].tolist()] == [list(pair) for pair in combinations(range(10), 2)]
    assert len(found) == 90
    assert 10 < sum(a < b for a, b in found.objects[:45]) < 35


def test_one_set_less_than_all_is_drawn():
    found = made(2, captions=2 * 44)
    assert len({tuple(sorted(row)) for row in found.objects.tolist()}) == 44


def test_the_order_of_the_list_is_used_once():
    found = made(3, order="compat", captions=20)
    assert len(found) == 20 and found.sets.tolist() == list(range(20))
    assert all(row == sorted(row) for row in found.objects.tolist())


def test_names_do_not_depend_on_the_style_but_on_seed_and_count():
    bare = made(3)
    for style in ("long", "sentence", "attributes"):
        assert made(3, style=style).objects.tolist() == bare.objects.tolist()
    assert made(3, seed=1).objects.tolist() != bare.objects.tolist()


def test_colors_stay_with_their_name_and_differ_within_a_caption():
    """A set keeps its colors in every rotation. Colors that are names of the list are not used."""
    names = NameList("test", ("red", "green", *"abcdef"))
    found = made(4, "attributes", captions=200, names=names)
    free = set(COLORS) - {"red", "green"}
    used, by_set = Counter(), {}
    for text, number, row in zip(found.texts, found.sets, found.objects, strict=True):
        words = [word.split(" ", 1) for word in text.split(" and ")]
        assert [name for _, name in words] == [names.names[i] for i in row]
        assert len({color for color, _ in words}) == 4
        used.update(color for color, _ in words)
        assert by_set.setdefault(int(number), sorted(words)) == sorted(words)
    assert set(used) == free


def test_more_names_than_colors_repeat_a_color_as_rarely_as_can_be():
    names = NameList("test", (*COLORS[:5], *"abcdef"))
    for text in made(4, "attributes", captions=40, names=names).texts:
        assert sorted(Counter(word.split(" ", 1)[0] for word in text.split(" and ")).values()) == [1, 1, 2]


def test_a_set_with_a_removed_caption_is_removed_as_a_whole():
    captions = TemplateCaptions("bare", np.array([[0, 1], [2, 3], [1, 0], [3, 2]]), np.array([5, 6, 5, 6]), ("w", "x", "y", "z"))
    kept = captions.without(np.array([False, False, True, False]))
    assert (kept.style, kept.texts, kept.sets.tolist(), kept.objects.tolist()) == ("bare", ("x", "z"), [6, 6], [[2, 3], [3, 2]])
    assert len(captions.without(np.zeros(4, bool))) == 4


def test_wordings_by_hand():
    words = ["apple", "dog", "owl", "kite", "urn"]
    assert join_names(words[:3]) == join_names(words[:3], "attributes") == "apple and dog and owl"
    assert join_names(words[:3], "sentence") == "a picture of an apple with a dog and an owl"
    assert join_names(words, "long") == (
        "The picture shows apple and next to it one can see dog, as well as owl, together with kite, and also urn,"
        " all in one room."
    )
