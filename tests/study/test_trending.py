import numpy as np
import pytest
from scipy.stats import linregress, norm, spearmanr

from eyechart.errors import UsageError
from eyechart.study.baselines import find_baseline
from eyechart.study.facts import Facts
from eyechart.study.population import pair
from eyechart.study.questions import sources
from eyechart.study.table import Value
from eyechart.study.trending import Settings, study_trend, summaries

from .tables import along_a_line, study_of

QUICK = Settings(fit="ols", resamples=50)


def line_of(study, y, x=None, **settings):
    population = pair(study, x, y, origins=["testbed"])
    return study_trend(
        population, find_baseline("testbed-standard"), Settings(fit="ols", at_least=0.55, resamples=20, **settings)
    )


@pytest.mark.refdata
@pytest.mark.parametrize(
    ("y", "n", "slope", "intercept", "zero_shot"),
    [
        ("imagenet-v2", 85, 0.9617, -0.3247, (5.95, 5.68)),
        ("objectnet", 85, 1.0192, -1.2049, (17.94, 17.95)),
        ("imagenet-r", 80, 0.7719, -1.4212, (32.89, 38.77)),
        ("imagenet-sketch", 85, 1.0435, -1.4259, (23.21, 28.17)),
    ],
)
def test_lines_of_the_testbed_from_its_tables(published, y, n, slope, intercept, zero_shot):
    """Imported, paired over the same classes, cut to the baseline and fitted: the figures of the protocol."""
    found = line_of(published, y)
    assert found.trend.n == n
    np.testing.assert_allclose([found.trend.line.slope, found.trend.line.intercept], [slope, intercept], atol=6e-4)
    of = dict(zip(found.population.models, 100 * found.robustness, strict=True))
    models = ("testbed:resnet50_clip_zeroshot", "testbed:vit_b_32_clip_zeroshot")
    np.testing.assert_allclose([of[m] for m in models], zero_shot, atol=6e-3)


@pytest.mark.refdata
def test_zero_shot_clip_lies_above_the_line_and_fine_tuned_clip_on_it(published):
    """The papers' first figure: on ImageNet-V2, what fine-tuning gains on ImageNet it does not gain on the shift."""
    found = study_trend(pair(published, None, "imagenet-v2"), find_baseline("standard"), QUICK)
    mean = {s.group: 100 * s.mean_robustness for s in summaries(found)}
    assert mean["zero-shot CLIP"] > 4 and abs(mean["CLIP fine-tuned, direct"]) < 1 and abs(mean["standard"]) < 0.2


def test_the_baseline_alone_makes_the_line():
    rows = along_a_line(30, group="standard", prefix="s") + along_a_line(
        30, group="zero-shot CLIP", prefix="c", above=0.5, seed=1
    )
    found = study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("standard"), QUICK)
    np.testing.assert_allclose([found.trend.line.slope, found.trend.line.intercept], [1.0, -0.3], atol=0.05)
    assert found.trend.n == 30
    mean = {s.group: s.mean_robustness for s in summaries(found)}
    assert mean["zero-shot CLIP"] > 0.1 and abs(mean["standard"]) < 0.01


def test_ones_own_model_is_no_part_of_the_baseline():
    rows = along_a_line(10, group="standard", prefix="s") + along_a_line(1, group="standard", prefix="mine", origin="findings")
    found = study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("standard"), QUICK)
    assert found.trend.n == 10 and len(found.population) == 11


def model(name, x, y, n=100):
    return Facts(name, "standard", name), [Value("imagenet", x, n), Value("imagenet-v2", y, n)], "timm"


def test_a_model_at_nought_is_dropped_with_a_note_or_moved_inwards():
    rows = [*along_a_line(10, group="standard", prefix="s"), model("lost", 0.5, 0.0)]
    population = pair(study_of(*rows), None, "imagenet-v2")
    dropped = study_trend(population, find_baseline("standard"), QUICK)
    assert "lost" not in dropped.population.models
    assert "at exactly 0% or 100%" in str(dropped.population.notices[-1]) and "lost" in str(dropped.population.notices[-1])
    moved = study_trend(population, find_baseline("standard"), Settings(fit="ols", resamples=50, clip=True)).population
    assert moved.y[moved.models.index("lost")] == pytest.approx(0.005)


def test_a_linear_axis_holds_everything():
    rows = [*along_a_line(10, group="standard", prefix="s"), model("lost", 0.5, 0.0)]
    settings = Settings("linear", "ols", resamples=50)
    assert len(study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("all"), settings).population) == 11


def test_a_measure_that_is_no_share_stands_on_a_linear_axis():
    rows = [
        (
            Facts(f"m{i}", "standard", f"m{i}"),
            [Value("imagenet", 0.5 + i / 40, 100), Value("nll", 3.0 - i / 10, 100, "nats")],
            "timm",
        )
        for i in range(12)
    ]
    found = study_trend(pair(study_of(*rows), "imagenet", "nll"), find_baseline("all"), QUICK)
    assert (found.trend.line.x_axis, found.trend.line.y_axis) == ("probit", "linear")


def test_too_few_models_make_no_line():
    rows = along_a_line(4, group="standard", prefix="s")
    with pytest.raises(UsageError, match=r"4 models .* a line needs 5"):
        study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("standard"), QUICK)


def test_an_unknown_baseline_is_named_with_its_nearest():
    with pytest.raises(UsageError, match="did you mean 'testbed-standard'"):
        find_baseline("testbed-standart")


def under_prompts(count):
    """Own models; each has two prompt sets, and the second lies far off the line of the first. One model has the second only."""
    rows = []
    for i in range(count):
        x = 0.4 + i / 50
        sets = (("eighty", 0.3),) if i == 0 else (("one", 0.1), ("eighty", 0.3))
        values = [
            Value(metric, value, 1000, prompts=prompts)
            for prompts, lost in sets
            for metric, value in (("imagenet", x), ("imagenet-v2", x - lost))
        ]
        rows.append((Facts(f"m{i}", "zero-shot CLIP", f"family {i}"), values, "findings"))
    return study_of(*rows)


@pytest.mark.parametrize(("prompts", "n", "intercept"), [("one", 9, -0.1), ("eighty", 10, -0.3), ("", 10, -0.3)])
def test_a_line_is_fitted_to_the_models_of_one_prompt_set(prompts, n, intercept):
    settings = Settings("linear", "ols", resamples=20, prompts=prompts)
    found = study_trend(pair(under_prompts(10), None, "imagenet-v2"), find_baseline("all"), settings)
    assert found.trend.n == n and found.trend.line.intercept == pytest.approx(intercept)
    assert len(found.population) == 10  # a model without this set is shown with its own
    assert f"the prompts {prompts or 'eighty'} are used; 9 values with other prompts" in str(found.population.notices[-1])


def test_all_prompt_sets_only_on_request_and_an_unknown_one_is_refused():
    population = pair(under_prompts(10), None, "imagenet-v2")
    assert study_trend(population, find_baseline("all"), Settings(prompts="all", resamples=20)).trend.n == 19
    with pytest.raises(UsageError, match="did you mean 'eighty'"):
        study_trend(population, find_baseline("all"), Settings(prompts="eigthy", resamples=20))


def test_r2_and_spearman_of_a_source_are_those_of_its_models_alone():
    rows = along_a_line(12, group="zero-shot CLIP", prefix="w", source="WIT-400M")
    rows += along_a_line(12, group="zero-shot CLIP", prefix="l", source="LAION-2B", above=0.4, seed=5)
    found = study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("all"), QUICK)
    by_source = {s.group: s for s in summaries(found, sources(found.population))}
    assert set(by_source) == {"WIT", "LAION"}
    for source, summary in by_source.items():
        of = np.array([s.startswith(source) for s in found.population.facts["source"]])
        x, y = found.population.x[of], found.population.y[of]
        assert summary.r2 == pytest.approx(linregress(norm.ppf(x), norm.ppf(y)).rvalue ** 2)
        assert summary.spearman == pytest.approx(spearmanr(x, y).statistic)


@pytest.mark.refdata
def test_the_testbed_s_standard_models_make_the_line_for_other_groups_too(published):
    baseline = find_baseline("testbed-standard")
    alone = study_trend(pair(published, None, "imagenet-v2"), baseline, QUICK)
    of_clip = study_trend(pair(published, None, "imagenet-v2", groups=["zero-shot CLIP", *baseline.groups]), baseline, QUICK)
    assert of_clip.trend.n == alone.trend.n == 85 and of_clip.trend.line == alone.trend.line
