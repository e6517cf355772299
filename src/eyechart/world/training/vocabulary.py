"""The words of the world and their tokenizer: byte-level BPE in which every word of the world is one token. Other text is
encoded in bytes, so that no two class names are equal."""

from collections.abc import Sequence
from pathlib import Path

from eyechart.errors import UsageError
from eyechart.world.captions import OPENINGS, SIZE_WORDS
from eyechart.world.drawing import NAMES
from eyechart.world.materials import COLORS, TEXTURES
from eyechart.world.people import ROLES
from eyechart.world.training.pairs import ACCUSATION

CONTEXT = 40
# transformers treats an end token of 2 as an error of old configurations, so another id is used.
SPECIAL = ("[PAD]", "[START]", "[UNK]", "[MASK]", "[END]")
PAD, START, UNKNOWN, END = 0, 1, 2, 4


def words() -> tuple[str, ...]:
    frame = {w for opening in OPENINGS for w in opening.split()} | {"a", "an", "and", "with", "hat", "badge", "+", ","}
    known = {*NAMES, *COLORS, *TEXTURES, *ROLES, ACCUSATION, *(w for w, _ in SIZE_WORDS)}
    return tuple(sorted(frame | known))


def write_tokenizer(
    path: Path, vocabulary: Sequence[str] | None = None, special: Sequence[str] = SPECIAL, *, ends: bool = True
) -> int:
    """Write the tokenizer; returns the number of tokens. Merges join the letters of each word from the left.

    Args:
        path: The file.
        vocabulary: The words that are one token each; those of the captions where it is not given.
        special: The special tokens, in the order of their ids.
        ends: Whether a text ends with the end token; not where a reply follows it.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    known = words() if vocabulary is None else tuple(sorted(set(vocabulary)))
    tokens, merges = [*special, *letters, "Ġ"], []
    tokens = list(dict.fromkeys(tokens))
    seen = set(tokens)
    for word in known:
        made = "Ġ"
        for letter in word:
            longer = made + letter
            if longer not in seen:
                merges.append((made, letter))
                tokens.append(longer)
                seen.add(longer)
            made = longer
    bpe = models.BPE({token: i for i, token in enumerate(tokens)}, merges, unk_token="[UNK]")
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase(), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[START] $A [END]" if ends else "[START] $A", special_tokens=[("[START]", START), ("[END]", END)]
    )
    tokenizer.add_special_tokens(list(special))
    for word in known:
        if len(tokenizer.encode(f"a {word}").ids) != 3 + ends:
            raise UsageError(f"the word {word!r} is not one token; it begins as another word ends")
    tokenizer.save(str(path))
    return len(tokens)
