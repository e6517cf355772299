"""`eyechart world`: pictures with known truth, from the embedded world or from a bank of your own. One file an action."""

from importlib import import_module
from typing import Any

ACTIONS = ("render", "bank", "train", "zoo")


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser("world", help="render pictures with known truth", description=__doc__)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name in ACTIONS:
        import_module(f"eyechart.cli.world_{name}").add_to(actions)
