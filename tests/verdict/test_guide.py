"""Advice from findings: what they decide is said, with its figure; what they do not decide is not."""

import re
from pathlib import Path

import pyarrow as pa
import pytest
from tests.found import run_of, table_of
from tests.report.sample_run import HOSTILE, NASTY, add_probe, write_sample_run

from eyechart.examination import Examination
from eyechart.findings.finding import SCHEMA, Finding
from eyechart.findings.metric import find_metric
from eyechart.findings.run import read_run
from eyechart.probes.registry import get_probe
from eyechart.report.exports.markdown import guide_lines, markdown_summary
from eyechart.report.html.builder import render
from eyechart.report.page import write_report
from eyechart.report.sections.guide import TITLE, guide_part
from eyechart.verdict import guide_rules
from eyechart.verdict.guide import guide, guides

DOCS = {"first_object": "docs/first_object.html", "composition": "docs/composition.html", "prompts": "docs/prompts.html"}


def found(probe, *findings, dataset="scenes", model="m"):
    return table_of(findings, model=model, dataset=dataset, probe=probe, protocol="p", version=1)


def advised(*tables, model="m"):
    return guide(run_of(*tables), model)


def sentences(*tables):
    return [r.sentence for r in advised(*tables).advice]


def positions(values, lead, half=0.02):
    """first_object of four names: the headline, and shares by position, each ± half."""
    where = {"captions": "bare", "count": len(values)}
    value, low, high = lead
    shares = [
        Finding(metric="object_share", value=v, n=480, low=v - half, high=v + half, slice={**where, "position": k + 1})
        for k, v in enumerate(values)
    ]
    leads = [Finding(metric="first_object_lead", value=value, n=480, low=low, high=high, slice=slice) for slice in ({}, where)]
    return found("first_object", *leads, *shares)


def kept(values, probe="first_object", metric="all_objects_retrieved", dataset="scenes", half=0.05):
    """Shares of captions heard whole, for two things, three, …."""
    key = {"first_object": {"captions": "bare"}, "large_object": {"against": "names"}}[probe]
    number = {"first_object": "count", "large_object": "objects"}[probe]
    made = [
        Finding(metric=metric, value=v, n=480, low=v - half, high=v + half, slice={**key, number: k})
        for k, v in enumerate(values, start=2)
    ]
    return found(probe, *made, dataset=dataset)


def test_what_matters_goes_where_it_is_heard_best():
    assert sentences(positions((0.6, 0.2, 0.1, 0.1), (0.47, 0.42, 0.52))) == [
        "Name the most important object first: the text encoder favors the first object."
    ]
    assert sentences(positions((0.2, 0.1, 0.1, 0.6), (-0.07, -0.1, -0.02))) == [
        "Name the most important object last: the text encoder favors that position."
    ]
    assert sentences(positions((0.1, 0.6, 0.1, 0.2), (-0.2, -0.3, -0.1))) == [
        "Name the most important object in second position: the text encoder favors that position."
    ]


def test_a_first_name_that_leads_but_is_not_heard_best_is_not_recommended():
    """As SBERT has it in the paper: 29, 20, 18, 34%: the first leads the mean of the others, and loses to the last."""
    shares = (0.290, 0.198, 0.175, 0.336)
    lead = (0.290 - (0.198 + 0.175 + 0.336) / 3, 0.02, 0.09)
    assert sentences(positions(shares, lead)) == ["Name the most important object last: the text encoder favors that position."]
    assert sentences(positions(shares, lead, half=0.04)) == []


def test_quiet_findings_give_no_advice_and_are_named_in_one_line():
    quiet = advised(
        positions((0.26, 0.25, 0.25, 0.24), (0.01, -0.02, 0.04)),
        found("matching", Finding(metric="order_effect", value=0.003, n=1008, low=-0.01, high=0.02)),
        found("size_words", Finding(metric="large_object_first_lead", value=0.01, n=400, low=-0.02, high=0.04)),
        found(
            "large_object",
            Finding(
                metric="large_object_odds_ratio",
                value=1.1,
                n=239,
                low=0.9,
                high=1.3,
                slice={"against": "pictures"},
                unit="number",
            ),
        ),
        found(
            "prompts",
            Finding(
                metric="largest_top1_change",
                value=0.01,
                n=540,
                low=-0.01,
                high=0.03,
                slice={"other": "openai-80"},
                baseline="single",
            ),
        ),
        kept((0.52, 0.4)),
    )
    assert quiet.advice == ()
    (line,) = guide_lines(quiet)
    assert line.startswith(
        "Inconclusive: where in a caption to put the most important object (first-object share minus the mean of later objects"
    )
    assert line.count("n = ") == len(quiet.inconclusive) == 6


def test_nothing_is_said_of_what_was_not_asked():
    assert guides(run_of(found("zero_shot", Finding(metric="top1", value=0.8, n=100, low=0.7, high=0.9)))) == []
    assert guides(run_of(SCHEMA.empty_table())) == []


def test_a_finding_without_an_interval_decides_nothing():
    table = found("matching", Finding(metric="order_effect", value=0.5, n=3))
    assert (sentences(table), len(advised(table).inconclusive)) == ([], 1)
    missing = found("matching", Finding(metric="order_effect", value=None, n=0))
    assert guides(run_of(missing)) == []


@pytest.mark.parametrize(
    ("shares", "begins", "ends", "figures"),
    [
        ((0.9, 0.8, 0.3), "Name at most three objects in a caption", "with four, they are not.", 2),
        ((0.9, 0.52, 0.3), "Name at most two objects in a caption", "with three, it is inconclusive.", 2),
        ((0.9, 0.3, 0.9), "Name at most two objects in a caption", "with three, they are not.", 2),
        ((0.3, 0.2), "Name one object in a caption", "both are retrieved from less than half of the captions.", 1),
        ((0.9, 0.8), "A caption may name up to three objects, the most that were tested", "are retrieved from most captions.", 1),
    ],
)
def test_how_many_things_comes_from_the_figures(shares, begins, ends, figures):
    (ruling,) = advised(kept(shares)).advice
    assert ruling.sentence.startswith(begins) and ruling.sentence.endswith(ends)
    assert len(ruling.figures) == figures


def test_of_two_lists_of_names_the_smaller_number_holds():
    tables = kept((0.9, 0.8, 0.3)), kept((0.9, 0.3), dataset="other")
    (ruling,) = advised(*tables).advice
    assert ruling.sentence.startswith("Name at most two objects")
    assert {f.dataset for f in ruling.figures} == {"other"}


def test_datasets_that_say_the_opposite_leave_it_open():
    """One of four, in which even two things are hardly ever found, against three in which they mostly are."""
    many = [kept((0.75, 0.3), "large_object", dataset=name) for name in "abc"]
    odd = kept((0.06,), "large_object", dataset="people")
    told = advised(
        *(
            table.set_column(table.column_names.index("n"), SCHEMA.field("n"), pa.array([480 + i] * len(table)))
            for i, table in enumerate(many)
        ),
        odd,
    )
    assert not told.advice
    assert told.inconclusive[0].figures[0].dataset == "people"


def test_things_of_a_picture_are_counted_among_names():
    (ruling,) = advised(kept((0.8, 0.3), "large_object")).advice
    assert ruling.sentence.startswith("Search a picture for at most two objects at once")


@pytest.mark.parametrize(
    ("probe", "metric", "slice", "unit", "above", "below"),
    [
        ("matching", "order_effect", {}, "fraction", "Name the largest object of a picture first", "picture last"),
        ("size_words", "large_object_first_lead", {}, "fraction", "Leave large objects out", "Leave small objects out"),
        (
            "large_object",
            "large_object_odds_ratio",
            {"against": "pictures"},
            "number",
            "Name the largest object",
            "Name the small objects",
        ),
    ],
)
def test_signs_turn_the_advice(probe, metric, slice, unit, above, below):
    middle = 1.0 if unit == "number" else 0.0
    for sign, said in ((1, above), (-1, below)):
        low, high = sorted((middle + sign * 0.1, middle + sign * 0.3))
        (ruling,) = advised(
            found(probe, Finding(metric=metric, value=middle + sign * 0.2, n=400, low=low, high=high, slice=slice, unit=unit))
        ).advice
        assert said in ruling.sentence
        assert "n = 400" in ruling.figures[0].text


def test_another_set_of_prompts_is_recommended_where_it_surely_gains():
    gain = Finding(
        metric="largest_top1_change", value=0.05, n=540, low=0.02, high=0.08, slice={"other": "openai-80"}, baseline="single"
    )
    assert sentences(found("prompts", gain)) == ["Use the prompts “openai-80”: they raise top-1 accuracy."]
    loss = Finding(
        metric="largest_top1_change", value=-0.05, n=540, low=-0.08, high=-0.02, slice={"other": "openai-80"}, baseline="single"
    )
    assert sentences(found("prompts", loss)) == ["Keep the prompts “single”: no other set is significantly better."]
    better = Finding(
        metric="top1_difference", value=0.02, n=540, low=0.01, high=0.03, slice={"prompts": "mcm-5"}, baseline="single"
    )
    assert sentences(found("prompts", loss, better)) == []


def test_details_that_are_hardly_told_are_named():
    """Halfway from guessing among two to never wrong is 75%."""
    kinds = {"colours swapped": (0.5, 0.4, 0.6), "another thing": (0.99, 0.9, 1.0), "moved": (0.74, 0.6, 0.8)}
    table = found(
        "composition",
        *(
            Finding(metric="caption_accuracy", value=v, n=60, low=low, high=high, slice={"kind": k})
            for k, (v, low, high) in kinds.items()
        ),
        *(Finding(metric="chance", value=0.5, n=60, slice={"kind": k}) for k in kinds),
    )
    made = advised(table)
    assert [r.sentence.split(": ")[1].split(".")[0] for r in made.advice] == ["colours swapped", "another thing"]
    assert [r.sentence for r in made.inconclusive] == ["whether you can rely on these details of a caption: moved"]


def test_datasets_decide_together():
    def effects(*signs):
        return [
            found(
                "matching",
                Finding(metric="order_effect", value=s * 0.1 + k / 1e3, n=9, low=s * 0.1 - 0.05, high=s * 0.1 + 0.05),
                dataset=f"d{k}",
            )
            for k, s in enumerate(signs)
        ]

    assert len(advised(*effects(1, 1, 0)).advice) == 1
    assert advised(*effects(1, 0)).advice == ()
    assert advised(*effects(1, 1, -1)).advice == ()


def test_the_same_words_asked_of_two_datasets_count_once():
    one, two = (positions((0.6, 0.2, 0.1, 0.1), (0.47, 0.42, 0.52)) for _ in range(2))
    two = two.set_column(two.schema.get_field_index("dataset"), SCHEMA.field("dataset"), pa.array(["copy"] * two.num_rows))
    (ruling,) = advised(one, two).advice
    assert [f.dataset for f in ruling.figures] == ["scenes"]


def test_each_model_gets_its_own():
    tables = [
        positions((0.6, 0.2, 0.1, 0.1), (0.47, 0.42, 0.52)),
        found("matching", Finding(metric="order_effect", value=0.1, n=9, low=0.05, high=0.2), model="n"),
    ]
    first, second = guides(run_of(*tables), ["n", "m", "silent"])
    assert (first.model, second.model) == ("n", "m")
    assert first.advice[0].sentence != second.advice[0].sentence


def test_every_sentence_links_to_its_finding():
    made = advised(positions((0.6, 0.2, 0.1, 0.1), (0.47, 0.42, 0.52)))
    html = render(guide_part(made, DOCS))
    assert '<a href="docs/first_object.html"><bdi>first-object share minus the mean of later objects (TOR)</bdi></a>' in html
    assert "47.0 points (42.0 to 52.0), n = 480" in html


def test_text_of_others_stays_text():
    kind = f"{HOSTILE} | [x](javascript:alert(1)) *b*"
    table = found(
        "composition",
        Finding(metric="caption_accuracy", value=0.5, n=60, low=0.4, high=0.6, slice={"kind": kind}),
        Finding(metric="caption_accuracy", value=0.5, n=60, low=0.4, high=0.6, slice={"kind": NASTY[1]}),
        dataset=HOSTILE,
        model=NASTY[1],
    )
    made = advised(table, model=NASTY[1])
    html = render(guide_part(made, DOCS))
    assert "<script" not in html and "<!--" not in html and html.count("&lt;script&gt;") >= 2
    (line,) = guide_lines(made)
    assert "<script" not in line.replace(r"\<script", "") and r"\[x\]" in line and r"\*b\*" in line


def test_the_page_the_summary_and_python_say_the_same(tmp_path):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    add_probe(folder, "matching", [Finding(metric="order_effect", value=0.1, n=900, low=0.05, high=0.15)])
    said = "Name the largest object of a picture first"
    page = write_report(folder)
    assert TITLE in page.read_text() and said in page.read_text()
    assert f"## How to write captions and prompts for one\n\n- {said}" in markdown_summary(read_run(folder))
    (made,) = Examination(folder).guides()
    assert made.advice[0].sentence.startswith(said)


def test_a_page_without_such_findings_has_no_guide(tmp_path):
    page = write_report(write_sample_run(tmp_path / "run"))
    assert TITLE not in page.read_text()


def test_the_guide_names_metrics_that_probes_declare():
    """A renamed metric must not silence a rule."""
    source = Path(guide_rules.__file__).read_text(encoding="utf-8")
    named = re.findall(r'evidence\.(?:find|sliced)\(\s*"(\w+)", "(\w+)"', source)
    assert len(named) >= 8
    for probe, metric in named:
        assert find_metric(get_probe(probe).metrics, metric), f"{probe}.{metric}"
