import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.metrics.trends.baseline_lines import find_line
from eyechart.study.baselines import find_baseline
from eyechart.study.facts import Facts
from eyechart.study.placing import STORED, place
from eyechart.study.table import Value
from eyechart.study.trending import Settings

from .tables import along_a_line, study_of

QUICK = Settings(fit="ols", resamples=100)
MINE = Facts("onnx:mine", "zero-shot CLIP", "mine")
VALUES = [
    Value("imagenet", 0.7, 1000),
    Value("imagenet-v2", 0.68, 1000),
    Value("imagenet-a", 0.3, 1000),
    Value("photos/ece", 0.1, 50),
]


def placed(*rows, model="onnx:mine"):
    found = place(study_of(*rows), model, find_baseline("standard"), QUICK)
    return {standing.measure: standing for standing in found.standings}, found


def test_a_models_rank_and_distance_from_the_line_of_the_study():
    others = along_a_line(40, group="standard", prefix="s")
    standings, found = placed(*others, (MINE, VALUES, "findings"))
    better = sum(values[0].value > 0.7 for _, values, _ in others)
    assert (standings["imagenet"].rank, standings["imagenet"].of) == (1 + better, 41)
    shift = standings["imagenet-v2"]
    assert shift.expected == pytest.approx(0.59, abs=0.01)  # Φ(Φ⁻¹(0.7) − 0.3)
    assert shift.robustness == pytest.approx(0.68 - shift.expected)
    assert shift.low < shift.robustness < shift.high and "standard, n = 40" in shift.line
    (trend,) = found.trends
    assert [m for m, mine in zip(trend.population.models, trend.population.mine, strict=True) if mine] == ["onnx:mine"]


def test_the_interval_is_as_wide_as_so_few_pictures_make_it():
    """1,000 pictures on either set: a spread of about √(0.7·0.3/1000 + 0.68·0.32/1000) = 2.1 points, so ± 4."""
    standings, _ = placed(*along_a_line(40, group="standard", prefix="s"), (MINE, VALUES, "findings"))
    assert 0.07 < standings["imagenet-v2"].high - standings["imagenet-v2"].low < 0.10


def test_without_other_models_the_stored_line_is_taken():
    standings, found = placed((MINE, VALUES, "findings"))
    shift = standings["imagenet-v2"]
    assert shift.line == STORED and found.trends == ()
    assert shift.expected == pytest.approx(float(find_line("imagenet", "imagenet-v2").line.expected(0.7)))


def test_a_model_without_others_is_told_so():
    assert any("no other model" in str(n) and "study add" in str(n) for n in placed((MINE, VALUES, "findings"))[1].notices)
    others = placed(*along_a_line(3, group="standard", prefix="s"), (MINE, VALUES, "findings"))[1]
    assert not any("no other model" in str(n) for n in others.notices)


def test_a_shift_without_its_counterpart_has_no_distance_and_that_is_said():
    standings, found = placed((MINE, VALUES, "findings"))
    assert standings["imagenet-a"].robustness is None
    assert "imagenet-a (imagenet-a-classes)" in str(found.notices[0])


def test_ones_own_findings_go_before_published_figures():
    published = (MINE, [Value("imagenet", 0.5, 50_000), Value("imagenet-v2", 0.4, 10_000)], "open_clip")
    standings, _ = placed(*along_a_line(20, group="standard", prefix="s"), published, (MINE, VALUES, "findings"))
    assert standings["imagenet"].value == 0.7


def test_each_prompt_set_is_placed():
    accuracies = {"one": (0.6, 0.5), "many": (0.65, 0.56)}
    rows = [
        Value(metric, value, 1000, prompts=prompts)
        for prompts, pair in accuracies.items()
        for metric, value in zip(("imagenet", "imagenet-v2"), pair, strict=True)
    ]
    study = study_of(*along_a_line(20, group="standard", prefix="s"), (MINE, rows, "findings"))
    found = place(study, "onnx:mine", find_baseline("standard"), QUICK)
    distances = {s.prompts: s.robustness for s in found.standings if s.measure == "imagenet-v2"}
    assert set(distances) == {"one", "many"} and np.isfinite(list(distances.values())).all()


def test_an_unknown_model_is_named_with_its_nearest():
    with pytest.raises(UsageError, match="did you mean 'onnx:mine'"):
        placed((MINE, VALUES, "findings"), model="onnx:min")


@pytest.mark.refdata
def test_a_published_model_among_all_others(published):
    found = place(published, "open_clip:ViT-B-32/openai", find_baseline("standard"), QUICK)
    of = {s.measure: s for s in found.standings}
    assert of["imagenet"].of == 1787
    assert 0.05 < of["imagenet-v2"].robustness < 0.065  # 5.68 against the testbed's own baseline


def test_a_factor_is_taken_against_the_average_of_imagenet_x_not_against_imagenet():
    """Pose is 10 points below the average of ImageNet-X in every model; ImageNet itself says nothing about it."""
    rng = np.random.default_rng(3)
    others = [
        (
            Facts(f"s{i}", "standard", f"family {i}"),
            [
                Value("imagenet", float(rng.uniform(0.3, 0.9)), 50_000),
                Value("imagenet-x-average", average, 46_110),
                Value("imagenet-x-pose", average - 0.1, 5_000),
            ],
            "imagenet_x",
        )
        for i, average in enumerate(np.linspace(0.4, 0.8, 30))
    ]
    mine = [Value("imagenet", 0.35, 1000), Value("imagenet-x-average", 0.7, 1000), Value("imagenet-x-pose", 0.65, 1000)]
    standings, _ = placed(*others, (MINE, mine, "findings"))
    assert standings["imagenet-x-pose"].expected == pytest.approx(0.6, abs=0.01)
    assert standings["imagenet-x-pose"].robustness == pytest.approx(0.05, abs=0.01)
