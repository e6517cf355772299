"""`--dry-run` of `examine`, `run` and `demo`: what would be asked and encoded, and about how long that takes."""

import argparse
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.help_pages import help_of_skip
from eyechart.cli.printing import print_json, print_table, say
from eyechart.notice import shortened
from eyechart.plan import Plan

if TYPE_CHECKING:  # so that --help stays fast
    from eyechart.session.cost import DatasetCost


def print_dry_run(args: argparse.Namespace, plan: Plan, out: Path) -> int:
    """Print what running the plan would take; the exit code."""
    from eyechart.exam import dry_run
    from eyechart.progress import SilentProgress, TerminalProgress
    from eyechart.store.store import Store

    with closing(Store(args.store, rehash=args.rehash, read_only=True)) as store:
        found = dry_run(plan, out=out, store=store, progress=SilentProgress() if args.quiet else TerminalProgress())
    if args.json:
        print_json(asdict(found))
    else:
        say(found.choice)
        asks = any(d.cost.questions for d in found.datasets)
        columns = ["model", "dataset", "pictures", "stored", "texts", "stored", "probes"]
        columns[-1:-1] = ["questions", "answered"] if asks else []
        print_table(columns, [_row(d, asks) for d in found.datasets])
        for skip in found.skips:
            say(f"skipped: {skip.probe} of {skip.model} on {skip.dataset}: {skip.reason}{help_of_skip([skip.probe])}")
        for total in found.totals:
            say(total)
        if plan.targets:
            say(f"targets: {', '.join(f'{name}={value:g}' for name, value in plan.targets.items())}")
        say("dry run: nothing was encoded or written")
    for name, error in found.failures.items():
        say(f"eyechart: {name}: {error}", file=sys.stderr)
    return next(iter(found.failures.values())).exit_code if found.failures else 0


def _row(of: "DatasetCost", asks: bool) -> list[str]:
    cost, asked = of.cost, ", ".join(of.probes) or ("none" if of.role == "exam" else "(compared with)")
    answered = f" (known already: {shortened(of.known)})" if of.known else ""
    pictures, texts = cost.pictures - cost.new_pictures, cost.texts - cost.new_texts
    questions = [f"{cost.questions:,}", f"{cost.questions - cost.new_questions:,}"] if asks else []
    counts = [f"{cost.pictures:,}", f"{pictures:,}", f"{cost.texts:,}", f"{texts:,}", *questions]
    return [of.model, of.dataset, *counts, asked + answered]
