"""`eyechart world zoo`: the small models trained in the embedded world, what was planted in each, and which are here; then the
checkpoints on the way of their training."""

import argparse
from dataclasses import asdict
from typing import Any

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, print_table


def add_to(actions: Any) -> None:
    parser = actions.add_parser("zoo", help="the small models there are, healthy or not", description=__doc__)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.world.zoo import ZooModel, checkpoints, present, zoo_models

    on_the_way = [ZooModel(name, "{} after {} pairs of its training".format(*name.split("-at-"))) for name in checkpoints()]
    here = {*present(), *checkpoints()}
    rows = [{**asdict(model), "here": model.name in here} for model in (*zoo_models().values(), *on_the_way)]
    if args.json:
        print_json(rows)
        return 0
    print_table(
        ["model", "here", "about", "planted", "twin"],
        [[f"zoo:{r['name']}", "yes" if r["here"] else "no", r["about"], r["planted"] or "", r["twin"] or ""] for r in rows],
    )
    return 0
