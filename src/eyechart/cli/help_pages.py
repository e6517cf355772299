"""Which page of the guide helps with an error."""

import argparse
from collections.abc import Sequence

from eyechart.docs.topics import page_of, page_of_probe, see
from eyechart.errors import DataError, EyechartError, MissingExtra, ModelError, StoreError, UsageError

# Commands with a page of their own, whatever goes wrong in them.
_OF_COMMAND = {
    "compare": "compare", "corrupt": "corruptions", "encode": "clusters", "export": "onnx-folder", "gate": "gate",
    "generate": "probes/generation", "plan": "plans", "predictions": "predictions", "prompts": "prompts", "repair": "repair",
    "report": "report", "rewrite": "caption-repair", "run": "plans", "store": "store", "study": "study", "verdict": "report",
    "world": "world",
}  # fmt: skip
# Commands that examine: by what is wrong.
_OF_ERROR: dict[type[EyechartError], str] = {
    MissingExtra: "models", ModelError: "models", DataError: "data", StoreError: "store", UsageError: "commands",
}  # fmt: skip


def help_page(args: argparse.Namespace | None, error: EyechartError) -> str:
    """What follows an error of this command: `(see: eyechart docs data)`; nothing where no page helps."""
    command = getattr(args, "command", None)
    if command is None or command == "docs":
        return ""
    given = getattr(args, "model", None) or ()
    if any(spec.startswith(("chat:", "lmm:")) for spec in ([given] if isinstance(given, str) else given)):
        from eyechart.language_models.endpoint import EndpointError

        if isinstance(error, UsageError | ModelError | EndpointError):
            return f" ({see('answering-models')})"
    by_kind = (topic for kind, topic in _OF_ERROR.items() if isinstance(error, kind))
    topic = error.topic or (None if isinstance(error, DataError | ModelError) and command == "run" else _OF_COMMAND.get(command))
    found = see(topic or next(by_kind, ""))
    return f" ({found})" if found else ""


def help_of_skip(probes: Sequence[str]) -> str:
    """What follows the reason why probes were skipped; nothing for a probe of another package.

    What keeps several probes from being run is the data; what keeps one, its own page explains."""
    page = page_of("data") if len(probes) > 1 else page_of_probe(probes[0])
    return f" ({see(page.topic)})" if page else ""
