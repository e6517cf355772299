import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.report.exports.yaml_text import yaml_text

yaml = pytest.importorskip("yaml")


tree = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.characters(exclude_categories=("Cs",), max_codepoint=0xFFFF)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(max_codepoint=0x7F), max_size=9), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["name", "model-index", "on", "a b", "1"]), tree, min_size=1))
def test_the_yaml_means_what_the_json_means(value):
    assert yaml.safe_load(yaml_text(value)) == json.loads(json.dumps(value))


@given(st.lists(tree, min_size=1, max_size=3))
def test_a_list_means_what_the_json_means(value):
    assert yaml.safe_load(yaml_text(value)) == json.loads(json.dumps(value))
