"""Options that the actions of `eyechart study` share, and what they do alike."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.cli.options import positive, whole

if TYPE_CHECKING:
    import pyarrow as pa

    from eyechart.notice import Notice
    from eyechart.report.exhibit_page import ExhibitPage
    from eyechart.study.population import Population
    from eyechart.study.trending import Settings


def add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study", type=Path, metavar="FILE", help="the study's file (default: EYECHART_STUDY, else in the user's data folder)"
    )


def add_pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--y", required=True, metavar="MEASURE", help="such as imagenet-v2; see `eyechart study show`")
    parser.add_argument("--x", metavar="MEASURE", help="what it is set against (default: ImageNet, over the same classes)")
    parser.add_argument("--origin", action="append", default=[], metavar="TABLE", help="only models of this table; repeatable")


def add_fitting(parser: argparse.ArgumentParser, *, baseline: str) -> None:
    parser.add_argument(
        "--baseline",
        default=baseline,
        metavar="NAME",
        help=f"models that the line is fitted to: a group, all, or testbed-standard (default: {baseline})",
    )
    parser.add_argument("--axis", default="probit", choices=("probit", "logit", "linear"), help="(default: probit)")
    parser.add_argument("--fit", default="huber", choices=("huber", "ols"), help="robust or least squares (default: huber)")
    parser.add_argument("--at-least", type=float, default=0.0, metavar="X", help="leave baseline models with less x aside")
    parser.add_argument("--clip", action="store_true", help="move shares of 0 and 1 half an answer inwards, not out")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="of resampling (default: 0)")
    parser.add_argument("--resamples", type=positive, default=1000, metavar="N", help="(default: 1000)")


def add_page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, metavar="DIR", help="also write a page with interactive charts into this folder")
    parser.add_argument("--charts", choices=("svg", "png"), action="append", help="with --out: charts as files; repeatable")


def open_study(args: argparse.Namespace) -> "pa.Table":
    from eyechart.study.study_file import default_study_path, read_study

    return read_study(args.study or default_study_path())


def settings_of(args: argparse.Namespace) -> "Settings":
    from eyechart.study.trending import Settings

    return Settings(args.axis, args.fit, args.at_least, args.clip, args.seed, args.resamples)


def population_of(args: argparse.Namespace, groups: Sequence[str] = ()) -> "Population":
    from eyechart.study.population import pair

    return pair(open_study(args), args.x, args.y, origins=args.origin, groups=groups)


def check_page(args: argparse.Namespace) -> None:
    """Before any work: charts as files need a page to lie beside and a package that draws them."""
    from eyechart.errors import UsageError
    from eyechart.report.exports.static_charts import require_charts

    if args.charts and not args.out:
        raise UsageError("--charts: say with --out DIR where the page and its charts go")
    if args.charts:
        require_charts()


def write_page(args: argparse.Namespace, page: "ExhibitPage") -> str | None:
    """The page's path, None where none was asked for."""
    if not args.out:
        return None
    from eyechart.report.exhibit_page import write_exhibit_page

    return str(write_exhibit_page(page, args.out, args.charts or ()))


def print_end(notices: "Sequence[Notice]", page: str | None) -> None:
    """What every action says last: what was left out, and where the page is."""
    for notice in notices:
        print(f"note: {notice}")
    if page:
        print(f"page: {page}")


def value_text(value: float, unit: str) -> str:
    """A measure's value as a table shows it: '71.30%', or four digits of what is no share."""
    return f"{100 * value:.2f}%" if unit == "fraction" else f"{value:.4g}"


def distance(value: float, unit: str) -> str:
    """How far something lies above a line, of shares in percentage points: 0.0512 → '+5.12'."""
    return (f"{100 * value:+.2f}" if unit == "fraction" else f"{value:+.4g}").replace("-", "−")


def interval(low: float, high: float, unit: str) -> str:
    """'+4.10 to +6.20', empty where there is none."""
    return f"{distance(low, unit)} to {distance(high, unit)}" if low == low and high == high else ""


def as_json(record: Any) -> Any:
    """Numbers that JSON cannot hold become null."""
    if isinstance(record, dict):
        return {key: as_json(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [as_json(value) for value in record]
    return None if isinstance(record, float) and record != record else record
