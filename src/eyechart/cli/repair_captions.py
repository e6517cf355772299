"""`eyechart repair captions`: the way in which captions of several things are best said to a model."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from eyechart.cli.options import positive, whole
from eyechart.cli.printing import print_json, print_table
from eyechart.cli.repair_options import add_doing, add_subject, check_subject, doing_of
from eyechart.errors import UsageError


def add_to(actions: Any) -> None:
    parser = actions.add_parser("captions", help="captions that do not depend on the order of things", description=__doc__)
    add_subject(parser, "pictures with objects, or with captions that list things, such as world-scenes")
    parser.add_argument("--out", type=Path, metavar="F.json", help="what was found; F-page goes beside it (required)")
    parser.add_argument(
        "--way", default="auto", choices=("auto", "orders", "parts", "both"),
        help="the mean over orders, over captions of one thing each, or both; auto tries all (default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--purpose", default="auto", choices=("auto", "matching", "retrieval"), help="what auto chooses for (default: both)"
    )
    parser.add_argument("--most", type=positive, default=24, metavar="N", help="orders of one caption (default: 24)")
    parser.add_argument("--pictures", type=whole, default=400, metavar="N", help="for matching; 0: all (default: 400)")
    parser.add_argument("--absent", type=whole, default=2, metavar="N", help="absent things a picture; 0: all (default: 2)")
    add_doing(parser)
    parser.set_defaults(run=partial(run, parser))


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    check_subject(parser, args)
    if args.classes is not None:
        raise UsageError("--classes: captions are said as they are, without class names; leave it out")
    from contextlib import closing
    from dataclasses import asdict

    from eyechart.repair.captions.advice import caption_sentences
    from eyechart.repair.captions.run import repair_captions
    from eyechart.repair.captions.settings import CaptionSettings
    from eyechart.repair.captions.changes import caption_rows, changes, significant_changes, shown_way
    from eyechart.store.store import Store

    known = ("way", "purpose", "most", "pictures", "absent", "seed")
    try:
        settings = CaptionSettings(**{key: getattr(args, key) for key in known})
    except ValueError as error:
        raise UsageError(f"--{str(error).split()[0]}: {error}") from None
    with closing(Store(args.store)) as store:
        repaired = repair_captions(args.model, args.data, out=args.out, settings=settings, store=store, **doing_of(args))
    repaired = repaired.repaired
    if args.json:
        found = {"way": repaired.chosen, "file": str(repaired.file), "page": str(repaired.page)}
        print_json({**found, "findings": [asdict(f) for f in repaired.findings], "notices": [str(n) for n in repaired.notices]})
        return 0
    print_table(["on held-out pictures", "as is", shown_way(repaired), "change", "95% interval", "n"], caption_rows(repaired))
    for sentence in (*caption_sentences(repaired), significant_changes(changes(repaired, shown_way(repaired)))):
        print(sentence)
    for notice in repaired.notices:
        print(f"note: {notice}")
    print(f"findings: {repaired.file}")
    print(f"page: {repaired.page}")
    return 0
