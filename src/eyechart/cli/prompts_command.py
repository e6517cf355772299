"""`eyechart prompts`: list the prompt sets; with a name or file, show its templates."""

import argparse

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, print_records, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("set", nargs="?", metavar="SET|FILE", help="show the templates of this prompt set")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.prompts.library import load_prompts, prompt_sets

    if args.set:
        chosen = load_prompts(args.set)
        if args.json:
            print_json({"name": chosen.name, "source": chosen.source, "templates": list(chosen.templates)})
        else:
            say(*chosen.templates)
        return 0
    rows = [
        {"set": p.name, "templates": len(p), "example": p.templates[0], "source": p.source}
        for p in sorted(prompt_sets(), key=lambda p: (len(p), p.name))
    ]
    print_records(rows, ["set", "templates", "example", "source"], as_json=args.json)
    return 0
