"""The parser of every command: it tells a misspelt flag from an unknown one."""

import argparse
import itertools
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from eyechart.errors import did_you_mean


class Parser(argparse.ArgumentParser):
    """Subcommands get the class of their parent, so that one at the top is enough."""

    _words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = sys.argv[1:] if args is None else list(args)
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        super().error(message + self._hint())

    def _hint(self) -> str:
        """For the first word that this parser does not know as a command or as a flag (or the beginning of one)."""
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
