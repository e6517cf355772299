"""Pictures of all classes are shown before a second one of any."""

from eyechart.comparison.in_turn import in_turn


def test_every_class_comes_before_a_second_picture_of_one():
    rows = [("plane", n) for n in range(30)] + [("phone", n) for n in range(2)] + [("chair", 0)]
    shown = in_turn(rows, lambda row: row[0])
    assert shown[:5] == [("plane", 0), ("phone", 0), ("chair", 0), ("plane", 1), ("phone", 1)]
    assert sorted(shown) == sorted(rows) and in_turn([], str) == []
