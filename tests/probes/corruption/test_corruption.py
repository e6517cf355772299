"""Errors under corruption: published mCE, pairs, a planted weakness and its quiet twin."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from tests.probes.answering import among, answering, class_list, only

from eyechart.metrics.classification.corruption_error import reference_errors
from eyechart.probes.contract import NotApplicable
from eyechart.probes.corruption import Settings, corruption

AB = class_list(["a", "b"])


def corrupted(hits, names, severities, *, sources=None, **options):
    """Rows that are answered right as `hits` say; classes alternate."""
    truth = np.arange(len(hits)) % 2
    columns = {"attr.shift": list(names), "attr.severity": [int(s) for s in severities]}
    if sources is not None:
        columns["attr.source_id"] = list(sources)
    return answering(np.where(hits, truth, 1 - truth), truth, AB, Settings(), columns=columns, **options)


def clean(hits, **options):
    truth = np.arange(len(hits)) % 2
    return answering(np.where(hits, truth, 1 - truth), truth, AB, Settings(), **options)


def overall(answer):
    return next(f for f in answer.findings if f.metric == "relative_accuracy" and "corruption" not in f.slice)


@pytest.mark.refdata
@pytest.mark.parametrize(
    ("model", "accuracy", "mce"), [("Standard_R50", 0.4712, 0.7316), ("Tian2022Deeper_DeiT-B", 0.6590, 0.4797)]
)
def test_published_mce_on_3d_common_corruptions(refdata, model, accuracy, mce):
    """5,000 pictures under twelve corruptions at five severities, as many of them right as published."""
    with (refdata / "robustbench" / "unaggregated_results_3d.csv").open() as file:
        names, levels, *rows = csv.reader(file)
    published = np.array(next(row for row in rows if row[0] == model)[1:], float)
    right = np.concatenate([np.arange(5000) < round(share * 5000) for share in published])
    inputs = corrupted(
        right, np.repeat(names[1:], 5000), np.repeat(np.array(levels[1:], int), 5000), name="3dcc", benchmark="imagenet-3dcc"
    )
    answer = corruption.ask(inputs)
    assert only(answer, "mean_corrupted_accuracy").value == pytest.approx(accuracy, abs=5e-5)
    found = only(answer, "mce")
    assert found.value == pytest.approx(mce, abs=5e-5)
    assert found.low < found.value < found.high
    fog = only(answer, "ce", corruption="fog_3d")
    assert fog.value * reference_errors("imagenet-3dcc")["fog_3d"] == pytest.approx(1 - published[25:30].mean())


def test_a_hand_worked_case():
    """Two corruptions, one with two severities: means weigh corruptions alike, and severities within them."""
    hits = [1, 0, 0, 0, 1, 1]  # fog 1: 1 of 2; fog 2: 0 of 2; blur 1: 2 of 2
    inputs = corrupted(np.array(hits, bool), ["fog"] * 4 + ["blur"] * 2, [1, 1, 2, 2, 1, 1], name="bad", role="shift")
    answer = corruption.ask(among(clean(np.array([1, 1, 1, 0], bool)), inputs))
    assert only(answer, "corrupted_error_rate", corruption="fog", severity=1).value == 0.5
    assert only(answer, "corrupted_error_rate", corruption="fog", severity=2).value == 1.0
    assert only(answer, "corruption_error_rate", corruption="fog").value == 0.75
    assert only(answer, "worst_corruption_error_rate").slice["corruption"] == "fog"
    (mean,) = [f for f in answer.findings if f.metric == "mean_corrupted_accuracy"]
    assert mean.value == pytest.approx((0.25 + 1.0) / 2)
    assert only(answer, "clean_accuracy").value == 0.75
    assert overall(answer).value == pytest.approx(0.625 / 0.75)
    assert not [f for f in answer.findings if f.metric in ("ce", "mce")]


def versions(hits, names):
    """A table as world-shifts has it: n scenes as they are, then under each corruption at severity 1."""
    n = len(hits[0])
    ids = [f"{name}-{i}" for name in ("none", *names) for i in range(n)]
    sources = [f"none-{i}" for _ in range(len(names) + 1) for i in range(n)]
    levels = np.repeat([0] + [1] * len(names), n)
    return corrupted(np.concatenate(hits), np.repeat(["none", *names], n), levels, sources=sources, ids=ids)


def test_scenes_are_paired_with_themselves():
    """Every scene keeps its answer: the ratio is 1 and nearly certain, though a third of the answers are wrong."""
    right = np.arange(120) % 3 > 0
    answer = corruption.ask(versions([right, right], ["fog"]))
    ratio = overall(answer)
    assert ratio.value == 1.0
    assert 0.9 < ratio.low < 1 < ratio.high < 1.1
    apart = corruption.ask(among(clean(right), corrupted(right, ["fog"] * 120, [1] * 120, name="bad", role="shift")))
    wide = overall(apart)
    assert wide.high - wide.low > 2 * (ratio.high - ratio.low)


def test_scenes_of_sets_beside_are_found_by_their_ids():
    right = np.arange(120) % 3 > 0
    beside = corrupted(right, ["fog"] * 120, [1] * 120, sources=[f"test-{i}" for i in range(120)], name="bad", role="shift")
    answer = corruption.ask(among(clean(right), beside))
    ratio = overall(answer)
    assert ratio.high - ratio.low < 0.2


def test_a_planted_weakness_is_found():
    rng = np.random.default_rng(0)
    shares = {"fog": 0.85, "blur": 0.85, "noise": 0.4}
    hits = [rng.random(150) < 0.85, *(rng.random(150) < share for share in shares.values())]
    answer = corruption.ask(versions(hits, list(shares)))
    worst = only(answer, "worst_corruption_error_rate")
    others = only(answer, "corruption_error_rate", corruption="fog")
    assert worst.slice["corruption"] == "noise"
    assert worst.low > others.high
    assert only(answer, "relative_accuracy", corruption="noise").high < 1
    assert overall(answer).high < 1


def test_without_a_weakness_it_stays_quiet_and_intervals_cover():
    rng = np.random.default_rng(1)
    held = []
    for _ in range(200):
        hits = [rng.random(60) < 0.8 for _ in range(4)]
        found = overall(corruption.ask(versions(hits, ["fog", "blur", "noise"])))
        held.append(found.low <= 1 <= found.high)
    assert held[0]
    assert 182 <= sum(held) <= 198


def test_a_set_that_is_not_whole_has_no_mce_and_says_so():
    inputs = corrupted(np.ones(4, bool), ["fog_3d"] * 4, [1, 2, 3, 3], benchmark="imagenet-3dcc")
    answer = corruption.ask(inputs)
    assert not [f for f in answer.findings if f.metric in ("ce", "mce")]
    assert any("no mCE" in n.what and "near_focus" in n.what and "fog_3d" in n.what for n in answer.notices)
    assert not [f for f in answer.findings if f.metric == "clean_accuracy"]


@pytest.mark.parametrize("left_out", ["a corruption", "a severity", "a severity, with another in its place"])
def test_one_missing_corruption_or_severity_is_enough_for_no_mce(left_out):
    names = list(reference_errors("imagenet-c"))[1 if left_out == "a corruption" else 0 :]
    rows = [(name, level) for name in names for level in (1, 2, 3, 4, 5)]
    if left_out != "a corruption":
        rows.remove((names[3], 4))
    if left_out == "a severity, with another in its place":
        rows.append((names[3], 6))
    answer = corruption.ask(corrupted(np.ones(len(rows), bool), *zip(*rows, strict=True), benchmark="imagenet-c", name="c"))
    assert [f.metric for f in answer.findings].count("ce") == 14
    assert not [f for f in answer.findings if f.metric == "mce"]
    assert any("no mCE" in n.what for n in answer.notices)


def test_corruptions_without_a_reference_are_no_part_of_mce():
    """ImageNet-C with its extra archive: half of the answers right under the fifteen, none under two others."""
    fifteen = list(reference_errors("imagenet-c"))
    names = np.repeat([*fifteen, "saturate", "spatter"], 10)
    levels = np.tile(np.repeat([1, 2, 3, 4, 5], 2), 17)
    right = (np.arange(170) % 2 == 0) & (np.arange(170) < 150)
    answer = corruption.ask(corrupted(right, names, levels, benchmark="imagenet-c", name="c"))
    expected = np.mean([0.5 / error for error in reference_errors("imagenet-c").values()])
    assert only(answer, "mce").value == pytest.approx(expected)
    assert only(answer, "mean_corrupted_accuracy").value == pytest.approx(0.5 * 15 / 17)
    (told,) = answer.notices
    assert "over all 17 corruptions, mCE is over the 15" in told.what and "saturate, spatter" in told.what


def shown(answer, start):
    """The rows and the marks of the only exhibit with this start of its name."""
    (found,) = (e for e in answer.exhibits if e.name.startswith(start))
    return found.table.to_pylist(), [layer["mark"]["type"] for layer in found.chart["layer"]]


def test_lines_begin_with_the_clean_pictures():
    right = np.arange(40) % 4 > 0
    ids = [f"none-{i}" for i in range(40)]
    answer = corruption.ask(
        corrupted(
            np.concatenate([right, ~right, ~right]),
            np.repeat(["none", "fog", "fog"], 40),
            np.repeat([0, 1, 2], 40),
            sources=ids * 3,
            ids=[*ids, *(f"fog-{i}" for i in range(80))],
        )
    )
    line, marks = shown(answer, "errors-by-severity")
    assert [(row["severity"], row["error"]) for row in line] == [(0, 0.25), (1, 0.75), (2, 0.75)] and "line" in marks
    lost = next(e for e in answer.exhibits if e.kind == "pictures")
    assert lost.table.to_pylist()[0]["ids"] == ["none-1", "fog-1"]


def test_one_severity_is_points_with_intervals_and_no_line():
    right = np.arange(40) % 4 > 0
    answer = corruption.ask(versions([right, ~right, right], ["fog", "jpeg"]))
    assert not [e for e in answer.exhibits if e.name.startswith("errors-by-severity")]
    rows, marks = shown(answer, "errors-by-corruption")
    errors = {row["corruption"]: row["error"] for row in rows}
    assert errors == {"clean pictures": 0.25, "mean of all": 0.5, "fog": 0.75, "jpeg": 0.25}
    assert all(row["low"] < row["error"] < row["high"] for row in rows) and marks == ["rule", "point"]


def test_every_one_of_six_corruptions_has_a_line():
    """Jpeg is the mildest of them: the legend names it all the same."""
    names = ["fog", "noise", "snow", "frost", "blur", "jpeg"]
    right = np.arange(20) % 4 > 0
    hits = np.concatenate([right] * 2 * 6)
    answer = corruption.ask(corrupted(hits, np.repeat(names, 40), np.tile(np.repeat([1, 2], 20), 6), name="c"))
    rows, marks = shown(answer, "errors-by-severity")
    assert {row["corruption"] for row in rows} == {"mean of all", *names} and "area" not in marks


def test_of_more_corruptions_the_chart_says_which_have_lines():
    names = [f"made-{i}" for i in range(7)]
    answer = corruption.ask(corrupted(np.ones(28, bool), np.repeat(names, 4), np.tile([1, 1, 2, 2], 7), name="c"))
    (found,) = (e for e in answer.exhibits if e.name.startswith("errors-by-severity"))
    assert found.sentence.endswith("Lines are drawn for the 3 worst of 7 corruptions; the next chart has all.")
    assert len(set(found.table["corruption"].to_pylist())) == 3 + 1
    every, _ = shown(answer, "errors-by-corruption")
    assert {row["corruption"] for row in every} == set(names)


def test_two_sets_are_told_apart():
    one = corrupted(np.ones(4, bool), ["fog"] * 4, [1] * 4, name="one", role="shift")
    two = corrupted(np.zeros(4, bool), ["fog"] * 4, [1] * 4, name="two", role="shift")
    answer = corruption.ask(among(clean(np.ones(4, bool)), one, two))
    assert only(answer, "mean_corrupted_accuracy", shift="one").value == 1.0
    assert only(answer, "mean_corrupted_accuracy", shift="two").value == 0.0


def test_without_corrupted_pictures_it_says_how_to_make_some():
    with pytest.raises(NotApplicable, match="eyechart corrupt"):
        corruption.ask(clean(np.ones(4, bool)))


def test_no_right_answer_at_all_has_no_ratio():
    answer = corruption.ask(versions([np.zeros(8, bool), np.zeros(8, bool)], ["fog"]))
    assert not [f for f in answer.findings if f.metric == "relative_accuracy"]


@pytest.mark.parametrize("nothing", [None, "", " "])
def test_pictures_that_name_no_original_are_scenes_of_their_own(nothing):
    """Were they all versions of one scene, there would be a single unit and an interval without width."""
    right = np.arange(100) % 10 > 0
    unnamed = corrupted(right, ["fog"] * 100, [3] * 100, sources=[nothing] * 100, name="bad", role="shift")
    some = corrupted(right, ["fog"] * 100, [3] * 100, sources=["x", *[nothing] * 99], name="bad", role="shift")
    plain = corrupted(right, ["fog"] * 100, [3] * 100, name="bad", role="shift")
    found = [only(corruption.ask(among(clean(right), other)), "mean_corrupted_accuracy") for other in (plain, unnamed, some)]
    assert (found[0].low, found[0].high) == (found[1].low, found[1].high) == (found[2].low, found[2].high)
    assert found[0].high - found[0].low > 0.1


def test_errors_on_corrupted_copies_are_shown_and_every_row_is_predicted():
    hits = np.array([1, 0, 0, 0, 1, 1], bool)
    inputs = corrupted(hits, ["fog"] * 4 + ["blur"] * 2, [1, 1, 2, 2, 1, 1], name="bad", role="shift")
    inputs = replace(inputs, dataset=replace(inputs.dataset, made=True))
    answer = corruption.ask(among(clean(np.array([1, 1, 1, 0], bool)), inputs))
    ids = inputs.dataset.ids()
    (shown,) = [e for e in answer.exhibits if e.name.startswith("errors-") and e.kind == "pictures"]
    assert shown.table["id"].to_pylist() == [ids[1], ids[2], ids[3]]
    assert shown.table["severity"].to_pylist() == [1, 2, 2] and set(shown.table["dataset"].to_pylist()) == {"bad"}
    assert shown.table["true"].to_pylist() == ["b", "a", "b"] and shown.table["predicted"].to_pylist() == ["a", "b", "a"]
    assert shown.sentence.startswith("3 of 6 corrupted pictures are misclassified. ")
    (predictions,) = answer.predictions
    assert (predictions.dataset, list(predictions.ids)) == ("bad", ids)
    assert ((predictions.rank == 0) == hits).all()
    assert predictions.attributes["shift"].to_pylist() == ["fog"] * 4 + ["blur"] * 2


def test_errors_of_all_corruptions_and_all_parts_of_the_dataset_are_shown_first():
    names = ["fog"] * 100 + ["blur"] * 100 + ["noise"] * 100
    answer = corruption.ask(
        among(clean(np.ones(4, bool)), corrupted(np.zeros(300, bool), names, [3] * 300, name="bad", role="shift"))
    )
    (shown,) = [e for e in answer.exhibits if e.name.startswith("errors-") and e.kind == "pictures"]
    first = shown.table.slice(0, 24).to_pylist()
    assert [row["corruption"] for row in first] == ["fog", "blur", "noise"] * 8
    places = [int(row["id"].removeprefix("bad-")) % 100 for row in first if row["corruption"] == "fog"]
    assert len({int(row["id"].removeprefix("bad-")) % 100 for row in first}) > 20  # corruptions show different pictures
    assert len({place // 20 for place in places}) == 5  # pictures of every fifth of the dataset
    assert len(set(shown.table["id"].to_pylist())) == shown.table.num_rows == 300
