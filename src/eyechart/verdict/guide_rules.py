"""The rules of the guide: which finding decides which advice. A finding decides where its 95% interval leaves out what a model
without the trait would give: 0 for a lead, 1 for odds, half for "most"."""

from collections.abc import Hashable, Iterator, Sequence

from eyechart.verdict.evidence import Evidence, Figure
from eyechart.verdict.rulings import Limit, Ruling, inconclusive, limited, prevailing, signed

PROBES = ("first_object", "matching", "size_words", "large_object", "composition", "prompts")  # whose findings rules go by
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def order_of_names(evidence: Evidence) -> Iterator[Ruling]:
    """Where to put what matters most: first, where the first name's lead is surely above 0 and no other position is heard more;
    elsewhere, where the interval of that position lies above those of all others."""
    leads = evidence.find("first_object", "first_object_lead")
    if not leads:
        return
    place, figures = prevailing(leads, lambda lead: _best_position(evidence, lead))
    if not isinstance(place, int):
        yield inconclusive("where in a caption to put what matters most", figures)
    elif place == 1:
        yield Ruling("Name what matters most first: of several names, the first is heard best.", tuple(figures))
    else:
        shares = tuple(f for lead in figures for f in _shares(evidence, lead) if f.where["position"] == place)
        last = all(len(_shares(evidence, lead)) == place for lead in figures)
        told = "last" if last else f"in {_ORDINALS[place - 1]} place"
        yield Ruling(f"Name what matters most {told}: it is heard best there.", shares)


def largest_named_first(evidence: Evidence) -> Iterator[Ruling]:
    effects = evidence.find("matching", "order_effect")
    yield from signed(
        effects,
        0.0,
        "Name the largest thing of a picture first: the right caption is then told from a wrong one more often.",
        "Name the largest thing of a picture last: the right caption is then told from a wrong one more often.",
        "whether to name the largest thing of a picture first",
    )


def names_in_a_caption(evidence: Evidence) -> Iterator[Ruling]:
    kept = [f for f in evidence.sliced("first_object", "all_objects_retrieved", "captions", "count") if f.where["captions"] == "bare"]
    say = Limit(
        most="Name at most {k} things in a caption: so many are all heard in most captions; {beyond}.",
        one="Name one thing in a caption: of two, both are heard in less than half of the captions.",
        all="Captions may name up to {k} things, as many as were asked about: they are all heard in most captions.",
        open="how many things a caption may name",
    )
    yield from limited(kept, "count", say)


def things_in_a_picture(evidence: Evidence) -> Iterator[Ruling]:
    found = evidence.sliced("large_object", "all_objects_retrieved", "against", "objects")
    among_names = [f for f in found if f.where["against"] == "names"]
    say = Limit(
        most="Search a picture for at most {k} things at once: so many are all found in most pictures; {beyond}.",
        one="Search a picture for one thing at a time: of two, both are found in less than half of the pictures.",
        all="A picture may be searched for {k} things at once, as many as were asked about: most pictures give them all.",
        open="for how many things at once a picture may be searched",
    )
    yield from limited(among_names or found, "objects", say)


def large_names(evidence: Evidence) -> Iterator[Ruling]:
    yield from signed(
        evidence.find("size_words", "large_object_first_lead"),
        0.0,
        "Leave large things out of a caption that is about a small one: their names are heard better.",
        "Leave small things out of a caption that is about a large one: their names are heard better.",
        "whether names of large things are heard over those of small ones",
    )


def large_things(evidence: Evidence) -> Iterator[Ruling]:
    pulls = evidence.sliced("large_object", "large_object_odds_ratio", "against")
    yield from signed(
        pulls,
        1.0,
        "Name the largest thing of a picture in its caption, and crop to what matters: the larger a thing, the more the picture's"
        " vector is about it.",
        "Name the small things of a picture in its caption: the smaller a thing, the more the picture's vector is about it.",
        "whether the largest thing of a picture drowns the others",
    )


def wording(evidence: Evidence) -> Iterator[Ruling]:
    """Another prompt set, where the largest change is surely a gain; the plan's own, where it is surely a loss and no other set
    is surely better."""
    changes = evidence.sliced("prompts", "largest_top1_change", "other")
    if not changes:
        return
    better = {f.dataset for f in evidence.sliced("prompts", "top1_difference", "prompts") if f.side_of() > 0}

    def verdict(change: Figure) -> Hashable:
        if change.side_of() < 0 and change.dataset not in better:
            return ("stay with", change.baseline)
        return ("use", change.where["other"]) if change.side_of() > 0 else None

    told, figures = prevailing(changes, verdict)
    if not isinstance(told, tuple):
        yield inconclusive("which prompts to ask with", figures)
    elif told[0] == "use":
        yield Ruling(f"Ask with the prompts “{told[1]}”: more pictures are named rightly.", tuple(figures))
    else:
        yield Ruling(f"Stay with the prompts “{told[1]}”: of all sets compared, none is surely better.", tuple(figures))


def details_of_captions(evidence: Evidence) -> Iterator[Ruling]:
    """Kinds of false captions: halfway from guessing to never wrong is where reliance begins."""
    kinds = evidence.sliced("composition", "caption_accuracy", "kind")
    chances = {(f.dataset, f.slice): f.value or 0.0 for f in evidence.sliced("composition", "chance", "kind")}
    told: dict[int, list[Figure]] = {1: [], 0: [], -1: []}
    for f in kinds:
        told[f.side_of((1 + chances.get((f.dataset, f.slice), 0.5)) / 2)].append(f)
    if told[-1]:
        sentence = f"Do not let a search hang on such details of a caption: {_kinds(told[-1])}. False ones are hardly told."
        yield Ruling(sentence, tuple(told[-1]))
    if told[1]:
        yield Ruling(f"Such details of a caption count: {_kinds(told[1])}. False ones are told.", tuple(told[1]))
    if told[0]:
        yield inconclusive(f"whether such details of a caption count: {_kinds(told[0])}", told[0])


RULES = (
    order_of_names,
    largest_named_first,
    names_in_a_caption,
    large_names,
    large_things,
    things_in_a_picture,
    details_of_captions,
    wording,
)  # in the order of the page


def _shares(evidence: Evidence, lead: Figure) -> list[Figure]:
    """By position, of the captions that the headline speaks of."""
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
    """The position that is surely heard best; 0 where that is not decided."""
    shares = _shares(evidence, lead)
    best = max(shares, key=lambda f: f.value or 0.0, default=None)
    if best is None or best.where["position"] == 1:
        return int(lead.side_of() > 0)
    others = [f.high for f in shares if f is not best]
    clear = best.low is not None and all(high is not None and high < best.low for high in others)
    return int(best.where["position"]) if clear else 0


def _kinds(figures: Sequence[Figure]) -> str:
    return ", ".join(dict.fromkeys(str(f.where["kind"]) for f in figures))
