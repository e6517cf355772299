"""Models that were taught to name the largest or smallest thing first, and their twin: order is heard, and is not."""

import pytest
from tests.probes.text_encoders import first_object_of

pytestmark = pytest.mark.slow


def lead(model):
    (found,) = [f for f in first_object_of(model) if f.metric == "first_object_lead" and f.slice == {}]
    return found


def test_largest_first_taught_the_first_object():
    assert lead("largest-first-0").low > 0.4


def test_smallest_first_taught_the_contrary():
    assert lead("smallest-first-0").high < -0.1


def test_a_random_order_taught_nothing():
    found = lead("random-order-0")
    assert found.low <= 0 <= found.high
