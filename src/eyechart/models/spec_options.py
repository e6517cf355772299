"""Options after the name of a model: `lmm:llava-hf/llava-1.5-7b-hf,tokens=1024`."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError, did_you_mean

_OPTIONS = re.compile(r"(?P<name>.*?)(?P<options>(?:,\w+=[^,]*)*)", re.DOTALL)


def split_options(name: str) -> tuple[str, list[str]]:
    """The name of a model and its options. A path that exists is a name, whatever it looks like.

    >>> split_options("llava-hf/llava-1.5-7b-hf,tokens=1024")
    ('llava-hf/llava-1.5-7b-hf', ['tokens=1024'])
    """
    found = _OPTIONS.fullmatch(name)
    options = found["options"].split(",")[1:] if found else []
    for place in range(len(options), 0, -1):
        start = name.removesuffix("".join(f",{option}" for option in options[place:]))
        if Path(start).exists():
            return start, options[place:]
    return (found["name"] if found else name), options


def parse_options(texts: Sequence[str], known: Mapping[str, Callable[[str], Any]], spec: str) -> dict[str, Any]:
    """The values of options such as `side=336`.

    Args:
        texts: The options.
        known: What makes a value of each option's text.
        spec: The model, for errors.

    Raises:
        UsageError: If an option is unknown or its value cannot be read.
    """
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if name not in known or not equals:
            hint = did_you_mean(name, known)
            raise UsageError(f"{spec}: unknown option {text!r}{hint} (options: {', '.join(known)}, as NAME=VALUE)")
        try:
            given[name] = known[name](value)
        except ValueError:
            raise UsageError(f"{spec}: {name}={value} is not a number") from None
    return given
