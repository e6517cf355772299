"""The `eyechart` command. One file per subcommand. Errors that a user can fix end in one line and the exit code of their kind."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from eyechart import __version__
from eyechart.cli.help_pages import help_page
from eyechart.cli.parser import Parser, add_subcommands
from eyechart.cli.printing import say
from eyechart.errors import EyechartError, StoreError, disk_error

COMMANDS = {
    "examine": "examine a model on a dataset",
    "run": "run a plan of several models and datasets",
    "plan": "write a commented plan, or check one",
    "encode": "encode the pictures of a dataset, or one part of them, into the store",
    "demo": "the embedded exam, offline",
    "lint": "check class names, labels and pictures for mistakes",
    "verdict": "print the verdict on an examination, also with other targets",
    "report": "write the page, charts, Markdown or a model-card block",
    "open": "open runs in the browser: try class lists and thresholds live, browse pictures",
    "predictions": "show what was predicted for each picture",
    "compare": "compare models on the same pictures",
    "gate": "fail where a model is worse than it should be, for continuous integration",
    "models": "list the kinds of models, and what each needs",
    "datasets": "list the kinds of datasets, and what each needs",
    "probes": "list the probes, and what each needs",
    "prompts": "list the prompt sets",
    "store": "list, verify, compact or clear the stored vectors",
    "export": "export a torch model to an ONNX folder, with a parity check",
    "corrupt": "corrupt your pictures at five severities",
    "world": "render pictures with known ground truth",
    "generate": "generate pictures with a text-to-image model, to examine",
    "rewrite": "rewrite captions in another order with a language model",
    "study": "compare a model with published ones",
    "repair": "make a better zero-shot classifier, or better caption vectors",
    "doctor": "show what works on this machine, and what to install for the rest",
    "docs": "read the guide, offline",
}

EXIT_CODES = """exit codes:
  0  success
  1  a bug in Eyechart (please report it with the traceback)
  2  wrong flags, a wrong plan or an unknown name
  3  data that cannot be used: pictures, labels, class names, prompts
  4  a model that cannot be loaded or gives no usable vectors
  5  a backend with packages that are not installed
  6  a store or folder that cannot be read or written
  7  success, but no probe could be run (the skips say why)
  8  `eyechart gate` failed: a condition is met, or cannot be decided
  9  workers were lost on one shard again and again (`--engine`)
  130  interrupted with Ctrl-C; run the same command again to continue
  143  ended by SIGTERM; run the same command again to continue
"""


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="eyechart",
        description="An eye examination for vision-language models.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"eyechart {__version__}")
    add_subcommands(parser, COMMANDS, "eyechart.cli.{}_command", dest="command", metavar="COMMAND")
    return parser


@contextmanager
def _signals_to(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Inside, Ctrl-C and SIGTERM call `handler`; a SIGTERM that a parent process ignores stays ignored. Only the main thread can
    have handlers."""
    numbers = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if number == signal.SIGINT or before[number] is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, handled in before.items():
            if handled is not None:  # None: not set by Python
                signal.signal(number, handled)


def main(argv: Sequence[str] | None = None) -> int:
    interrupted: int | None = None  # the signal
    if_interrupted = "encoded vectors and replies are kept; run the same command again to continue"

    def note_and_raise(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = number
        raise KeyboardInterrupt

    args = None
    try:
        with _signals_to(note_and_raise):
            args = build_parser().parse_args(argv)
            if_interrupted = getattr(args, "if_interrupted", if_interrupted)
            code = int(args.run(args))
            sys.stdout.flush()
        return code
    except EyechartError as error:
        say(f"eyechart: {error}{help_page(args, error)}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of the output is gone (`| head`); Python must not write to the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if interrupted:
            return _interrupted(interrupted, if_interrupted)
        if error.errno is None:
            raise
        say(f"eyechart: {disk_error(error)}", file=sys.stderr)
        return StoreError.exit_code
    except BaseException as error:
        # Ctrl-C in the middle of an import or a native call may surface as some other error.
        if interrupted is None and not isinstance(error, KeyboardInterrupt):
            raise
        return _interrupted(interrupted or signal.SIGINT, if_interrupted)


def _interrupted(number: int, remedy: str) -> int:
    """Say it; the exit code is the one that a shell gives for this signal."""
    say("", f"eyechart: {'interrupted' if number == signal.SIGINT else 'ended by SIGTERM'}; {remedy}", file=sys.stderr)
    return 128 + number


if __name__ == "__main__":
    sys.exit(main())
