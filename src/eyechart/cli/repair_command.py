"""`eyechart repair`: repair a zero-shot classifier, and evaluate it on held-out pictures."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import positive
from eyechart.cli.parser import add_subcommands
from eyechart.cli.printing import print_json, print_table, say
from eyechart.cli.repair_options import add_encoding, add_model_and_data, check_required, encoding_of
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.language_models.open import LanguageModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_and_data(parser, "labeled pictures, as for `eyechart examine`")
    parser.add_argument(
        "--out", type=Path, metavar="F.safetensors", help="the classifier; F.json and F-page are written next to it (required)"
    )
    parser.add_argument(
        "--prompts", action="append", metavar="SET|FILE",
        help="the first set makes the original classifier, the templates of all are weighted; repeatable (default: openai-80)",
    )  # fmt: skip
    _add_steps(parser)
    _add_calibration(parser)
    parser.add_argument("--onnx", type=Path, metavar="FILE", help="also write it as an ONNX graph (needs eyechart[export])")
    add_encoding(parser)
    parser.set_defaults(run=partial(run, parser))
    helps = {"captions": "make caption vectors that do not depend on the order of the objects"}
    add_subcommands(parser, helps, "eyechart.cli.repair_{}", dest="action", metavar="[captions]", required=False)


def _add_steps(parser: argparse.ArgumentParser) -> None:
    """What may be done to the class vectors."""
    parser.add_argument(
        "--weights", default="auto", choices=("auto", "uniform", "zpe", "cpe"),
        help="how templates are weighted; auto selects the best for the worst classes (default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--describe", metavar="FILE|world|URL|gguf:FILE",
        help="descriptions of the worst classes: JSON {class: [description, …]}, an OpenAI-compatible endpoint or a GGUF model",
    )  # fmt: skip
    parser.add_argument("--describe-model", default="", metavar="NAME", help="with a URL: name of the language model")
    parser.add_argument(
        "--replies", type=Path, metavar="DIR", help="where replies of a language model are saved (default: F-replies)"
    )
    parser.add_argument("--offline", action="store_true", help="send nothing; use only saved replies")
    parser.add_argument(
        "--worst", type=positive, default=0, metavar="K", help="number of worst classes (default: a tenth, at most 10)"
    )
    parser.add_argument(
        "--find",
        default="margin",
        choices=("margin", "labels"),
        help="how the worst classes are found: margin (without labels) or labels (default: margin)",
    )
    parser.add_argument(
        "--cost",
        type=float,
        default=0.01,
        metavar="X",
        help="accuracy that auto may give up for the worst classes (default: 0.01)",
    )
    parser.add_argument(
        "--design", default="", metavar="NAME|FILE", help="use the classes of this class design instead of the dataset's"
    )
    change = parser.add_mutually_exclusive_group()
    change.add_argument(
        "--change", default="", metavar="C", help="change of the class list: '+child:person', 'a->b', --change=-thief"
    )
    change.add_argument("--suggested", type=Path, metavar="DIR", help="apply the change that the examination in DIR suggests")


def _add_calibration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--keep", type=float, default=0.95, metavar="X", help="share of correct answers that the threshold keeps (default: 0.95)"
    )
    parser.add_argument("--by-class", action="store_true", help="one threshold per class")
    parser.add_argument(
        "--coverage", type=float, default=0.9, metavar="X", help="target coverage of prediction sets (default: 0.9)"
    )
    parser.add_argument(
        "--reading", default="softmax", choices=("softmax", "sigmoid"), help="how logits become probabilities (default: softmax)"
    )


def _described_by(args: argparse.Namespace) -> "str | LanguageModel | None":
    from eyechart.language_models.open import LanguageModel

    if args.describe is None or not LanguageModel.is_spec(args.describe):
        for flag in ("describe_model", "replies", "offline"):
            if getattr(args, flag):
                raise UsageError(
                    f"--{flag.replace('_', '-')} needs a language model; choose one with --describe URL or gguf:FILE"
                )
        return None if args.describe is None else str(args.describe)
    replies = args.replies or args.out.with_name(f"{args.out.stem}-replies")
    return LanguageModel(args.describe, args.describe_model, replies, args.offline)


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    check_required(parser, args)
    from contextlib import closing

    from eyechart.classifier.onnx_export import check_onnx, export_onnx
    from eyechart.plan import DEFAULT_PROMPTS
    from eyechart.repair.metrics import finding_dict
    from eyechart.repair.run import repair_classifier
    from eyechart.repair.sentences import summary_rows
    from eyechart.repair.settings import Settings
    from eyechart.repair.suggested import suggested_change
    from eyechart.repair.verdict import terminal_sentences
    from eyechart.store.store import Store

    if args.suggested:
        args.change, args.design = suggested_change(args.suggested, args.design)
    known = ("weights", "worst", "find", "cost", "keep", "by_class", "coverage", "reading", "design", "change", "seed")
    try:
        settings = Settings(**{key: getattr(args, key) for key in known})
    except ValueError as error:
        raise UsageError(f"--{str(error).split()[0]}: {error}") from None
    if args.onnx:
        check_onnx()
    with closing(Store(args.store)) as store:
        result = repair_classifier(
            args.model,
            args.data,
            out=args.out,
            prompts=tuple(dict.fromkeys(args.prompts or DEFAULT_PROMPTS)),
            describe=_described_by(args),
            settings=settings,
            classes=args.classes,
            store=store,
            **encoding_of(args),
        )
    graph = export_onnx(result.classifier, args.onnx) if args.onnx else None
    repaired = result.repaired
    if args.json:
        findings = [finding_dict(f) for f in repaired.findings]
        notices = [str(n) for n in repaired.notices]
        print_json({"file": str(result.file), "page": str(result.page), "onnx": graph, "findings": findings, "notices": notices})
        return 0
    print_table(["on held-out pictures", "before", "after", "change", "95% interval", "n"], summary_rows(repaired.findings))
    for sentence in terminal_sentences(repaired):
        say(sentence)
    for notice in repaired.notices:
        say(f"note: {notice}")
    say(f"classifier: {result.file}")
    say(f"page: {result.page}")
    return 0
