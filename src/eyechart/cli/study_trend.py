"""`eyechart study trend`: the line that relates two measures over many models, and who lies above it."""

import argparse
from typing import TYPE_CHECKING, Any

from eyechart.cli.options import add_json, positive
from eyechart.cli.printing import print_json, print_table
from eyechart.cli.study_options import (
    add_fitting,
    add_page,
    add_pair,
    add_study,
    as_json,
    check_page,
    distance,
    interval,
    population_of,
    print_end,
    settings_of,
    value_text,
    write_page,
)

if TYPE_CHECKING:
    from eyechart.report.exhibit_page import ExhibitPage
    from eyechart.study.trending import TrendStudy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_pair(parser)
    parser.add_argument("--group", action="append", default=[], metavar="GROUP", help="only models of this group; repeatable")
    add_fitting(parser, baseline="standard")
    parser.add_argument("--limit", type=positive, default=10, metavar="N", help="models to list (default: 10)")
    add_page(parser)
    add_study(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.study.baselines import find_baseline
    from eyechart.study.trending import study_trend, summaries

    check_page(args)
    settings = settings_of(args)
    # The baseline's models must be there to fit the line, whichever groups are asked for.
    groups = [*args.group, *([args.baseline] if args.group and args.baseline not in ("all", "testbed-standard") else [])]
    study = study_trend(population_of(args, groups), find_baseline(args.baseline), settings)
    page = write_page(args, _page(study))
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
            "models": models, "page": page, "notices": [str(n) for n in study.population.notices],
        }  # fmt: skip
        print_json(as_json(known))
        return 0
    _print_line(study)
    of, unit = study.population, study.population.y_unit
    groups = [
        [s.group, f"{s.n:,}", "" if s.spearman is None else f"{s.spearman:.3f}", distance(s.mean_robustness, unit)]
        for s in summaries(study)
    ]
    print_table(["group", "models", "rank correlation", "mean above the line"], groups)
    listed = [
        [m["model"], m["group"], value_text(m["x"], of.x_unit), value_text(m["y"], unit), distance(m["robustness"], unit),
         interval(m["low"], m["high"], unit)]
        for m in models[: args.limit]
    ]  # fmt: skip
    print_table(["farthest above", "group", of.x_measure, of.y_measure, "above the line", "95% interval"], listed)
    print_end(study.population.notices, page)
    return 0


def _models(study: "TrendStudy", args: argparse.Namespace) -> list[dict[str, Any]]:
    """One's own models first, then those farthest above the line; with intervals where they will be read."""
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
    trend, of = study.trend, study.population
    print(f"{of.y_measure} against {of.x_measure}, {counted_models(study)}; {trend.fit} on {trend.line.x_axis} axes")
    rows = [
        ["slope", f"{trend.line.slope:.4f}", _range(*trend.slope_interval)],
        ["intercept", f"{trend.line.intercept:.4f}", _range(*trend.intercept_interval)],
        ["R²", f"{trend.r2:.4f}", _range(*trend.r2_interval)],
        ["rank correlation", f"{trend.spearman:.4f}", _range(*trend.spearman_interval)],
    ]
    print_table(["", "", "95% interval over families"], rows)


def counted_models(study: "TrendStudy") -> str:
    """Who the line was fitted to, in words."""
    from eyechart.notice import counted

    trend = study.trend
    return f"line through {counted(trend.n, 'model')} in {counted(trend.families, 'family', 'families')} ({study.baseline.says})"


def _range(low: float, high: float) -> str:
    return f"{low:.4f} to {high:.4f}" if low == low else "one family: none"


def _page(study: "TrendStudy") -> "ExhibitPage":
    from eyechart.report.exhibit_page import ExhibitPage, Section
    from eyechart.study.exhibits import trend_exhibit

    shown = trend_exhibit(study)
    how = "Click groups in the legend to see only those; hold shift and turn the wheel to look closer, drag to move."
    sections = (Section("The trend, and who leaves it", how, (shown,)),)
    return ExhibitPage("Study", shown.title, f"{len(study.population):,} models", sections, study.population.notices)
