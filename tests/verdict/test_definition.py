"""What page and terminal say about the minimum number of pictures is true."""

from scipy.stats import binomtest

from eyechart.probes.registry import get_probe, probe_names
from eyechart.verdict.definition import OUTCOMES


def widest_in_points(n):
    return max(high - low for low, high in (binomtest(k, n).proportion_ci(method="wilson") for k in range(n + 1))) * 100


def test_the_widths_of_the_intervals_are_those_of_scipy():
    assert f"with 30 pictures the 95% interval of a share is up to {widest_in_points(30):.0f} points wide (Wilson)" in OUTCOMES
    assert f"with 10 up to {widest_in_points(10):.0f}." in OUTCOMES


def test_classes_have_a_minimum_of_10_and_all_else_of_30():
    limits = [m.limits for name in probe_names() for m in get_probe(name).metrics if m.limits is not None]
    assert len(limits) > 20
    assert all(of.least_n == (10 if of.area == "worst classes" else 30) for of in limits)
    assert "The minimum of 30, and of 10 for a class," in OUTCOMES
