from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.comparison.runs import predictions, write_run
from tests.found import protocol_of, table_of

from eyechart.errors import DataError, UsageError
from eyechart.findings import skip
from eyechart.findings.finding import Finding
from eyechart.findings.run import Run, read_run
from eyechart.gate.condition import parse_condition
from eyechart.gate.decide import decide

N = 800
TRUTH = np.arange(N) % 4


def predicted(drop=0.0, *, of=(0, 1, 2, 3)):
    """90% correct, less `drop` of the pictures of these classes."""
    wrong = (np.arange(N) // 4 % 10 == 0) | (np.isin(TRUTH, of) & (np.arange(N) // 4 % 100 < 100 * drop))
    return np.where(wrong, (TRUTH + 1) % 4, TRUTH)


def run(folder, answers, *, top1=None, name="m", extra=(), given=None, dataset="photos", shifted=None):
    value = float((answers == TRUTH).mean()) if top1 is None else top1
    bounds = {"low": value - 0.02, "high": value + 0.02, "n": N, "slice": {"prompts": "single"}}
    worst = min(float((answers == TRUTH)[c == TRUTH].mean()) for c in range(4))
    found = [
        Finding(metric="top1", value=value, **bounds),
        Finding(metric="mean_per_class", value=value, **bounds),
        Finding(metric="worst_class", value=worst, **bounds | {"slice": {"class": "cat", "prompts": "single"}}),
        *extra,
    ]
    rows = [predictions(TRUTH, answers)] if given is None else given
    return read_run(write_run(folder, {name: rows}, findings={name: found}, dataset=dataset, shifted=shifted))


def outcome(text, now, before=None):
    (decision,) = decide([parse_condition(text)], now, before)
    return decision.outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("top1 < 0.93", "fails"),
        ("top1 < 0.85", "passes"),
        ("top1 < 0.89", "inconclusive"),
        ("top1 <= 0.92", "fails"),
        ("top1 < 0.92", "inconclusive"),
        ("top1 < 0.88", "passes"),
        ("top1 <= 0.88", "inconclusive"),
        ("top1 > 0.87", "fails"),
        ("top1 > 0.92", "passes"),
        ("top1 >= 0.88", "fails"),
        ("top1 >= 0.92", "inconclusive"),
        ("top1 > 0.9", "inconclusive"),
        ("top1@zero_shot of photos < 80%", "passes"),
    ],
)
def test_a_value_is_decided_on_its_interval(tmp_path, text, expected):
    """Top-1 is 90%, with an interval from 88% to 92%."""
    low, high = 0.88, 0.92
    found = [Finding(metric="top1", value=0.9, low=low, high=high, n=N)]
    now = read_run(write_run(tmp_path / "a", {"m": []}, findings={"m": found}))
    assert outcome(text, now) == expected


def test_a_drop_is_paired_by_picture(tmp_path):
    before, now = run(tmp_path / "a", predicted()), run(tmp_path / "b", predicted(0.12))
    (decision,) = decide([parse_condition("top1 drops 5 points")], now, before)
    (check,) = decision.checks
    assert check.outcome == "fails"
    assert check.how.startswith("paired by picture")
    assert check.n == N
    assert outcome("top1 drops 20 points", now, before) == "passes"
    assert outcome("top1 rises 1 points", now, before) == "passes"
    assert outcome("mean_per_class drops 5 points", now, before) == "fails"


def test_the_paired_interval_decides_where_two_intervals_would_not(tmp_path):
    """Both intervals of ±2 points overlap; paired, one picture in 40 was lost and none was gained."""
    before, now = run(tmp_path / "a", predicted()), run(tmp_path / "b", predicted(0.04, of=(0,)))
    assert outcome("top1 drops 3 points", now, before) == "passes"
    (tmp_path / "b" / "predictions.parquet").unlink()
    (decision,) = decide([parse_condition("top1 drops 3 points")], read_run(tmp_path / "b"), before)
    assert (decision.outcome, decision.checks[0].how) == ("inconclusive", "unpaired: MOVER from two intervals, 95%")


def test_the_worst_class_is_paired_whichever_it_is(tmp_path):
    before, now = run(tmp_path / "a", predicted()), run(tmp_path / "b", predicted(0.6, of=(2,)))
    assert outcome("worst_class drops 5 points", now, before) == "fails"
    assert outcome("worst_class drops 5 points", before, before) == "passes"
    assert outcome("worst_class rises 5 points", now, before) == "passes"


def test_other_metrics_are_compared_unpaired(tmp_path):
    def with_ece(name, value):
        ece = Finding(metric="ties", value=value, low=value - 0.01, high=value + 0.01, n=N)
        return run(tmp_path / name, predicted(), extra=(ece,))

    before, now = with_ece("a", 0.02), with_ece("b", 0.10)
    assert outcome("ties rises 5 points", now, before) == "fails"
    assert outcome("ties rises 10 points", now, before) == "passes"
    assert outcome("ties rises 0.08", now, before) == "inconclusive"


def test_a_number_without_an_interval_decides_nothing_unless_it_is_a_count(tmp_path):
    extra = (Finding(metric="chance", value=0.25, n=N), Finding(metric="ties", value=3.0, n=N, unit="count"))
    now = run(tmp_path / "a", predicted(), extra=extra)
    assert outcome("chance < 0.5", now) == "inconclusive"
    assert outcome("ties > 2", now) == "fails"
    assert outcome("ties > 3", now) == "passes"


def test_what_is_missing_is_an_error_and_never_a_pass(tmp_path):
    now = run(tmp_path / "a", predicted())
    poor = read_run(write_run(tmp_path / "poor", {"m": []}, findings={"m": [Finding(metric="chance", value=0.25, n=1)]}))
    for text, before, reason in [
        ("tp1 < 0.8", None, "the run has no metric tp1; did you mean 'top1'"),
        ("top1@zero_shoot < 0.8", None, "did you mean 'zero_shot'"),
        ("top1 of photo < 0.8", None, "no dataset photo; did you mean 'photos'"),
        ("top5 < 0.8", None, "the probe zero_shot reports it, and it was not run or was skipped"),
        ("top1 drops 5 points", None, "give --baseline"),
        ("top1 drops 5 points", poor, "the baseline has no metric top1"),
        ("top1 < 80", None, "is a fraction; write 0.8 or 80%"),
        ("top1 drops 5", now, "is a fraction; write 0.05 or 5 points"),
    ]:
        with pytest.raises(UsageError, match=reason):
            outcome(text, now, before)


def test_a_dataset_or_model_that_is_gone_is_an_error(tmp_path):
    now = run(tmp_path / "a", predicted())
    with pytest.raises(UsageError, match=r"the baseline has top1 on elsewhere, and the run does not"):
        outcome("top1 drops 5 points", now, run(tmp_path / "b", predicted(), dataset="elsewhere"))
    found = {"m": [Finding(metric="top1", value=0.9, low=0.8, high=1.0, n=9)], "n": []}
    with pytest.raises(UsageError, match="the run has no top1 of n on photos"):
        outcome("top1 < 0.5", read_run(write_run(tmp_path / "two", {"m": [], "n": []}, findings=found)))


def test_models_are_matched_by_name_or_as_the_only_ones(tmp_path):
    before, now = run(tmp_path / "a", predicted(), name="old"), run(tmp_path / "b", predicted(), name="new")
    assert outcome("top1 drops 5 points", now, before) == "passes"


def test_other_labels_are_an_error(tmp_path):
    before = run(tmp_path / "a", predicted())
    now = run(tmp_path / "b", predicted(), given=[predictions((TRUTH + 1) % 4, predicted())])
    with pytest.raises(DataError, match="another label"):
        outcome("top1 drops 5 points", now, before)


def test_the_worst_of_several_models_decides(tmp_path):
    found = {
        name: [Finding(metric="top1", value=v, low=v - 0.01, high=v + 0.01, n=N)] for name, v in {"m": 0.9, "n": 0.5}.items()
    }
    now = read_run(write_run(tmp_path / "a", {"m": [], "n": []}, findings=found))
    assert outcome("top1 < 0.8", now) == "fails"
    assert outcome("top1 < 0.3", now) == "passes"


def test_shifted_datasets_count_only_where_they_are_named():
    def rows(dataset, value):
        return table_of([Finding(metric="top1", value=value, low=value - 0.01, high=value + 0.01, n=N)], dataset=dataset)

    roles = {"photos": {"role": "exam"}, "night": {"role": "shift"}}
    tables = [rows("photos", 0.9), rows("night", 0.4)]
    now = Run(
        pa.concat_tables(tables), skip.to_table([]), (), protocol_of("zero_shot") | {"datasets": roles, "models": {"m": {}}}
    )
    assert outcome("top1 < 0.8", now) == "passes"
    assert outcome("top1 of night < 0.8", now) == "fails"


def test_a_metric_of_several_probes_must_be_told_apart(tmp_path):
    found = [Finding(metric="top1", value=0.9, low=0.8, high=1.0, n=N)]
    tables = [table_of(found, probe="zero_shot"), table_of(found, probe="prompts")]
    now = Run(pa.concat_tables(tables), skip.to_table([]), (), protocol_of("zero_shot", "prompts") | {"models": {"m": {}}})
    (decision,) = decide([parse_condition("top1 < 0.5")], now)
    assert len(decision.checks) == 1, "the probe that has it in its headline"
    found = [Finding(metric="ties", value=0.1, low=0.0, high=0.2, n=N)]
    tables = [table_of(found, probe="zero_shot"), table_of(found, probe="prompts")]
    now = Run(pa.concat_tables(tables), skip.to_table([]), (), protocol_of("zero_shot", "prompts") | {"models": {"m": {}}})
    with pytest.raises(UsageError, match="write ties@zero_shot or ties@prompts"):
        outcome("ties > 0.5", now)


def test_values_beside_a_paired_change_are_of_the_shared_pictures(tmp_path):
    """The run lost its 400 wrong pictures of the baseline: over all pictures 50% → 100%, on the shared ones 100% → 100%."""
    answers = np.where(np.arange(N) < N // 2, TRUTH, (TRUTH + 1) % 4)
    before = run(tmp_path / "before", answers)
    half = predictions(TRUTH[: N // 2], answers[: N // 2])
    now = run(tmp_path / "now", answers, given=[half], top1=1.0)
    (decision,) = decide([parse_condition("top1 drops 5 points")], now, before)
    (check,) = decision.checks
    assert check.shown.startswith("0.0 points (−") and check.shown.endswith(": 100.0% → 100.0%")
    assert check.n == N // 2
    assert "left out: 400 of m" in check.notices[0]


def test_a_baseline_of_another_model_is_named(tmp_path):
    before, now = (run(tmp_path / name, predicted(), name=name) for name in ("old", "new"))
    (decision,) = decide([parse_condition("top1 drops 5 points")], now, before)
    assert decision.checks[0].notices == ("the baseline is old",)


def test_another_rank_of_the_truth_is_a_change(tmp_path):
    """The predicted classes are the same; the true class fell from the second place to the fourth."""
    wrong = (TRUTH + 1) % 4
    before, now = predictions(TRUTH, wrong), predictions(TRUTH, wrong)
    now = replace(now, rank=np.full(N, 3))
    runs = [run(tmp_path / name, wrong, given=[given]) for name, given in (("before", before), ("now", now))]
    (decision,) = decide([parse_condition("top1 drops 5 points")], runs[1], runs[0])
    assert "not one prediction changed" not in decision.checks[0].how


@pytest.mark.parametrize("beside", [{"prompts": "ensemble"}, {"dataset": "night"}])
def test_a_drop_is_that_of_the_examined_pictures_under_the_prompts_of_the_finding(tmp_path, beside):
    """Under other prompts, or on shifted pictures, not one answer changed."""
    steady = replace(predictions(TRUTH, predicted()), **beside)
    now, before = (
        run(tmp_path / name, answers, given=[steady, predictions(TRUTH, answers)])
        for name, answers in {"now": predicted(0.12), "before": predicted()}.items()
    )
    assert outcome("top1 drops 5 points", now, before) == "fails"


def test_a_drop_is_not_that_among_the_classes_of_another_dataset(tmp_path):
    """The same pictures are also a shifted set of another dataset: among its classes not one answer changed."""
    now, before = (
        run(tmp_path / name, answers, shifted={"m": predictions(TRUTH, predicted())})
        for name, answers in {"now": predicted(0.12), "before": predicted()}.items()
    )
    assert outcome("top1 of photos drops 5 points", now, before) == "fails"


def test_a_change_of_prompts_is_named(tmp_path):
    before = run(tmp_path / "a", predicted(), given=[predictions(TRUTH, predicted(), prompts="ensemble")])
    (decision,) = decide([parse_condition("top1 drops 5 points")], run(tmp_path / "b", predicted()), before)
    assert "prompts ensemble in the baseline, single now" in str(decision)
