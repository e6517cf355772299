"""What a reader is told first: a warning only where an interval lies beyond its limit, comfort only where all lie within."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest
from tests.found import run_of, table_of
from tests.report.sample_run import HOSTILE, NASTY, add_probe, write_sample_run

from eyechart.examination import Examination
from eyechart.findings import skip
from eyechart.findings.finding import Finding
from eyechart.findings.metric import Limits, Metric
from eyechart.findings.run import Run, read_run
from eyechart.probes.registry import get_probe, probe_names
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.exports.markdown import markdown_summary, verdict_lines
from eyechart.report.html.builder import render
from eyechart.report.page import write_report
from eyechart.report.sections.rulings import rulings_section
from eyechart.report.tabs import tabs_of_probes
from eyechart.report.view import View
from eyechart.verdict.verdict import verdicts


def found(probe, *findings, dataset="photos", model="m"):
    return table_of(findings, model=model, dataset=dataset, probe=probe, protocol="p", version=1)


def verdict(*tables):
    made = verdicts(run_of(*tables))
    assert len(made) == 1
    return made[0]


def shown(*tables):
    """The verdict as the page shows it."""
    run, made = run_of(*tables), verdict(*tables)
    view = View("m0", made.model, None, None, made, None)
    return render(rulings_section(view, EvidenceLinks(run, tabs_of_probes(run)), lambda model, dataset: [], {}, {}))


def said(rulings):
    return [r.sentence for r in rulings]


def ood_rows(value, low, high, dataset="photos"):
    where = {"prompts": "single"}
    return found(
        "ood",
        Finding(metric="ood_fpr95", value=value, n=300, low=low, high=high, slice=where, higher_is_better=False),
        dataset=dataset,
    )


def test_the_rule_on_the_page_names_the_correction_for_the_number_of_classes():
    assert "correction for the number of classes" in shown(ood_rows(0.4, 0.3, 0.5))


def test_an_interval_beyond_the_limit_warns_one_within_holds_and_one_across_decides_nothing():
    beyond, within, across = (verdict(ood_rows(*f)) for f in ((0.4, 0.3, 0.5), (0.1, 0.05, 0.15), (0.2, 0.1, 0.3)))
    assert said(beyond.bad) == ["More than 20% of out-of-distribution pictures are accepted at 95% TPR."]
    assert not beyond.good and not beyond.inconclusive
    assert len(within.good) == 1 and not within.bad and not within.inconclusive
    assert len(across.inconclusive) == 1 and not across.bad and not across.good


def test_one_dataset_of_several_is_enough_to_warn_and_none_may_be_missing_to_comfort():
    tables = (ood_rows(0.1, 0.05, 0.15), ood_rows(0.5, 0.4, 0.6, "a"), ood_rows(0.7, 0.6, 0.8, "b"))
    one = verdict(*tables)
    (warning,) = one.bad
    assert [f.dataset for f in warning.figures] == ["b", "a"]  # the worst first, and only those that warn
    assert [f.dataset for f in warning.against] == ["photos"]
    assert "within the limit: <bdi>photos</bdi>" in shown(*tables)
    assert verdict_lines(one)[1].endswith("; within the limit: photos")
    open_still = verdict(ood_rows(0.1, 0.05, 0.15), ood_rows(0.19, 0.1, 0.3, "a"))
    assert not open_still.good and open_still.inconclusive[0].figures[0].dataset == "a"


def test_a_number_without_interval_decides_nothing():
    assert verdict(ood_rows(0.9, None, None)).inconclusive


def test_limits_on_two_sides_warn_of_their_own_side():
    def sure(value):
        return said(
            verdict(
                found("calibration", Finding(metric="overconfidence", value=value, n=500, low=value - 0.02, high=value + 0.02))
            ).bad
        )

    assert [s.split(" by ")[0] for s in sure(0.2)] == ["It is overconfident"]
    assert [s.split(" by ")[0] for s in sure(-0.2)] == ["It is underconfident"]
    assert sure(0.0) == []


def test_only_the_leading_prompts_speak():
    under = {"prompts": "a"}
    first = found(
        "zero_shot",
        Finding(metric="top1", value=0.9, n=100, low=0.8, high=0.95, slice=under),
        Finding(metric="chance", value=0.1, n=100, slice=under),
    )
    worse = found("ood", Finding(metric="ood_fpr95", value=0.9, n=100, low=0.8, high=0.95, slice={"prompts": "b"}))
    made = verdict(first, worse)
    assert not made.bad and "prompts" not in made.good[0].figures[0].name


def right(top1, low, high, chance):
    where = {"prompts": "single"}
    return found(
        "zero_shot",
        Finding(metric="top1", value=top1, n=100, low=low, high=high, slice=where),
        Finding(metric="chance", value=chance, n=100, slice=where),
    )


def test_guessing_is_told():
    assert said(verdict(right(0.12, 0.08, 0.2, 0.1)).bad) == ["Top-1 accuracy is not above chance at 95% confidence."]
    assert said(verdict(right(0.3, 0.2, 0.4, 0.1)).bad) == ["Top-1 accuracy is below the target (55.0%)."]
    assert not verdict(right(0.6, 0.5, 0.7, 0.1)).bad


def test_the_decision_begins_with_a_model_that_is_no_better_than_a_baseline():
    decision = verdict(right(0.12, 0.08, 0.2, 0.1)).decision
    assert decision == (
        "Accuracy is not above chance: top-1 12.0% (8.0 to 20.0%), chance 10.0%. Bad in the only tested area: accuracy."
    )
    majority = found(
        "zero_shot", Finding(metric="majority", value=0.3, n=100, slice={"prompts": "single"}, baseline="shoes"), dataset="photos"
    )
    decision = verdict(right(0.32, 0.23, 0.42, 0.1), majority).decision
    better = "Accuracy is not above always predicting “shoes”: top-1 32.0% (23.0 to 42.0%), majority 30.0%."
    assert decision.startswith(f"{better} Bad in ")
    # Above chance, but below the target: bad in an area, and no more.
    assert verdict(right(0.3, 0.2, 0.4, 0.1)).decision == "Bad in the only tested area: accuracy."
    other = found(
        "zero_shot",
        Finding(metric="top1", value=0.9, n=100, low=0.8, high=0.95, slice={"prompts": "single"}),
        Finding(metric="chance", value=0.1, n=100, slice={"prompts": "single"}),
        dataset="other",
    )
    assert verdict(right(0.12, 0.08, 0.2, 0.1), other).decision.startswith("Accuracy is not above chance on photos: top-1 12.0%")


@pytest.mark.parametrize(("worst", "outcome"), [(0.3, "bad"), (0.49, "bad"), (0.51, "inconclusive"), (0.71, "good")])
def test_worst_classes_are_held_against_what_chance_makes_the_worst(worst, outcome):
    table = found(
        "worst",
        Finding(metric="worst_at_k", value=worst, n=20, low=worst - 0.2, high=worst + 0.2, slice={"k": 2}),
        Finding(metric="worst_at_k_chance", value=0.6, n=20, low=0.55, high=0.7, slice={"k": 2}),
    )
    made = verdict(table)
    assert [name for name in ("bad", "good", "inconclusive") if getattr(made, name)] == [outcome]
    (ruling,) = [*made.bad, *made.good, *made.inconclusive]
    # Not "chance": beside the chance level of top-1 that would be read as guessing.
    assert ruling.figures[0].baselines[0].name == "equal classes"


def test_factors_with_the_very_same_figures_are_both_named():
    same = [
        Finding(metric="factor_gap", value=-0.3, n=30, low=-0.4, high=-0.2, slice={"factor": name}) for name in ("pose", "light")
    ]
    (warning,) = verdict(found("factors", *same)).bad
    assert {f.where["factor"] for f in warning.figures} == {"pose", "light"}


def test_a_figure_over_all_rows_speaks_for_its_dataset_and_slices_only_without_one():
    whole = Finding(metric="caption_accuracy", value=0.95, n=200, low=0.92, high=0.97)
    kind = Finding(metric="caption_accuracy", value=0.4, n=60, low=0.3, high=0.5, slice={"kind": "swap"})
    assert not verdict(found("shape_bias", *(replace(f, metric="shape_bias") for f in (whole, kind)))).bad
    assert verdict(found("shape_bias", replace(kind, metric="shape_bias", low=0.3, high=0.4))).bad


def test_kinds_of_false_captions_speak_one_by_one():
    whole = Finding(metric="caption_accuracy", value=0.95, n=200, low=0.92, high=0.97)
    swap = Finding(metric="caption_accuracy", value=0.5, n=60, low=0.4, high=0.6, slice={"kind": "swap"})
    other = Finding(metric="caption_accuracy", value=1.0, n=60, low=0.95, high=1.0, slice={"kind": "replace"})
    (warning,) = verdict(found("composition", whole, swap, other)).bad
    assert [f.where for f in warning.figures] == [{"kind": "swap"}] and [f.where for f in warning.against] == [
        {"kind": "replace"}
    ]


@pytest.mark.parametrize(("low", "high", "outcome"), [(0.3, 0.5, "bad"), (0.1, 0.2, "good"), (0.2, 0.4, "inconclusive")])
def test_a_limit_above_chance_judges_where_lower_is_better(low, high, outcome):
    limits = Limits(area="accuracy", above_chance=0.15, high="Too high.", good="Low.", unclear="whether it is low")
    metric = Metric(name="hub", title="hub", higher_is_better=False, chance="hub_chance", limits=limits)
    level = Metric(name="hub_chance", title="chance", higher_is_better=None)
    values = [
        Finding(metric="hub", value=(low + high) / 2, n=50, low=low, high=high),
        Finding(metric="hub_chance", value=0.1, n=50),
    ]
    protocol = {"probes": {"hubs": {"metrics": [metric.to_dict(), level.to_dict()]}}}
    (made,) = verdicts(Run(found("hubs", *values), skip.to_table([]), (), protocol))
    assert [name for name in ("bad", "good", "inconclusive") if getattr(made, name)] == [outcome]


def test_classes_near_zero_by_chance_are_not_called_good():
    table = found(
        "worst",
        Finding(metric="worst_at_k", value=0.0, n=1, low=0.0, high=0.8, slice={"k": 1}),
        Finding(metric="worst_at_k_chance", value=0.05, n=1, low=0.0, high=0.3, slice={"k": 1}),
    )
    assert not verdict(table).good and verdict(table).inconclusive


def judged():
    return [(name, metric) for name in probe_names() for metric in get_probe(name).metrics if metric.limits]


@pytest.mark.parametrize(("probe", "metric"), judged())
def test_limits_say_something_on_each_side_they_have(probe, metric):
    limits = metric.limits
    lower = limits.at_least is not None or limits.below_chance is not None
    upper = limits.at_most is not None or limits.above_chance is not None
    assert lower == bool(limits.low) and upper == bool(limits.high) and (lower or upper)
    assert limits.good.endswith(".") and limits.unclear.startswith("whether ") and not limits.unclear.endswith(".")


def test_the_documentation_lists_all_limits():
    root = Path(__file__).parents[2]
    text = (root / "docs" / "report.md").read_text("utf-8")
    for probe, metric in judged():
        assert f"| `{probe}` | `{metric.name}`{f', by {metric.limits.by}' if metric.limits.by else ''} |" in text
    writer = runpy.run_path(str(root / "scripts" / "write_limits_table.py"))
    assert writer["with_table"](text) == text, "run: python scripts/write_limits_table.py"


def test_the_page_the_summary_and_python_say_the_same(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    add_probe(folder, "shape_bias", [Finding(metric="shape_bias", value=0.3, n=900, low=0.25, high=0.35)])
    sentence = "Where shape and texture disagree, it decides by texture."
    page = write_report(folder).read_text()
    assert sentence in page and page.index('class="decision') < page.index(sentence) < page.index('id="m0/accuracy"')
    assert f"**Bad:** {sentence}" in markdown_summary(read_run(folder))
    assert sentence in said(Examination(folder).verdicts()[0].bad)


def test_text_of_others_stays_text():
    kind = f"{HOSTILE} | [x](javascript:alert(1)) *b*"
    table = found(
        "composition",
        Finding(metric="caption_accuracy", value=0.5, n=60, low=0.4, high=0.6, slice={"kind": kind}),
        dataset=HOSTILE,
        model=NASTY[1],
    )
    made = verdict(table)
    html = shown(table)
    assert "<script" not in html and "<!--" not in html and html.count("&lt;script&gt;") >= 2
    _, line, *_ = verdict_lines(made)
    assert "<script" not in line.replace(r"\<script", "") and r"\[x\]" in line and r"\*b\*" in line


def test_a_run_without_a_check_has_no_verdict(tmp_path):
    assert verdicts(Run(found("mine", Finding(metric="other", value=0.5, n=10)), skip.to_table([]), (), {})) == []
