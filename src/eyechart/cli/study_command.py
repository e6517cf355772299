"""`eyechart study`: compare a model with hundreds of published ones, and find the models that leave the common trend."""

import argparse

from eyechart.cli.parser import add_subcommands

ACTIONS = {
    "add": "add published tables, or your own findings, to a study",
    "show": "show the content of a study",
    "trend": "fit the line between two measures, and list the models above it",
    "compare": "find which groups of models leave the common trend",
    "place": "rank a model among all others",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_subcommands(parser, ACTIONS, "eyechart.cli.study_{}", dest="action", metavar="ACTION")
