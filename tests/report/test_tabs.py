"""Every probe has a tab, by what it is judged for."""

import json

import pytest
from tests.report.sample_run import add_probe, write_sample_run

from eyechart.findings.finding import Finding
from eyechart.findings.metric import AREAS
from eyechart.findings.run import read_run
from eyechart.probes.registry import get_probe
from eyechart.report.tabs import TAB_OF_AREA, TABS, tabs_of_probes


def test_every_area_of_the_verdict_has_a_tab():
    assert set(TAB_OF_AREA) == set(AREAS) and set(TAB_OF_AREA.values()) <= {tab.key for tab in TABS}


@pytest.mark.parametrize(
    ("probe", "tab"),
    [
        ("corruption", "robustness"),
        ("ood", "confidence"),
        ("calibration", "confidence"),
        ("skew", "groups"),
        ("composition", "words"),
    ],
)
def test_a_probe_is_in_the_tab_of_its_area(tmp_path, probe, tab):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    add_probe(folder, probe, [Finding(metric=get_probe(probe).metrics[0].name, value=0.5, n=90)])
    found = tabs_of_probes(read_run(folder))
    assert found[probe] == tab and found["zero_shot"] == "accuracy"


@pytest.mark.parametrize(
    ("profiles", "tab"),
    [(["audit", "paper"], "groups"), (["classify"], "accuracy"), (["classify", "audit"], "words"), ([], "words")],
)
def test_a_probe_that_is_not_judged_goes_by_its_profiles(tmp_path, profiles, tab):
    folder = write_sample_run(tmp_path / "run", models=("one",))
    add_probe(folder, "mine", [Finding(metric="anything", value=0.5, n=90)])
    protocol = json.loads((folder / "protocol.json").read_text("utf-8"))
    protocol["probes"]["mine"]["profiles"] = profiles
    (folder / "protocol.json").write_text(json.dumps(protocol), encoding="utf-8")
    assert tabs_of_probes(read_run(folder))["mine"] == tab
