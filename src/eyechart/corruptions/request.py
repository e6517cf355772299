"""Which corruptions at which severities: 'noise:3, fog:1'."""

from collections.abc import Iterable
from dataclasses import dataclass

from eyechart.corruptions.corruption import SEVERITIES
from eyechart.corruptions.registry import find_corruption
from eyechart.errors import UsageError

USUAL_SEVERITY = 3


@dataclass(frozen=True)
class CorruptionRequest:
    """One corruption at one severity.

    name: The corruption.
    severity: From 1 to 5.
    """

    name: str
    severity: int = USUAL_SEVERITY

    def __str__(self) -> str:
        return f"{self.name}:{self.severity}"


# One of each group of ImageNet-C: noise, blur, weather, digital.
USUAL = tuple(CorruptionRequest(name) for name in ("noise", "defocus_blur", "fog", "jpeg"))


def parse_requests(texts: Iterable[str]) -> tuple[CorruptionRequest, ...]:
    """The corruptions that texts such as 'gaussian_noise:3,fog' name, each once; severity 3 where none is given.

    Raises:
        UsageError: If a corruption is unknown or needs a depth map, or a severity is not from 1 to 5.

    Example:
        >>> [str(request) for request in parse_requests(["gaussian_noise:5, fog"])]
        ['noise:5', 'fog:3']
    """
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    return tuple(dict.fromkeys(_parse(part) for part in parts))


def _parse(text: str) -> CorruptionRequest:
    name, colon, level = text.partition(":")
    corruption = find_corruption(name.strip())
    if corruption.needs_depth:
        raise UsageError(
            f"{corruption.name} needs depth maps; `eyechart corrupt IN OUT --depth DIR` takes them, then: --shift corrupted:OUT"
        )
    if colon and level.strip() not in map(str, SEVERITIES):
        raise UsageError(f"{text}: severity {level.strip()!r} is not one of 1, 2, 3, 4, 5; write {corruption.name}:3")
    return CorruptionRequest(corruption.name, int(level) if colon else USUAL_SEVERITY)
