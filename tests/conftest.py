"""Where the reference data and the fetched assets are. A test that lacks them says which, and skips; or fails where
EYECHART_REQUIRE_REFDATA=1 says that they must be there."""

import os
from pathlib import Path

import pytest

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
