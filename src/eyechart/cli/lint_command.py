"""`eyechart lint`: check class names, labels and pictures for mistakes, before any accuracy is believed."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_reading, add_running, columns_of, engine_of, positive
from eyechart.cli.printing import print_json, say
from eyechart.notice import counted, one_line
from eyechart.plan import DataPlan, ModelPlan, Plan

NOT_CHECKED = 7  # the exit code where a probe was skipped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", required=True, metavar="D", help="a labeled dataset, see `eyechart datasets`")
    parser.add_argument("--model", metavar="M", help="a model that checks the labels; without one, only names are checked")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results (default: exams/lint--MODEL--DATA)")
    add_reading(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="a sample of N pictures, stratified by class")
    add_running(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    entry = DataPlan(
        args.data, classes=args.classes, split=args.split, root=args.root, limit=args.limit, columns=columns_of(args)
    )
    return _names(args, entry) if args.model is None else _all(args, entry)


def _names(args: argparse.Namespace, entry: DataPlan) -> int:
    """Check the class names alone."""
    from eyechart.data.class_name_checks import check_names
    from eyechart.errors import DataError
    from eyechart.inputs import open_data

    dataset = open_data(entry, seed=0)
    if dataset.classes is None:
        raise DataError(f"{dataset.name}: there are no class names to check; name them with --classes")
    issues = check_names([c.name for c in dataset.classes])
    if args.json:
        print_json([{"kind": issue.kind, "names": issue.names, "suggestion": issue.suggestion} for issue in issues])
        return 0
    for issue in issues:
        say(one_line(f"{dataset.name}: {issue}"))
    say(f"{counted(len(issues), 'class name looks', 'class names look')} wrong, of {len(dataset.classes)}")
    say("labels and pictures were not checked; name a model that knows such pictures with --model")
    return 0


def _all(args: argparse.Namespace, entry: DataPlan) -> int:
    """Check names, labels and pictures."""
    from contextlib import closing

    from eyechart.exam import run as run_plan
    from eyechart.inputs import default_out
    from eyechart.progress import SilentProgress, TerminalProgress
    from eyechart.store.store import Store

    plan = Plan(
        models=(ModelPlan(args.model),), datasets=(entry,), probes=("lint",), store_precision=args.store_precision or "float32"
    )
    out = args.out or default_out(plan).with_name(f"lint--{default_out(plan).name}")
    engine = engine_of(args)
    with closing(Store(args.store, rehash=args.rehash)) as store:
        exam = run_plan(
            plan, out=out, store=store, engine=engine, progress=SilentProgress() if args.quiet else TerminalProgress()
        )
    notices = [str(notice) for notice in exam.notices]
    page = exam.folder / "report" / "index.html"
    if args.json:
        skips = [skip["reason"] for skip in exam.skips.to_pylist()]
        print_json({"notices": notices, "findings": exam.findings.to_pylist(), "not_checked": skips, "page": str(page)})
        return NOT_CHECKED if skips else 0
    for skip in exam.skips.to_pylist():
        say(one_line(f"labels and pictures were not checked: {skip['reason']}"))
    say(*(notices or ([] if exam.skips.num_rows else ["nothing looks wrong"])))
    if exam.skips.num_rows:
        _names(args, entry)
        return NOT_CHECKED
    say(f"page: {page}")
    return 0
