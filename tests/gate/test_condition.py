import pytest

from eyechart.errors import UsageError
from eyechart.gate.condition import parse_condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("top1 < 0.8", ("top1", None, None, "<", 0.8)),
        ("top1<80%", ("top1", None, None, "<", 0.8)),
        ("ece@calibration of photos > 5 %", ("ece", "calibration", "photos", ">", 0.05)),
        ("top1 of my photos >= .5", ("top1", None, "my photos", ">=", 0.5)),
        ('top1 of "a < b" <= 1e-2', ("top1", None, "a < b", "<=", 0.01)),
        ("worst_class drops 5 points", ("worst_class", None, None, "drops", 0.05)),
        ("ece rises by 1 point", ("ece", None, None, "rises", 0.01)),
        ("temperature@calibration rises 0.2", ("temperature", "calibration", None, "rises", 0.2)),
        ("recall_25px of pairs drops 0.1", ("recall_25px", None, "pairs", "drops", 0.1)),
    ],
)
def test_the_grammar(text, expected):
    c = parse_condition(text)
    assert (c.metric, c.probe, c.dataset, c.relation) == expected[:4]
    assert c.value == pytest.approx(expected[4])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a condition"),
        ("top1", "not a condition"),
        ("top1 = 0.8", "not a condition"),
        ("top1 < high", "not a condition"),
        ("top1 drop 5 points", "did you mean 'drops'"),
        ("top1 drops", "not a condition"),
        ("top1 drops 5%", "ambiguous; write points"),
        ("top1 drops 0", "must be above 0"),
        ("top1 drops -3 points", "must be above 0"),
        ("top1 < 5 points", "points are for drops and rises"),
        ("top1 < 1e999", "too large"),
        ("top1 < 0.8; rm -rf /", "not a condition"),
    ],
)
def test_what_is_no_condition_is_named(text, reason):
    with pytest.raises(UsageError, match=reason):
        parse_condition(text)
