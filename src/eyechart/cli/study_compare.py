"""`eyechart study compare`: which property moves models off the trend: architecture, source, fine-tuning, loss and others."""

import argparse
from typing import TYPE_CHECKING, Any

from eyechart.cli.options import add_json
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
from eyechart.errors import UsageError
from eyechart.notice import counted

if TYPE_CHECKING:
    from eyechart.report.exhibit_page import ExhibitPage
    from eyechart.study.comparing import Comparison

QUESTIONS = ("architecture", "parameters", "source", "size", "fine-tuning", "method", "resolution", "loss", "prompts")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by", action="append", choices=QUESTIONS, metavar="QUESTION", help=f"{', '.join(QUESTIONS)}; repeatable (default: all)"
    )
    add_pair(parser)
    parser.add_argument(
        "--among", action="append", default=[], metavar="GROUP",
        help="compare models of this group, or `all`; repeatable (default: CLIP)",
    )  # fmt: skip
    add_fitting(parser, baseline="all")
    add_page(parser)
    add_study(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    check_page(args)
    comparisons, unanswered = _compare(args)
    page = write_page(args, _page(comparisons))
    if args.json:
        print_json(as_json({"questions": [_record(c) for c in comparisons], "unanswered": unanswered, "page": page}))
        return 0
    from eyechart.findings.numbers import p_value
    from eyechart.study.exhibits import verdict

    for comparison in comparisons:
        say(f"{comparison.question.title} {verdict(comparison)}")
        unit = comparison.study.population.y_unit
        rows = [
            [answer, f"{g.n:,}", g.families, *distance_texts(g.value, *g.interval, unit), p_value(g.p)]
            for answer, g in zip(comparison.answers, comparison.offsets.groups, strict=True)
        ]
        rows.sort(key=lambda row: str(row[0]))
        print_table([comparison.question.name, "models", "families", "distance from the trend", "95% interval", "p (Holm)"], rows)
    tables = tables_of(comparisons[0].study.population) if comparisons else "tables: none"
    for reason in unanswered.values():
        say(f"not compared: {reason}")
    print_end([n for c in comparisons for n in c.study.population.notices if n.where == c.question.name], page, tables)
    return 0


def _compare(args: argparse.Namespace) -> "tuple[list[Comparison], dict[str, str]]":
    """All comparisons that are possible; a requested one that is impossible is an error."""
    from eyechart.study.baselines import find_baseline
    from eyechart.study.comparing import compare
    from eyechart.study.questions import QUESTIONS as KNOWN

    population, settings, baseline = population_of(args), settings_of(args), find_baseline(args.baseline)
    found, unanswered = [], {}
    for name in dict.fromkeys(args.by or QUESTIONS):
        try:
            found.append(compare(population, KNOWN.get(name), baseline, settings, groups=tuple(args.among)))
        except UsageError as error:
            if args.by:
                raise
            unanswered[name] = str(error)
    if not found:
        raise UsageError("; ".join(unanswered.values()))
    return found, unanswered


def _record(comparison: "Comparison") -> dict[str, Any]:
    return {
        "question": comparison.question.name,
        "x": comparison.study.population.x_measure,
        "y": comparison.study.population.y_measure,
        "models": len(comparison.labels),
        "p": comparison.offsets.p,
        "answers": [
            {
                "answer": answer, "offset": g.value, "low": g.interval.low, "high": g.interval.high,
                "models": g.n, "families": g.families, "p": g.p,
            }
            for answer, g in zip(comparison.answers, comparison.offsets.groups, strict=True)
        ],
    }  # fmt: skip


def _page(comparisons: "list[Comparison]") -> "ExhibitPage":
    from eyechart.report.exhibit_page import ExhibitPage, Section
    from eyechart.study.exhibits import offsets_exhibit, trend_exhibit

    sections = [
        Section(
            c.question.title,
            f"{counted(len(c.labels), 'model')}, compared with their common trend.",
            (offsets_exhibit(c), trend_exhibit(c.study, c.labels, c.question.name)),
        )
        for c in comparisons
    ]
    of = comparisons[0].study.population
    notices = tuple(dict.fromkeys(n for c in comparisons for n in c.study.population.notices))
    return ExhibitPage(
        "Study", "What moves models off the trend?", f"{of.y_measure} against {of.x_measure}", tuple(sections), notices
    )
