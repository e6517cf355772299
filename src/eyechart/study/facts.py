"""What a study knows about a model: its group, its family and its properties."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.models.names.architecture_lines import architecture_line
from eyechart.study.groups import CONTRASTIVE, GROUPS, OTHER, ROBUST, STANDARD, group_of

_NAMED_WITH_GROUP = {CONTRASTIVE, ROBUST, OTHER}


@dataclass(frozen=True)
class Facts:
    """Facts about a model; None where unknown.

    model: Its name.
    group: Its group.
    family: Models that are resampled together.
    architecture: The image encoder.
    source: The training data.
    dataset_size: Number of training pictures.
    resolution: Side of a picture in pixels.
    fine_tuning: Fine-tuning stages.
    loss: The training loss.
    parameters: Number of parameters.
    published_group: The group in the published table.
    """

    model: str
    group: str | None
    family: str
    architecture: str | None = None
    source: str | None = None
    dataset_size: int | None = None
    resolution: int | None = None
    fine_tuning: str | None = None
    loss: str | None = None
    parameters: int | None = None
    published_group: str | None = None


def facts_from_card(
    model: str,
    card: Mapping[str, Any],
    *,
    group: str | None = None,
    published_group: str | None = None,
    parameters: int | None = None,
    resolution: int | None = None,
) -> Facts:
    """Facts from the fields of a model card; the keyword arguments are from the table."""
    if group is not None and group not in GROUPS:
        raise ValueError(f"{group!r} is not one of the groups {GROUPS}")
    group = group or group_of(model, card)
    return Facts(
        model,
        group,
        family_of(card, group),
        card.get("architecture"),
        card.get("source"),
        card.get("dataset_size"),
        resolution or card.get("resolution"),
        card.get("fine_tuning"),
        card.get("loss"),
        parameters or card.get("parameters"),
        published_group,
    )


def family_of(card: Mapping[str, Any], group: str | None) -> str:
    """Models that are resampled together: the same architecture line, training method, source and fine-tuning.

    Sizes, resolutions, checkpoints and recipes within a family are not independent samples.
    """
    line = architecture_line(str(card.get("architecture") or "unknown architecture"))
    prefix = str(card.get("family") or "") if group not in (STANDARD, *_NAMED_WITH_GROUP) else ""
    # In timm's names the family is the first word of the architecture, which is in the line already.
    prefix = prefix if prefix[:1].isupper() else ""
    parts = [f"{prefix} {line}".strip(), card.get("source") or "unknown source", card.get("fine_tuning")]
    return " · ".join([*(str(part) for part in parts if part), *([group] if group in _NAMED_WITH_GROUP and group else [])])
