"""`eyechart study trend`: fit the line between two measures over many models, and list the models above it."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eyechart.cli.options import add_json, positive
from eyechart.cli.printing import print_json, print_table, say
from eyechart.cli.study_options import (
    add_fitting,
    add_page,
    add_pair,
    add_study,
    as_json,
    check_page,
    distance_texts,
    population_of,
    print_end,
    settings_of,
    tables_of,
    write_page,
)
from eyechart.notice import counted

if TYPE_CHECKING:
    from eyechart.report.exhibit_page import ExhibitPage
    from eyechart.study.trending import TrendStudy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pair(parser)
    parser.add_argument("--group", action="append", default=[], metavar="GROUP", help="only models of this group; repeatable")
    add_fitting(parser, baseline="standard")
    parser.add_argument(
        "--by", choices=("group", "source"), default="group",
        help="summarize and color models by their group or by the source of their training data (default: group)",
    )  # fmt: skip
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="models to list (default: 10)")
    add_page(parser)
    add_study(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.findings.numbers import format_value
    from eyechart.study.baselines import find_baseline
    from eyechart.study.measures import distance_unit
    from eyechart.study.questions import sources
    from eyechart.study.trending import study_trend, summaries

    check_page(args)
    settings = settings_of(args)
    # The models of the baseline are needed to fit the line, whichever groups are selected.
    baseline = find_baseline(args.baseline)
    groups = [*args.group, *(baseline.groups if args.group else ())]
    study = study_trend(population_of(args, groups), baseline, settings)
    labels = None if args.by == "group" else sources(study.population)
    page = write_page(args, _page(study, labels))
    models = _models(study, args)
    if args.json:
        trend = study.trend
        known = {
            "x": study.population.x_measure, "y": study.population.y_measure, "axis": args.axis, "fit": args.fit,
            "baseline": args.baseline, "n": trend.n, "families": trend.families,
            "slope": trend.line.slope, "slope_interval": list(trend.slope_interval),
            "intercept": trend.line.intercept, "intercept_interval": list(trend.intercept_interval),
            "r2": trend.r2, "r2_interval": list(trend.r2_interval),
            "spearman": trend.spearman, "spearman_interval": list(trend.spearman_interval),
            args.by: [asdict(s) for s in summaries(study, labels)],
            "models": models, "page": page, "notices": [str(n) for n in study.population.notices],
            "tables": sorted(set(study.population.facts["origin"])),
        }  # fmt: skip
        print_json(as_json(known))
        return 0
    _print_line(study)
    of, unit = study.population, study.population.y_unit
    groups = [
        [
            s.group,
            f"{s.n:,}",
            *("" if value is None else format_value(value, "number") for value in (s.spearman, s.r2)),
            format_value(s.mean_robustness, distance_unit(unit)),
        ]
        for s in summaries(study, labels)
    ]
    print_table([args.by, "models", "Spearman correlation", "R²", "mean distance from the line"], groups)
    listed = [
        [m["model"], m["group"], format_value(m["x"], of.x_unit), format_value(m["y"], unit),
         *distance_texts(m["robustness"], m["low"], m["high"], unit)]
        for m in models[: args.limit]
    ]  # fmt: skip
    print_table(["highest above the line", "group", of.x_measure, of.y_measure, "effective robustness", "95% interval"], listed)
    print_end(study.population.notices, page, tables_of(study.population))
    return 0


def _models(study: "TrendStudy", args: argparse.Namespace) -> list[dict[str, Any]]:
    """Your own models first, then those highest above the line; with intervals for the printed ones."""
    import numpy as np

    of = study.population
    order = np.lexsort((-study.robustness, ~of.mine))
    shown = order if args.json else order[: args.limit]
    chosen = np.zeros(len(of), bool)
    chosen[shown] = True
    low, high = study.intervals(chosen, seed=args.seed)
    at = {place: i for i, place in enumerate(np.flatnonzero(chosen))}
    return [
        {
            "model": of.models[i], "group": of.groups[i], "source": of.facts["source"][i], "origin": of.facts["origin"][i],
            "prompts": of.facts["prompts"][i], "x": float(of.x[i]), "y": float(of.y[i]),
            "robustness": float(study.robustness[i]), "low": float(low[at[i]]), "high": float(high[at[i]]),
            "in_baseline": bool(study.in_baseline[i]),
        }
        for i in shown
    ]  # fmt: skip


def _print_line(study: "TrendStudy") -> None:
    from eyechart.findings.numbers import format_value

    trend, of = study.trend, study.population
    say(f"{of.y_measure} against {of.x_measure}, {counted_models(study)}; {trend.fit} on {trend.line.x_axis} axes")
    rows = [
        ("slope", trend.line.slope, trend.slope_interval),
        ("intercept", trend.line.intercept, trend.intercept_interval),
        ("R²", trend.r2, trend.r2_interval),
        ("Spearman correlation", trend.spearman, trend.spearman_interval),
    ]
    cells = [[name, format_value(value, "number"), _interval(*interval)] for name, value, interval in rows]
    print_table(["", "", "95% interval over families"], cells)


def counted_models(study: "TrendStudy") -> str:
    """The models that the line was fitted to, as text."""
    trend = study.trend
    return f"line through {counted(trend.n, 'model')} in {counted(trend.families, 'family', 'families')} ({study.baseline.title})"


def _interval(low: float, high: float) -> str:
    from eyechart.findings.numbers import format_interval

    return format_interval(low, high, "number") if low == low else "none (one family)"


def _page(study: "TrendStudy", labels: "tuple[str, ...] | None") -> "ExhibitPage":
    from eyechart.report.exhibit_page import ExhibitPage, Section
    from eyechart.study.exhibits import trend_exhibit

    shown = trend_exhibit(study) if labels is None else trend_exhibit(study, labels, "source")
    how = "Click groups in the legend to select them; hold shift and scroll to zoom, drag to move."
    sections = (Section("Trend", how, (shown,)),)
    return ExhibitPage("Study", shown.title, counted(len(study.population), "model"), sections, study.population.notices)
