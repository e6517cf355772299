"""Number lines: values, intervals and limits stand where they belong."""

import re

from eyechart.report.html.builder import render
from eyechart.report.sections.axis import main_axis, ruling_chart
from eyechart.verdict.evidence import Baseline, Bounds, Figure


def figure(value=0.6, low=0.5, high=0.7, unit="fraction", baselines=(), bounds=None, dataset="photos") -> Figure:
    return Figure(
        dataset, "zero_shot", "top1", "top-1", "top-1", "{}", value, low, high, 100, unit, None, None, baselines, bounds
    )


def test_the_main_number_is_on_one_axis_with_what_it_is_compared_with():
    baselines = (Baseline("chance", 0.1), Baseline("majority", 0.25))
    html = render(main_axis(figure(baselines=baselines, bounds=Bounds(low=0.625))))
    assert 'class="value" cx="60.00%"' in html and 'class="span" x="50.00%"' in html and 'width="20.00%"' in html
    assert re.findall(r'class="mark (\w+)" x1="([0-9.]+)%"', html) == [
        ("baseline", "10.00"),
        ("baseline", "25.00"),
        ("target", "62.50"),
    ]
    assert re.findall(r"<text[^>]*>([^<]*)", html) == ["chance 10.0%", "majority 25.0%", "target 62.5%"]


def test_baselines_at_one_place_share_a_label_and_labels_do_not_overlap():
    baselines = (Baseline("chance", 0.1), Baseline("majority", 0.1))
    html = render(main_axis(figure(baselines=baselines, bounds=Bounds(low=0.2))))
    labels = re.findall(r'<text class="\w+" x="([0-9.]+)%" y="(\d+)" text-anchor="(\w+)">([^<]*)', html)
    assert [text for *_, text in labels] == ["chance = majority 10.0%", "target 20.0%"]
    assert labels[0][1] != labels[1][1]  # on different lines


def test_figures_of_a_ruling_share_a_scale_that_holds_all_of_them():
    shown = [figure(-0.2, -0.3, -0.1, "points", bounds=Bounds(low=-0.05)), figure(0.1, 0.0, 0.15, "points", dataset="b")]
    html = render(ruling_chart(shown))
    places = [float(x) for x in re.findall(r'(?:cx|x|x1)="([0-9.]+)%"', html)]
    assert all(0 <= x <= 100 for x in places)
    first, second = (float(x) for x in re.findall(r'class="value" cx="([0-9.]+)%"', html))
    assert first < second
    assert "−20.0 points" in html and "10.0 points" in html


def test_of_many_figures_the_first_are_drawn_and_the_rest_counted():
    html = render(ruling_chart([figure(dataset=f"d{k}") for k in range(7)]))
    assert html.count("<circle") == 4 and "and 3 more" in html
    assert ruling_chart([figure(value=None)]) is None
