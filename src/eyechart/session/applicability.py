"""Whether a probe applies to a dataset, found out before anything is encoded.

A probe begins with what it can tell from the dataset, its companions and its settings, and raises NotApplicable there. So it is
asked with an input that has nothing else: if it gets as far as vectors, it applies as far as one can know.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from eyechart.errors import EyechartError
from eyechart.models.card import ModelCard
from eyechart.probes.contract import CanEncode, NotApplicable, Probe, ProbeInput
from eyechart.prompts.prompt_set import PromptSet
from eyechart.session.keyed_dataset import KeyedDataset

_KNOWN = frozenset({"model", "card", "dataset", "clusters", "prompts", "settings", "companions", "can_encode"})


class NeedsEncoding(Exception):
    """A probe asked for something that is known only after encoding."""


class UnencodedInput(ProbeInput[Any]):
    """An input without vectors, texts and all else that the model gives: asking for it raises NeedsEncoding."""

    def __getattribute__(self, name: str) -> Any:
        if name in _UNKNOWN:
            raise NeedsEncoding(name)
        return super().__getattribute__(name)


_UNKNOWN = frozenset(field.name for field in fields(ProbeInput)) - _KNOWN


def why_not_applicable(
    probe: Probe,
    settings: Any,
    keyed: KeyedDataset,
    companions: Sequence[KeyedDataset],
    *,
    model: str,
    card: ModelCard,
    prompts: tuple[PromptSet, ...],
    can_encode: CanEncode,
) -> str | None:
    """The reason why a probe does not apply, where it can be told without encoding anything; else None."""

    def unencoded(of: KeyedDataset, others: dict[str, ProbeInput[Any]]) -> ProbeInput[Any]:
        dataset, clusters = of.readable
        nothing = np.empty((0, 0), np.float32)
        return UnencodedInput(
            model=model,
            card=card,
            dataset=dataset,
            images=nothing,
            clusters=clusters,
            texts=lambda texts: nothing,
            prompts=prompts,
            settings=settings,
            companions=others,
            can_encode=can_encode,
        )

    others = {d.dataset.name: unencoded(d, {}) for d in companions if probe.compares and len(d.readable[0])}
    inputs = unencoded(keyed, others)
    if not len(inputs.dataset):
        return None  # no picture can be read, which the overview of the dataset says
    try:
        probe.ask(inputs)
    except NotApplicable as reason:
        return str(reason)
    except (NeedsEncoding, EyechartError):
        return None  # an error is raised again, in its place, when the probe is run
    return None
