"""`eyechart world`: pictures with known ground truth, from the embedded world or from your own bank of objects."""

import argparse

from eyechart.cli.parser import add_subcommands

ACTIONS = {
    "render": "write pictures, depth maps and a table of their ground truth",
    "bank": "make a bank from a package of pictures",
    "train": "train a small model by a recipe (extra: train)",
    "zoo": "list the small models, healthy and with planted defects",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_subcommands(parser, ACTIONS, "eyechart.cli.world_{}", dest="action", metavar="ACTION")
