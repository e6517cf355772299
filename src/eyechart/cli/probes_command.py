"""`eyechart probes`: list the probes, and what each needs of a model and a dataset."""

import argparse
from dataclasses import asdict

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.probes.registry import usable_probes

    probes, failures = usable_probes()
    rows = [
        {
            "probe": p.name,
            "question": p.question,
            "needs": list(p.needs) if args.json else ", ".join(p.needs),
            "settings": asdict(p.settings) if args.json else ", ".join(f"{k}={v}" for k, v in asdict(p.settings).items()),
            "version": p.version,
        }
        for p in probes.values()
    ]
    if args.json:
        rows += [{"probe": f.name, "package": f.package, "error": f.reason} for f in failures]
    else:
        unusable = {"needs": "", "settings": "", "version": ""}
        rows += [{"probe": f.name, "question": f"cannot be used: {f.reason}", **unusable} for f in failures]
    print_records(rows, ["probe", "question", "needs", "settings", "version"], as_json=args.json)
    return 0
