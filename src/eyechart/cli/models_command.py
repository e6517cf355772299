"""`eyechart models`: list the kinds of models, what each needs and gives; with a name, show the card of that model."""

import argparse
from dataclasses import asdict

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, print_records, print_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spec", nargs="?", metavar="M", help="show the card, fingerprint and abilities of this model")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.spec:
        return _show(args.spec, args.json)
    from eyechart.models.sources import usable_sources

    sources, failures = usable_sources()
    rows = [
        {
            "kind": f"{b.prefix}:",
            "example": b.example,
            "gives": ", ".join(b.gives),
            "installed": "yes" if b.installed else f"no: {b.remedy}",
            "about": b.description,
        }
        for b in sources
    ]
    rows += [
        {"kind": f"{f.name}:", "example": "", "gives": "", "installed": f"cannot be used: {f.reason}", "about": _of(f.package)}
        for f in failures
    ]
    print_records(rows, ["kind", "example", "gives", "installed", "about"], as_json=args.json)
    return 0


def _of(package: str) -> str:
    return f"a model source of the installed package {package}"


def _show(spec: str, as_json: bool) -> int:
    from eyechart.models.abilities import abilities
    from eyechart.models.open import open_model

    model = open_model(spec)
    known = {"model": spec, **asdict(model.card), "abilities": abilities(model), "fingerprint": model.fingerprint}
    if as_json:
        print_json(known)
    else:
        print_table(["", ""], [[k.replace("_", " "), _plain(v)] for k, v in known.items()])
    return 0


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "unknown" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
