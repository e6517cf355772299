"""A model's tokenizer as one tokenizer.json, with the settings that model.json needs.

open_clip's tokenizer cleans texts with ftfy first. The file covers Unicode composition, straight quotes and ligatures, but not
the repair of wrongly decoded text and of full-width letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.errors import ModelError
from eyechart.models.export_towers import TorchModel
from eyechart.models.hf import HfModel
from eyechart.models.open_clip import OpenClipModel
from eyechart.models.sbert import SbertModel

NOTE_ON_FTFY = "open_clip also repairs wrongly decoded and full-width text (ftfy); this folder does not"

# ftfy's defaults uncurl_quotes and fix_latin_ligatures.
_PLAIN = (
    ("[\u02bc\u2018-\u201b]", "'"),
    ("[\u201c-\u201f]", '"'),
    ("\ufb00", "ff"),
    ("\ufb01", "fi"),
    ("\ufb02", "fl"),
    ("\ufb03", "ffi"),
    ("\ufb04", "ffl"),
    ("[\ufb05\ufb06]", "st"),
)


@dataclass(frozen=True)
class ExportedTokenizer:
    """A written tokenizer, with `clean`, `pad_id` and `end_id` for model.json."""

    clean: str
    pad_id: int
    end_id: int | None
    notes: tuple[str, ...] = ()


def write_tokenizer(model: TorchModel, path: Path) -> ExportedTokenizer:
    if isinstance(model, OpenClipModel):
        from open_clip.tokenizer import SimpleTokenizer

        if isinstance(model.tokenizer, SimpleTokenizer):
            return _write_simple(model, path)
        return _write_open_clip_hub(model, path)
    if isinstance(model, HfModel):
        return _write_fast(model.processor.tokenizer, path, model.spec, ["lower"] if model.family == "siglip" else [])
    if isinstance(model, SbertModel):
        if model.prompt:
            raise ModelError(
                f"{model.spec}: it prepends {model.prompt!r} to texts, which an ONNX folder cannot do; use the original model"
            )
        return _write_fast(model.network.tokenizer, path, model.spec, [])
    raise ModelError(f"{model.spec}: it has no tokenizer")


def _write_simple(model: OpenClipModel, path: Path) -> ExportedTokenizer:
    from open_clip import tokenizer as library
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    simple = model.tokenizer
    if simple.reduction_fn is not None:
        raise ModelError(
            f"{model.spec}: its tokenizer truncates long texts by words, which an ONNX folder cannot do; use the original model"
        )
    merges = [pair for pair, _ in sorted(simple.bpe_ranks.items(), key=lambda item: item[1])]
    tokenizer = Tokenizer(models.BPE(vocab=dict(simple.encoder), merges=merges, end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), *(normalizers.Replace(Regex(pattern), plain) for pattern, plain in _PLAIN)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(
                Regex(r"""'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""), behavior="removed", invert=True
            ),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    special = [simple.decoder[i] for i in simple.all_special_ids]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in special])
    begin, end = special[:2]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", special_tokens=[(begin, simple.sot_token_id), (end, simple.eot_token_id)]
    )
    tokenizer.save(str(path))
    clean = {library._clean_lower: "lower", library._clean_canonicalize: "canonicalize"}.get(simple.clean_fn)
    if clean is None:
        raise ModelError(f"{model.spec}: its tokenizer keeps upper case, which an ONNX folder cannot do; use the original model")
    return ExportedTokenizer(clean, 0, simple.eot_token_id, (NOTE_ON_FTFY,))


def _write_open_clip_hub(model: OpenClipModel, path: Path) -> ExportedTokenizer:
    """A hub tokenizer with open_clip's cleaning before it."""
    from open_clip import tokenizer as library

    outer = model.tokenizer
    if getattr(outer, "tokenizer_mode", "") or getattr(outer, "strip_sep_token", False):
        raise ModelError(f"{model.spec}: its tokenizer rearranges tokens, which an ONNX folder cannot do; use the original model")
    cleaning = getattr(outer, "clean_fn", library._clean_canonicalize)
    first = ["spaces"] if cleaning is library._clean_whitespace else []
    written = _write_fast(outer.tokenizer, path, model.spec, first)
    clean = {library._clean_lower: "lower", library._clean_canonicalize: "canonicalize"}.get(cleaning, "none")
    return ExportedTokenizer(clean, written.pad_id, written.end_id, (NOTE_ON_FTFY,))


def _write_fast(tokenizer: Any, path: Path, spec: str, first: list[str]) -> ExportedTokenizer:
    """The Rust tokenizer of a transformers tokenizer; `first` are normalization steps to add before its own."""
    from tokenizers import Regex, Tokenizer, normalizers

    if getattr(tokenizer, "padding_side", "right") != "right":
        raise ModelError(f"{spec}: its tokenizer pads on the left, which an ONNX folder cannot do; use the original model")
    inner = getattr(tokenizer, "backend_tokenizer", None)
    clean = "none"
    if inner is None:
        inner, clean = _from_sentencepiece(tokenizer, spec), "canonicalize"
    copy = Tokenizer.from_str(inner.to_str())
    steps: list[Any] = []
    if "lower" in first:
        steps.append(normalizers.Lowercase())
    if "spaces" in first:
        steps += [normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    if steps:
        copy.normalizer = normalizers.Sequence([*steps, *([copy.normalizer] if copy.normalizer else [])])
    copy.no_padding()
    copy.no_truncation()
    copy.save(str(path))
    empty = copy.encode("").ids
    return ExportedTokenizer(clean, int(tokenizer.pad_token_id or 0), int(empty[-1]) if empty else None)


def _from_sentencepiece(tokenizer: Any, spec: str) -> Any:
    """SigLIP's tokenizer, which exists in Python only, as a unigram model with the end token appended."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    pieces = getattr(tokenizer, "sp_model", None)
    if pieces is None:
        raise ModelError(f"{spec}: its tokenizer cannot be written as a tokenizer.json; use the original model")
    vocabulary = [(pieces.id_to_piece(i), pieces.get_score(i)) for i in range(pieces.get_piece_size())]
    made = Tokenizer(models.Unigram(vocabulary, unk_id=pieces.unk_id(), byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()])
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single=f"$A {tokenizer.eos_token}", special_tokens=[(str(tokenizer.eos_token), tokenizer.eos_token_id)]
    )
    return made
