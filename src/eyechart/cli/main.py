"""The `eyechart` command. One file a subcommand; errors a user can mend end in one line and the exit code of their kind."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

from eyechart import __version__
from eyechart.cli.parser import Parser
from eyechart.errors import EyechartError

COMMANDS = (
    "examine", "run", "plan", "demo", "report", "models", "datasets", "probes", "prompts", "store", "export", "corrupt", "world",
    "generate", "rewrite", "study", "repair", "doctor",
)  # fmt: skip

EXIT_CODES = """exit codes:
  0  done
  1  a fault of Eyechart itself (please report it with the traceback)
  2  wrong flags, a wrong plan or an unknown name
  3  data that cannot be used: pictures, labels, class names, prompts
  4  a model that cannot be loaded or gives no usable vectors
  5  a backend whose packages are not installed
  6  a store or folder that cannot be read or written
  7  done, but not one question could be asked (the skips say why)
  130  interrupted with Ctrl-C; the same command goes on from there, or begins anew
"""


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="eyechart",
        description="An eye examination for vision-language models.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"eyechart {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        import_module(f"eyechart.cli.{name}_command").add_to(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    interrupted = False
    if_interrupted = "what was encoded is kept, and the same command goes on from here"

    def note_and_raise(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, note_and_raise)
    try:
        args = build_parser().parse_args(argv)
        if_interrupted = getattr(args, "if_interrupted", if_interrupted)
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except EyechartError as error:
        print(f"eyechart: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is left to say, and Python must not try to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BaseException as error:
        # Ctrl-C in the middle of an import or a native call may surface as some other error.
        if not interrupted and not isinstance(error, KeyboardInterrupt):
            raise
        print(f"\neyechart: interrupted; {if_interrupted}", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
