"""What a study knows of a model: its group, its family, and the answers to the six questions that a name can tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eyechart.models.names.architecture_lines import architecture_line
from eyechart.study.groups import CONTRASTIVE, GROUPS, OTHER, ROBUST, STANDARD, group_of

_NAMED_WITH_GROUP = {CONTRASTIVE, ROBUST, OTHER}


@dataclass(frozen=True)
class Facts:
    """`published_group` is what the table itself calls the model's group; what is not known is None."""

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
    said: Mapping[str, Any],
    *,
    group: str | None = None,
    published_group: str | None = None,
    parameters: int | None = None,
    resolution: int | None = None,
) -> Facts:
    """Facts from the fields of a model card; `group` and the others are what a table says besides."""
    if group is not None and group not in GROUPS:
        raise ValueError(f"{group!r} is not one of the groups {GROUPS}")
    group = group or group_of(model, said)
    return Facts(
        model,
        group,
        family_of(said, group),
        said.get("architecture"),
        said.get("source"),
        said.get("dataset_size"),
        resolution or said.get("resolution"),
        said.get("fine_tuning"),
        said.get("loss"),
        parameters or said.get("parameters"),
        published_group,
    )


def family_of(said: Mapping[str, Any], group: str | None) -> str:
    """Models that are resampled together: one line of architecture, one way of training, one source, one fine-tuning.

    Sizes, resolutions, checkpoints and recipes within that are not independent looks at the question which of these matters.
    """
    line = architecture_line(str(said.get("architecture") or "unknown architecture"))
    kin = str(said.get("family") or "") if group not in (STANDARD, *_NAMED_WITH_GROUP) else ""
    # In timm's names the family is the first word of the architecture, which the line has said already.
    kin = kin if kin[:1].isupper() else ""
    parts = [f"{kin} {line}".strip(), said.get("source") or "unknown source", said.get("fine_tuning")]
    return " · ".join([*(str(part) for part in parts if part), *([group] if group in _NAMED_WITH_GROUP and group else [])])
