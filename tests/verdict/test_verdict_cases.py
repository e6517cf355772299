"""Cases for which the right verdict is known. Each line says what the model answers, and what the verdict must be.

Areas: A accuracy, W worst classes, C calibration, G groups, R robustness, O out-of-distribution, N class names,
T words and objects.
Outcomes: + good, - bad, ? inconclusive, 0 not tested, ! anything but good; for models of the zoo, - is a warning of the planted
defect itself, and ~ is no warning of it.
Two models: = inseparable, > the first is better.
"""

import re
from dataclasses import dataclass, field

import pytest
from tests.verdict.constructed import Pictures as P
from tests.verdict.constructed import examine

import eyechart
from eyechart.verdict.verdict import verdict_of


@dataclass(frozen=True)
class Zoo:
    """A model of the zoo, its dataset, and the figure that shows whether it has the defect.

    figure: Probe and metric.
    where: The slice of that figure.
    targets: What the user wants.
    """

    model: str
    dataset: str
    figure: tuple[str, str]
    where: dict[str, str] = field(default_factory=dict)
    targets: dict[str, float] = field(default_factory=dict)


AREAS = {
    "A": "accuracy", "W": "worst classes", "C": "calibration", "G": "groups", "R": "robustness", "O": "out-of-distribution",
    "N": "class names", "T": "words and objects",
}  # fmt: skip
OUTCOMES = {"+": "good", "-": "bad", "?": "inconclusive", "0": "not tested"}
NINE = (0.95,) * 9
UNLIKE, ALIKE = P(30, 1.0, 0.15, labels=False), P(30, 1.0, 0.95, labels=False)  # out-of-distribution pictures
FEW_UNLIKE = P(2, 1.0, 0.15, labels=False)

CASES = [
    # what the model answers                      verdict          classes, pictures, and what is compared or wanted
    ("random answers",                              "A- W- C- G0 R0 O0",  10, P(37, 0.1, 0.5)),
    ("random answers, 1,000 pictures",              "A- W- N!",           10, P(100, 0.1, 0.5)),
    ("always the most frequent class",              "A- W- C-",           10, P((200, *(15,) * 9), (1, *(0,) * 9), 0.9, 0)),
    ("always one of two equal classes",             "A- W-",               2, P(100, (1, 0), 0.9, 0)),
    ("always the majority of 95%",                  "A- W-",               2, P((950, 50), (1, 0), 0.9, 0)),
    ("two classes swapped",                         "A- W-",               2, P(100, 0.02, 0.9)),
    ("one class of ten never right",                "A+ W-",              10, P(40, (*NINE, 0))),
    ("one class never right, with 5 pictures",      "A+ W?",              10, P((*(40,) * 9, 5), (*NINE, 0))),
    ("one class of a hundred never right",          "A+ W-",             100, P(20, (*(0.9,) * 99, 0))),
    ("one class at 20%",                            "A+ W-",              10, P(50, (*NINE, 0.2))),
    ("one class at 40%, with 30 pictures",          "A+ W-",              10, P(30, (*NINE, 0.4))),
    ("all classes at 90%",                          "A+ W+ G0 R0 O0",     10, P(50, 0.9)),
    ("all classes at 30%",                          "A- W!",              10, P(40, 0.3)),
    ("all correct, 400 pictures",                   "A+ W+",              10, P(40, 1.0)),
    ("all correct, 12 pictures",                    "A? W? C!",            4, P(3, 1.0)),
    ("all correct, one picture a class",            "A+ W?",              40, P(1, 1.0)),
    ("90% of one class, 97% correct",               "A+ W+",               2, P((900, 100), 0.98)),
    ("95% of one class, 94% correct",               "A-",                  2, P((950, 50), 0.94)),
    ("60% with a target of 55%, 100 pictures",      "A?",                 10, P(10, 0.6)),
    ("60% with a target of 55%, 2,000 pictures",    "A+",                 10, P(200, 0.6)),
    ("85%, the user wants 90%",                     "A-",                 10, P(100, 0.85), {"targets": {"top1": 0.9}}),
    ("85%, the user wants 80%",                     "A+",                 10, P(100, 0.85), {"targets": {"top1": 0.8}}),
    ("85%, the user wants 85%",                     "A?",                 10, P(100, 0.85), {"targets": {"top1": 0.85}}),
    ("10%, the user wants 5%: reached by chance",   "A-",                 10, P(10, 0.1), {"targets": {"top1": 0.05}}),
    ("all classes at 80%, the user wants 50%",      "W+",                 10, P(50, 0.8), {"targets": {"worst_class": 0.5}}),
    ("all classes at 80%, the user wants 95%",      "W-",                 10, P(50, 0.8), {"targets": {"worst_class": 0.95}}),
    ("99% sure, 70% correct",                       "A+ C-",              10, P(100, 0.7, 0.99)),
    ("60% sure, 95% correct",                       "A+ C-",              10, P(100, 0.95, 0.6)),
    ("calibrated",                                  "A+ C+",              10, P(200, 0.8)),
    ("as sure of errors as of correct answers",     "A+ C-",              10, P(200, 0.8, 0.8)),
    ("99% sure, 75% correct, 24 pictures",          "C?",                  6, P(4, 0.75, 0.99)),
    ("one group at 70%, the other at 90%",          "A+ G-",              10, P(80, groups={"a": 0.7, "b": 0.9})),
    ("both groups at 90%",                          "A+ G+",              10, P(400, groups={"a": 0.9, "b": 0.9})),
    ("90% and 85%, 200 pictures",                   "G?",                 10, P(20, groups={"a": 0.9, "b": 0.8})),
    ("90%, under shift 60%",                        "A+ R-",              10, P(50, 0.9), {"shift": P(50, 0.6)}),
    ("90%, under shift 90%",                        "A+ R+",              10, P(80, 0.9), {"shift": P(80, 0.9)}),
    ("unknown pictures look like no class",         "O+",                 10, P(50, 0.9, (0.95, 0.9)), {"ood": UNLIKE}),
    ("unknown pictures look like known ones",       "O-",                 10, P(50, 0.9, 0.9), {"ood": ALIKE}),
    ("12 pictures, and 120 that look like no class",  "A? O?",               4, P(3, 1.0, 0.95), {"ood": UNLIKE}),
    ("20 pictures without labels, 120 unlike them", "A0 O?",               4, P(5, 1.0, 0.95, labels=False), {"ood": UNLIKE}),
    ("40 pictures without labels, 120 unlike them", "A0 O+",               4, P(10, 1.0, 0.95, labels=False), {"ood": UNLIKE}),
    ("200 pictures, and 20 that look like no class",  "A+ O?",              10, P(20, 1.0, 0.95), {"ood": FEW_UNLIKE}),
    ("no labels",                                   "A0 W0 C0",           10, P(30, 1.0, labels=False)),
    ("one class alone",                             "A0 W0",               1, P(60, 1.0, 0.9)),
]  # fmt: skip

PAIRS = [
    # what the two models answer                    verdict           classes, pictures of the first, of the second
    ("two models alike: the same answers",          "=",                  10, P(40, 0.9), P(40, 0.9)),
    ("two models alike: 90% each, other errors",    "=",                  10, P(40, 0.9), P(40, 0.9, last=True)),
    ("88% and 86%, 500 pictures",                   "=",                  10, P(50, 0.88), P(50, 0.86, last=True)),
    ("90% and 70%, 400 pictures",                   ">",                  10, P(40, 0.9), P(40, 0.7)),
]  # fmt: skip

RARE, SURE = ("zero_shot", "class_accuracy"), ("calibration", "overconfidence")
LIMIT = {"worst_class": 0.4}
POSE, FIRST = ("factors", "factor_gap"), ("first_object", "first_object_lead")
ZOO = [
    # the planted defect, and the twin without it   verdict   model, dataset, figure
    ("zoo: some classes rare in training",          "W-",     Zoo("long-tail", "world-long-tail", RARE, targets=LIMIT)),
    ("its twin: classes alike in number",           "W~",     Zoo("random-order-0", "world-long-tail", RARE, targets=LIMIT)),
    ("zoo: overconfident",                          "C-",     Zoo("overconfident", "world-factors", SURE)),
    ("its twin: trained as usual",                  "C~",     Zoo("default", "world-factors", SURE)),
    ("zoo: a pose that was never seen",             "R-",     Zoo("unseen-pose", "world-factors", POSE, {"factor": "pose"})),
    ("its twin: the pose seen often",               "R~",     Zoo("often-pose", "world-factors", POSE, {"factor": "pose"})),
    ("zoo: captions with the largest object first", "T-",     Zoo("largest-first-0", "world-scenes", FIRST)),
    ("its twin: captions in random order",          "T~",     Zoo("random-order-0", "world-scenes", FIRST)),
]  # fmt: skip


def named(cases):
    return [pytest.param(*case[1:], id=case[0]) for case in cases]


@pytest.mark.parametrize("case", [pytest.param(case, id=case[0]) for case in CASES])
def test_the_verdict_is_the_known_one(case, tmp_path, store):
    _, expected, classes, pictures, *more = case
    exam = examine(tmp_path, pictures, classes, store=store, **(more[0] if more else {}))
    areas = verdict_of(exam.run, exam.run.models[0]).areas
    for area, outcome in re.findall(r"(\w)(\S)", expected):
        found = areas.get(AREAS[area], "not tested")
        assert found != "good" if outcome == "!" else found == OUTCOMES[outcome], (AREAS[area], found, areas)


@pytest.mark.parametrize(("expected", "classes", "first", "second"), named(PAIRS))
def test_two_models_are_separated_where_they_differ_and_only_there(expected, classes, first, second, tmp_path, store):
    runs = []
    for name, pictures in {"first": first, "second": second}.items():
        (tmp_path / name).mkdir()
        runs.append(examine(tmp_path / name, pictures, classes, store=store).folder)
    (dataset,) = eyechart.compare(*runs).datasets
    assert dataset.letters == (("a", "a") if expected == "=" else ("a", "b"))
    for model in range(2):
        assert dataset.accuracies[model].value == pytest.approx((first, second)[model].right)


@pytest.mark.slow
@pytest.mark.parametrize(("expected", "case"), named(ZOO))
def test_a_planted_defect_is_warned_of_and_its_twin_is_not(expected, case, tmp_path, store):
    asked = {"probes": ["zero_shot", case.figure[0]], "prompts": "single", "targets": case.targets}
    exam = eyechart.examine(f"zoo:{case.model}", case.dataset, **asked, out=tmp_path / "out", store=store)
    verdict = verdict_of(exam.run, exam.run.models[0])
    figures = [f for ruling in verdict.bad for f in ruling.figures]
    warned = any((f.probe, f.metric) == case.figure and case.where.items() <= f.where.items() for f in figures)
    area, outcome = expected
    assert warned == (outcome == "-")
    if warned:
        assert verdict.areas[AREAS[area]] == "bad"


def test_there_are_at_least_forty():
    assert len(CASES) >= 40
