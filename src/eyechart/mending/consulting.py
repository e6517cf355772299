"""One model and one dataset brought together: pictures as vectors, and vectors of whatever texts are asked for on the way."""

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
from eyechart.probes.probe import Given
from eyechart.progress import Progress
from eyechart.prompts.prompt_set import PromptSet
from eyechart.sitting.collection import collect
from eyechart.sitting.questions import unheard
from eyechart.sitting.sitting import Sitting
from eyechart.store.store import Store


class _Heard:
    """Vectors of any texts, encoded when they are first asked for: which classes are described is known only on looking."""

    def __init__(self, sitting: Sitting) -> None:
        self._sitting, self._known = sitting, set[str]()

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if not self._known.issuperset(texts):
            if reason := unheard(self._sitting.model, texts):
                raise ModelError(f"{self._sitting.name}: {reason}")
            self._known.update(texts)
            self._sitting.listen(self._known)
        return self._sitting.texts(texts)


def consult(
    dataset: Dataset,
    asked: ModelPlan,
    *,
    prompts: tuple[PromptSet, ...],
    texts: Sequence[str],
    settings: Any,
    store: Store,
    engine: Engine,
    progress: Progress,
    why: str,
) -> tuple[Given, dict[str, Any]]:
    """The pictures and `texts` as vectors, and what is known of the model. `why`: what cannot be done with a model that lacks a
    tower, as the end of a sentence."""
    model = open_model(asked.spec, hashes=store.hashes, device=asked.device, precision=asked.precision)
    for ability in ("images", "texts"):
        if reason := lacks(model, ability):
            raise ModelError(f"{asked.spec}: {reason}, so {why}")
    made_with = {"device": asked.device, "precision": asked.precision, "batch_size": engine.batch_size}
    sitting = Sitting(
        model_name(asked), model, store=store, engine=engine, decoding=Decoding(), progress=progress, made_with=made_with
    )
    collection = collect(dataset, prompts, store.hashes, progress, pictures=has_members(model, "encode_images"))
    sitting.look([collection])
    heard = _Heard(sitting)
    heard(texts)
    seen = sitting.seen(collection)
    if not seen.rows:
        raise DataError(f"{dataset.name}: not one picture could be used")
    facts = sitting.facts()
    scale, bias = facts.get("logit_scale"), facts.get("logit_bias") or 0.0
    usable = dataset.take(seen.rows)
    given = Given(
        sitting.name,
        model.card,
        usable,
        seen.vectors,
        seen.clusters,
        heard,
        prompts,
        settings,
        scale,
        bias,
        cut=sitting.are_cut,
    )
    return given, {"name": sitting.name, **facts}
