"""`eyechart repair`: repair a zero-shot classifier, and evaluate it on held-out pictures."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.cli.options import add_identify, positive
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
        help="the first makes the original classifier, all templates are weighted; repeatable (default: openai-80 or bare)",
    )  # fmt: skip
    parser.add_argument(
        "--class-vectors", action="append", metavar="NAME=FILE",
        help="class vectors in place of prompts: .npy or .npz, a row per class in their order; repeatable, all are weighted",
    )  # fmt: skip
    _add_steps(parser)
    _add_calibration(parser)
    parser.add_argument("--onnx", type=Path, metavar="FILE", help="also write it as an ONNX graph (needs eyechart[export])")
    add_encoding(parser)
    add_identify(parser)
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
    parser.add_argument("--describe-all", action="store_true", help="describe all classes, not only the worst")
    parser.add_argument(
        "--baselines", action="store_true",
        help="also score, and never select: CPE with true labels, random words, averaged descriptions, all classes described",
    )  # fmt: skip
    parser.add_argument(
        "--scale",
        type=float,
        default=100.0,
        metavar="X",
        help="sharpness of the template weights, softmax(X · score) (default: 100)",
    )
    parser.add_argument(
        "--tau", type=float, default=0.5, metavar="X",
        help="keep templates X median deviations above the median score (default: 0.5; 2 for fine-grained classes)",
    )  # fmt: skip
    parser.add_argument(
        "--pretraining",
        default="",
        metavar="FILE",
        help="zpe: vectors of pictures like those of the model's training (.npy, .npz)",
    )
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

    if args.describe_all and args.describe is None:
        raise UsageError("--describe-all needs descriptions; give them with --describe FILE, URL or gguf:FILE")
    if args.describe is None or not LanguageModel.is_spec(args.describe):
        for flag in ("describe_model", "replies", "offline"):
            if getattr(args, flag):
                raise UsageError(
                    f"--{flag.replace('_', '-')} needs a language model; choose one with --describe URL or gguf:FILE"
                )
        return None if args.describe is None else str(args.describe)
    replies = args.replies or args.out.with_name(f"{args.out.stem}-replies")
    return LanguageModel(args.describe, args.describe_model, replies, args.offline)


def _class_vectors(texts: Sequence[str]) -> dict[str, Path]:
    """NAME=FILE as a mapping."""
    found: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals or not name or not file or "{" in name:
            raise UsageError(f"--class-vectors {text}: expected NAME=FILE, such as photo=photo.npy")
        if name in found:
            raise UsageError(f"--class-vectors {text}: {name!r} is given twice; give each file its own name")
        found[name] = Path(file)
    return found


def run(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    check_required(parser, args)
    from contextlib import closing

    from eyechart.classifier.onnx_export import check_onnx, export_onnx
    from eyechart.repair.metrics import finding_dict
    from eyechart.repair.run import repair_classifier
    from eyechart.repair.sentences import summary_rows
    from eyechart.repair.settings import Settings
    from eyechart.repair.suggested import suggested_change
    from eyechart.repair.verdict import terminal_sentences
    from eyechart.store.store import Store

    if args.suggested:
        args.change, args.design = suggested_change(args.suggested, args.design)
    known = (
        "weights", "scale", "tau", "pretraining", "describe_all", "baselines", "worst", "find", "cost", "keep",
        "by_class", "coverage", "reading", "design", "change", "seed",
    )  # fmt: skip
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
            prompts=tuple(dict.fromkeys(args.prompts)) if args.prompts else None,
            class_vectors=_class_vectors(args.class_vectors or ()),
            describe=_described_by(args),
            settings=settings,
            classes=args.classes,
            identify=args.identify,
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
    print_table(
        [f"on {repaired.held_out.title}", "before", "after", "change", "95% interval", "n"], summary_rows(repaired.findings)
    )
    for sentence in terminal_sentences(repaired):
        say(sentence)
    for notice in repaired.notices:
        say(f"note: {notice}")
    say(f"classifier: {result.file}")
    say(f"page: {result.page}")
    return 0
