"""The table of all findings: values lead to the pictures that they count, and probes to their documentation."""

import json
from urllib.parse import parse_qs, unquote

from tests.report.page_files import data_of

from eyechart.findings.run import read_run


def linked(page, run):
    """(finding, view, query) of every value that is a link."""
    findings = run.findings.to_pylist()
    found = []
    for place, address in data_of(page, "findings")["findings"]["pictures"].items():
        view, _, query = address.partition("/pictures?")
        found.append((findings[int(place)], view, {key: values[0] for key, values in parse_qs(query).items()}))
    return found


def test_accuracies_lead_to_errors_and_confusions_to_their_cell(calm_run, calm_page):
    run = read_run(calm_run)
    seen = linked(calm_page, run)
    assert {f["metric"] for f, _, _ in seen} == {"top1", "top5", "mean_per_class", "worst_class", "class_accuracy"}
    for finding, view, query in seen:
        where = json.loads(finding["slice"])
        assert view == f"m{run.models.index(finding['model'])}"
        # Another prompt set than the first has a gallery of its own.
        assert ("gallery" in query) == (where["prompts"] != run.prompts[0])
        query.pop("gallery", None)
        show = "below-5" if finding["metric"] == "top5" else "wrong"
        assert query == {"show": show, **({"true": where["class"]} if "class" in where else {})}
    # Every class is there, for both models and all prompt sets.
    classes = [(f["model"], f["slice"]) for f, _, _ in seen if f["metric"] == "class_accuracy"]
    assert len(classes) == len(run.dataset_facts(run.datasets[0])["classes"]) * len(run.models) * len(run.prompts)


def test_names_of_classes_are_escaped_in_addresses(nasty_run, nasty_page):
    run = read_run(nasty_run)
    for address in data_of(nasty_page, "findings")["findings"]["pictures"].values():
        assert not set("<>\"' &") & set(unquote(address.partition("?")[0]) + address.partition("?")[2].replace("&", ""))
    classes = {json.loads(f["slice"]).get("class") for f, _, _ in linked(nasty_page, run)} - {None}
    assert {query["true"] for _, _, query in linked(nasty_page, run) if "true" in query} == classes


def test_a_run_without_predictions_has_no_such_links(tmp_path):
    from tests.report.sample_run import write_sample_run

    from eyechart.report.page import write_report

    folder = write_sample_run(tmp_path / "run", models=("one",))
    (folder / "predictions.parquet").unlink()
    data = data_of(write_report(folder), "findings")["findings"]
    assert data["pictures"] == {} and data["docs"] == ["docs/probes/zero_shot.html"]
