"""Object names: finding them in captions, and making captions of them."""

import numpy as np

from eyechart.probes.tasks.name_finder import NameFinder, name_finder
from eyechart.probes.tasks.name_lists import NameList
from eyechart.probes.tasks.number_words import number_word, ordinal, size_rank_label
from eyechart.probes.tasks.template_captions import template_captions

NAMES = tuple(f"n{i}" for i in range(40))


def test_names_are_whole_words_and_the_longest_wins():
    find = name_finder(["car", "carrot", "dog", "hot dog", "teddy bear", "bear"])
    assert find("A Hot  dog, a carrot and a teddy bear; the dog.") == [3, 1, 4, 2]
    assert find("cars, carrots and a bearskin") == []
    assert NameFinder({"tv": 0, "television": 0, "c++ book": 1})("a television (tv) on a C++ book") == [0, 1]


def test_a_name_is_replaced_with_its_article():
    find = name_finder(["arrow", "cube"])
    assert find.renamed("An arrow and a cube", 0, "ball") == "A ball and a cube"
    assert find.renamed("a cube, the arrow", 1, "egg") == "an egg, the arrow"
    assert find.renamed("cubes and arrowheads", 0, "ball") == "cubes and arrowheads"


def test_every_name_of_a_set_is_at_every_position_once():
    captions = template_captions(NameList("test", NAMES), 4, "attributes", order="balanced", captions=200, seed=3)
    for of in np.unique(captions.sets):
        rotations = captions.objects[captions.sets == of]
        assert len(rotations) == 4 and all(len(set(column)) == 4 for column in rotations.T)
    assert np.ptp(np.bincount(captions.objects.ravel(), minlength=40)) <= 4  # each name about as often as any other
    first = captions.texts[0].split(" and ")
    assert set(first) == set(captions.texts[50].split(" and "))  # a rotated name keeps its color
    assert len(set(captions.texts)) == 200


def test_compat_has_all_combinations_in_the_order_of_the_list():
    captions = template_captions(NameList("test", ("a", "b", "c", "d")), 2, "bare", order="compat", captions=100, seed=0)
    assert captions.texts == ("a and b", "a and c", "a and d", "b and c", "b and d", "c and d")


def test_a_set_with_a_removed_caption_is_removed_as_a_whole():
    captions = template_captions(NameList("test", NAMES), 3, "bare", order="balanced", captions=30, seed=0)
    removed = np.zeros(30, bool)
    removed[12] = True
    left = captions.without(removed)
    assert len(left) == 27 and captions.sets[12] not in left.sets


def test_small_numbers_are_words():
    assert [number_word(n) for n in (0, 8, 9)] == ["no", "eight", "9"]
    assert [ordinal(n) for n in (1, 8, 9)] == ["first", "eighth", "9th"]
    assert [size_rank_label(n, 2) for n in (1, 2)] == ["largest", "smallest"]
