"""`eyechart repair captions`: find the best way of encoding captions of several objects."""

import argparse
from functools import partial
from pathlib import Path

from eyechart.cli.options import positive, whole
from eyechart.cli.printing import print_json, print_table, say
from eyechart.cli.repair_options import add_encoding, add_model_and_data, check_required, encoding_of
from eyechart.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_and_data(parser, "pictures with objects, or with captions that list objects, such as world-scenes")
    parser.add_argument("--out", type=Path, metavar="F.json", help="the results; F-page is written next to it (required)")
    parser.add_argument(
        "--way", default="auto", choices=("auto", "orders", "parts", "both"),
        help="mean over orders of the objects, over single-object captions, or both; auto compares all (default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--purpose",
        default="auto",
        choices=("auto", "matching", "retrieval"),
        help="purpose that auto chooses for (default: both)",
    )
    parser.add_argument("--most", type=positive, default=24, metavar="N", help="most orders of one caption (default: 24)")
    parser.add_argument("--pictures", type=whole, default=400, metavar="N", help="pictures for matching; 0: all (default: 400)")
    parser.add_argument("--absent", type=whole, default=2, metavar="N", help="absent objects per picture; 0: all (default: 2)")
    add_encoding(parser)
    parser.set_defaults(run=partial(run, parser))


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    check_required(parser, args)
    if args.classes is not None:
        raise UsageError("--classes: a caption repair uses no class names; leave it out")
    from contextlib import closing

    from eyechart.repair.captions.advice import caption_sentences
    from eyechart.repair.captions.changes import caption_rows, changes, shown_way, significant_changes
    from eyechart.repair.captions.metrics import CAPTION_METRICS
    from eyechart.repair.captions.run import repair_captions
    from eyechart.repair.captions.settings import CaptionSettings
    from eyechart.repair.metrics import finding_dict
    from eyechart.store.store import Store

    known = ("way", "purpose", "most", "pictures", "absent", "seed")
    try:
        settings = CaptionSettings(**{key: getattr(args, key) for key in known})
    except ValueError as error:
        raise UsageError(f"--{str(error).split()[0]}: {error}") from None
    with closing(Store(args.store)) as store:
        result = repair_captions(args.model, args.data, out=args.out, settings=settings, store=store, **encoding_of(args))
    repaired = result.repaired
    if args.json:
        found = {"way": repaired.chosen, "file": str(result.file), "page": str(result.page)}
        findings = [finding_dict(f, CAPTION_METRICS) for f in repaired.findings]
        print_json({**found, "findings": findings, "notices": [str(n) for n in repaired.notices]})
        return 0
    print_table(["on held-out pictures", "original", shown_way(repaired), "change", "95% interval", "n"], caption_rows(repaired))
    for sentence in (*caption_sentences(repaired), significant_changes(changes(repaired, shown_way(repaired)))):
        say(sentence)
    for notice in repaired.notices:
        say(f"note: {notice}")
    say(f"findings: {result.file}")
    say(f"page: {result.page}")
    return 0
