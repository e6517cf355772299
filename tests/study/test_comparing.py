import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.study.baselines import find_baseline
from eyechart.study.comparing import compare
from eyechart.study.exhibits import verdict
from eyechart.study.facts import Facts
from eyechart.study.population import pair
from eyechart.study.questions import QUESTIONS
from eyechart.study.table import Value
from eyechart.study.trending import Settings

from .tables import along_a_line, study_of

QUICK = Settings(fit="ols", resamples=200)
CLIP = {"group": "zero-shot CLIP"}


def answered(rows, question, **options):
    return compare(pair(study_of(*rows), None, "imagenet-v2"), QUESTIONS.get(question), find_baseline("all"), QUICK, **options)


def test_a_source_that_was_moved_is_found():
    rows = along_a_line(20, prefix="w", source="WIT-400M", above=0.15, **CLIP)
    rows += along_a_line(20, prefix="l", source="LAION-2B", seed=1, **CLIP) + along_a_line(
        6, prefix="m", source="LAION-400M", seed=2, **CLIP
    )
    found = answered(rows, "source")
    assert found.answers == ("LAION", "WIT")
    assert found.offsets.p < 0.01
    laion, wit = found.offsets.groups
    assert wit.interval.low > 0 > laion.interval.high and laion.n == 26


def test_the_twin_without_a_difference_stays_quiet():
    rows = along_a_line(20, prefix="w", source="WIT-400M", **CLIP) + along_a_line(
        20, prefix="l", source="LAION-2B", seed=1, **CLIP
    )
    found = answered(rows, "source")
    assert found.offsets.p > 0.05
    assert all(group.interval.low <= 0 <= group.interval.high for group in found.offsets.groups)


def test_the_verdict_says_what_the_interval_and_p_are_about():
    """An interval may leave 0 out where p is large: that answers are alike does not say that they lie on the trend."""
    rows = along_a_line(20, prefix="w", source="WIT-400M", **CLIP)
    told = verdict(answered([*rows, *along_a_line(20, prefix="l", source="LAION-2B", seed=1, **CLIP)], "source"))
    assert "differences are not significant" in told and "leaves the common trend" not in told
    assert "95% interval of the distance from the trend" in told and "whether its models differ from the mean of all" in told


@pytest.mark.parametrize(
    ("question", "facts", "answers"),
    [
        ("architecture", [{"architecture": "ViT-B-32"}, {"architecture": "RN50"}], ("ResNet", "ViT")),
        ("size", [{"dataset_size": 400_000_000}, {"dataset_size": 12_000_000}], ("300M to 1B", "up to 30M")),
        ("parameters", [{"parameters": 150_000_000}, {"parameters": 2_000_000_000}], ("100M to 200M", "over 1B")),
        ("loss", [{"loss": "InfoNCE"}, {"loss": "sigmoid"}], ("InfoNCE", "sigmoid")),
    ],
)
def test_answers_are_read_off_the_facts(question, facts, answers):
    rows = [row for i, fact in enumerate(facts) for row in along_a_line(6, prefix=f"g{i}", seed=i, **CLIP, **fact)]
    assert answered(rows, question).answers == answers


def test_fine_tuning_is_asked_of_clip_before_and_after_it():
    rows = along_a_line(8, prefix="z", **CLIP, above=0.3)
    rows += along_a_line(8, prefix="d", group="CLIP fine-tuned, direct", fine_tuning="ImageNet-1k", seed=1)
    rows += along_a_line(8, prefix="s", group="standard", seed=2)
    found = answered(rows, "fine-tuning")
    assert found.answers == ("ImageNet-1k", "no fine-tuning") and len(found.labels) == 16


def test_prompts_are_compared_within_each_model():
    """Models differ by far more than prompts do, yet in each of them the second set is a little better on the shift."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(12):
        x, level = 0.4 + i / 40, rng.normal(0, 0.05)
        values = [
            Value(metric, value, 1000, prompts=prompts)
            for prompts, more in (("one", 0.0), ("eighty", 0.008))
            for metric, value in (("imagenet", x), ("imagenet-v2", x - 0.1 + level + more + rng.normal(0, 0.001)))
        ]
        rows.append((Facts(f"m{i}", "zero-shot CLIP", "one family"), values, "findings"))
    found = answered(rows, "prompts")
    assert found.answers == ("eighty", "one") and found.offsets.p < 0.01


def test_an_answer_of_a_single_model_is_left_out_and_said():
    rows = along_a_line(6, prefix="a", source="WIT-400M", **CLIP) + along_a_line(6, prefix="b", source="LAION-2B", **CLIP)
    rows += along_a_line(1, prefix="c", source="CC-12M", **CLIP) + along_a_line(2, prefix="d", **CLIP)
    found = answered(rows, "source")
    assert found.answers == ("LAION", "WIT")
    assert "3 models excluded" in str(found.study.population.notices[-1])


def test_a_question_without_two_answers_cannot_be_asked():
    rows = along_a_line(8, prefix="a", source="WIT-400M", **CLIP) + along_a_line(
        8, prefix="s", group="standard", source="ImageNet-1k"
    )
    with pytest.raises(UsageError, match="--among all"):
        answered(rows, "source")
    assert answered(rows, "source", groups=("all",)).answers == ("ImageNet-1k", "WIT")


def test_prompts_need_findings_of_ones_own():
    with pytest.raises(UsageError, match="--prompts A --prompts B"):
        answered(along_a_line(8, prefix="a", **CLIP), "prompts")


@pytest.mark.refdata
def test_the_training_source_of_clip_matters_on_sketches(published):
    """Tu et al. (2023): models trained on WIT and on LAION follow different trends."""
    found = compare(pair(published, None, "imagenet-sketch"), QUESTIONS.get("source"), find_baseline("all"), QUICK)
    offsets = dict(zip(found.answers, found.offsets.groups, strict=True))
    assert found.offsets.p < 0.05
    assert offsets["WIT"].value < -0.04 < -0.01 < offsets["LAION"].value


def pairs_of(names, lost, **facts):
    """Models of these names on the line, each lower by its own loss on the shift; `facts` are by name."""
    return [
        (
            Facts(name, facts["group"][i], "one family", resolution=facts["resolution"][i]),
            [Value("imagenet", 0.6 + (i // 2) / 40, 50_000), Value("imagenet-v2", 0.5 + (i // 2) / 40 - lost[i], 10_000)],
            "timm",
        )
        for i, name in enumerate(names)
    ]


def test_resolutions_of_fine_tuning_are_compared_within_one_network():
    direct = "CLIP fine-tuned, direct"
    names = [f"timm:vit_{size}_clip_{side}.openai_ft_in1k" for size in "abcdefgh" for side in (224, 384)]
    names.append("timm:vit_alone_clip_448.openai_ft_in1k")
    lost = [0.0, 0.03] * 8 + [0.3]
    rows = pairs_of(names, lost, group=[direct] * 17, resolution=[224, 384] * 8 + [448])
    found = answered(rows, "resolution")
    assert found.answers == ("224 pixels", "384 pixels") and len(found.labels) == 16 and found.offsets.p < 0.02
    same = answered(pairs_of(names, [0.0, 0.0] * 8 + [0.3], group=[direct] * 17, resolution=[224, 384] * 8 + [448]), "resolution")
    assert same.offsets.p > 0.05


def test_methods_of_fine_tuning_are_compared_within_one_network():
    groups = ["CLIP fine-tuned, direct", "CLIP fine-tuned, two-stage"] * 8
    names = [f"timm:vit_{size}_clip_224.laion2b_ft_{on}" for size in "abcdefgh" for on in ("in1k", "in12k_in1k")]
    found = answered(pairs_of(names, [0.0, 0.03] * 8, group=groups, resolution=[224] * 16), "method")
    assert found.answers == ("directly", "on a larger ImageNet first") and found.offsets.p < 0.02
    better, worse = found.offsets.groups
    assert better.value > 0 > worse.value


@pytest.mark.refdata
def test_averaged_weights_of_model_soups_are_a_method(published):
    found = compare(pair(published, None, "imagenet-sketch"), QUESTIONS.get("method"), find_baseline("all"), QUICK)
    counts = dict(zip(found.answers, (group.n for group in found.offsets.groups), strict=True))
    assert counts["directly, weights averaged"] == 2  # the uniform and the greedy soup
    # timm's names with both _ft_in1k and _ft_in12k_in1k, counted by hand: ViT-B/32 224; B/16 224 and 384, of LAION-2B and OpenAI
    # each; L/14 224 of both, and 336 of LAION-2B; H/14 224; ConvNeXt-B.
    assert counts["on a larger ImageNet first"] == 10


def test_a_baseline_outside_the_comparison_is_refused_with_the_reason():
    rows = along_a_line(8, prefix="a", source="WIT-400M", **CLIP) + along_a_line(8, prefix="b", source="LAION-2B", **CLIP)
    rows += along_a_line(8, prefix="s", group="standard")
    population = pair(study_of(*rows), None, "imagenet-v2")
    with pytest.raises(UsageError, match=r"none of the compared models is in the baseline 'testbed-standard'.*--baseline all"):
        compare(population, QUESTIONS.get("source"), find_baseline("testbed-standard"), QUICK)
