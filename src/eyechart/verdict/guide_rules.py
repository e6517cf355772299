"""The rules of the caption guide: which finding decides which advice.

A finding decides where its 95% interval excludes the neutral value: 0 for a lead, 1 for odds, one half for "most".
"""

from collections.abc import Hashable, Iterator, Sequence

from eyechart.verdict.advice import Advice, CountLimit, inconclusive, limited, prevailing, signed
from eyechart.verdict.evidence import Evidence, Figure

PROBES = ("first_object", "matching", "size_words", "large_object", "composition", "prompts")  # the probes that the rules read
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def object_position(evidence: Evidence) -> Iterator[Advice]:
    """The best position for the most important object.

    First, where the first-object lead is significantly above 0 and no other position has a larger share. Another position, where
    its interval lies above those of all others.
    """
    leads = evidence.find("first_object", "first_object_lead")
    if not leads:
        return
    position, figures = prevailing(leads, lambda lead: _best_position(evidence, lead))
    if not isinstance(position, int):
        yield inconclusive("where in a caption to put the most important object", figures)
    elif position == 1:
        yield Advice("Name the most important object first: the text encoder favors the first object.", tuple(figures))
    else:
        shares = tuple(f for lead in figures for f in _shares(evidence, lead) if f.where["position"] == position)
        is_last = all(len(_shares(evidence, lead)) == position for lead in figures)
        where = "last" if is_last else f"in {_ORDINALS[position - 1]} position"
        yield Advice(f"Name the most important object {where}: the text encoder favors that position.", shares)


def largest_object_first(evidence: Evidence) -> Iterator[Advice]:
    effects = evidence.find("matching", "order_effect")
    yield from signed(
        effects,
        0.0,
        "Name the largest object of a picture first: the true caption is then preferred to a false one more often.",
        "Name the largest object of a picture last: the true caption is then preferred to a false one more often.",
        "whether to name the largest object of a picture first",
    )


def objects_per_caption(evidence: Evidence) -> Iterator[Advice]:
    found = evidence.sliced("first_object", "all_objects_retrieved", "captions", "count")
    bare = [f for f in found if f.where["captions"] == "bare"]
    limit = CountLimit(
        most="Name at most {k} objects in a caption: all of them are retrieved from most captions; {beyond}.",
        one="Name one object in a caption: of two, both are retrieved from less than half of the captions.",
        all="A caption may name up to {k} objects, the most that were tested: all of them are retrieved from most captions.",
        unclear="how many objects a caption may name",
    )
    yield from limited(bare, "count", limit)


def objects_per_picture(evidence: Evidence) -> Iterator[Advice]:
    found = evidence.sliced("large_object", "all_objects_retrieved", "against", "objects")
    by_name = [f for f in found if f.where["against"] == "names"]
    limit = CountLimit(
        most="Search a picture for at most {k} objects at once: all of them are retrieved from most pictures; {beyond}.",
        one="Search a picture for one object at a time: of two, both are retrieved from less than half of the pictures.",
        all="A picture may be searched for {k} objects at once, the most that were tested: most pictures give all of them.",
        unclear="for how many objects at once a picture may be searched",
    )
    yield from limited(by_name or found, "objects", limit)


def names_of_large_objects(evidence: Evidence) -> Iterator[Advice]:
    yield from signed(
        evidence.find("size_words", "large_object_first_lead"),
        0.0,
        "Leave large objects out of a caption about a small one: the text encoder favors names of large objects.",
        "Leave small objects out of a caption about a large one: the text encoder favors names of small objects.",
        "whether the text encoder favors names of large objects",
    )


def large_objects(evidence: Evidence) -> Iterator[Advice]:
    odds = evidence.sliced("large_object", "large_object_odds_ratio", "against")
    yield from signed(
        odds,
        1.0,
        "Name the largest object of a picture in its caption, and crop to what matters: the image encoder favors large objects.",
        "Name the small objects of a picture in its caption: the image encoder favors small objects.",
        "whether the image encoder favors large objects",
    )


def prompt_set(evidence: Evidence) -> Iterator[Advice]:
    """Another prompt set, where the largest change is a significant gain; the first one, where it is a significant loss and no
    other set is significantly better."""
    changes = evidence.sliced("prompts", "largest_top1_change", "other")
    if not changes:
        return
    better = {f.dataset for f in evidence.sliced("prompts", "top1_difference", "prompts") if f.side_of() > 0}

    def decision(change: Figure) -> Hashable:
        if change.side_of() < 0 and change.dataset not in better:
            return ("keep", change.baseline)
        return ("use", change.where["other"]) if change.side_of() > 0 else None

    chosen, figures = prevailing(changes, decision)
    if not isinstance(chosen, tuple):
        yield inconclusive("which prompts to use", figures)
    elif chosen[0] == "use":
        yield Advice(f"Use the prompts “{chosen[1]}”: they raise top-1 accuracy.", tuple(figures))
    else:
        yield Advice(f"Keep the prompts “{chosen[1]}”: no other set is significantly better.", tuple(figures))


def caption_details(evidence: Evidence) -> Iterator[Advice]:
    """Kinds of false captions. A kind is reliable halfway between the chance level and 100%."""
    kinds = evidence.sliced("composition", "caption_accuracy", "kind")
    chances = {(f.dataset, f.slice): f.value or 0.0 for f in evidence.sliced("composition", "chance", "kind")}
    by_side: dict[int, list[Figure]] = {1: [], 0: [], -1: []}
    for f in kinds:
        by_side[f.side_of((1 + chances.get((f.dataset, f.slice), 0.5)) / 2)].append(f)
    if by_side[-1]:
        kind = _kinds(by_side[-1])
        sentence = f"Do not rely on these details of a caption in a search: {kind}. False ones are hardly detected."
        yield Advice(sentence, tuple(by_side[-1]))
    if by_side[1]:
        sentence = f"You can rely on these details of a caption: {_kinds(by_side[1])}. False ones are detected."
        yield Advice(sentence, tuple(by_side[1]))
    if by_side[0]:
        yield inconclusive(f"whether you can rely on these details of a caption: {_kinds(by_side[0])}", by_side[0])


RULES = (
    object_position,
    largest_object_first,
    objects_per_caption,
    names_of_large_objects,
    large_objects,
    objects_per_picture,
    caption_details,
    prompt_set,
)  # in the order of the page


def _shares(evidence: Evidence, lead: Figure) -> list[Figure]:
    """The shares by position, for the captions of a headline lead."""
    same = [
        f
        for f in evidence.sliced("first_object", "first_object_lead", "captions", "count")
        if f.dataset == lead.dataset and (f.value, f.n) == (lead.value, lead.n) and f.where["captions"] != "sum of names"
    ]
    if not same:
        return []
    shares = evidence.sliced("first_object", "object_share", "captions", "count", "position")
    mine = [
        f for f in shares if f.dataset == lead.dataset and {**f.where, "position": None} == {**same[0].where, "position": None}
    ]
    return sorted(mine, key=lambda f: f.where["position"])


def _best_position(evidence: Evidence, lead: Figure) -> int:
    """The position with the significantly largest share; 0 where none is."""
    shares = _shares(evidence, lead)
    best = max(shares, key=lambda f: f.value or 0.0, default=None)
    if best is None or best.where["position"] == 1:
        return int(lead.side_of() > 0)
    others = [f.high for f in shares if f is not best]
    clear = best.low is not None and all(high is not None and high < best.low for high in others)
    return int(best.where["position"]) if clear else 0


def _kinds(figures: Sequence[Figure]) -> str:
    return ", ".join(dict.fromkeys(str(f.where["kind"]) for f in figures))
