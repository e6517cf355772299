"""The published tables, imported once."""

import pytest

from eyechart.study.importers.registry import TABLES
from eyechart.study.sources import open_tables
from eyechart.study.study_file import merge
from eyechart.study.table import empty

FOLDERS = {
    "open_clip": "open_clip", "timm": "timm", "testbed": "imagenet-testbed", "model_soups": "model-soups",
    "robustbench": "robustbench",
    "imagenet_x": "imagenet-x",
}  # fmt: skip


@pytest.fixture(scope="session")
def imported(refdata):
    """Table by table, what each importer gives."""
    return {kind: TABLES.get(kind)(open_tables([str(refdata / folder)])) for kind, folder in FOLDERS.items()}


@pytest.fixture(scope="session")
def published(imported):
    """All of them in one study."""
    study = empty()
    for each in imported.values():
        study = merge(study, each.table)
    return study
