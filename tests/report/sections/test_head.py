"""The head of the page counts what concerns the model and the dataset that are shown."""

from dataclasses import replace

from tests.found import run_of, table_of

from eyechart.findings import skip
from eyechart.findings.finding import Finding
from eyechart.findings.skip import Skip
from eyechart.notice import Notice
from eyechart.report.sections.exclusions import ExcludedPicture, Exclusions, exclusions_of
from eyechart.report.sections.head import title_block
from eyechart.report.view import views_of

TOP1 = Finding(metric="top1", value=0.5, n=120, low=0.4, high=0.6)


def two_datasets():
    run = run_of(table_of([TOP1], dataset="day"), table_of([TOP1], dataset="night"))
    skips = [Skip("m", "day", "retrieval", "no captions"), *(Skip("m", "night", p, "no") for p in ("retrieval", "ood"))]
    return replace(run, skips=skip.to_table([*skips, Skip("other", "day", "skew", "no")]))


def test_skipped_probes_are_counted_once_and_for_the_dataset_that_is_shown():
    run = two_datasets()
    run = replace(run, protocol={**run.protocol, "models": {"m": {}, "other": {}}})
    heads = {view.dataset: str(title_block(run, view, exclusions_of(run))) for view in views_of(run) if view.model == "m"}
    assert "2 probes skipped on some datasets<" in heads[None]
    assert "1 probe skipped<" in heads["day"] and "2 probes skipped<" in heads["night"]


def test_notices_and_pictures_of_other_datasets_are_not_counted():
    pictures = [ExcludedPicture(name, "x", "x.jpg", "broken", ("m",)) for name in ("day", "night")]
    notices = [Notice(where, "odd", "look") for where in ("day", "night", "night", "m")]
    every = Exclusions({}, (), tuple(pictures), tuple(notices))
    day = every.of_view("m", "day", ["day", "night"])
    assert day.pictures == {"day": 1} and [n.where for n in day.notices] == ["day", "m"]
    assert every.of_view("m", None, ["day", "night"]) == every
