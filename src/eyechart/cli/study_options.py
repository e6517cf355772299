"""Options and output that the actions of `eyechart study` share."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.cli.options import positive, whole
from eyechart.cli.printing import say
from eyechart.notice import counted

if TYPE_CHECKING:
    from eyechart.notice import Notice
    from eyechart.report.exhibit_page import ExhibitPage
    from eyechart.study.open_study import OpenedStudy, TableUsed
    from eyechart.study.population import Population
    from eyechart.study.trending import Settings


def add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study",
        type=Path,
        metavar="FILE",
        help="use this study alone (default: your own study with the shipped tables)",
    )


def add_pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--y", required=True, metavar="MEASURE", help="such as imagenet-v2; see `eyechart study show`")
    parser.add_argument("--x", metavar="MEASURE", help="measure to compare it with (default: ImageNet, over the same classes)")
    parser.add_argument("--origin", action="append", default=[], metavar="TABLE", help="only models of this table; repeatable")


def add_fitting(parser: argparse.ArgumentParser, *, baseline: str) -> None:
    parser.add_argument(
        "--baseline",
        default=baseline,
        metavar="NAME",
        help=f"models that the line is fitted to: a group, all, or testbed-standard (default: {baseline})",
    )
    parser.add_argument(
        "--axis", default="probit", choices=("probit", "logit", "linear"), help="axis for fractions (default: probit)"
    )
    parser.add_argument(
        "--fit", default="huber", choices=("huber", "ols"), help="robust (Huber) or least squares (default: huber)"
    )
    parser.add_argument(
        "--prompts",
        default="",
        metavar="NAME",
        help="prompt set of the models that the line is fitted to, or `all` (default: the one that most of them have)",
    )
    parser.add_argument("--at-least", type=float, default=0.0, metavar="X", help="exclude baseline models with a smaller x")
    parser.add_argument(
        "--clip", action="store_true", help="move values of 0 and 1 inwards by half an answer instead of excluding them"
    )
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the bootstrap (default: 0)")
    parser.add_argument("--resamples", type=positive, default=1000, metavar="N", help="bootstrap samples (default: 1000)")


def add_page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="DIR", help="also write a page with interactive charts into this folder")
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="with --out: charts as files; repeatable")


def opened(args: argparse.Namespace) -> "OpenedStudy":
    from eyechart.study.open_study import open_study

    return open_study(args.study)


def tables_line(used: "Sequence[TableUsed]") -> str:
    """Which tables were used: `tables: timm (1,267 models), … shipped with Eyechart; findings (1 model), yours`."""
    parts = []
    for shipped, whose in ((True, "shipped with Eyechart"), (False, "yours")):
        named = [f"{table.origin} ({counted(table.models, 'model')})" for table in used if (table.shipped is not None) == shipped]
        parts += [f"{', '.join(named)}: {whose}"] if named else []
    return f"tables: {'; '.join(parts)}"


def settings_of(args: argparse.Namespace) -> "Settings":
    from eyechart.study.trending import Settings

    return Settings(args.axis, args.fit, args.at_least, args.clip, args.prompts, args.seed, args.resamples)


def population_of(args: argparse.Namespace, groups: Sequence[str] = ()) -> "Population":
    from eyechart.study.population import pair

    return pair(opened(args).table, args.x, args.y, origins=args.origin, groups=groups)


def check_page(args: argparse.Namespace) -> None:
    """Check before any work: charts as files need a page and a package that draws them."""
    from eyechart.errors import UsageError
    from eyechart.report.exports.static_charts import require_charts

    if args.charts and not args.out:
        raise UsageError("--charts needs --out DIR for the page and its charts")
    if args.charts:
        require_charts()


def write_page(args: argparse.Namespace, page: "ExhibitPage") -> str | None:
    """The page's path; None without --out."""
    if not args.out:
        return None
    from eyechart.report.exhibit_page import write_exhibit_page

    return str(write_exhibit_page(page, args.out, args.charts or ()))


def tables_of(population: "Population") -> str:
    """Which tables the models of a population are from."""
    return f"tables: {', '.join(sorted(set(population.facts['origin'])))}"


def print_end(notices: "Sequence[Notice]", page: str | None, tables: str) -> None:
    """The last lines of every action: which tables were used, notices, and the path of the page."""
    say(tables)
    for notice in notices:
        say(f"note: {notice}")
    if page:
        say(f"page: {page}")


def distance_texts(value: float, low: float, high: float, unit: str) -> tuple[str, str]:
    """A distance from a line and its interval: ('5.1 points', '4.1 to 6.2'). `unit`: of the measure."""
    from eyechart.findings.numbers import format_interval, format_value
    from eyechart.study.measures import distance_unit

    known = low == low and high == high  # not NaN
    shown = distance_unit(unit)
    return format_value(value, shown), format_interval(low, high, shown) if known else ""


def as_json(record: Any) -> Any:
    """NaN becomes null."""
    if isinstance(record, dict):
        return {key: as_json(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [as_json(value) for value in record]
    return None if isinstance(record, float) and record != record else record
