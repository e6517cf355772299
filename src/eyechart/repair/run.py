"""`repair_classifier`: from a model and pictures to a classifier file and a page of what changed."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList
from eyechart.data.identity import why_refused
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.errors import UsageError
from eyechart.findings.exhibit import Exhibit
from eyechart.inputs import Classes, class_list, open_data
from eyechart.language_models.open import LanguageModel
from eyechart.notice import Notice
from eyechart.plan import DEFAULT_PROMPTS, DataPlan, ModelPlan
from eyechart.probes.contract import ProbeInput
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.repair.class_list_change import change_class_list
from eyechart.repair.class_lists import class_lists, known_labels
from eyechart.repair.class_vectors import ClassVectors
from eyechart.repair.class_vectors import class_vectors as read_class_vectors
from eyechart.repair.data_split import require_labeled
from eyechart.repair.descriptions import Describer, describer_of
from eyechart.repair.exhibits import calibration_exhibits, candidate_exhibits, change_exhibits, set_exhibits
from eyechart.repair.language_descriptions import card_of, described_by
from eyechart.repair.model_session import open_session
from eyechart.repair.output_paths import page_folder, prepare_classifier_file, score_file
from eyechart.repair.prompt_vectors import prompt_texts, template_pool
from eyechart.repair.repair import Repaired, repair
from eyechart.repair.settings import Settings
from eyechart.repair.template_weighting import Checkpoint
from eyechart.repair.verdict import page_summary, selection_sentence
from eyechart.report.exhibit_page import ExhibitPage, Section, write_exhibit_page
from eyechart.store.store import Store


@dataclass(frozen=True, eq=False)
class RepairedClassifier:
    """A repaired classifier and its files.

    file: The classifier, in safetensors format.
    page: The page of what changed.
    repaired: Both classifiers and all findings.
    """

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
    prompts: Sequence[str] | None = None,
    class_vectors: Mapping[str, str | Path] | None = None,
    describe: str | LanguageModel | None = None,
    settings: Settings | None = None,
    classes: Classes | None = None,
    name: str | None = None,
    model_title: str | None = None,
    split: str | None = None,
    root: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    identify: bool = False,
    device: str = "cpu",
    precision: str = "float32",
    store: Store | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RepairedClassifier:
    """Repair a zero-shot classifier, and evaluate it on held-out pictures.

    An interrupted run continues where it stopped: vectors come from the store, template scores from a file next to `out` that is
    deleted at the end. Where no picture has a label, only a changed class design with harmful classes is evaluated.

    Args:
        model: The model, such as "open_clip:ViT-B-32/openai".
        data: The labeled pictures.
        out: The classifier file, F.safetensors. F.json and the folder F-page are written next to it.
        prompts: Prompt sets. The first makes the original classifier; the templates of all sets are weighted. By default
            openai-80, or bare names for precomputed vectors.
        class_vectors: Name → file of class vectors (.npy or .npz, [C, d] in the order of the classes), in place of prompts: the
            first makes the original classifier, and all are weighted. The model then needs no text encoder.
        describe: Descriptions of the worst classes: a JSON file {class: [description, …]}, "world", or a language model.
        settings: What may be done.
        classes: Class names, or a file of them.
        name: What the results call the dataset.
        model_title: What the results call the model.
        split: Split of the dataset.
        root: Folder that the paths in a table start from.
        columns: Role → column of a table.
        limit: Use a seeded sample of this many pictures.
        identify: Whether a dataset that identifies people is used; by default nobody is recognized.
        device: For torch backends: "cpu", "cuda", "mps" or "auto".
        precision: "float32", "bfloat16" or "float16".
        store: Where vectors are cached.
        engine: How pictures are encoded.
        progress: Progress bars.

    Returns:
        The paths of the classifier and the page, both classifiers and all findings.

    Example:
        >>> import eyechart
        >>> done = eyechart.repair_classifier("demo:", "world-objects", limit=216, out="repaired.safetensors")
        >>> eyechart.Classifier.load("repaired.safetensors").labels == done.classifier.labels
        True
    """
    settings, progress, engine = settings or Settings(), progress or SilentProgress(), engine or LocalEngine()
    out = Path(out)
    # All inputs are checked before anything is encoded.
    prepare_classifier_file(out)
    entry = DataPlan(str(data), name, class_list(classes), None, split, None if root is None else str(root), limit, columns or {})
    dataset, given = open_data(entry, seed=settings.seed), None
    if not identify and not settings.design and (reason := why_refused(dataset)):
        raise UsageError(f"{dataset.name}: {reason}")
    if class_vectors:
        given = _given_vectors(class_vectors, dataset.classes, prompts, describe, settings)
        dataset, sets = replace(dataset, classes=given.classes), given.prompts
    else:
        usual = ("bare",) if model.startswith("vectors:") else DEFAULT_PROMPTS
        sets = tuple(load_prompts(p) for p in prompts or usual)
    lists = class_lists(dataset.classes, settings.design, settings.change)
    labels = [label for label in dataset.table.column("label").to_pylist() if label] if dataset.has("label") else []
    only_class_list = not labels and lists.changed and bool(lists.harmful_before.any())
    if not only_class_list:
        require_labeled(known_labels(labels, lists))
    describer = _describer(describe, lists.after)
    plan = ModelPlan(model, model_title, device, precision)
    with ExitStack() as stack:
        store = store or stack.enter_context(closing(Store()))
        class_names = [c.names for listed in (lists.before, lists.after) for c in listed]
        inputs, facts = open_session(
            dataset,
            plan,
            prompts=sets,
            texts=prompt_texts(class_names, template_pool(sets)),
            settings=settings,
            store=store,
            engine=engine,
            progress=progress,
            why="it has no zero-shot classifier",
            class_vectors=given,
        )
        if only_class_list:
            repaired = change_class_list(inputs, lists, settings)
        else:
            repaired = repair(inputs, settings, describer, Checkpoint(score_file(out), progress))
    about = {
        **repaired.after.about,
        "model": facts,
        "dataset": {"name": inputs.dataset.name, "n": len(inputs.dataset)},
        "described_by": card_of(describe) if isinstance(describe, LanguageModel) else describe,
    }
    repaired = replace(repaired, after=replace(repaired.after, about=about))
    repaired.after.save(out)
    page = write_exhibit_page(_page(repaired, inputs), page_folder(out))
    score_file(out).unlink(missing_ok=True)
    return RepairedClassifier(out, page, repaired)


def _given_vectors(
    files: Mapping[str, str | Path],
    classes: ClassList | None,
    prompts: Sequence[str] | None,
    describe: object | None,
    settings: Settings,
) -> ClassVectors:
    """Class vectors from files. Whatever would need the vector of another text is refused."""
    others = {
        "prompts": prompts,
        "describe": describe,
        "design": settings.design,
        "change": settings.change,
        "baselines": settings.baselines,
    }
    if refused := [name for name, value in others.items() if value]:
        raise UsageError(f"--class-vectors and --{refused[0]}: vectors of classes are all there is, so leave out --{refused[0]}")
    if classes is None:
        raise UsageError("--class-vectors: the dataset has no classes; name them with --classes")
    return read_class_vectors({name: Path(file) for name, file in files.items()}, classes)


def _describer(source: str | LanguageModel | None, classes: ClassList) -> Describer | None:
    if isinstance(source, LanguageModel):
        return described_by(source.open())
    return None if source is None else describer_of(source, classes)


def _judged(repaired: Repaired) -> str:
    count = len(repaired.held_out.labels)
    return f"all {count:,} pictures" if repaired.held_out.everything else f"{count:,} held-out pictures"


def _page(repaired: Repaired, inputs: ProbeInput[Any]) -> ExhibitPage:
    parts: list[tuple[str, str, list[Exhibit]]] = [
        ("What changed", page_summary(repaired), change_exhibits(repaired)),
        ("Calibration and prediction sets", "", [*calibration_exhibits(repaired), *set_exhibits(repaired)]),
        ("What was done", selection_sentence(repaired), candidate_exhibits(repaired)),
    ]
    sections = tuple(Section(heading, sentence, tuple(shown)) for heading, sentence, shown in parts if shown)
    notices: tuple[Notice, ...] = (*inputs.dataset.notices, *repaired.notices)
    lead = f"on {inputs.dataset.name}, evaluated on {_judged(repaired)}"
    return ExhibitPage("Repair", inputs.model, lead, sections, notices)
