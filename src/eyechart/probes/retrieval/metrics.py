"""The metrics of the probe `retrieval`."""

from collections.abc import Iterator

from eyechart.findings.metric import Metric

KS = (1, 5, 10)


def _direction(name: str, title: str) -> Iterator[Metric]:
    for k in KS:
        yield Metric(name=f"{name}_r{k}", title=f"{title} R@{k}", chance=f"{name}_r{k}_chance", rows="missed")
        yield Metric(name=f"{name}_r{k}_chance", title=f"{title} R@{k} by chance", higher_is_better=None)
    yield Metric(name=f"{name}_r1_gap", title=f"{title} R@1 of a part minus all queries", difference=True)
    yield Metric(name=f"{name}_median_rank", title=f"{title} median rank", unit="rank", higher_is_better=False)


METRICS = (*_direction("text_to_image", "text-to-image"), *_direction("image_to_text", "image-to-text"))
