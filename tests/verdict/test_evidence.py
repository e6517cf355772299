"""Figures as text, for a line of the terminal."""

import json

import pytest

from eyechart.verdict.evidence import Figure


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ({}, "worst@k 50.0%"),
        ({"answers": "class scores", "k": 2}, "worst@k (k = 2) 50.0%"),
        ({"half": "held-out", "class": "tabby cat"}, "worst@k (held-out, tabby cat) 50.0%"),
    ],
)
def test_a_number_of_a_slice_has_its_name_and_the_way_of_predicting_is_left_out(where, shown):
    figure = Figure("photos", "worst", "worst_at_k", "worst@k", "worst@k", json.dumps(where), 0.5, None, None, 60, "fraction")
    assert figure.line == f"{shown}, n = 60"
