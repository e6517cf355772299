"""Which probes can be run on a model and a dataset, under which protocol, and why the others cannot."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, cast

from eyechart import __version__
from eyechart.data.dataset import Dataset
from eyechart.data.identity import why_refused
from eyechart.data.picture import Decoding
from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.run_folder import Unit
from eyechart.findings.skip import Skip
from eyechart.models.abilities import has_members, lacks
from eyechart.models.encoder import LooksUpTexts, Model
from eyechart.notice import counted
from eyechart.plan import DEFAULT_PROMPTS, Plan, model_name
from eyechart.probes.contract import CanEncode, Probe, TextRequest, encodes_all, no_texts
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.session.applicability import why_not_applicable
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.other_models import open_others, wanted_models
from eyechart.session.probe_choice import ProbeChoice, candidate_probes
from eyechart.session.session import Session
from eyechart.session.stable_hash import stable_hash

_OF_PICTURES = {"images", "pictures", "patches", "attention", "class_scores", "answers", "likelihoods"}
_ACTIVATIONS = {"patches", "attention"}
_OF_THE_MODEL = _OF_PICTURES | {"texts", "logit_scale"}


@dataclass(frozen=True)
class ProbeTask:
    """One probe on one dataset, with everything that its answer depends on.

    unit: What the answer is stored under.
    probe: The probe.
    keyed: The dataset.
    companions: All datasets of the plan, for a probe that compares.
    prompts: The prompt sets.
    settings: The probe's settings.
    protocol: The hash of `protocol_dict`.
    protocol_dict: Every setting behind the answer.
    texts: The texts that the probe needs.
    can_encode: Whether the model has vectors for these texts.
    other_models: Models that the probe compares with, by what it calls them.
    """

    unit: Unit
    probe: Probe
    keyed: KeyedDataset
    companions: tuple[KeyedDataset, ...]
    prompts: tuple[PromptSet, ...]
    settings: Any
    protocol: str
    protocol_dict: dict[str, Any]
    texts: Sequence[str] = ()
    can_encode: CanEncode = encodes_all
    other_models: Mapping[str, Model] = field(default_factory=dict)


def check_plan(plan: Plan) -> None:
    """Check a plan before any work begins."""
    for probe in candidate_probes(plan):
        settings_of(probe, plan)
    for prompts in (plan.prompts, *(d.prompts for d in plan.datasets)):
        _refuse_same_names([load_prompts(p) for p in prompts or ()])
    _check_roles(plan)
    if plan.store_precision not in ("float32", "float16"):
        raise UsageError(f"store_precision is {plan.store_precision!r}; choose 'float32' or 'float16'")
    names = [model_name(m) for m in plan.models]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two models of the plan are called {name!r}; give one of them another name")


def _check_roles(plan: Plan) -> None:
    for entry in plan.datasets:
        if entry.of is not None and entry.role == "exam":
            raise UsageError(f'dataset {entry.source!r}: of = {entry.of!r} needs role = "shift", "ood" or "gallery"')
    if all(entry.role != "exam" for entry in plan.datasets):
        raise UsageError("every dataset of the plan has a role (shift, ood or gallery); add one without a role, to examine")


def probe_tasks(
    plan: Plan, choice: ProbeChoice, session: Session, datasets: Sequence[KeyedDataset], decoding: Decoding
) -> tuple[list[ProbeTask], list[Skip]]:
    """The probes that can be run on each dataset, and why the others cannot."""
    tasks, skips = list[ProbeTask](), list[Skip]()
    can_encode, reads = encodable(session.model), lacks(session.model, "texts") is None
    first_with: dict[tuple[str, str], str] = {}
    opened: dict[str, Model] = {}
    for keyed in datasets:
        prompts = _plan_prompts(plan, session.model, keyed.prompts)
        for probe in choice.probes:
            if probe.across or not concerns(probe, keyed.dataset) or not choice.includes(probe, keyed.dataset.name):
                continue
            settings = settings_of(probe, plan)
            reason = unmet(probe, session.model, keyed.dataset)
            reason = reason or (None if plan.identify else refused_labels(probe, keyed.dataset))
            used = keyed if plan.identify or why_refused(keyed.dataset) is None else keyed.without_labels
            dataset = used.dataset
            texts = probe.texts(TextRequest(dataset, prompts, settings, can_encode)) if reads else ()
            reason = reason or missing_texts(session.model, texts)
            reason = reason or why_not_applicable(
                probe,
                settings,
                used,
                datasets,
                model=session.name,
                card=session.model.card,
                prompts=prompts,
                can_encode=can_encode,
            )
            if not reason and not uses_pictures(probe) and texts:
                # A probe of texts alone would give the same answer to the same texts again.
                first = first_with.setdefault((probe.name, stable_hash(list(texts))), dataset.name)
                reason = None if first == dataset.name else f"it uses texts alone, and they are the same as on {first}"
            if reason:
                skips.append(Skip(session.name, dataset.name, probe.name, reason))
                continue
            protocol_dict = _protocol_dict(probe, settings, prompts, dataset, decoding)
            if plan.store_precision != "float32":
                protocol_dict["vectors"] = plan.store_precision
            protocol = stable_hash(protocol_dict)
            about = [__version__, session.name, session.identity(), dataset.name, used.fingerprint, protocol]
            others = open_others(wanted_models(probe, settings), opened)
            about += [part for name, model in sorted(others.items()) for part in (name, model.fingerprint)]
            if probe.compares:
                about += [part for d in datasets for part in (d.dataset.name, d.fingerprint)]
            unit = Unit(session.name, dataset.name, probe.name, stable_hash(about))
            content = (protocol, protocol_dict, texts, can_encode, others)
            tasks.append(ProbeTask(unit, probe, used, tuple(datasets), prompts, settings, *content))
    return tasks, skips


def concerns(probe: Probe, dataset: Dataset) -> bool:
    """Whether a probe is run on a dataset of this role.

    A probe that compares runs on exam datasets and gets the others as companions. Any other probe that uses pictures runs on
    shifted datasets as well. Out-of-distribution and target datasets are companions only, and so are those that the examination
    made itself.
    """
    if dataset.made:
        return False
    return dataset.role == "exam" or (dataset.role == "shift" and uses_pictures(probe) and not probe.compares)


def uses_pictures(probe: Probe) -> bool:
    """Whether the answer depends on pictures."""
    return not _OF_PICTURES.isdisjoint(probe.needs)


def uses_vectors(probe: Probe) -> bool:
    """Whether a probe uses the vectors of pictures; one of patches or attention alone does not."""
    return _ACTIVATIONS.isdisjoint(probe.needs) or not {"images", "pictures"}.isdisjoint(probe.needs)


def unmet(probe: Probe, model: Model, dataset: Dataset) -> str | None:
    """Why a probe cannot be run, in one sentence; None where it can."""
    answers_alone = not lacks(model, "predictions")
    if answers_alone and probe.needs and not probe.from_predictions and not _OF_THE_MODEL.isdisjoint(probe.needs):
        return "it is a file of predictions, and the probe needs more than answers"
    for need in probe.needs:
        if need in _OF_THE_MODEL:
            reason = None if answers_alone else lacks(model, need)
        else:
            reason = _missing(dataset, need)
        if reason:
            return reason
    return None


def refused_labels(probe: Probe, dataset: Dataset) -> str | None:
    """Why a probe that uses labels or classes is not run on a dataset that identifies people; None where it is run."""
    return None if {"labels", "classes"}.isdisjoint(probe.needs) else why_refused(dataset)


def encodable(model: Model) -> CanEncode:
    """Which texts the model has vectors for: any with a text encoder, those in its table, or none."""
    if not has_members(model, "look_up_texts"):
        no_texts_at_all = lacks(model, "texts") is not None
        return lambda texts: not (no_texts_at_all and texts)
    known = frozenset(cast(LooksUpTexts, model).known_texts())
    return lambda texts: known.issuperset(texts)


def missing_texts(model: Model, texts: Sequence[str]) -> str | None:
    """Which texts a table of text vectors lacks, in one sentence; None where none is missing."""
    if not texts or not has_members(model, "look_up_texts"):
        return None
    known = set(cast(LooksUpTexts, model).known_texts())
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if not missing:
        return None
    first = f"{missing[0]!r}{did_you_mean(missing[0], known)}"
    return f"its table of text vectors lacks {counted(len(missing), 'text')} that the probe needs, the first {first}"


def settings_of(probe: Probe, plan: Plan) -> Any:
    """The probe's default settings, with the plan's seed and settings in place of them. Names and types are checked."""
    known = {f.name: getattr(probe.settings, f.name) for f in fields(probe.settings)}
    given = {
        key: tuple(value) if isinstance(value, list) and isinstance(known.get(key), tuple) else value
        for key, value in plan.settings.get(probe.name, {}).items()
    }
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(key, known) or (f"; it has {', '.join(sorted(known))}" if known else "; it has no settings")
            raise UsageError(f"settings.{probe.name}: unknown setting {key!r}{hint}")
        if type(value) is not type(known[key]) and not (isinstance(known[key], float) and isinstance(value, int)):
            raise UsageError(f"settings.{probe.name}.{key}: expected a value like {known[key]!r}, got {value!r}")
    seed = {"seed": plan.seed} if "seed" in known else {}
    try:
        return replace(probe.settings, **{**seed, **given})
    except ValueError as error:
        raise UsageError(f"settings.{probe.name}: {error}") from None


def cross_model_protocol(probe: Probe, settings: Any) -> dict[str, Any]:
    """Every setting behind the answer of a cross-model probe."""
    return {"probe": probe.name, "version": probe.version, "settings": asdict(settings)}


def probe_protocol(probe: Probe) -> dict[str, Any]:
    """What `protocol.json` says of a probe; report and verdict read titles, units and limits from it."""
    return {
        "question": probe.question,
        "version": probe.version,
        "needs": list(probe.needs),
        "headline": list(probe.headline),
        "metrics": [metric.to_dict() for metric in probe.metrics],
        "profiles": list(probe.profiles),
    }


def _plan_prompts(plan: Plan, model: Model, own: tuple[PromptSet, ...] | None) -> tuple[PromptSet, ...]:
    """The dataset's own prompt sets, or the plan's; where it names none, the default, or bare names for a table of text vectors.

    A file of predictions has none."""
    if not lacks(model, "predictions"):
        return ()
    if own:
        return own
    if plan.prompts is not None:
        return tuple(load_prompts(p) for p in plan.prompts)
    if has_members(model, "look_up_texts"):
        return (load_prompts("bare"),)
    return tuple(load_prompts(p) for p in DEFAULT_PROMPTS)


def _refuse_same_names(prompts: Sequence[PromptSet]) -> None:
    names = [p.name for p in prompts]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two prompt sets are called {name!r}; rename one of the files, or name the set once")


def _missing(dataset: Dataset, need: str) -> str | None:
    columns = dataset.table.column_names
    if (need == "labels" or (need == "classes" and dataset.classes is None)) and not dataset.has("label"):
        meant = did_you_mean("label", [name.removeprefix("attr.") for name in columns if name.startswith("attr.")])
        how = "a table names them with --column label=COLUMN, a folder has one subfolder per class"
        return f"the dataset has no labels{meant}; {how}"
    if need == "classes" and dataset.classes is None:
        return "the dataset has no class names"
    if need == "captions" and not dataset.has("captions"):
        return "the dataset has no captions"
    if need == "foils" and not dataset.has("foils"):
        return "the dataset has no foils: captions that are false of a picture, in a column `foils`"
    if need == "objects" and not dataset.has("objects"):
        return "the dataset has no objects: names, areas or boxes of what its pictures show"
    if need == "pairs" and dataset.pairs is None:
        return "the dataset has no pairs of pictures with matching keypoints"
    if need == "factors" and not any(c.startswith("factor.") for c in columns):
        return "the dataset has no factor columns"
    return None


def _protocol_dict(
    probe: Probe, settings: Any, prompts: Sequence[PromptSet], dataset: Dataset, decoding: Decoding
) -> dict[str, Any]:
    """Everything that two numbers must share to be comparable. Model and dataset are columns of their own."""
    content: dict[str, Any] = {
        "probe": probe.name,
        "version": probe.version,
        "settings": asdict(settings),
        "decoding": decoding.describe(),
    }
    if probe.prompts and probe.texts is not no_texts:
        content["prompts"] = [{"name": p.name, "templates": list(p.templates)} for p in prompts]
    if "classes" in probe.needs and dataset.classes is not None:
        content["classes"] = [{"label": c.label, "names": list(c.names)} for c in dataset.classes]
    if probe.among:
        content["among"] = probe.among
    return content
