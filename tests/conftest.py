"""Where the reference data and the fetched assets are. A test that lacks them says which, and skips; or fails where
EYECHART_REQUIRE_REFDATA=1 says that they must be there."""

import io
import os
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.command_server import Commands

from eyechart.store import Store
from eyechart.world.datasets.open import open_world

ROOT = Path(__file__).resolve().parent.parent


def _folder(variable: str, default: str, remedy: str) -> Path:
    folder = Path(os.environ.get(variable, default))
    folder = folder if folder.is_absolute() else ROOT / folder
    if not folder.is_dir():
        reason = f"{folder} does not exist: {remedy}, or set {variable}"
        if os.environ.get("EYECHART_REQUIRE_REFDATA") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def refdata() -> Path:
    """The folder of published figures and public data that known-answer tests read."""
    return _folder("EYECHART_REFDATA", "../shared/refdata", "put the reference data there")


@pytest.fixture(scope="session")
def assets() -> Path:
    """The folder that scripts/test_assets.py fills."""
    return _folder("EYECHART_ASSETS", "assets", "run `make test-assets`")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests begin first, so that no core waits for one of them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the reference data must be there, a known-answer test that skips for whatever reason has failed."""
    report = yield
    if report.skipped and "refdata" in report.keywords and os.environ.get("EYECHART_REQUIRE_REFDATA") == "1":
        report.outcome = "failed"
        report.longrepr = f"a known-answer test was skipped, and EYECHART_REQUIRE_REFDATA=1 forbids it: {report.longrepr}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many known answers were checked: a run in which all of them skipped must not look like one that passed them."""

    def count(*outcomes: str) -> int:
        reports = [report for outcome in outcomes for report in terminalreporter.getreports(outcome)]
        return sum("refdata" in report.keywords for report in reports if hasattr(report, "keywords"))

    terminalreporter.write_line(f"tests on reference data: {count('passed', 'failed', 'error')} ran, {count('skipped')} skipped")


@pytest.fixture(scope="session")
def picture_bytes() -> Callable[..., bytes]:
    """A small picture's file content: picture_bytes(seed, format="PNG", size=(24, 16)). Equal seeds give equal pictures."""

    def draw(seed: int = 0, format: str = "PNG", size: tuple[int, int] = (24, 16), **options: Any) -> bytes:
        pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
        file = io.BytesIO()
        Image.fromarray(pixels).save(file, format, **options)
        return file.getvalue()

    return draw


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """Five pictures each of three things of the embedded world, as a folder."""
    folder = tmp_path_factory.mktemp("drawn")
    dataset = open_world("world-objects", n=90)
    for row, label in enumerate(dataset.table.column("label").to_pylist()):
        place = folder / label
        if label in {"cone", "star", "arrow"}:
            place.mkdir(exist_ok=True)
            (place / f"{row}.png").write_bytes(dataset.pictures.read(row))
    return folder


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory) -> Path:
    """A store that all tests of this worker share, for tests that need vectors and do not count how often they are computed."""
    return tmp_path_factory.mktemp("shared") / "store"


@pytest.fixture(scope="session")
def commands():
    """Runs commands, each in a process of its own."""
    made = Commands()
    yield made
    made.close()


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store")
    yield made
    made.close()


@pytest.fixture
def photos(drawn, tmp_path):
    shutil.copytree(drawn, tmp_path / "photos")
    return tmp_path / "photos"
