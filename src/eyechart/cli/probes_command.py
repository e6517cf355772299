"""`eyechart probes`: list the profiles and the probes, and what each probe needs of a model and a dataset."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_records, print_table
from eyechart.profiles import PROFILES, Profile

if TYPE_CHECKING:  # so that --help stays fast
    from eyechart.probes.contract import Probe


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
            "profiles": list(p.profiles) if args.json else ", ".join(p.profiles),
            "version": p.version,
        }
        for p in probes.values()
    ]
    if args.json:
        rows += [{"probe": f.name, "package": f.package, "error": f.reason} for f in failures]
    else:
        unusable = {"profiles": "", "needs": "", "settings": "", "version": ""}
        rows += [{"probe": f.name, "question": f"cannot be used: {f.reason}", **unusable} for f in failures]
    print_records(rows, ["probe", "question", "profiles", "needs", "settings", "version"], as_json=args.json)
    if not args.json:
        listed = [
            [name, about, "" if name == "all" else _members(list(probes.values()), name)] for name, about in PROFILES.items()
        ]
        print_table(["profile", "what it asks", "probes"], listed)
    return 0


def _members(probes: "Sequence[Probe]", profile: Profile) -> str:
    return ", ".join(probe.name for probe in probes if profile in probe.profiles)
