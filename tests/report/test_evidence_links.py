"""A number links to the part of its own dataset."""

from tests.found import run_of, table_of
from tests.report.sample_run import write_sample_run

from eyechart.findings.finding import Finding
from eyechart.findings.run import read_run
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.page import write_report
from eyechart.report.tabs import tabs_of_probes
from eyechart.report.view import views_of
from eyechart.verdict.evidence import Figure


def test_a_number_links_to_its_dataset_and_not_to_the_first_one():
    found = [Finding(metric="ece", value=0.1, n=100, low=0.05, high=0.15, unit="fraction")]
    tables = [table_of(found, dataset=name, probe="calibration") for name in ("first", "second")]
    run = run_of(*tables)
    row = run.findings.to_pylist()[1]
    view = views_of(run)[0]
    parts = {(view.model, name, "calibration") for name in ("first", "second")}
    with_parts, without = (EvidenceLinks(run, tabs_of_probes(run), parts=of).of(view, Figure.of(row, run)) for of in (parts, ()))
    assert row["dataset"] == "second" and with_parts == f"{without}/d1"


def test_the_parts_of_a_page_have_the_addresses_that_numbers_link_to(tmp_path):
    """The part of a probe has the address that `EvidenceLinks` makes of view, tab, probe and dataset."""
    folder = write_sample_run(tmp_path / "run", models=("one",))
    run = read_run(folder)
    page = write_report(folder).read_text("utf-8")
    place = f"m0/{tabs_of_probes(run)['zero_shot']}/p{run.probes.index('zero_shot')}/d{run.datasets.index('garden visitors')}"
    assert f'id="{place}"' in page
