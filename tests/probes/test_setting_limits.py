"""Limits of settings: the last value that each allows, and the first that it refuses. They are those of the messages and docs."""

import pytest

from eyechart.probes.answers.settings import Settings as Answers
from eyechart.probes.attention import Settings as Attention
from eyechart.probes.calibration import Settings as Calibration
from eyechart.probes.caption_order import Settings as CaptionOrder
from eyechart.probes.class_change import Settings as ClassChange
from eyechart.probes.class_groups import Settings as ClassGroups
from eyechart.probes.composition import Settings as Composition
from eyechart.probes.correspondence import Settings as Correspondence
from eyechart.probes.factors import Settings as Factors
from eyechart.probes.first_object import Settings as FirstObject
from eyechart.probes.first_object_classifier import Settings as FirstObjectClassifier
from eyechart.probes.generation import Settings as Generation
from eyechart.probes.labels_by_group import Settings as LabelsByGroup
from eyechart.probes.large_object import Settings as LargeObject
from eyechart.probes.large_object_classifier import Settings as LargeObjectClassifier
from eyechart.probes.lint import Settings as Lint
from eyechart.probes.margin import Settings as Margin
from eyechart.probes.matching import Settings as Matching
from eyechart.probes.none_of_these import Settings as NoneOfThese
from eyechart.probes.object_hallucination import Settings as ObjectHallucination
from eyechart.probes.object_questions import Settings as ObjectQuestions
from eyechart.probes.ood import Settings as Ood
from eyechart.probes.picture_use import Settings as PictureUse
from eyechart.probes.prompts import Settings as Prompts
from eyechart.probes.retrieval import Settings as Retrieval
from eyechart.probes.self_agreement import Settings as SelfAgreement
from eyechart.probes.shape_bias import Settings as ShapeBias
from eyechart.probes.size_words import Settings as SizeWords
from eyechart.probes.skew import Settings as Skew
from eyechart.probes.verbal_confidence import Settings as VerbalConfidence
from eyechart.probes.worst import Settings as Worst
from eyechart.probes.zero_shot import Settings as ZeroShot

AT_LEAST = [
    (Answers, {"pictures": 0, "seed": 0}),
    (Attention, {"pictures": 0, "objects": 0, "shown": 0, "seed": 0, "least": 2}),
    (Calibration, {"bins": 1, "resamples": 1, "seed": 0}),
    (CaptionOrder, {"most": 1, "least": 1, "seed": 0}),
    (ClassChange, {"least": 2, "seed": 0}),
    (ClassGroups, {"least": 2, "shown": 0}),
    (Composition, {"least": 1, "shown": 0}),
    (Correspondence, {"side": 1, "keep": 1, "least": 1, "shown": 0}),
    (Factors, {"least": 1, "permutations": 1, "conjunctions": 0, "seed": 0}),
    (FirstObject, {"captions": 1, "least": 1, "shown": 0, "seed": 0}),
    (FirstObjectClassifier, {"count": 2, "most": 5, "captions": 160, "seed": 0}),
    (Generation, {"shown": 0, "least": 3}),
    (LabelsByGroup, {"shown": 1, "least": 2}),
    (LargeObject, {"pictures": 0, "objects": 0, "shown": 0, "seed": 0, "least": 1}),
    (LargeObjectClassifier, {"least": 20, "objects": 0, "seed": 0, "folds": 2}),
    (Lint, {"most": 1}),
    (Margin, {"k": 0, "seed": 0, "resamples": 1}),
    (Matching, {"pictures": 0, "absent": 0, "shown": 0, "seed": 0, "least": 1}),
    (NoneOfThese, {"pictures": 0, "seed": 0, "options": 1}),
    (ObjectHallucination, {"pictures": 0, "seed": 0, "objects": 1}),
    (ObjectQuestions, {"pictures": 0, "seed": 0}),
    (Ood, {"neighbors": 1, "bank": 1, "resamples": 1, "seed": 0}),
    (PictureUse, {"pictures": 0, "seed": 0}),
    (Prompts, {"bins": 1, "least": 1, "resamples": 1, "seed": 0}),
    (Retrieval, {"least": 2, "shown": 0, "resamples": 1, "seed": 0}),
    (SelfAgreement, {"pictures": 0, "seed": 0}),
    (ShapeBias, {"least": 1}),
    (SizeWords, {"pairs": 20, "seed": 0}),
    (Skew, {"k": 2, "resamples": 20, "seed": 0, "least": 2}),
    (VerbalConfidence, {"pictures": 0, "seed": 0, "resamples": 1}),
    (Worst, {"k": 0, "seed": 0, "resamples": 1}),
    (ZeroShot, {"pairs": 0, "seed": 0, "resamples": 1}),
]


@pytest.mark.parametrize(
    ("settings", "name", "least"),
    [
        pytest.param(settings, name, least, id=f"{settings.__module__.removeprefix('eyechart.probes.')}-{name}")
        for settings, limits in AT_LEAST
        for name, least in limits.items()
    ],
)
def test_the_smallest_value_is_allowed_and_the_one_below_is_not(settings, name, least):
    assert getattr(settings(**{name: least}), name) == least
    with pytest.raises(ValueError, match=name):
        settings(**{name: least - 1})


ALLOWED_AND_REFUSED = [
    (Answers, "options", [0, 2, 3], [-1, 1]),
    (Answers, "hard", [1e-9, 1 - 1e-9], [0, 1, 1.5]),
    (Answers, "threshold", [-1, 1], [-1.001, 1.001]),
    (Correspondence, "box", [1e-9], [0, -0.1]),
    (Correspondence, "degrees", [(0, 1)], [(0,), (1, 0), (0, 0), (-1, 2), (0.5, 1)]),
    (Correspondence, "pixels", [(0, 25)], [(), (25, 25), (-1, 25), (26, 25)]),
    (Correspondence, "centimeters", [(), (1, 2)], [(0, 1), (2, 1), (2, 2), (1.5,)]),
    (FirstObject, "counts", [(2, 4, 8)], [(), (1, 4), (4, 9), (2, 3), (4, 5.0)]),
    (FirstObjectClassifier, "count", [8], [9]),
    (Generation, "alarm", [0.001, 0.5], [0.0009, 0.51]),
    (LabelsByGroup, "thresholds", [(1e-9, 1 - 1e-9)], [(), (0,), (0.5, 1)]),
    (LabelsByGroup, "level", [1e-9, 1 - 1e-9], [0, 1]),
    (LargeObjectClassifier, "folds", [10], [11]),
    (Lint, "copies", [1e-9, 1], [0, 1.001]),
    (Ood, "temperature", [1e-9], [0, -1]),
    (Worst, "epsilon", [1e-9, 1 - 1e-9], [0, 1]),
    (SizeWords, "large", [("a", "b", "c")], [("a", "b"), ("a", "b", "b")]),
    (SizeWords, "small", [("a", "b", "c")], [("a", "b")]),
    (SizeWords, "medium", [("a", "b", "c", "d", "e")], [("a", "b", "c", "d")]),
]


@pytest.mark.parametrize(
    ("settings", "name", "allowed", "refused"),
    [pytest.param(*row, id=f"{row[0].__module__.removeprefix('eyechart.probes.')}-{row[1]}") for row in ALLOWED_AND_REFUSED],
)
def test_both_ends_of_a_range_are_checked(settings, name, allowed, refused):
    for value in allowed:
        assert getattr(settings(**{name: value}), name) == value
    for value in refused:
        with pytest.raises(ValueError, match=name):
            settings(**{name: value})
