import re

from hypothesis import given
from hypothesis import strategies as st
from tests.report.sample_run import NASTY

from eyechart.report.exports.file_names import file_names


@given(st.lists(st.text(max_size=6) | st.sampled_from([*NASTY, "..", "a/b", "a-b", "A-B", "a-b-2"]), max_size=8))
def test_names_are_plain_files_and_all_different(names):
    found = file_names(names)
    assert set(found) == set(names)
    assert len({name.lower() for name in found.values()}) == len(found)
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", name) or name[0] == "_" for name in found.values())
