"""`eyechart rewrite`: rewrite captions with the largest object first and last by a language model, for the probe `matching`."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_json, add_reading, columns_of, positive, whole
from eyechart.cli.printing import print_json, say
from eyechart.plan import DataPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, metavar="OUT.csv", help="a new file")
    parser.add_argument("--data", required=True, metavar="D", help="pictures with captions and objects, such as coco:FOLDER")
    parser.add_argument(
        "--endpoint", required=True, metavar="URL",
        help="an OpenAI-compatible address: https, or this machine; the key is read from EYECHART_ENDPOINT_KEY",
    )  # fmt: skip
    parser.add_argument("--language-model", required=True, metavar="NAME", help="name of the model at the endpoint")
    parser.add_argument("--replies", type=Path, metavar="DIR", help="where replies are saved (default: OUT-replies)")
    parser.add_argument("--offline", action="store_true", help="send nothing; use only saved replies")
    parser.add_argument(
        "--pictures", type=positive, default=400, metavar="N", help="how many pictures, drawn at random (default: 400)"
    )
    add_reading(parser)
    parser.add_argument("--limit", type=positive, metavar="N", help="use a seeded sample of N pictures")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the random choice (default: 0)")
    add_json(parser)
    parser.set_defaults(run=run, if_interrupted="replies are saved; run the same command again to continue")


def run(args: argparse.Namespace) -> int:
    from eyechart.data.rewritten_file import check_free, write_rewritten
    from eyechart.errors import DataError
    from eyechart.inputs import open_data
    from eyechart.language_models.address import Address
    from eyechart.language_models.endpoint import Endpoint
    from eyechart.language_models.replies import Replies
    from eyechart.notice import counted
    from eyechart.probes.matching.rewriting import rewrite_captions

    check_free(args.out)
    replies = args.replies or args.out.with_name(f"{args.out.stem}-replies")
    endpoint = Endpoint(Address(args.endpoint), args.language_model, Replies(replies), offline=args.offline)
    entry = DataPlan(
        args.data, classes=args.classes, split=args.split, root=args.root, limit=args.limit, columns=columns_of(args)
    )
    dataset = open_data(entry, seed=args.seed)
    for column in ("captions", "objects"):
        if not dataset.has(column):
            raise DataError(f"{args.data}: it has no {column}; use pictures with captions, and with objects and their areas")
    kept, refused = rewrite_captions(dataset, endpoint, pictures=args.pictures, seed=args.seed)
    if not kept and not refused:
        raise DataError(
            f"{args.data}: no caption names two objects of its picture with different sizes; use scenes with several objects"
        )
    if kept:
        write_rewritten(args.out, kept)
    if args.json:
        print_json({"file": str(args.out) if kept else None, "kept": len(kept), "refused": refused, "replies": str(replies)})
        return 0
    say(f"{counted(len(kept), 'caption')} in {args.out}" if kept else f"no caption was accepted, so {args.out} was not written")
    for reason, count in refused.items():
        say(f"rejected: {counted(count, 'reply', 'replies')}: {reason}")
    say(f'check them, then use them in a plan: [settings.matching] captions = "{args.out}"')
    return 0
