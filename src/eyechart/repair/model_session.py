"""One model and one dataset for a repair: encoded pictures, and texts that are encoded on demand."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.data.dataset import Dataset
from eyechart.data.picture import Decoding
from eyechart.encode.engine import Engine
from eyechart.errors import DataError, ModelError
from eyechart.models.abilities import has_members, lacks
from eyechart.models.open import open_model
from eyechart.plan import ModelPlan, model_name
from eyechart.probes.contract import ProbeInput, TextVectors
from eyechart.progress import Progress
from eyechart.prompts.prompt_set import PromptSet
from eyechart.session.keyed_dataset import key_dataset
from eyechart.session.probe_tasks import missing_texts
from eyechart.session.session import Session
from eyechart.store.store import Store


class _TextsOnDemand:
    """Vectors of any texts, encoded at first use: which classes will be described is not known at the start."""

    def __init__(self, session: Session) -> None:
        self._session, self._known = session, set[str]()

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if not self._known.issuperset(texts):
            if reason := missing_texts(self._session.model, texts):
                raise ModelError(f"{self._session.name}: {reason}")
            self._known.update(texts)
            self._session.encode_texts(self._known)
        return self._session.text_vectors(texts)


def open_session(
    dataset: Dataset,
    tasks: ModelPlan,
    *,
    prompts: tuple[PromptSet, ...],
    texts: Sequence[str],
    settings: Any,
    store: Store,
    engine: Engine,
    progress: Progress,
    why: str,
    class_vectors: TextVectors | None = None,
) -> tuple[ProbeInput[Any], dict[str, Any]]:
    """Encode the pictures and texts.

    Args:
        texts: Texts to encode at once.
        why: What a model without an image or a text encoder cannot do, as the end of a sentence.
        class_vectors: Vectors of texts from files, in place of a text encoder.

    Returns:
        The encoded inputs, and facts about the model.
    """
    model = open_model(tasks.spec, hashes=store.hashes, device=tasks.device, precision=tasks.precision)
    for ability in ("images", "texts") if class_vectors is None else ("images",):
        if reason := lacks(model, ability):
            raise ModelError(f"{tasks.spec}: {reason}, so {why}")
    made_with = {"device": tasks.device, "precision": tasks.precision, "batch_size": engine.batch_size}
    session = Session(
        model_name(tasks), model, store=store, engine=engine, decoding=Decoding(), progress=progress, made_with=made_with
    )
    keyed = key_dataset(dataset, prompts, store.hashes, progress, pictures=has_members(model, "encode_images"))
    session.encode_images([keyed])
    text_vectors = class_vectors or _TextsOnDemand(session)
    vectors = text_vectors(texts)
    encoded = session.encoded(keyed)
    if encoded.rows and vectors.shape[1] != encoded.vectors.shape[1]:
        widths = f"{vectors.shape[1]} numbers, and those of the pictures {encoded.vectors.shape[1]}"
        raise DataError(f"{session.name}: the class vectors have {widths}; give vectors of one model")
    if not encoded.rows:
        raise DataError(f"{dataset.name}: none of its pictures could be read; check the paths and files")
    facts = session.facts()
    scale, bias = facts.get("logit_scale"), facts.get("logit_bias") or 0.0
    usable = dataset.take(encoded.rows)
    inputs = ProbeInput(
        session.name,
        model.card,
        usable,
        encoded.vectors,
        encoded.clusters,
        text_vectors,
        prompts,
        settings,
        scale,
        bias,
        truncated=session.are_truncated,
    )
    return inputs, {"name": session.name, **facts}
