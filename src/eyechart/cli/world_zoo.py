"""`eyechart world zoo`: list the small models of the embedded world, their planted defects and their checkpoints."""

import argparse
from dataclasses import asdict

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.world.zoo import ZooModel, checkpoints, present, zoo_models

    on_the_way = [ZooModel(name, "{} after {} pairs of its training".format(*name.split("-at-"))) for name in checkpoints()]
    here = {*present(), *checkpoints()}
    rows = [{**asdict(zoo_model), "here": zoo_model.name in here} for zoo_model in (*zoo_models().values(), *on_the_way)]
    if args.json:
        print_json(rows)
        return 0
    print_table(
        ["model", "installed", "about", "planted defect", "healthy twin"],
        [[f"zoo:{r['name']}", "yes" if r["here"] else "no", r["about"], r["planted"] or "", r["twin"] or ""] for r in rows],
    )
    return 0
