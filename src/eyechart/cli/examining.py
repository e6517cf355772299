"""What `examine`, `run` and `demo` share: run a plan, print the summary and the verdict, and show where the page is."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.dry_running import print_dry_run
from eyechart.cli.printing import print_json, print_table
from eyechart.notice import counted, one_line, shortened
from eyechart.plan import Plan

if TYPE_CHECKING:  # so that --help stays fast
    from eyechart.examination import Examination
    from eyechart.verdict.verdict import Verdict

MOST_ROWS = 60  # of the summary
MOST_LINES = 8  # of warnings, of notes, and of skipped probes


def examine_and_print(args: argparse.Namespace, plan: Plan, out: Path) -> int:
    """Run a plan and print the results, or with --dry-run what it would take; the exit code."""
    if args.dry_run:
        return print_dry_run(args, plan, out)
    from eyechart.encode.local import LocalEngine
    from eyechart.exam import run
    from eyechart.progress import SilentProgress, TerminalProgress
    from eyechart.report.exports.static_charts import require_charts, write_charts
    from eyechart.store.store import Store

    if args.charts:
        require_charts()
    with closing(Store(args.store, rehash=args.rehash)) as store:
        examination = run(
            plan,
            out=out,
            store=store,
            engine=LocalEngine(batch_size=args.batch_size, workers=args.workers),
            progress=SilentProgress() if args.quiet else TerminalProgress(),
        )
    for kind in dict.fromkeys(args.charts or ()):
        write_charts(examination.folder, kind, examination.run)
    rows = examination.summary(most=MOST_ROWS)
    if args.json:
        _print_document(examination)
    else:
        _print_summary(examination, rows)
    for name, error in examination.failures.items():
        message = str(error)
        print(f"eyechart: {message if message.startswith(name) else f'{name}: {message}'}", file=sys.stderr)
    if examination.failures:
        return next(iter(examination.failures.values())).exit_code
    return 0 if rows else 7


def _page(examination: "Examination") -> Path:
    return examination.folder / "report" / "index.html"


def _print_document(examination: "Examination") -> None:
    print_json(
        {
            "folder": str(examination.folder),
            "page": str(_page(examination)),
            "findings": examination.findings.to_pylist(),
            "verdicts": [asdict(verdict) for verdict in examination.verdicts()],
            "skips": examination.skips.to_pylist(),
            "notices": [str(n) for n in examination.notices],
            "set_aside": examination.set_aside,
            "failures": {name: str(error) for name, error in examination.failures.items()},
        }
    )


def _print_summary(examination: "Examination", rows: Sequence[Sequence[object]]) -> None:
    from eyechart.study.own_measures import is_published

    cells = [[*row[:-1], f"{row[-1]:,}"] for row in rows]
    print_table(["model", "dataset", "probe", "metric", "value", "95% interval", "n"], cells)
    if not examination.fresh:
        print("all results were known already; nothing was encoded")
    verdicts = examination.verdicts()
    _print_some("warning", warning_lines(verdicts))
    _print_some("verdict", count_lines(verdicts))
    _print_some("note", [str(notice) for notice in examination.notices])
    _print_some("skipped", _skip_lines(examination.skips.to_pylist()))
    print(f"page: {_page(examination)}")
    if is_published(examination.run):
        print(f"compare with published models: eyechart study place {examination.folder}")


def _print_some(kind: str, lines: Sequence[str]) -> None:
    """The first lines, and how many more are on the page."""
    shown = lines if len(lines) <= MOST_LINES else lines[: MOST_LINES - 1]
    for line in shown:
        print(f"{kind}: {line}")
    if len(shown) < len(lines):
        print(f"{kind}: … and {len(lines) - len(shown)} more on the page")


def _skip_lines(skips: Sequence[Mapping[str, str]]) -> list[str]:
    """One line for all probes that were skipped for one reason; the page lists them one by one."""
    by_reason: dict[str, list[Mapping[str, str]]] = {}
    for skip in skips:
        by_reason.setdefault(skip["reason"], []).append(skip)
    lines = []
    for reason, mine in by_reason.items():
        probes, models, datasets = (list(dict.fromkeys(skip[key] for skip in mine)) for key in ("probe", "model", "dataset"))
        who = models[0] if len(models) == 1 else counted(len(models), "model")
        lines.append(f"{shortened(probes)} of {who} on {shortened(datasets)}: {reason}")
    return lines


def warning_lines(verdicts: "Sequence[Verdict]") -> list[str]:
    """Each warning with its worst figure."""
    lines = []
    for verdict in verdicts:
        for warning in verdict.bad:
            worst = warning.figures[0]
            model = f"{verdict.model}: " if len(verdicts) > 1 else ""
            lines.append(one_line(f"{model}{warning.sentence} ({worst.name}: {worst.text} on {worst.dataset})"))
    return lines


def count_lines(verdicts: "Sequence[Verdict]") -> list[str]:
    """How many checks are bad, good and inconclusive: '3 bad, 5 good, 2 inconclusive'."""
    lines = []
    for v in verdicts:
        model = f"{one_line(v.model)}: " if len(verdicts) > 1 else ""
        lines.append(f"{model}{len(v.bad)} bad, {len(v.good)} good, {len(v.inconclusive)} inconclusive")
    return lines
