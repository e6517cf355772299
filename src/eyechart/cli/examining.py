"""What `examine`, `run` and `demo` share: run a plan, print the summary and the verdict, and show where the page is."""

import argparse
import sys
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.dry_running import print_dry_run
from eyechart.cli.help_pages import help_of_skip
from eyechart.cli.options import engine_of
from eyechart.cli.printing import print_json, print_table, say
from eyechart.files.arrow_start import start_without_pandas
from eyechart.files.remote import is_address
from eyechart.notice import counted, one_line, shortened
from eyechart.plan import Plan

if TYPE_CHECKING:  # so that --help stays fast
    from eyechart.examination import Examination
    from eyechart.findings.run import Run

MOST_ROWS = 60  # of the summary
FEW_NOTES = 3  # unless --verbose
WIDTH = 100  # of a note
NOTE_LINES = 3  # of a note, unless --verbose


def examine_and_print(args: argparse.Namespace, plan: Plan, out: str | Path) -> int:
    """Run a plan and print the results, or with --dry-run what it would take; the exit code."""
    start_without_pandas()
    if args.store_precision:
        plan = replace(plan, store_precision=args.store_precision)
    mirror = None
    if is_address(out):
        from eyechart.store.mirror import Mirror

        mirror = Mirror(str(out), "results")  # results are written here and uploaded when they are complete
        mirror.fetch_all()
    out = mirror.folder if mirror else Path(out)
    if args.dry_run:
        return print_dry_run(args, plan, out)
    from eyechart.exam import run
    from eyechart.progress import SilentProgress, TerminalProgress
    from eyechart.report.exports.static_charts import require_charts, write_charts
    from eyechart.store.store import Store

    if args.charts:
        require_charts()
    engine = engine_of(args)
    with closing(Store(args.store, rehash=args.rehash)) as store:
        examination = run(
            plan,
            out=out,
            store=store,
            engine=engine,
            progress=SilentProgress() if args.quiet else TerminalProgress(),
        )
    for kind in dict.fromkeys(args.charts or ()):
        write_charts(examination.folder, kind, examination.run)
    if mirror is not None:
        mirror.replace_all(last="findings.parquet")
    rows = examination.summary(most=MOST_ROWS)
    if args.json:
        _print_document(examination)
    else:
        _print_summary(examination, rows, verbose=args.verbose)
    if mirror is not None:
        say(f"results: {mirror.address}", file=sys.stderr if args.json else None)
    for name, error in examination.failures.items():
        message = str(error)
        say(f"eyechart: {message if message.startswith(name) else f'{name}: {message}'}", file=sys.stderr)
    if examination.failures:
        return next(iter(examination.failures.values())).exit_code
    return 0 if rows or _has_predictions(examination) else 7


def _page(examination: "Examination") -> Path:
    return examination.folder / "report" / "index.html"


def _print_document(examination: "Examination") -> None:
    print_json(
        {
            "folder": str(examination.folder),
            "page": str(_page(examination)),
            "findings": examination.findings.to_pylist(),
            "verdicts": [verdict.to_dict() for verdict in examination.verdicts()],
            "skips": examination.skips.to_pylist(),
            "notices": [str(n) for n in examination.notices],
            "set_aside": examination.set_aside,
            "failures": {name: str(error) for name, error in examination.failures.items()},
        }
    )


def _has_predictions(examination: "Examination") -> bool:
    """Pictures without labels are classified, and have no headline metric."""
    return bool(examination.predictions.num_rows > 0)


def _print_summary(examination: "Examination", rows: Sequence[Sequence[object]], *, verbose: bool) -> None:
    from eyechart.study.own_measures import is_published
    from eyechart.verdict.verdict import NOT_JUDGED

    judged = bool(examination.verdicts())
    if rows and (verbose or not judged):
        print_headline(rows)
    if judged:
        print_verdicts(examination.run, verbose=verbose)
    elif rows:
        say(NOT_JUDGED)
    if not rows and _has_predictions(examination):
        say(f"no headline metric was measured; the predictions: eyechart predictions {examination.folder}")
    elif not rows:
        say("no probe could be run")
    elif not examination.fresh:
        say("all results were known already; nothing was encoded")
    _print_notes([str(notice) for notice in examination.notices], verbose=verbose)
    if verbose or not rows:
        for line in skip_lines(examination.skips.to_pylist()):
            say(f"skipped: {line}")
    say(f"page: {_page(examination)}")
    if is_published(examination.run):
        say(f"compare with published models: eyechart study place {examination.folder}")


def print_headline(rows: Sequence[Sequence[object]]) -> None:
    """The headline numbers as a table."""
    cells = [[*row[:-1], f"{row[-1]:,}"] for row in rows]
    print_table(["model", "dataset", "probe", "metric", "value", "95% interval", "n"], cells)


def print_verdicts(run: "Run", targets: Mapping[str, float] | None = None, *, verbose: bool = False) -> None:
    """The verdict: a line for each area, or, for several models, a table with a column for each.

    Args:
        run: The run.
        targets: Limits in place of those of the run.
        verbose: Whether to say before it what the outcomes mean.
    """
    from eyechart.report.terminal import LEGEND, MOST_MODELS, not_tested_by_any, one_model, several_models
    from eyechart.verdict.definition import OUTCOMES
    from eyechart.verdict.verdict import verdicts

    made = verdicts(run, targets=targets)
    if verbose and made:
        say(*textwrap.wrap(OUTCOMES, WIDTH), "")
    if len(made) == 1:
        say(*one_model(run, made[0]))
    for verdict in made if len(made) > 1 else ():
        for sentence in verdict.not_above:
            say(f"{verdict.model}: {sentence}")
    for start in range(0, len(made), MOST_MODELS) if len(made) > 1 else ():
        print_table(*several_models(run, made[start : start + MOST_MODELS]))
    if len(made) > 1:
        say(LEGEND, *not_tested_by_any(run, made))
        say(f"paired differences, and which are chance: eyechart compare {run.folder or 'DIR'}")


def _print_notes(notes: Sequence[str], *, verbose: bool) -> None:
    """The first notes, shortened to a few lines each, and how many more there are."""
    shown = notes if verbose or len(notes) <= FEW_NOTES else notes[: FEW_NOTES - 1]
    for note in shown:
        lines = textwrap.wrap(one_line(f"note: {note}"), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        say(*(lines if verbose or len(lines) <= NOTE_LINES else [*lines[: NOTE_LINES - 1], _cut(lines[NOTE_LINES - 1])]))
    if len(shown) < len(notes):
        say(f"note: {len(notes) - len(shown)} more on the page, and with --verbose")


def _cut(line: str) -> str:
    return line[: WIDTH - 2].rstrip() + " …"


def skip_lines(skips: Sequence[Mapping[str, str]]) -> list[str]:
    """One line for all probes that were skipped for one reason; the page lists them one by one."""
    by_reason: dict[str, list[Mapping[str, str]]] = {}
    for skip in skips:
        by_reason.setdefault(skip["reason"], []).append(skip)
    lines = []
    for reason, mine in by_reason.items():
        probes, models, datasets = (list(dict.fromkeys(skip[key] for skip in mine)) for key in ("probe", "model", "dataset"))
        who = models[0] if len(models) == 1 else counted(len(models), "model")
        lines.append(f"{shortened(probes)} of {who} on {shortened(datasets)}: {reason}{help_of_skip(probes)}")
    return lines
