"""Advice about captions: a cost first, then whether to encode them differently, and for which purpose."""

from collections.abc import Sequence

from eyechart.findings.numbers import format_value
from eyechart.repair.captions.changes import WAY_TITLES, CaptionChange, changes, shown_way
from eyechart.repair.captions.metrics import CAPTION_METRICS
from eyechart.repair.captions.repair import OVERALL, CaptionsRepaired
from eyechart.repair.captions.vectors import AS_IS
from eyechart.repair.metrics import estimate_text, metric_of, value_text
from eyechart.repair.sentences import capital


def caption_sentences(repaired: CaptionsRepaired) -> list[str]:
    """What to do, what it costs, and the overall changes on held-out pictures."""
    way = shown_way(repaired)
    overall = _overall(repaired, way)
    sentences = _kept(repaired, overall) if repaired.chosen == AS_IS else _changed(repaired, overall)
    for one in overall:
        title = capital(metric_of(one.before, CAPTION_METRICS).title)
        sentences.append(
            f"{title}, {one.trial}: {value_text(one.before, CAPTION_METRICS)} with the original captions,"
            f" {value_text(one.after, CAPTION_METRICS)} with {WAY_TITLES[way]}, a change of"
            f" {estimate_text(one.change, CAPTION_METRICS)}."
        )
    return sentences


def _overall(repaired: CaptionsRepaired, way: str) -> list[CaptionChange]:
    return [c for c in changes(repaired, way) if c.trial == OVERALL[c.purpose]]


def _changed(repaired: CaptionsRepaired, overall: Sequence[CaptionChange]) -> list[str]:
    """A cost comes first, with a way that avoids it. Where only one way was tried, there is no advice to use it."""
    way = WAY_TITLES[repaired.chosen]
    only_one = len(repaired.ways) == 1
    found = [f"Measured as requested: {way}." if only_one else f"Use {way}, chosen for {' and '.join(repaired.purposes)}."]
    gained = [c for c in overall if c.is_gain]
    if any(c.is_loss for c in overall):
        harmless = [other for other in repaired.ways if other != repaired.chosen and _gains_without_loss(repaired, other)]
        instead = f", or use {WAY_TITLES[harmless[0]]}, which also gains and has no significant loss" if harmless else ""
        advice = f"Use it for {_purposes(gained)} only{instead}." if gained else "Keep the original captions."
        found.insert(0, f"{_cost(repaired, overall)} {advice}")
    elif not gained:
        found.insert(0, "Nothing improved significantly on held-out pictures. The original captions are as good.")
    return found


def _gains_without_loss(repaired: CaptionsRepaired, way: str) -> bool:
    overall = _overall(repaired, way)
    return any(c.is_gain for c in overall if c.purpose in repaired.purposes) and not any(c.is_loss for c in overall)


def _cost(repaired: CaptionsRepaired, overall: Sequence[CaptionChange]) -> str:
    """Losses and gains, and whether the sum is better on the selection half."""
    way, lost, gained = shown_way(repaired), [c for c in overall if c.is_loss], [c for c in overall if c.is_gain]
    cost = f"{capital(WAY_TITLES[way])} has a cost: {_figures(lost)}"
    if not gained:
        return f"{cost}."
    better = all(c.purpose in repaired.purposes for c in overall) and (repaired.gains[way].low or 0.0) > 0
    in_sum = "In sum it is better on the selection half." if better else "In sum it is not significantly better."
    return f"{cost}. It gains {_figures(gained)}. {in_sum}"


def _figures(found: Sequence[CaptionChange]) -> str:
    return " and ".join(f"{c.purpose} {estimate_text(c.change, CAPTION_METRICS)}" for c in found)


def _purposes(found: Sequence[CaptionChange]) -> str:
    return " and ".join(c.purpose for c in found)


def _kept(repaired: CaptionsRepaired, overall: Sequence[CaptionChange]) -> list[str]:
    """The original captions are kept. The changes shown are those of the best other way."""
    way, purposes = shown_way(repaired), " and ".join(repaired.purposes)
    lost, gained = [c for c in overall if c.is_loss], [c for c in overall if c.is_gain]
    together = " together" if len(repaired.purposes) > 1 else ""
    where = f" where {_purposes(lost)} matters" if lost and gained else ""
    found = [_cost(repaired, overall)] if lost else []
    found.append(
        f"Keep the original captions{where}. On the selection half, the best other way ({WAY_TITLES[way]}) changed"
        f" {purposes}{together} by {estimate_text(repaired.gains[way], CAPTION_METRICS)}. Below are its changes on the held-out"
        " half."
    )
    return found + [_both_halves(repaired, one) for one in gained if one.purpose in repaired.purposes]


def _both_halves(repaired: CaptionsRepaired, gained: CaptionChange) -> str:
    """Why a significant gain on held-out pictures did not decide: none, too little or a loss on the selection half."""
    purpose, scores = gained.purpose, repaired.scores[gained.purpose]
    selection = scores[shown_way(repaired)][0] - scores[AS_IS][0]
    if selection <= 0:
        return (
            f"Its gain in {purpose} on the held-out half is significant, but the selection half shows none. The gain is small or"
            " absent; use more pictures to find out."
        )
    values = f"{format_value(selection, 'points')} and {value_text(gained.change, CAPTION_METRICS)}"
    both = f"Both halves gain in {purpose} ({values})"
    if len(repaired.purposes) == 1:
        return f"{both}, but the gain on the selection half is not significant; use more pictures to find out."
    return f"{both}. If only {purpose} matters, choose for it with --purpose {purpose}."
