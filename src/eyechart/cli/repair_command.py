"""`eyechart repair`: a zero-shot classifier in which what is wrong is repaired, evaluate on pictures that it did not see."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.cli import repair_captions
from eyechart.cli.options import positive
from eyechart.cli.printing import print_json, print_table
from eyechart.cli.repair_options import add_doing, add_subject, check_subject, doing_of
from eyechart.errors import UsageError

if TYPE_CHECKING:
    from eyechart.language_models.open import LanguageModel


def add_to(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "repair", help="a better zero-shot classifier, saved in one file; or better captions", description=__doc__
    )
    add_subject(parser, "labelled pictures, as for `eyechart examine`")
    parser.add_argument("--out", type=Path, metavar="F.safetensors", help="F.json and F-page go beside it (required)")
    parser.add_argument(
        "--prompts", action="append", metavar="SET|FILE",
        help="the first set makes the classifier as it was, all are weighed; repeatable (default: openai-80)",
    )  # fmt: skip
    _add_steps(parser)
    _add_sureness(parser)
    parser.add_argument("--onnx", type=Path, metavar="FILE", help="also write it as an ONNX graph (needs eyechart[export])")
    add_doing(parser)
    parser.set_defaults(run=partial(run, parser))
    repair_captions.add_to(parser.add_subparsers(dest="action", metavar="[captions]"))


def _add_steps(parser: argparse.ArgumentParser) -> None:
    """What may be done to class vectors."""
    parser.add_argument(
        "--weights", default="auto", choices=("auto", "uniform", "zpe", "cpe"),
        help="how templates are weighed; auto takes what does best for the worst classes (default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--describe", metavar="FILE|world|URL|gguf:FILE",
        help="more words for the worst classes: JSON {class: [description, …]}, an OpenAI-compatible endpoint, a GGUF model",
    )  # fmt: skip
    parser.add_argument("--describe-model", default="", metavar="NAME", help="with a URL: the language model to ask")
    parser.add_argument(
        "--replies", type=Path, metavar="DIR", help="answers of a language model are kept here (default: F-replies)"
    )
    parser.add_argument("--offline", action="store_true", help="ask no language model: use kept answers alone")
    parser.add_argument("--worst", type=positive, default=0, metavar="K", help="worst classes (default: a tenth, at most 10)")
    parser.add_argument(
        "--find", default="margin", choices=("margin", "labels"), help="find them without or with labels (default: margin)"
    )
    parser.add_argument(
        "--cost", type=float, default=0.01, metavar="X", help="accuracy that auto may give for the worst (default: 0.01)"
    )
    parser.add_argument("--design", default="", metavar="NAME|FILE", help="classes of this class design, not the dataset's own")
    change = parser.add_mutually_exclusive_group()
    change.add_argument("--change", default="", metavar="C", help="of the class list: '+child:person', 'a->b'; --change=-thief")
    change.add_argument("--suggested", type=Path, metavar="DIR", help="the change that the examination in DIR suggests")


def _add_sureness(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep", type=float, default=0.95, metavar="X", help="right answers to keep when abstaining (0.95)")
    parser.add_argument("--by-class", action="store_true", help="a threshold for every class")
    parser.add_argument("--coverage", type=float, default=0.9, metavar="X", help="of prediction sets (default: 0.9)")
    parser.add_argument("--reading", default="softmax", choices=("softmax", "sigmoid"), help="(default: softmax)")


def _described_by(args: argparse.Namespace) -> "str | LanguageModel | None":
    from eyechart.language_models.open import LanguageModel

    if args.describe is None or not LanguageModel.is_meant(args.describe):
        for flag in ("describe_model", "replies", "offline"):
            if getattr(args, flag):
                raise UsageError(f"--{flag.replace('_', '-')} is for a language model; give one with --describe URL or gguf:FILE")
        return None if args.describe is None else str(args.describe)
    replies = args.replies or args.out.with_name(f"{args.out.stem}-replies")
    return LanguageModel(args.describe, args.describe_model, replies, args.offline)


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    check_subject(parser, args)
    from contextlib import closing
    from dataclasses import asdict

    from eyechart.classifier.onnx_export import check_onnx, export_onnx
    from eyechart.plan import DEFAULT_PROMPTS
    from eyechart.repair.run import repair_classifier
    from eyechart.repair.settings import Settings
    from eyechart.repair.suggested import suggested_change
    from eyechart.repair.verdict import terminal_sentences
    from eyechart.repair.sentences import summary_rows
    from eyechart.store.store import Store

    if args.suggested:
        args.change, design = suggested_change(args.suggested)
        args.design = args.design or design
    known = ("weights", "worst", "find", "cost", "keep", "by_class", "coverage", "reading", "design", "change", "seed")
    try:
        settings = Settings(**{key: getattr(args, key) for key in known})
    except ValueError as error:
        raise UsageError(f"--{str(error).split()[0]}: {error}") from None
    if args.onnx:
        check_onnx()
    with closing(Store(args.store)) as store:
        repaired = repair_classifier(
            args.model,
            args.data,
            out=args.out,
            prompts=tuple(dict.fromkeys(args.prompts or DEFAULT_PROMPTS)),
            describe=_described_by(args),
            settings=settings,
            classes=args.classes,
            store=store,
            **doing_of(args),
        )
    graph = export_onnx(repaired.classifier, args.onnx) if args.onnx else None
    repaired = repaired.repaired
    if args.json:
        findings = [asdict(f) for f in repaired.findings]
        notices = [str(n) for n in repaired.notices]
        print_json({"file": str(repaired.file), "page": str(repaired.page), "onnx": graph, "findings": findings, "notices": notices})
        return 0
    print_table(["on held-out pictures", "before", "after", "change", "95% interval", "n"], summary_rows(repaired.findings))
    for sentence in terminal_sentences(repaired):
        print(sentence)
    for notice in repaired.notices:
        print(f"note: {notice}")
    print(f"classifier: {repaired.file}")
    print(f"page: {repaired.page}")
    return 0
