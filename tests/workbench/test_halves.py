"""Halves of versions of few originals: labels that a half lacks are named, and intervals are those of the probe."""

import json
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from tests.workbench.browser import until
from tests.workbench.conftest import start_server
from tests.workbench.versions import VERSIONS, examine_versions

from eyechart.findings.run import read_run
from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.opened_model import OpenedModel


@pytest.fixture(scope="module")
def exams_of_versions(tmp_path_factory, store_path):
    return examine_versions(tmp_path_factory.mktemp("versions"), store_path, {})


@pytest.fixture(scope="module")
def desk(exams_of_versions, store):
    run = read_run(exams_of_versions / "versions")
    return DesignDesk(OpenedModel(run, "demo", store=store), run.datasets[0])


def test_labels_of_one_original_are_missing_in_one_half(desk):
    labels = np.array(desk.pictures.dataset.table.column("label").to_pylist())
    sources = np.array(desk.pictures.dataset.table.column("attr.source_id").to_pylist())
    assert not set(sources[desk.explore.rows]) & set(sources[desk.held_out.rows])
    missing = {}
    for half in (desk.explore, desk.held_out):
        expected = set(labels) - set(labels[half.rows])
        found = desk.missing_labels(half)
        assert {m["label"] for m in found} == expected
        missing |= {m["label"]: m for m in found}
    assert {"cone", "star"} == set(missing)
    assert all((m["n"], m["originals"]) == (VERSIONS, 1) for m in missing.values())


def test_intervals_of_classes_and_of_all_pictures_are_those_of_zero_shot(desk):
    """All pictures as one half, against the findings of the run: versions of few originals are worth no more than those."""
    whole = replace(desk.explore, name="whole", rows=np.arange(len(desk.pictures.dataset)), units=desk.pictures.units,
                    labels=desk._label_numbers, people=[], members=[])  # fmt: skip
    desk = DesignDesk(desk.opened, desk.dataset)
    desk.__dict__["explore"] = whole
    answer = design_answer(desk, desk.base)
    (top1,) = [row for row in desk.opened.run.findings.to_pylist() if row["metric"] == "top1"]
    assert top1["interval"] == "Wilson, 95%"  # few originals are wrong
    assert [answer["accuracy"][k] for k in ("value", "low", "high", "n")] == pytest.approx(
        [top1[k] for k in ("value", "low", "high", "n")], abs=1e-9
    )
    found = {row["label"]: row for row in answer["by_label"]}
    expected = {}
    for row in desk.opened.run.findings.to_pylist():
        if row["metric"] == "class_accuracy":
            expected[json.loads(row["slice"])["class"]] = row
    assert len(found) == len(expected) == 18
    for name, row in expected.items():
        values = [found[name][key] for key in ("value", "low", "high", "n")]
        assert values == pytest.approx([row[key] for key in ("value", "low", "high", "n")], abs=1e-9)
    originals = defaultdict(set)
    for label, source in zip(
        *(desk.pictures.dataset.table.column(c).to_pylist() for c in ("label", "attr.source_id")), strict=True
    ):
        originals[label].add(source)
    for label, row in found.items():  # Wilson's interval over as many pictures as there are originals
        n, p, z = len(originals[label]), row["value"], 1.959963984540054
        half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
        assert row["high"] - row["low"] == pytest.approx(2 * half, abs=1e-6)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize("view", ["design", "thresholds"])
def test_the_screen_names_labels_that_a_half_lacks(chromium, exams_of_versions, store_path, desk, view):
    server = start_server(exams_of_versions, "--store", str(store_path))
    try:
        page = chromium.new_page()
        page.goto(server.address)
        page.wait_for_selector("#tabs a")
        page.goto(server.address.split("/?")[0].split("?")[0] + f"#/{view}")
        page.wait_for_selector("[data-card=missing-labels]")
        said = page.locator("[data-card=missing-labels]").inner_text()
        for half, title in ((desk.explore, "Not in the explored half: "), (desk.held_out, "Not in the held-out half: ")):
            names = [f"“{m['label']}” ({VERSIONS} pictures of 1 original)" for m in desk.missing_labels(half)]
            assert (title + ", ".join(names) + "." in said) == bool(names)
        until(page, "!document.querySelector('#notice').classList.contains('error')")
        page.close()
    finally:
        server.process.terminate()
        server.process.wait(timeout=20)
