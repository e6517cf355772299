"""What a probe is given: the vectors of a session, and what its model answers when it is asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from eyechart.arrays import Flags
from eyechart.language_models.open import LanguageModel
from eyechart.metrics.classification.shared_scores import SharedScores
from eyechart.models.abilities import lacks
from eyechart.probes.contract import AsksLanguageModel, ProbeInput
from eyechart.session.asking import Asking
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.other_models import input_under
from eyechart.session.probe_tasks import ProbeTask
from eyechart.session.session import EncodedDataset, Session

AskingOf = Callable[[KeyedDataset, Sequence[int]], Asking | None]  # questions about these rows of a dataset


def probe_input(
    task: ProbeTask,
    session: Session,
    encoded: Mapping[str, EncodedDataset],
    upstream: Mapping[str, pa.Table],
    checked: set[str],
    shared: SharedScores,
) -> ProbeInput[object]:
    """The input of a probe, with the other models that it compares with.

    Args:
        task: The probe on its dataset.
        session: The model.
        encoded: The usable pictures of every dataset.
        upstream: Findings of the probes that it comes after.
        checked: Gets the texts that the probe checks for truncation.
        shared: What other probes of the dataset have computed.
    """
    made = input_without_others(task, session, encoded, upstream, checked, shared, session.asking)
    if not task.other_models:
        return made
    rows = encoded[task.keyed.dataset.name].rows
    beside = {name: session.beside(model.spec, model) for name, model in task.other_models.items()}
    return replace(made, other_models={name: input_under(s, task.keyed, rows, made) for name, s in beside.items()})


def input_without_others(
    task: ProbeTask,
    session: Session,
    encoded: Mapping[str, EncodedDataset],
    upstream: Mapping[str, pa.Table],
    checked: set[str],
    shared: SharedScores,
    asking_of: AskingOf,
) -> ProbeInput[object]:
    """The input of a probe under its own model; `asking_of` says how questions are asked."""
    facts = session.facts() if "logit_scale" in (*task.probe.needs, *task.probe.wants) else {}

    def truncated(texts: Sequence[str]) -> Flags:
        checked.update(texts)
        return session.are_truncated(texts)

    asks = _open_language_model(task)

    def inputs(keyed: KeyedDataset, companions: dict[str, ProbeInput[object]]) -> ProbeInput[object]:
        of_dataset = encoded[keyed.dataset.name]
        activations = session.activations(keyed, of_dataset)
        asking = asking_of(keyed, of_dataset.rows)
        scores = asking is not None and not lacks(session.model, "likelihoods")
        scored = task.keyed.dataset.classes if scores else None
        return ProbeInput(
            model=session.name,
            card=session.model.card,
            dataset=keyed.dataset.take(of_dataset.rows),
            images=of_dataset.vectors,
            clusters=of_dataset.clusters,
            texts=session.text_vectors,
            prompts=task.prompts,
            settings=task.settings,
            logit_scale=facts.get("logit_scale"),
            logit_bias=facts.get("logit_bias", 0.0),
            upstream=upstream,
            companions=companions,
            patches=activations.patches,
            attention=activations.attention,
            block_attention=activations.block_attention,
            class_scores=asking.class_scores(scored) if asking and scored else activations.class_scores,
            scored_classes=tuple(c.label for c in scored) if scored else None,
            can_encode=task.can_encode,
            truncated=truncated,
            windows=activations.windows,
            ask_language_model=asks,
            ask=asking.ask if asking else None,
            log_likelihoods=asking.log_likelihoods if asking and scores else None,
            predictions=session.predictions(keyed, of_dataset),
            shared=shared,
        )

    others = [d for d in task.companions if task.probe.compares and encoded[d.dataset.name].rows]
    return inputs(task.keyed, {d.dataset.name: inputs(d, {}) for d in others})


def _open_language_model(task: ProbeTask) -> AsksLanguageModel | None:
    wanted = task.probe.language_model(task.settings)
    if wanted is None:
        return None
    replies = Path(wanted.replies) if wanted.replies else None
    return LanguageModel(wanted.base, wanted.model, replies, wanted.offline).open().ask_all
