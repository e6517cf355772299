"""`eyechart datasets`: list the kinds of datasets and what each needs; with a path, show the content of that dataset."""

import argparse

from eyechart.cli.options import add_json, add_reading, columns_of
from eyechart.cli.printing import print_json, print_records, print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", nargs="?", metavar="D", help="open this dataset and show its content")
    add_reading(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.source:
        return _show(args)
    from eyechart.data.open import dataset_kinds
    from eyechart.world.datasets.registry import WORLD, WORLD_DATASETS

    rows = [
        {
            "kind": k.name,
            "example": k.example,
            "installed": "yes" if k.installed else f"no: {k.remedy}",
            "about": k.description,
        }
        for k in dataset_kinds()
    ]
    about = "small samples of all datasets below, so that every probe can be run (the default of examine)"
    rows.append({"kind": "world", "example": WORLD, "installed": "yes", "about": about})
    for name in WORLD_DATASETS:
        rows.append({"kind": "world", "example": name, "installed": "yes", "about": WORLD_DATASETS.get(name).about})
    print_records(rows, ["kind", "example", "installed", "about"], as_json=args.json)
    return 0


def _show(args: argparse.Namespace) -> int:
    from eyechart.inputs import open_data
    from eyechart.plan import DataPlan

    plan = DataPlan(args.source, classes=args.classes, split=args.split, root=args.root, columns=columns_of(args))
    dataset = open_data(plan, seed=0)
    known = {
        "dataset": dataset.name,
        "pictures": len(dataset),
        "columns": dataset.table.column_names,
        "classes": [c.name for c in dataset.classes] if dataset.classes else [],
        "reader": dataset.reader,
        "notices": [str(n) for n in dataset.notices],
    }
    if args.json:
        print_json(known)
        return 0
    names = known["classes"]
    shown = ", ".join(names[:12]) + (f" … ({len(names)} in total)" if len(names) > 12 else "")
    rows = [["dataset", dataset.name], ["pictures", f"{len(dataset):,}"], ["columns", ", ".join(dataset.table.column_names)]]
    print_table(["", ""], [*rows, ["classes", shown or "none"], *(["note", str(n)] for n in dataset.notices)])
    return 0
