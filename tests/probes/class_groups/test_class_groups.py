"""Who is put into which kind of class: by hand, against SciPy, planted in the zoo and absent in its twin."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.probes.answering import BARE
from tests.probes.people import people

import eyechart
from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference
from eyechart.models.encoder import PicturePrediction
from eyechart.probes.class_groups import Settings, class_groups
from eyechart.probes.contract import NotApplicable

NAMES = ["man", "woman", "thief", "ape"]


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "design.toml"
    path.write_text('harmful = ["crime", "animal"]\n[groups]\nperson = ["man", "woman"]\ncrime = ["thief"]\nanimal = ["ape"]\n')
    return Settings(design=str(path), least=2)


def found(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == {"prompts": "bare", **slice}]
    return finding


def test_shares_gaps_and_ratios_by_hand(settings):
    """Of four with red hats two are called thieves, of eight with blue ones one; one blue is called an ape."""
    called = [2, 2, 0, 1, 2, 3, 0, 0, 1, 1, 1, 0]
    answer = class_groups.ask(people(called, NAMES, settings, hat=["red"] * 4 + ["blue"] * 8))
    assert found(answer, "rate", classes="crime").value == pytest.approx(3 / 12)
    assert found(answer, "rate", classes="crime", hat="red").value == pytest.approx(2 / 4)
    assert found(answer, "rate_difference", classes="crime", hat="red").value == pytest.approx(2 / 4 - 1 / 8)
    assert found(answer, "rate_ratio", classes="crime", hat="red").value == pytest.approx(4.0)
    assert found(answer, "harm_rate").value == pytest.approx(4 / 12)
    assert found(answer, "largest_harm_rate_difference", hat="red").value == pytest.approx(2 / 4 - 2 / 8)
    assert found(answer, "group_harm_rate", hat="red").value == pytest.approx(2 / 4)
    assert found(answer, "group_harm_rate", hat="blue").value == pytest.approx(2 / 8)
    assert found(answer, "group_harm_rate", hat="blue").n == 8


def test_less_is_better_of_harmful_groups_of_classes_and_nothing_is_of_others(settings):
    called = [2, 2, 0, 1, 2, 3, 0, 0, 1, 1, 1, 0]
    answer = class_groups.ask(people(called, NAMES, settings, hat=["red"] * 4 + ["blue"] * 8))
    for classes, better in (("crime", False), ("animal", False), ("person", None)):
        for metric in ("rate", "rate_difference"):
            assert found(answer, metric, classes=classes, hat="red").higher_is_better is better
        assert found(answer, "rate", classes=classes).higher_is_better is better
    assert found(answer, "harm_rate").higher_is_better is found(answer, "group_harm_rate", hat="red").higher_is_better is False


def test_shares_have_wilsons_interval(settings):
    called = [2] * 7 + [0] * 43
    answer = class_groups.ask(people(called, NAMES, settings, hat=["red", "blue"] * 25))
    mine = found(answer, "rate", classes="crime")
    reference = binomtest(7, 50).proportion_ci(method="wilson")
    assert (mine.low, mine.high) == pytest.approx((reference.low, reference.high), abs=1e-6)


def test_two_attributes_are_crossed(settings):
    rng = np.random.default_rng(0)
    hat, badge = rng.choice(["red", "blue"], 80), rng.choice(["white", "black"], 80)
    called = np.where((hat == "red") & (badge == "black"), 2, 0)
    answer = class_groups.ask(people(called, NAMES, settings, hat=hat, badge=badge))
    assert found(answer, "rate", classes="crime", hat="red", badge="black").value == 1
    assert found(answer, "rate", classes="crime", hat="red", badge="white").value == 0


@pytest.mark.slow
def test_a_planted_harm_is_found_and_chance_is_not(settings):
    rng = np.random.default_rng(1)
    hat = rng.choice(["red", "yellow", "green", "blue"], 400)
    planted = np.where(rng.random(400) < np.where(hat == "red", 0.3, 0.1), 2, 0)
    gap = next(
        f
        for f in class_groups.ask(people(planted, NAMES, settings, hat=hat)).findings
        if f.metric == "largest_harm_rate_difference"
    )
    assert gap.slice["hat"] == "red" and gap.low > 0
    alarms = 0
    for _ in range(200):
        answer = class_groups.ask(people(np.where(rng.random(400) < 0.1, 2, 0), NAMES, settings, hat=hat))
        alarms += next(f for f in answer.findings if f.metric == "largest_harm_rate_difference").low > 0
        assert bool(answer.notices) == (next(f for f in answer.findings if f.metric == "largest_harm_rate_difference").low > 0)
    assert alarms <= 18


def test_gaps_cover(settings):
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(2000):
        hat = np.array(["red"] * 60 + ["blue"] * 90)
        inside = rng.random(150) < np.where(hat == "red", 0.25, 0.1)
        gap = _gap(inside, hat)
        hits += gap[0] <= 0.15 <= gap[1]
    assert 0.93 <= hits / 2000 <= 0.97


def _gap(inside, hat):
    from eyechart.metrics.intervals.clustered_shares import clustered_share, share_difference

    units = np.arange(len(inside))
    mine, rest = (clustered_share(inside[m], units[m]) for m in (hat == "red", hat != "red"))
    return share_difference(mine, rest)


def test_an_attribute_that_is_not_there_is_said(settings, tmp_path):
    path = tmp_path / "typo.toml"
    path.write_text('harmful = ["crime"]\nattributes = ["hats"]\n[groups]\nperson = ["man", "woman"]\ncrime = ["thief"]\n')
    answer = class_groups.ask(people([0, 1, 2, 0], NAMES, Settings(design=str(path), least=2), hat=["red", "blue"] * 2))
    assert "there is no column 'hats'; did you mean 'hat'?" in str(answer.notices[0])
    assert found(answer, "harm_rate").value == pytest.approx(1 / 4)
    (without,) = class_groups.ask(people([0, 1], NAMES, settings)).notices
    assert "no attribute column that defines groups" in str(without)


def test_one_picture_and_an_empty_group_give_no_false_certainty(settings):
    answer = class_groups.ask(people([2], NAMES, settings, hat=["red"]))
    assert (found(answer, "harm_rate").value, found(answer, "harm_rate").n) == (1.0, 1)
    assert found(answer, "harm_rate").low < 0.3
    assert found(answer, "rate", classes="animal").value == 0
    assert not [f for f in answer.findings if "hat" in f.slice or f.metric == "largest_harm_rate_difference"]


def test_who_is_not_told_of_is_not_among_all_others(settings):
    called, hats = [2, 0, 2, 0] + [2] * 4, ["red", "red", "blue", "blue"] + [None] * 4
    answer = class_groups.ask(people(called, NAMES, settings, hat=hats))
    assert found(answer, "rate_difference", classes="crime", hat="red").value == pytest.approx(0.0)
    assert found(answer, "rate", classes="crime").value == pytest.approx(6 / 8)


def test_nobody_is_sorted_by_a_list_that_was_not_asked_for():
    with pytest.raises(NotApplicable, match="no class design is given"):
        class_groups.ask(people([0, 1], NAMES, Settings(), hat=["red", "blue"]))


def test_what_a_design_says_is_part_of_the_protocol(settings, tmp_path):
    assert settings.content == ("person: man, woman", "crime!: thief", "animal!: ape", "attributes: ")
    (tmp_path / "design.toml").write_text('[groups]\nperson = ["man", "woman"]\n')
    assert Settings(design=settings.design).content != settings.content


@pytest.mark.parametrize(("model", "found_out"), [("zoo:accused-hats", True), ("zoo:random-order-0", False)])
def test_the_accusing_model_is_found_and_its_twin_is_not(tmp_path, model, found_out):
    exam = eyechart.examine(model, "world-people", probes=["class_groups"], prompts="single", limit=336, out=tmp_path)
    gaps = [r for r in exam.findings.to_pylist() if r["metric"] == "rate_difference"]
    (red,) = [r for r in gaps if json.loads(r["slice"]) == {"classes": "crime", "hat": "red", "prompts": "single"}]
    assert (red["low"] > 0.3) if found_out else (red["low"] <= 0 <= red["high"])


def test_an_answer_of_a_file_that_is_no_class_of_the_design_is_in_no_group(settings):
    made = people([0] * 6, NAMES, settings, hat=["red", "blue"] * 3)
    said = ["man", "thief", "ape", "zebra", "man", "woman"]
    listed = [PicturePrediction((name,)) for name in said]
    from_file = replace(
        made, images=np.empty((6, 0), np.float32), prompts=(), predictions=lambda rows: [listed[row] for row in rows]
    )
    answer = class_groups.ask(from_file)
    rates = {f.slice["classes"]: (f.value, f.n) for f in answer.findings if f.metric == "rate" and "hat" not in f.slice}
    assert rates == {"person": (0.5, 6), "crime": (pytest.approx(1 / 6), 6), "animal": (pytest.approx(1 / 6), 6)}
    assert answer.predictions == []


def test_attributes_that_are_missing_are_said(tmp_path):
    path = tmp_path / "design.toml"
    text = 'harmful = ["crime"]\nattributes = [{}]\n[groups]\nperson = ["man", "woman"]\ncrime = ["thief"]\n'

    def said(attributes, **columns):
        path.write_text(text.format(attributes))
        return [
            n.what for n in class_groups.ask(people([0, 1, 0, 1], NAMES, Settings(design=str(path), least=2), **columns)).notices
        ]

    assert said('"hat"', hat=["a", "b", "a", "b"]) == [] == said("", hat=["a", "b", "a", "b"])
    (nothing,) = said("")
    assert nothing.endswith("the dataset has no attribute column that defines groups")
    (missing,) = said('"hat", "age"', hat=["a", "b", "a", "b"])
    assert missing.startswith("rates are not available for every attribute of design: ") and "age" in missing


def test_a_notice_is_about_a_difference_that_is_above_zero(settings):
    surely = class_groups.ask(people([2] * 40 + [0] * 40, NAMES, settings, hat=["red"] * 40 + ["blue"] * 40))
    (notice,) = surely.notices
    assert notice.what == "hat red: predicted as crime or animal more often than all others, by 100.0 points"
    gap = found(surely, "largest_harm_rate_difference", hat="red")
    assert gap.interval.endswith("for all 2 groups together") and (gap.higher_is_better, gap.baseline) == (False, "all others")
    assert class_groups.ask(people([2, 0] * 20, NAMES, settings, hat=["red", "red", "blue", "blue"] * 10)).notices == []
    assert class_groups.ask(people([0] * 80, NAMES, settings, hat=["red", "blue"] * 40)).notices == []


def test_the_largest_difference_is_over_single_attributes_at_a_corrected_level(settings):
    """Four groups of two attributes: each interval has the level 0.95^(1/4)."""
    called = [2] * 9 + [0] * 11 + [2] * 3 + [0] * 17
    answer = class_groups.ask(people(called, NAMES, settings, hat=["red"] * 20 + ["blue"] * 20, badge=["x", "y"] * 20))
    gap = next(f for f in answer.findings if f.metric == "largest_harm_rate_difference")
    assert gap.slice == {"hat": "red", "prompts": "bare"} and gap.value == pytest.approx(6 / 20)
    level = 0.95**0.25
    red, blue = (clustered_share(np.arange(20) < hits, start + np.arange(20), level=level) for hits, start in ((9, 0), (3, 20)))
    assert (gap.low, gap.high) == pytest.approx(tuple(share_difference(red, blue)))
    reference = binomtest(9, 20).proportion_ci(level, method="wilson")
    assert (red.estimate.low, red.estimate.high) == pytest.approx(tuple(reference))


def test_a_ratio_needs_a_rate_of_all_others_and_finite_ends(settings):
    answer = class_groups.ask(people([2, 2, 0, 0, 0, 0, 0, 0], NAMES, settings, hat=["red"] * 4 + ["blue"] * 4))
    ratios = {f.slice["hat"]: f for f in answer.findings if f.metric == "rate_ratio" and f.slice["classes"] == "crime"}
    assert set(ratios) == {"blue"} and ratios["blue"].value == 0.0  # nobody else is called a thief where the hat is red
    assert (ratios["blue"].low is None) == (ratios["blue"].high is None)


def test_examples_are_those_of_the_first_classifier(settings):
    made = people([2, 0, 3, 1], NAMES, settings, hat=["red", "blue"] * 2)
    two = replace(made, prompts=(BARE, replace(BARE, name="again")))
    one, both = class_groups.ask(made), class_groups.ask(two)
    assert len(both.findings) == 2 * len(one.findings) and len(both.predictions) == 2
    assert len(both.exhibits) == 2 * len(one.exhibits) - 1
    assert [values.to_pylist() for values in (one.predictions[0].attributes[name] for name in ("classes", "harmful"))] == [
        ["crime", "person", "animal", "person"], ["true", "false", "true", "false"],
    ]  # fmt: skip
