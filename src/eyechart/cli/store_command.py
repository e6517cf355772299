"""`eyechart store`: list, verify, compact or remove the stored vectors."""

import argparse
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from eyechart.cli.options import add_json, add_store
from eyechart.cli.printing import print_json, print_table, say
from eyechart.notice import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    ls = actions.add_parser("ls", help="list the stored vectors of each model")
    verify = actions.add_parser("verify", help="read everything; damaged files are moved away, and encoded again by the next run")
    verify.add_argument("--check-only", action="store_true", help="report damage, move nothing")
    compact = actions.add_parser("compact", help="merge small segments into large ones")
    gc = actions.add_parser("gc", help="remove vectors of models, or unused ones, and temporary files of killed runs")
    gc.add_argument("--keep-days", type=float, metavar="N", help="remove vectors that were not used for N days")
    gc.add_argument("--dry-run", action="store_true", help="list what would be removed, remove nothing")
    for action in (compact, gc):
        action.add_argument("--model", action="append", default=[], metavar="M", help="name or fingerprint; repeatable")
    for action, run in ((ls, _ls), (verify, _verify), (compact, _compact), (gc, _gc)):
        add_store(action)
        add_json(action)
        action.set_defaults(run=run)


def _open(args: argparse.Namespace) -> Any:
    from eyechart.store.store import Store

    return closing(Store(args.store))


def _ls(args: argparse.Namespace) -> int:
    with _open(args) as store:
        rows, path = store.ls(), store.path
    if args.json:
        print_json([asdict(row) for row in rows])
        return 0
    table = [
        [
            r.spec or "unknown",
            r.fingerprint[:12],
            f"{r.role} ({r.decoding})" if r.decoding else r.role,
            f"{r.vectors:,}",
            r.width or "",
            _size(r.bytes),
            r.segments,
            _day(r.last_used),
        ]
        for r in rows
    ]
    print_table(["model", "fingerprint", "kind", "vectors", "width", "size", "segments", "last used"], table, title=str(path))
    return 0


def _verify(args: argparse.Namespace) -> int:
    with _open(args) as store:
        result = store.verify(repair=not args.check_only)
    if args.json:
        print_json(asdict(result))
    else:
        replies = f", and {counted(result.replies, 'kept reply', 'kept replies')}" if result.replies else ""
        segments = f"{counted(result.segments, 'segment')} with {counted(result.vectors, 'vector')} ({_size(result.bytes)})"
        say(f"intact: {segments}{replies}")
        for damage in result.damaged:
            done = "set aside; the next run encodes or asks again" if damage.set_aside else "left in place"
            say(f"damaged: {damage.path}: {damage.reason} ({done})")
    return 6 if result.damaged else 0


def _compact(args: argparse.Namespace) -> int:
    with _open(args) as store:
        done = store.compact(args.model)
    if args.json:
        print_json([asdict(row) for row in done])
    else:
        rows = [[r.fingerprint[:12], r.role, r.segments_before, r.segments_after, f"{r.vectors:,}"] for r in done]
        print_table(["fingerprint", "kind", "segments before", "after", "vectors"], rows)
    return 0


def _gc(args: argparse.Namespace) -> int:
    with _open(args) as store:
        result = store.gc(keep_days=args.keep_days, models=args.model, dry_run=args.dry_run)
    if args.json:
        print_json(asdict(result))
        return 0
    verb = "would remove" if result.dry_run else "removed"
    for row in result.shelves:
        say(f"{verb} {row.vectors:,} {row.role} vectors of {row.spec or row.fingerprint[:12]}")
    for row in result.in_use:
        say(f"kept {row.role} vectors of {row.spec or row.fingerprint[:12]}: a run is using them")
    say(
        f"{verb} {counted(len(result.shelves), 'group')} of vectors and "
        f"{counted(len(result.leftovers), 'temporary file')}, {_size(result.bytes)}"
    )
    return 0


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count < 1e9 else f"{count / 1e9:.2f} GB"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
