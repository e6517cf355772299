"""The repair of a classifier: from a model and pictures to a classifier file and a page that says who gained and who lost."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.findings.exhibit import Exhibit
from eyechart.inputs import Classes, class_list, open_data
from eyechart.language_models.open import LanguageModel
from eyechart.notice import Notice
from eyechart.plan import DEFAULT_PROMPTS, DataPlan, ModelPlan
from eyechart.probes.probe import ProbeInput
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.repair.class_lists import class_lists, known_labels
from eyechart.repair.descriptions import Describes, describer
from eyechart.repair.exhibits import change_exhibits, set_exhibits, sureness_exhibits, trial_exhibits
from eyechart.repair.list_only import change_list
from eyechart.repair.model_session import open_session
from eyechart.repair.output_folder import ledger_file, page_folder, prepare_classifier_file
from eyechart.repair.parts import require_labelled
from eyechart.repair.repair import Repaired, repair
from eyechart.repair.settings import Settings
from eyechart.repair.spoken import pool_of, spoken_texts
from eyechart.repair.verdict import opening, taken
from eyechart.repair.weighing import Workplace
from eyechart.report.exhibit_page import ExhibitPage, Section, write_exhibit_page
from eyechart.store.store import Store


@dataclass(frozen=True, eq=False)
class RepairedClassifier:
    """`file`: the classifier, `page`: who gained and who lost. `repaired` has both classifiers and all findings."""

    file: Path
    page: Path
    repaired: Repaired

    @property
    def classifier(self) -> Classifier:
        return self.repaired.after


def repair_classifier(
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
) -> RepairedClassifier:
    """Make a better zero-shot classifier of a model, and measure it on pictures that the repair did not see.

    prompts: the first set makes the classifier as it was; templates of all sets are weighed. describe: what says more of the
    worst classes: a JSON file {class: [description, …]}, "world", or a language model. out: F.safetensors; F.json and the folder
    F-page are written beside it. A run that was stopped goes on where it was: vectors come from the store, scores of templates
    from a file beside `out` that is removed at the end. Where no picture has a label, only a change of a class design that has
    harmful classes is applied, and the harm measured.
    """
    settings, progress, engine = settings or Settings(), progress or SilentProgress(), engine or LocalEngine()
    out = Path(out)
    # Whatever can be wrong in what was asked is said before anything is encoded.
    prepare_classifier_file(out)
    entry = DataPlan(str(data), name, class_list(classes), None, split, None if root is None else str(root), limit, columns or {})
    sets, dataset = tuple(load_prompts(p) for p in prompts), open_data(entry, seed=settings.seed)
    lists = class_lists(dataset.classes, settings.design, settings.change)
    labels = [label for label in dataset.table.column("label").to_pylist() if label] if dataset.has("label") else []
    list_alone = not labels and lists.changed and bool(lists.harmful_before.any())
    if not list_alone:
        require_labelled(known_labels(labels, lists))
    describes = _describes(describe, lists.after)
    asked = ModelPlan(model, model_title, device, precision)
    with ExitStack() as stack:
        store = store or stack.enter_context(closing(Store()))
        called = [c.names for of in (lists.before, lists.after) for c in of]
        inputs, facts = open_session(
            dataset,
            asked,
            prompts=sets,
            texts=spoken_texts(called, pool_of(sets)),
            settings=settings,
            store=store,
            engine=engine,
            progress=progress,
            why="no zero-shot classifier can be made of it",
        )
        if list_alone:
            repaired = change_list(inputs, lists, settings)
        else:
            repaired = repair(inputs, settings, describes, Workplace(ledger_file(out), progress))
    about = {
        **repaired.after.about,
        "model": facts,
        "dataset": {"name": inputs.dataset.name, "n": len(inputs.dataset)},
        "described_by": describe.about if isinstance(describe, LanguageModel) else describe,
    }
    repaired = replace(repaired, after=replace(repaired.after, about=about))
    repaired.after.save(out)
    page = write_exhibit_page(_page(repaired, inputs), page_folder(out))
    ledger_file(out).unlink(missing_ok=True)
    return RepairedClassifier(out, page, repaired)


def _describes(source: str | LanguageModel | None, classes: ClassList) -> Describes | None:
    if isinstance(source, LanguageModel):
        return source.describes()
    return None if source is None else describer(source, classes)


def _page(repaired: Repaired, inputs: ProbeInput[Any]) -> ExhibitPage:
    before_after = change_exhibits(repaired)
    parts: list[tuple[str, str, list[Exhibit]]] = [
        ("Who gained and who lost", opening(repaired), before_after),
        ("How sure it is", "", [*sureness_exhibits(repaired), *set_exhibits(repaired)]),
        ("What was done", taken(repaired), trial_exhibits(repaired)),
    ]
    sections = tuple(Section(heading, sentence, tuple(shown)) for heading, sentence, shown in parts if shown)
    notices: tuple[Notice, ...] = (*inputs.dataset.notices, *repaired.notices)
    lead = f"on {inputs.dataset.name}, measured on {len(repaired.held.labels):,} pictures that the repair did not see"
    return ExhibitPage("Repair", inputs.model, lead, sections, notices)
