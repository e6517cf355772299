"""The repair as people call it: from a model and pictures to a classifier file and a page that says who gained and who lost."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.data.picture import Decoding
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.errors import DataError, ModelError, UsageError
from eyechart.findings.exhibit import Exhibit
from eyechart.inputs import Classes, class_list, open_data
from eyechart.models.abilities import has_members, lacks
from eyechart.models.open import open_model
from eyechart.notice import Notice
from eyechart.plan import DEFAULT_PROMPTS, DataPlan, ModelPlan, model_name
from eyechart.probes.probe import Given
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.repair.class_lists import Lists, class_lists
from eyechart.repair.descriptions import Describes, describer
from eyechart.repair.exhibits import change_exhibits, set_exhibits, sureness_exhibit, trial_exhibits
from eyechart.repair.language_model import LanguageModel
from eyechart.repair.repair import Repaired, repair
from eyechart.repair.settings import Settings
from eyechart.repair.spoken import pool_of, spoken_texts
from eyechart.repair.words import plain_words
from eyechart.report.exhibit_page import ExhibitPage, Section, write_exhibit_page
from eyechart.sitting.collection import collect
from eyechart.sitting.questions import unheard
from eyechart.sitting.sitting import Sitting
from eyechart.store.store import Store


@dataclass(frozen=True, eq=False)
class Mended:
    """`file`: the classifier, `page`: who gained and who lost. `repaired` has both classifiers and all findings."""

    file: Path
    page: Path
    repaired: Repaired

    @property
    def classifier(self) -> Classifier:
        return self.repaired.after


def mend(
    model: str,
    data: str | Path,
    *,
    out: str | Path,
    prompts: Sequence[str] = DEFAULT_PROMPTS,
    describe: str | LanguageModel | None = None,
    settings: Settings | None = None,
    classes: Classes | None = None,
    name: str | None = None,
    model_title: str | None = None,
    split: str | None = None,
    root: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    device: str = "cpu",
    precision: str = "float32",
    store: Store | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Mended:
    """Make a better zero-shot classifier of a model, and measure it on pictures that the repair did not see.

    prompts: the first set makes the classifier as it was; templates of all sets are weighed. describe: what says more of the
    worst classes: a JSON file {class: [description, …]}, "world", or a language model. out: F.safetensors; F.json and the folder
    F-page are written beside it.
    """
    settings, progress, engine = settings or Settings(), progress or SilentProgress(), engine or LocalEngine()
    out = Path(out)
    if out.suffix != ".safetensors":
        raise UsageError(f"{out}: the classifier is a safetensors file; give --out a name such as {out.stem}.safetensors")
    entry = DataPlan(str(data), name, class_list(classes), None, split, None if root is None else str(root), limit, columns or {})
    # Whatever can be wrong in what was asked is said before anything is encoded.
    sets, dataset = tuple(load_prompts(p) for p in prompts), open_data(entry, seed=settings.seed)
    lists = class_lists(dataset.classes, settings.design, settings.change)
    describes = _describes(describe, lists.after)
    asked = ModelPlan(model, model_title, device, precision)
    with ExitStack() as stack:
        store = store or stack.enter_context(closing(Store()))
        given, facts = _given(dataset, lists, asked, sets, settings, store, engine, progress)
        repaired = repair(given, settings, describes)
    about = {
        **repaired.after.about,
        "model": facts,
        "dataset": {"name": given.dataset.name, "n": len(given.dataset)},
        "described_by": describe.model if isinstance(describe, LanguageModel) else describe,
    }
    repaired = replace(repaired, after=replace(repaired.after, about=about))
    repaired.after.save(out)
    page = write_exhibit_page(_page(repaired, given), out.with_name(f"{out.stem}-page"))
    return Mended(out, page, repaired)


def _describes(source: str | LanguageModel | None, classes: ClassList) -> Describes | None:
    if isinstance(source, LanguageModel):
        return source.describes()
    return None if source is None else describer(source, classes)


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


def _given(
    dataset: Dataset,
    lists: Lists,
    asked: ModelPlan,
    sets: tuple[PromptSet, ...],
    settings: Settings,
    store: Store,
    engine: Engine,
    progress: Progress,
) -> tuple[Given, dict[str, object]]:
    """The pictures and prompts as vectors, and what is known of the model."""
    model = open_model(asked.spec, hashes=store.hashes, device=asked.device, precision=asked.precision)
    for ability in ("images", "texts"):
        if reason := lacks(model, ability):
            raise ModelError(f"{asked.spec}: {reason}, so no zero-shot classifier can be made of it")
    made_with = {"device": asked.device, "precision": asked.precision, "batch_size": engine.batch_size}
    sitting = Sitting(
        model_name(asked), model, store=store, engine=engine, decoding=Decoding(), progress=progress, made_with=made_with
    )
    collection = collect(dataset, sets, store.hashes, progress, pictures=has_members(model, "encode_images"))
    sitting.look([collection])
    heard = _Heard(sitting)
    called = [c.names for classes in (lists.before, lists.after) for c in classes]
    heard(spoken_texts(called, pool_of(sets)))
    seen = sitting.seen(collection)
    if not seen.rows:
        raise DataError(f"{dataset.name}: not one picture could be used")
    facts = sitting.facts()
    scale, bias = facts.get("logit_scale"), facts.get("logit_bias") or 0.0
    usable = dataset.take(seen.rows)
    given = Given(sitting.name, model.card, usable, seen.vectors, seen.clusters, heard, sets, settings, scale, bias)
    return given, {"name": sitting.name, **facts}


def _page(repaired: Repaired, given: Given) -> ExhibitPage:
    before_after = change_exhibits(repaired)
    words = plain_words(repaired)
    parts: list[tuple[str, str, list[Exhibit]]] = [
        ("Who gained and who lost", " ".join(words), before_after),
        ("How sure it is", "", [sureness_exhibit(repaired), *set_exhibits(repaired)]),
        ("What was done", f"Taken: {repaired.chosen.name}.", trial_exhibits(repaired)),
    ]
    sections = tuple(Section(heading, sentence, tuple(shown)) for heading, sentence, shown in parts)
    notices: tuple[Notice, ...] = (*given.dataset.notices, *repaired.notices)
    lead = f"on {given.dataset.name}, measured on {len(repaired.held.labels):,} pictures that the repair did not see"
    return ExhibitPage("Repair", given.model, lead, sections, notices)
