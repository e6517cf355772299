"""Runs to report on, and a browser to look at the reports with."""

import os
from pathlib import Path

import pytest
from tests.report.sample_run import HOSTILE, NASTY, add_probe, write_sample_run

from eyechart.findings.finding import Finding
from eyechart.report.page import write_report

from . import chromium


@pytest.fixture(scope="session")
def calm_run(tmp_path_factory) -> Path:
    return write_sample_run(tmp_path_factory.mktemp("calm") / "run")


@pytest.fixture(scope="session")
def nasty_run(tmp_path_factory) -> Path:
    """Text that would like to be something else, in every place where a user or a probe can write."""
    folder = tmp_path_factory.mktemp("nasty") / "run"
    return write_sample_run(
        folder, classes=NASTY, models=NASTY[:2], dataset=NASTY[2], prompts=(NASTY[4], HOSTILE), probe_text=HOSTILE
    )


@pytest.fixture(scope="session")
def calm_page(calm_run) -> Path:
    return write_report(calm_run)


@pytest.fixture(scope="session")
def nasty_page(nasty_run) -> Path:
    return write_report(nasty_run)


@pytest.fixture(scope="session")
def cosine_page(tmp_path_factory) -> Path:
    """The page of a run whose protocol lists a probe of cosines before zero_shot, and whose findings come after."""
    folder = write_sample_run(tmp_path_factory.mktemp("cosine") / "run", models=("one",))
    add_probe(
        folder, "modality_gap", [Finding(metric="gap", value=0.566, n=600, low=0.512, high=0.601, unit="cosine")], first=True
    )
    return write_report(folder)


@pytest.fixture(scope="session")
def _browser(tmp_path_factory):
    if chromium.BINARY is None:
        reason = "no Chromium on this machine: install Debian's `chromium`"
        if os.environ.get("EYECHART_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with chromium.Chromium(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def browser(_browser):
    """A tab that sees pages as a desk does: wide, light, with scripts."""
    _browser.look()
    return _browser
