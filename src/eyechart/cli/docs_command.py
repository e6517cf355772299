"""`eyechart docs`: read the guide that ships with the package, without a network."""

import argparse
import sys
from pathlib import Path

from eyechart.cli.options import add_json
from eyechart.cli.printing import print_json, print_records, say
from eyechart.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="TOPIC", help="a page or a probe, such as data or ood (default: list all)")
    parser.add_argument("--path", action="store_true", help="print where the Markdown file of the page is")
    parser.add_argument("--html", type=Path, metavar="DIR", help="write the page (without TOPIC: all) as HTML that opens offline")
    add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from eyechart.docs import all_pages, find_page

    if args.html is not None:
        return _write(args.html, None if args.topic is None else find_page(args.topic).topic, as_json=args.json)
    if args.topic is None and not args.path:
        pages = [{"topic": page.name, "title": page.title, "path": str(page.path)} for page in all_pages()]
        print_records(pages, ["topic", "title"], as_json=args.json)
        if not args.json:
            say("read one with `eyechart docs TOPIC`; begin with `eyechart docs index`")
        return 0
    page = find_page(args.topic or "index")
    if args.json:
        print_json({"topic": page.name, "title": page.title, "path": str(page.path), "text": page.text})
    elif args.path:
        say(page.path)
    else:
        _print_page(page.text)
    return 0


def _write(folder: Path, topic: str | None, *, as_json: bool) -> int:
    from eyechart.docs import write_pages

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; give --html a folder")
    files = write_pages(folder, None if topic is None else [topic])
    first = files[topic or "index"]
    if as_json:
        print_json({"files": [str(file) for file in files.values()]})
    else:
        say(f"page: {first}")
    return 0


def _print_page(text: str) -> None:
    """Formatted for people; the Markdown itself for a pipe."""
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    import re

    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(re.sub(r"^<!--.*?-->\n?", "", text, flags=re.M | re.S), hyperlinks=False))
