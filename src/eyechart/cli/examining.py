"""What `examine`, `run` and `demo` do alike: run a plan, print the summary, say where the page is."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.printing import print_json, print_table
from eyechart.notice import counted, one_line, shortened
from eyechart.plan import Plan

if TYPE_CHECKING:  # so that --help does not wait for it
    from eyechart.examination import Examination

MOST_ROWS = 60  # of the summary
MOST_LINES = 8  # of warnings, of notes, and of questions that were skipped


def examine_and_print(args: argparse.Namespace, plan: Plan, out: Path) -> int:
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
    page = examination.folder / "report" / "index.html"
    rows = examination.summary(most=MOST_ROWS)
    skips = examination.skips.to_pylist()
    notices = examination.notices
    if args.json:
        print_json(
            {
                "folder": str(examination.folder),
                "page": str(page),
                "findings": examination.findings.to_pylist(),
                "verdicts": [asdict(verdict) for verdict in examination.verdicts()],
                "skips": skips,
                "notices": [str(n) for n in notices],
                "set_aside": examination.set_aside,
                "failures": {name: str(error) for name, error in examination.failures.items()},
            }
        )
    else:
        print_table(["model", "dataset", "question", "metric", "value", "95% interval", "n"], rows)
        if not examination.fresh:
            print("every answer was known already; nothing was encoded")
        _print_verdict(examination)
        _print_some("note", [str(notice) for notice in notices])
        _print_some("skipped", _told_once(skips))
        print(f"page: {page}")
        if "effective_robustness" in examination.findings["metric"].unique().to_pylist():  # the sets are published ones
            print(f"among published models: eyechart study place {examination.folder}")
    for name, error in examination.failures.items():
        told = str(error)
        print(f"eyechart: {told if told.startswith(name) else f'{name}: {told}'}", file=sys.stderr)
    if examination.failures:
        return next(iter(examination.failures.values())).exit_code
    return 0 if rows else 7


def _print_some(kind: str, lines: Sequence[str]) -> None:
    """A screenful is read, a flood is not: of many lines the first, and how many more the page has."""
    shown = lines if len(lines) <= MOST_LINES else lines[: MOST_LINES - 1]
    for line in shown:
        print(f"{kind}: {line}")
    if len(shown) < len(lines):
        print(f"{kind}: … and {len(lines) - len(shown)} more, all of them on the page")


def _told_once(skips: Sequence[Mapping[str, str]]) -> list[str]:
    """One line for all questions that were skipped for one reason; the page has them one by one."""
    by_reason: dict[str, list[Mapping[str, str]]] = {}
    for skip in skips:
        by_reason.setdefault(skip["reason"], []).append(skip)
    lines = []
    for reason, mine in by_reason.items():
        probes, models, datasets = (list(dict.fromkeys(skip[key] for skip in mine)) for key in ("probe", "model", "dataset"))
        who = models[0] if len(models) == 1 else counted(len(models), "model")
        lines.append(f"{shortened(probes)} of {who} on {shortened(datasets)}: {reason}")
    return lines


def _print_verdict(examination: "Examination") -> None:
    """Each warning with its worst figure, and how many checks give none."""
    verdicts = examination.verdicts()
    several = len(verdicts) > 1
    lines = []
    for verdict in verdicts:
        for warning in verdict.bad:
            worst = warning.figures[0]
            whose = f"{verdict.model}: " if several else ""
            lines.append(one_line(f"{whose}{warning.sentence} ({worst.name}: {worst.text} on {worst.dataset})"))
    _print_some("watch out", lines)
    counts = []
    for v in verdicts:
        whose = f"{one_line(v.model)}: " if several else ""
        counts.append(f"{whose}{len(v.bad)} to watch out for, {len(v.good)} hold, {len(v.inconclusive)} not decided")
    _print_some("verdict", counts)
