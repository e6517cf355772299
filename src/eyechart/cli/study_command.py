"""`eyechart study`: a model among hundreds of others: published tables, the trends in them, and who leaves those."""

from importlib import import_module
from typing import Any

ACTIONS = ("add", "show", "trend", "compare", "place")


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("study", help="place a model among published ones", description=__doc__)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name in ACTIONS:
        import_module(f"eyechart.cli.study_{name}").add_to(actions)
