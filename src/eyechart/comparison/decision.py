"""The sentence that a comparison begins with: which model is better on a dataset, or that no one can tell."""

from collections.abc import Sequence

from eyechart.comparison.compare import DatasetComparison
from eyechart.comparison.pairs import ModelPair, PairedDifference
from eyechart.findings.numbers import format_estimate, format_interval, format_value
from eyechart.notice import shortened


def decision(models: Sequence[str], d: DatasetComparison) -> str:
    """'On photos, int8 is worse than float32: top-1 accuracy −25.0 points (−31.4 to −19.5), exact McNemar p < 0.0001; n = 200'

    Args:
        models: The names of the models, the reference first.
        d: All of them on one dataset.
    """
    said = _of_pair(d.pairs[0]) if len(models) == 2 else _of_several(models, d)
    useless = _not_above(models, d)
    return f"On {d.dataset}, {said}; {about_pictures(d)}" + (f". {useless}" if useless else "")


def _not_above(models: Sequence[str], d: DatasetComparison) -> str:
    """Which models are not above the baseline at 95% confidence; empty where all are."""
    low = [name for name, accuracy in zip(models, d.accuracies, strict=True) if accuracy.low <= d.baseline.value]
    if not low:
        return ""
    who = "Neither" if len(low) == len(models) == 2 else "None" if len(low) == len(models) else _listed(low)
    verb = "is" if len(low) in (1, len(models)) else "are"
    negation = "" if len(low) == len(models) else "not "
    return f"{who} {verb} {negation}above {d.baseline.name} ({format_value(d.baseline.value, 'fraction')})"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else shortened(names)


def _of_several(models: Sequence[str], d: DatasetComparison) -> str:
    order = sorted(range(len(models)), key=lambda i: -d.accuracies[i].value)
    top = [i for i in order if "a" in d.letters[i]]
    best = format_estimate(*d.accuracies[order[0]], "fraction")
    if len(top) == 1:
        return f"{models[top[0]]} is the best of {len(models)} models: top-1 accuracy {best}"
    return f"no single model is the best: {shortened([models[i] for i in top])} are inseparable, top-1 accuracy up to {best}"


def about_pictures(d: DatasetComparison) -> str:
    """'n = 200, prompts bare'"""
    prompts = list(dict.fromkeys(name for name in d.prompts if name is not None))
    return f"n = {d.n:,}" + (f", prompts {', '.join(prompts)}" if prompts else "")


def outcome(*, separable: bool, better: bool | None) -> str:
    """What the second model is, in a word: better, worse, different where neither direction is better, or inseparable."""
    if not separable:
        return "inseparable"
    return "different" if better is None else "better" if better else "worse"


def points(d: PairedDifference) -> str:
    """'−25.0 points (−31.4 to −19.5)'"""
    return f"{signed(d.value, 'points')} ({format_interval(d.low, d.high, 'points')})"


def signed(value: float, unit: str) -> str:
    """A difference with its sign; none where it is shown as 0."""
    text = format_value(value, unit)
    return f"+{text}" if value > 0 and any(digit in text for digit in "123456789") else text


def _of_pair(pair: ModelPair) -> str:
    top1, p = pair.top1, f"exact McNemar p {_p(pair.top1.p)}"
    if pair.flips.count == 0:
        return f"{pair.second} and {pair.first} are inseparable: they predict the same class for every picture"
    if not top1.separable:
        return (
            f"{pair.second} and {pair.first} are inseparable: the difference of top-1 accuracy, {points(top1)}, "
            f"may be chance ({p})"
        )
    word = outcome(separable=True, better=top1.value > 0)
    return f"{pair.second} is {word} than {pair.first}: top-1 accuracy {points(top1)}, {p}"


def _p(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.3g}"
