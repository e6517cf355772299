"""Whether a word of a reply is affirmed: "It is not a cat" and "I can't tell if this is a cat" mention a cat, but choose none.

What counts are the words before the mention, back to the end of the sentence before it or to "but". A part after a comma that
starts a statement of its own, such as ", it is", begins again: "I'm sorry, it is a dog" affirms the dog.
"""

import re

REFUSAL = re.compile(
    r"\b(i\s?['’]?a?m sorry|i apologi[sz]e|i (can\s?not|can['’]?t|could not|couldn['’]?t|am unable|['’]?m unable|am not able)"
    r"|unable to|as an ai)\b",
    re.I,
)
SENTENCE = 300  # characters before a mention that can negate it
_DOUBT = re.compile(
    r"\b(not|no|never|neither|nor|without|cannot|\w+n['’]t|dont|cant|whether|unsure|uncertain|unclear"
    r"|(hard|difficult|impossible) to)\b"
)
_BOUNDARY = re.compile(r"[.;:!?]|\b(?:but|however)\b")
_STATEMENT = re.compile(
    r"\s*(?:and |so |then |well )*"
    r"(?:(?:it|this|that|he|she)(?:['’]s| is| looks| seems| appears| might| may| could)|there(?:['’]s| is| are)"
    r"|i(?: can)? (?:see|think|believe|guess|would say)|i['’]d say|my (?:guess|answer)|the answer|none of"
    r"|maybe|perhaps|probably|possibly|likely)\b"
)
_NO_NEGATION = re.compile(r"\b(?:no doubt|without (?:a |any )?doubt|not only)\b")
_ABSENT = re.compile(
    r" (?:is not|are not|isn['’]?t|aren['’]?t) (?:in|there|here|visible|present|shown|the (?:main|answer|right|correct))\b"
)


def is_negated(text: str, start: int, end: int) -> bool:
    """Whether the words of a reply from `start` to `end` are negated, doubted or part of a refusal.

    Args:
        text: The reply in lower case.
        start: The first letter of the mention.
        end: The letter after the mention.
    """
    near = text[max(0, start - SENTENCE) : start]  # else a reply that repeats a name would take the square of its length
    sentence = _BOUNDARY.split(_NO_NEGATION.sub("surely", near))[-1]
    parts = sentence.split(",")
    if parts[0].strip() in ("no", "yes"):  # "No, it is a dog."
        parts = parts[1:]
    whole = ",".join(parts) + text[start:end]  # the mention may start the statement: ", none of these"
    first = max((place for place, part in enumerate(whole.split(",")) if _STATEMENT.match(part)), default=0)
    before = ",".join(parts[first:])
    before = re.sub(r"^\s*no (?=(?:it|this|that)\b)", "", before)
    return bool(REFUSAL.search(before) or _DOUBT.search(before) or _ABSENT.match(text[end:]))
