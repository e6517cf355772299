"""`eyechart open`: a workbench in the browser, where class lists and thresholds are tried live."""

import argparse
from pathlib import Path

from eyechart.cli.options import add_store, positive
from eyechart.cli.printing import say
from eyechart.errors import MissingExtra, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        type=Path,
        metavar="RUN|FOLDER|STORE",
        help="the folder of an examination, one with several examinations, or a store with the vectors of some",
    )
    parser.add_argument("--port", type=positive, default=0, metavar="N", help="the port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="NAME=D",
        help="where a dataset of the run is now, if it has moved; repeatable",
    )
    add_store(parser)
    parser.set_defaults(run=run, if_interrupted="the workbench is closed")


def run(args: argparse.Namespace) -> int:
    try:
        from eyechart.workbench.serving import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingExtra("the workbench", "app") from None
    from eyechart.workbench.state import WorkbenchState

    state = WorkbenchState(args.folder, store=args.store, places=_places(args.data))

    def ready(address: str) -> None:
        say(f"workbench: {address}", "The address works once, in one browser. Ctrl-C ends it.")

    serve(state, port=args.port, browser=not args.no_browser, ready=ready)
    return 0


def _places(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, equals, place = text.partition("=")
        if not (name and equals and place):
            raise UsageError(f"--data {text}: expected NAME=PLACE, such as pets=/mnt/pets")
        found[name] = place
    return found
