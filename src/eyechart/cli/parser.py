"""The parser of every command. Subcommands are loaded only when they are chosen, and misspelt words get a suggestion."""

import argparse
import itertools
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

from eyechart.errors import did_you_mean
from eyechart.notice import one_line


class Parser(argparse.ArgumentParser):
    """A parser that suggests the nearest command or flag. Parsers of subcommands get the class of their parent."""

    _words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = sys.argv[1:] if args is None else list(args)
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        super().error(one_line(message + self._hint()))

    def _hint(self) -> str:
        """A suggestion for the first word that is no known command or flag (or the start of one)."""
        commands = [name for action in self._subparsers_actions() for name in action.choices or ()]
        if commands and self._words and not self._words[0].startswith("-") and self._words[0] not in commands:
            return did_you_mean(self._words[0], commands)
        flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
        given = (word.partition("=")[0] for word in itertools.takewhile("--".__ne__, self._words) if word.startswith("--"))
        unknown = next((word for word in given if not any(flag.startswith(word) for flag in flags)), None)
        hint = did_you_mean(unknown, flags, cutoff=0.7) if unknown else ""
        return f"; there is no {unknown}{hint}" if hint else ""

    def _subparsers_actions(self) -> list[argparse.Action]:
        return self._subparsers._group_actions if self._subparsers else []


class _LazySubcommands(argparse._SubParsersAction):  # type: ignore[type-arg]
    """Subcommands whose modules are imported when they are chosen: one command does not load the parsers of all others."""

    modules: Mapping[str, str] = {}

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, option_string: str | None = None) -> None:
        chosen = self.choices.get(values[0])
        if chosen is not None:
            module = import_module(self.modules[values[0]])
            chosen.description = module.__doc__
            module.add_arguments(chosen)
        super().__call__(parser, namespace, values, option_string)


def add_subcommands(
    parser: argparse.ArgumentParser,
    helps: Mapping[str, str],
    module: str,
    *,
    dest: str,
    metavar: str,
    required: bool = True,
) -> None:
    """Add subcommands that are loaded when they are chosen.

    Args:
        parser: The parser to add them to.
        helps: Name of a subcommand → its one-line help.
        module: Path of a subcommand's module, with {} for its name. The module's docstring is the description, and its
            `add_arguments(parser)` adds the arguments.
        dest: Where the chosen name is stored.
        metavar: How `--help` calls the subcommand.
        required: Whether one must be chosen.
    """
    subcommands = parser.add_subparsers(dest=dest, metavar=metavar, required=required, action=_LazySubcommands)
    assert isinstance(subcommands, _LazySubcommands)
    subcommands.modules = {name: module.format(name) for name in helps}
    for name, text in helps.items():
        subcommands.add_parser(name, help=text)
