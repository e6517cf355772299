"""Forty cases for which the right verdict is known. Each line says what the model answers, and what the verdict must be.

Areas: A accuracy, W worst classes, C calibration, G groups, R robustness, O out-of-distribution, N class names.
Outcomes: + good, - bad, ? inconclusive, 0 not tested, ! anything but good.
"""

import re

import pytest
from tests.verdict.constructed import Pictures as P
from tests.verdict.constructed import examine

from eyechart.verdict.verdict import verdict_of

AREAS = {
    "A": "accuracy", "W": "worst classes", "C": "calibration", "G": "groups", "R": "robustness", "O": "out-of-distribution",
    "N": "class names",
}  # fmt: skip
OUTCOMES = {"+": "good", "-": "bad", "?": "inconclusive", "0": "not tested"}
NINE = (0.95,) * 9

CASES = [
    # what the model answers                        classes  pictures                                     more          verdict
    ("random answers",                                   10, P(37, 0.1, 0.5),                             {},           "A- W! C- G0 R0 O0"),
    ("random answers, 1,000 pictures",                   10, P(100, 0.1, 0.5),                            {},           "A- W! N!"),
    ("always the most frequent class",                   10, P((200, *(15,) * 9), (1, *(0,) * 9), 0.9, 0), {},          "A- W- C-"),
    ("always one of two equal classes",                   2, P(100, (1, 0), 0.9, 0),                      {},           "A- W-"),
    ("always the majority of 95%",                        2, P((950, 50), (1, 0), 0.9, 0),                {},           "A- W-"),
    ("two classes swapped",                               2, P(100, 0.02, 0.9),                           {},           "A- W-"),
    ("one class of ten never right",                     10, P(40, (*NINE, 0)),                           {},           "A+ W-"),
    ("one class never right, with 5 pictures",           10, P((*(40,) * 9, 5), (*NINE, 0)),              {},           "A+ W?"),
    ("one class of a hundred never right",              100, P(20, (*(0.9,) * 99, 0)),                    {},           "A+ W-"),
    ("one class at 20%",                                 10, P(50, (*NINE, 0.2)),                         {},           "A+ W-"),
    ("one class at 40%, with 30 pictures",               10, P(30, (*NINE, 0.4)),                         {},           "A+ W-"),
    ("all classes at 90%",                               10, P(50, 0.9),                                  {},           "A+ W+ G0 R0 O0"),
    ("all classes at 30%",                               10, P(40, 0.3),                                  {},           "A- W!"),
    ("all correct, 400 pictures",                        10, P(40, 1.0),                                  {},           "A+ W+"),
    ("all correct, 12 pictures",                          4, P(3, 1.0),                                   {},           "A? W? C!"),
    ("all correct, one picture a class",                 40, P(1, 1.0),                                   {},           "A+ W?"),
    ("90% of one class, 97% correct",                     2, P((900, 100), 0.98),                         {},           "A+ W+"),
    ("95% of one class, 94% correct",                     2, P((950, 50), 0.94),                          {},           "A-"),
    ("60% with a target of 55%, 100 pictures",           10, P(10, 0.6),                                  {},           "A?"),
    ("60% with a target of 55%, 2,000 pictures",         10, P(200, 0.6),                                 {},           "A+"),
    ("85%, the user wants 90%",                          10, P(100, 0.85),                 {"targets": {"top1": 0.9}},  "A-"),
    ("85%, the user wants 80%",                          10, P(100, 0.85),                 {"targets": {"top1": 0.8}},  "A+"),
    ("85%, the user wants 85%",                          10, P(100, 0.85),                 {"targets": {"top1": 0.85}}, "A?"),
    ("10%, the user wants 5%: reached by chance",        10, P(10, 0.1),                   {"targets": {"top1": 0.05}}, "A-"),
    ("all classes at 80%, the user wants 50%",           10, P(50, 0.8),             {"targets": {"worst_class": 0.5}}, "W+"),
    ("all classes at 80%, the user wants 95%",           10, P(50, 0.8),            {"targets": {"worst_class": 0.95}}, "W-"),
    ("99% sure, 70% correct",                            10, P(100, 0.7, 0.99),                           {},           "A+ C-"),
    ("60% sure, 95% correct",                            10, P(100, 0.95, 0.6),                           {},           "A+ C-"),
    ("calibrated",                                       10, P(200, 0.8),                                 {},           "A+ C+"),
    ("as sure of errors as of correct answers",          10, P(200, 0.8, 0.8),                            {},           "A+ C-"),
    ("99% sure, 70% correct, 40 pictures",               10, P(4, 0.75, 0.99),                            {},           "C?"),
    ("one group at 70%, the other at 90%",               10, P(80, groups={"a": 0.7, "b": 0.9}),          {},           "A+ G-"),
    ("both groups at 90%",                               10, P(400, groups={"a": 0.9, "b": 0.9}),         {},           "A+ G+"),
    ("90% and 85%, 200 pictures",                        10, P(20, groups={"a": 0.9, "b": 0.8}),          {},           "G?"),
    ("90%, under shift 60%",                             10, P(50, 0.9),                   {"shift": P(50, 0.6)},       "A+ R-"),
    ("90%, under shift 90%",                             10, P(80, 0.9),                   {"shift": P(80, 0.9)},       "A+ R+"),
    ("unknown pictures look like no class",              10, P(50, 0.9, (0.95, 0.9)), {"ood": P(30, 1.0, 0.15, labels=False)}, "O+"),
    ("unknown pictures look like known ones",            10, P(50, 0.9, 0.9),         {"ood": P(30, 1.0, 0.95, labels=False)}, "O-"),
    ("no labels",                                        10, P(30, 1.0, labels=False),                    {},           "A0 W0 C0"),
    ("one class alone",                                   1, P(60, 1.0, 0.9),                             {},           "A0 W0"),
]  # fmt: skip


@pytest.mark.parametrize(("classes", "pictures", "more", "expected"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_the_verdict_is_the_known_one(classes, pictures, more, expected, tmp_path, store):
    exam = examine(tmp_path, pictures, classes, store=store, **more)
    areas = verdict_of(exam.run, exam.run.models[0]).areas
    for area, outcome in re.findall(r"(\w)(\S)", expected):
        found = areas.get(AREAS[area], "not tested")
        assert found != "good" if outcome == "!" else found == OUTCOMES[outcome], (AREAS[area], found, areas)


def test_there_are_forty():
    assert len(CASES) == 40
