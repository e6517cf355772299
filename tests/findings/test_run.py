"""A run that was changed after it was written is refused with a sentence."""

from dataclasses import replace

import pyarrow as pa
import pytest
from tests.report.sample_run import write_sample_run

from eyechart.errors import StoreError
from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.findings.run import EXAM, read_run


def with_notices(tmp_path, table):
    run = read_run(write_sample_run(tmp_path / "run"))
    placed = PlacedExhibit("all", "all", EXAM, Exhibit("notices", "Notices", "Warnings.", table, "table"))
    others = tuple(e for e in run.exhibits if not e.exhibit.name.startswith("notices"))
    return replace(run, exhibits=(*others, placed))


def test_notices_are_read(tmp_path):
    (notice,) = with_notices(tmp_path, pa.table({"where": ["photos"], "what": ["odd"], "remedy": [""]})).notices
    assert str(notice) == "photos: odd"


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"where": ["photos"], "what": [None], "remedy": [""]}),
        pa.table({"where": ["photos"], "what": [3], "remedy": [""]}),
        pa.table({"where": ["photos"], "what": ["odd"]}),
    ],
)
def test_notices_without_a_text_are_refused(tmp_path, table):
    with pytest.raises(StoreError, match="the notices of the run are damaged"):
        _ = with_notices(tmp_path, table).notices
