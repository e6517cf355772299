"""Other models that a probe compares with, such as the CLIP tower of a multimodal model: opened once, encoded like any other."""

from collections.abc import Mapping, Sequence
from typing import Any

from eyechart.arrays import Floats
from eyechart.errors import UsageError
from eyechart.models.abilities import lacks
from eyechart.models.encoder import Model
from eyechart.models.open import open_model
from eyechart.probes.contract import OtherModel, Probe, ProbeInput
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.session import Session


def wanted_models(probe: Probe, settings: Any) -> Mapping[str, OtherModel]:
    """The other models that a probe uses under these settings, by what it calls them; those that are not given are left out."""
    return {name: other for name, other in probe.other_models(settings).items() if other.spec}


def open_others(wanted: Mapping[str, OtherModel], opened: dict[str, Model]) -> dict[str, Model]:
    """The models by what the probe calls them. `opened` keeps them for the next probe.

    Raises:
        UsageError: If a model lacks what the probe needs of it.
    """
    found = {}
    for name, other in wanted.items():
        if other.spec not in opened:
            opened[other.spec] = open_model(other.spec)
        for need in other.needs:
            if reason := lacks(opened[other.spec], need):
                raise UsageError(f"{name} {other.spec!r} cannot be used: {reason}; give another model")
        found[name] = opened[other.spec]
    return found


def input_under(session: Session, keyed: KeyedDataset, rows: Sequence[int], inputs: ProbeInput[Any]) -> ProbeInput[Any]:
    """The same rows of a dataset under another model. Texts are encoded when they are asked for."""
    session.encode_images([keyed])
    encoded = session.encoded(keyed)
    place = {row: number for number, row in enumerate(encoded.rows)}
    if not encoded.vectors.size:  # a text encoder alone
        place = dict.fromkeys(rows, 0)
    missing = [row for row in rows if row not in place]
    if missing:
        id = keyed.dataset.ids()[missing[0]]
        raise UsageError(f"{session.name} cannot encode the picture {id!r}; remove it from the dataset, or give another model")

    def encode(texts: Sequence[str]) -> Floats:
        session.encode_texts(texts)
        return session.text_vectors(texts)

    facts = session.facts()
    return ProbeInput(
        model=session.name,
        card=session.model.card,
        dataset=inputs.dataset,
        images=encoded.vectors[[place[row] for row in rows]] if encoded.vectors.size else encoded.vectors,
        clusters=inputs.clusters,
        texts=encode,
        prompts=inputs.prompts,
        settings=inputs.settings,
        logit_scale=facts.get("logit_scale"),
        logit_bias=facts.get("logit_bias", 0.0),
    )
