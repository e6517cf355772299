"""Asking one model its questions. What the journal has already is not asked again; the rest is encoded together, then asked."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.picture import Decoding
from eyechart.encode.close_look import PictureLost
from eyechart.errors import EyechartError
from eyechart.findings.finding import empty_table, to_table
from eyechart.findings.run_folder import Record, RunFolder, Unit
from eyechart.probes.probe import Given, NotApplicable
from eyechart.progress import Progress
from eyechart.sitting.collection import Collection
from eyechart.sitting.overview import overview_unit, write_overview
from eyechart.sitting.questions import Question
from eyechart.sitting.sitting import Seen, Sitting
from eyechart.sitting.threads import threads_for


def interview_by_dataset(
    sitting: Sitting, asked: Sequence[Question], folder: RunFolder, decoding: Decoding, progress: Progress
) -> tuple[list[Record], dict[str, EyechartError]]:
    """All records; and the datasets that failed, with the reason. One that fails does not cost the answers about the others,
    and what would have been compared with it is compared with the rest."""
    collections = {c.dataset.name: c for q in asked for c in (q.collection, *(q.together if q.probe.compares else ()))}
    try:
        return interview(sitting, asked, list(collections.values()), folder, decoding, progress), {}
    except EyechartError as error:
        if len(collections) == 1:
            return [], {next(iter(collections)): error}
    failed: dict[str, EyechartError] = {}

    def attempt(name: str, questions: Sequence[Question]) -> list[Record]:
        try:
            return interview(sitting, questions, [collections[name]], folder, decoding, progress)
        except EyechartError as error:
            failed[name] = error
            return []

    alone = {name: [q for q in asked if q.unit.dataset == name and not q.probe.compares] for name in collections}
    records = {name: attempt(name, questions) for name, questions in alone.items()}
    for name in [name for name in collections if name not in failed]:
        comparing = [_without(q, set(failed)) for q in asked if q.unit.dataset == name and q.probe.compares]
        if comparing:
            records[name] = attempt(name, [*alone[name], *comparing]) or records[name]
    return [r for of_dataset in records.values() for r in of_dataset], failed


def _without(question: Question, failed: set[str]) -> Question:
    """The question without these datasets beside it, under a key that nobody will ask for again."""
    if failed.isdisjoint(c.dataset.name for c in question.together):
        return question
    together = tuple(c for c in question.together if c.dataset.name not in failed)
    return replace(question, together=together, unit=_passing(question.unit))


def interview(
    sitting: Sitting,
    asked: Sequence[Question],
    overviewed: Sequence[Collection],
    folder: RunFolder,
    decoding: Decoding,
    progress: Progress,
) -> list[Record]:
    """The records of every question and, before them, of what the model could see of each dataset."""
    collections = {c.dataset.name: c for c in overviewed}
    overviews = {name: overview_unit(sitting, c, decoding) for name, c in collections.items()}
    units = [*overviews.values(), *(q.unit for q in asked)]
    known: dict[Unit, Record] = {unit: record for unit in units if (record := folder.record(unit))}
    open_questions = [q for q in asked if q.unit not in known]
    if len(known) == len(units):
        return [known[unit] for unit in units]

    needed = _needed(collections, open_questions, [name for name, unit in overviews.items() if unit not in known])
    sitting.look(list(needed.values()))
    sitting.listen(text for q in open_questions for text in q.texts)
    seen = {name: sitting.seen(collection) for name, collection in needed.items()}
    for name, unit in overviews.items():
        if unit not in known:
            known[unit] = write_overview(folder, _kept(unit, seen[name]), collections[name], seen[name], decoding)
    with progress.task(f"{sitting.name}: asking", len(open_questions), "questions") as task:
        for question in open_questions:
            known[question.unit] = _ask(question, asked, sitting, seen, known, folder)
            task.advance()
    return [known[unit] for unit in units]


def _needed(
    collections: dict[str, Collection], open_questions: Sequence[Question], unseen: Sequence[str]
) -> dict[str, Collection]:
    """The datasets whose vectors are needed: for open questions (all of the plan's, for one that compares) and overviews."""
    compared = [c for q in open_questions if q.probe.compares for c in q.together]
    needed = [*compared, *(q.collection for q in open_questions), *(collections[name] for name in unseen)]
    return {c.dataset.name: c for c in needed}


def _ask(
    question: Question,
    asked: Sequence[Question],
    sitting: Sitting,
    seen: dict[str, Seen],
    known: dict[Unit, Record],
    folder: RunFolder,
) -> Record:
    probe = question.probe
    looked_at = [question.collection, *(question.together if probe.compares else ())]
    unit = _kept(question.unit, *(seen[c.dataset.name] for c in looked_at))
    if not seen[unit.dataset].rows:
        return folder.write(unit, empty_table(), skipped="not one picture of the dataset could be used")
    earlier = {
        q.probe.name: known[q.unit].findings
        for q in asked
        if q.unit.dataset == unit.dataset and q.probe.name in probe.after and q.unit in known
    }
    minded: set[str] = set()  # texts of which the probe itself asked whether they are cut, and says what it did about it
    try:
        given = _given(question, sitting, seen, earlier, minded)
        with threads_for(given.images.size * len(question.texts)):
            answer = probe.ask(given)
    except NotApplicable as reason:
        return folder.write(unit, empty_table(), skipped=str(reason))
    except PictureLost as reason:
        return folder.write(_passing(unit), empty_table(), skipped=f"a picture could not be looked at again: {reason}")
    findings = to_table(
        answer.findings,
        model=unit.model,
        dataset=unit.dataset,
        probe=probe.name,
        protocol=question.protocol,
        version=probe.version,
    )
    unminded = (text for text in question.texts if text not in minded)
    return folder.write(unit, findings, answer.exhibits, [*answer.notices, *sitting.cut(unminded)])


def _kept(unit: Unit, *seen: Seen) -> Unit:
    """The unit as it is, but where a picture could not be read just now."""
    return unit if all(s.lasting for s in seen) else _passing(unit)


def _passing(unit: Unit) -> Unit:
    """The unit under a key that nobody will ask for again."""
    return replace(unit, key=uuid.uuid4().hex)


def _given(question: Question, sitting: Sitting, seen: dict[str, Seen], earlier: dict[str, pa.Table], minded: set[str]) -> Given:
    def are_cut(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
        minded.update(texts)
        return sitting.are_cut(texts)

    facts = sitting.facts() if "logit_scale" in (*question.probe.needs, *question.probe.wants) else {}

    def given(collection: Collection, among: dict[str, Given]) -> Given:
        of_dataset = seen[collection.dataset.name]
        insight = sitting.insight(collection, of_dataset)
        return Given(
            model=sitting.name,
            card=sitting.model.card,
            dataset=collection.dataset.take(of_dataset.rows),
            images=of_dataset.vectors,
            clusters=of_dataset.clusters,
            texts=sitting.texts,
            prompts=question.prompts,
            settings=question.settings,
            logit_scale=facts.get("logit_scale"),
            logit_bias=facts.get("logit_bias", 0.0),
            earlier=earlier,
            among=among,
            patches=insight.patches,
            attention=insight.attention,
            block_attention=insight.block_attention,
            class_scores=insight.class_scores,
            hears=question.hears,
            cut=are_cut,
            windows=insight.windows,
        )

    others = [c for c in question.together if question.probe.compares and seen[c.dataset.name].rows]
    return given(question.collection, {c.dataset.name: given(c, {}) for c in others})
