import numpy as np
import pytest
from scipy.stats import norm

from eyechart.findings.charts import field
from eyechart.study.baselines import find_baseline
from eyechart.study.comparing import compare
from eyechart.study.exhibits import offsets_exhibit, trend_exhibit
from eyechart.study.facts import Facts
from eyechart.study.population import pair
from eyechart.study.questions import QUESTIONS
from eyechart.study.table import Value
from eyechart.study.trending import Settings, study_trend

from .tables import along_a_line, study_of

QUICK = Settings(fit="ols", resamples=50)


@pytest.fixture(scope="module")
def trend():
    rows = along_a_line(30, group="standard", prefix="s") + along_a_line(
        10, group="zero-shot CLIP", prefix="c", above=0.5, seed=1
    )
    rows += along_a_line(1, group="zero-shot CLIP", prefix="mine", origin="findings", seed=2)
    return study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("standard"), QUICK)


def layers(exhibit, kind):
    return [layer for layer in exhibit.chart["layer"] if layer["mark"]["type"] == kind]


def test_every_model_is_a_row_and_its_name_is_in_the_tooltip(trend):
    shown = trend_exhibit(trend)
    assert shown.table.num_rows == 41
    (dots,) = [layer for layer in layers(shown, "point") if "params" in layer]
    assert dots["encoding"]["tooltip"][0]["field"] == "model"
    assert dots["params"][0]["bind"] == "legend"


def test_the_groups_of_the_legend_are_those_of_the_table_and_small_ones_are_drawn_last(trend):
    shown = trend_exhibit(trend)
    (dots,) = [layer for layer in layers(shown, "point") if "params" in layer]
    assert dots["encoding"]["color"]["scale"]["domain"] == ["zero-shot CLIP", "standard"]
    assert shown.table["group"].to_pylist()[-1] == "zero-shot CLIP"


def test_the_drawn_line_is_the_fitted_one(trend):
    (line,) = [layer for layer in layers(trend_exhibit(trend), "line") if layer["mark"].get("style") == "trend"]
    first = line["data"]["values"][0]
    assert first["y_place"] == pytest.approx(trend.trend.line.slope * first["x_place"] + trend.trend.line.intercept)
    assert first["low"] < first["y_place"] < first["high"]


def test_ticks_are_round_shares_at_their_places(trend):
    (dots,) = [layer for layer in layers(trend_exhibit(trend), "point") if "params" in layer]
    ticks = norm.cdf(dots["encoding"]["x"]["axis"]["values"])
    assert len(ticks) >= 3 and np.allclose(100 * ticks, np.round(100 * ticks), atol=1e-6)


def test_the_sentence_tells_where_ones_own_model_lies(trend):
    assert "mine0 lies" in trend_exhibit(trend).sentence and "30 models" in trend_exhibit(trend).sentence


def test_one_model_under_two_prompt_sets_is_two_names():
    rows = along_a_line(10, group="standard", prefix="s")
    rows.append(
        (
            Facts("mine", "zero-shot CLIP", "mine"),
            [Value(m, v, 100, prompts=p) for p in ("one", "many") for m, v in (("imagenet", 0.7), ("imagenet-v2", 0.6))],
            "findings",
        )
    )
    shown = trend_exhibit(study_trend(pair(study_of(*rows), None, "imagenet-v2"), find_baseline("standard"), QUICK))
    assert {"mine, one", "mine, many"} <= set(shown.table["model"].to_pylist())
    assert "mine, one lies" in shown.sentence and "mine, many lies" in shown.sentence


def test_a_name_that_stands_out_keeps_to_the_chart(trend):
    """Names of models are long: they are cut at the room between their mark and the edge."""
    (name,) = [layer for layer in layers(trend_exhibit(trend), "text") if layer["mark"].get("style") == "mine-name"]
    assert "width" in name["mark"]["limit"]["expr"]


def test_more_groups_than_colours_become_all_others():
    rows = [
        row for i in range(9) for row in along_a_line(9 - i, group="zero-shot CLIP", prefix=f"g{i}", seed=i, source=f"S{i}-1M")
    ]
    found = compare(pair(study_of(*rows), None, "imagenet-v2"), QUESTIONS.get("source"), find_baseline("all"), QUICK)
    shown = trend_exhibit(found.study, found.labels, "source")
    groups = set(shown.table["source"].to_pylist())
    assert len(groups) == 7 and "all others" in groups


def test_offsets_are_shown_with_their_intervals_the_largest_first():
    rows = along_a_line(12, group="zero-shot CLIP", prefix="a", source="WIT-400M", above=0.2)
    rows += along_a_line(6, group="zero-shot CLIP", prefix="b", source="LAION-2B", seed=1)
    found = compare(pair(study_of(*rows), None, "imagenet-v2"), QUESTIONS.get("source"), find_baseline("all"), QUICK)
    shown = offsets_exhibit(found)
    assert shown.table["source"].to_pylist() == ["WIT", "LAION"]
    assert shown.sentence.startswith("The differences are significant (p") and "points below the common trend" in shown.sentence
    assert {"low", "high", field("offset")} <= set(shown.table.column_names)
