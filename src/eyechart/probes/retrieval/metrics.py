"""The metrics of the probe `retrieval`."""

from collections.abc import Iterator

from eyechart.findings.metric import Limits, Metric

KS = (1, 5, 10)


def _direction(name: str, title: str) -> Iterator[Metric]:
    for k in KS:
        limits = _limits(f"{title} R@{k}") if k == 1 else None
        yield Metric(name=f"{name}_r{k}", title=f"{title} R@{k}", chance=f"{name}_r{k}_chance", limits=limits, rows="missed")
        yield Metric(name=f"{name}_r{k}_chance", title=f"{title} R@{k} by chance", higher_is_better=None)
    yield Metric(name=f"{name}_r1_gap", title=f"{title} R@1 of a part minus all queries", difference=True)
    yield Metric(name=f"{name}_median_rank", title=f"{title} median rank", unit="rank", higher_is_better=False)


def _limits(title: str) -> Limits:
    """R@1 depends on the number of candidates, so that only chance is a limit for every dataset."""
    at_start = title[:1].upper() + title[1:]
    return Limits(
        area="retrieval",
        at_least="chance",
        low=f"{at_start} is below the target ({{limit}}).",
        good=f"{at_start} is above chance.",
        unclear=f"whether {title} is above chance",
    )


METRICS = (*_direction("text_to_image", "text-to-image"), *_direction("image_to_text", "image-to-text"))
