"""The planted overconfidence of the zoo beside its twin, the same network at a third of the logit scale: on the whole way from
pictures to findings."""

import json
from contextlib import closing

import pytest

import eyechart
from eyechart.store import Store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Metrics: of both on pictures of which each is unusual; of the twin also on ordinary ones, with the
    prompts under which it is calibrated."""
    place = tmp_path_factory.mktemp("exams")
    exams = {
        "loud": ("zoo:overconfident", "world-factors", "single"),
        "quiet": ("demo:", "world-factors", "single"),
        "ordinary": ("demo:", "world-objects", "openai-80"),
    }
    figures = {}
    with closing(Store(place / "store")) as store:
        for name, (model, data, prompts) in exams.items():
            exam = eyechart.examine(
                model, data, limit=400, prompts=prompts, probes=["calibration"], out=place / name, store=store
            )
            rows = [row for row in exam.findings.to_pylist() if row["probe"] == "calibration"]
            # Without scaling of all pictures; what a temperature changes, of the held-out half.
            slices = ({"prompts": prompts, "half": "held-out"}, {"prompts": prompts})
            figures[name] = {row["metric"]: row for of in slices for row in rows if json.loads(row["slice"]) == of}
    return figures


def test_the_temperature_is_three_times_that_of_the_twin(found):
    loud, quiet = (found[name]["temperature"] for name in ("loud", "quiet"))
    assert loud["value"] == pytest.approx(3 * quiet["value"], rel=1e-4)
    assert loud["low"] > 1.5
    assert found["loud"]["accuracy"]["value"] == found["quiet"]["accuracy"]["value"]


def test_overconfidence_is_found_and_mended(found):
    assert found["loud"]["ece"]["low"] > found["quiet"]["ece"]["value"]
    assert found["loud"]["overconfidence"]["low"] > 0
    for metric in ("nll_change", "brier_change"):
        assert found["loud"][metric]["high"] < 0
    assert found["loud"]["nll_scaled"]["value"] == pytest.approx(found["quiet"]["nll_scaled"]["value"], abs=1e-5)


def test_the_twin_stays_quiet(found):
    """On pictures such as it was trained on, with the prompts it is calibrated for."""
    quiet = found["ordinary"]
    assert quiet["ece"]["low"] == 0
    assert quiet["overconfidence"]["low"] <= 0 <= quiet["overconfidence"]["high"]
