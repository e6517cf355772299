"""Whether a plan is finished: nothing that its results depend on has changed since they were written, and they are undamaged.

The last step of an examination writes a receipt. It has a hash of everything that the results depend on: the plan, the program
and the packages that compute, the models, and the datasets with the content of every picture. It has a hash of the results too.
Where all of them are the same again, nothing is left to do, and neither probes nor networks are loaded. Otherwise the examination
is run as if there were no receipt; the journal then says what has to be computed.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, astuple
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from eyechart import __version__
from eyechart.errors import EyechartError
from eyechart.files.atomic import write_json
from eyechart.files.hashing import hash_bytes, hash_file
from eyechart.files.records import read_json
from eyechart.findings.run_folder import RunFolder
from eyechart.findings.run_lock import only_writer
from eyechart.inputs import open_datasets, open_models
from eyechart.models.encoder import Model
from eyechart.models.towers import image_fingerprint, text_fingerprint
from eyechart.plan import Plan
from eyechart.progress import Progress
from eyechart.prompts.library import load_prompts
from eyechart.report.page_stamp import written_from
from eyechart.session.environment import environment
from eyechart.session.keyed_dataset import KeyedDataset, key_datasets, reads_pictures
from eyechart.store.known_runs import remember_run
from eyechart.store.store import Store

RECEIPT = ".finished.json"
_OF_THE_STORE = ("logit_scale", "logit_bias", "encoded_with")  # facts about a model that the protocol has


def finished_run(plan: Plan, folder: Path, store: Store | str | Path | None, progress: Progress) -> bool:
    """Whether the results of a plan in `folder` are complete, undamaged and as they would be found now.

    Args:
        plan: The plan.
        folder: The folder of the results.
        store: Where vectors are kept.
        progress: Where progress is shown, and what the examination said of its plan.
    """
    receipt = _read(folder)
    if receipt is None or receipt["plan"] != _plan_hash(plan, folder):
        return False
    try:
        with ExitStack() as stack:
            opened = store if isinstance(store, Store) else stack.enter_context(closing(Store(store)))
            stack.enter_context(only_writer(RunFolder(folder)))
            results = _results(folder)
            if results is None or receipt["results"] != results:
                return False
            models, failures = open_models(plan, opened.hashes)
            datasets = open_datasets(plan)
            kinds = sorted({reads_pictures(model) for model in models.values()})
            keyed = {reads: key_datasets(plan, datasets, opened.hashes, progress, pictures=reads) for reads in kinds}
            if failures or opened.notices or receipt["inputs"] != _inputs_hash(opened, models, keyed):
                return False
            remember_run(opened.path, folder)
    except EyechartError:
        return False  # the examination meets it again, in its place
    for line in receipt["lines"]:
        progress.line(line)
    return True


def write_receipt(
    plan: Plan,
    folder: Path,
    store: Store,
    models: Mapping[str, Model],
    keyed: Mapping[bool, Sequence[KeyedDataset]],
    lines: Sequence[str],
) -> None:
    """Note that a plan is finished. Its results and its page are complete, and every answer is in the journal.

    Args:
        plan: The plan.
        folder: The folder of the results.
        store: Where vectors are kept.
        models: The models by name.
        keyed: The datasets, for models that read pictures and for others.
        lines: What the examination said of its plan.
    """
    results = _results(folder)
    if results is None or store.notices or _added_probes() or _setting_files(plan) is None:
        return
    inputs = _inputs_hash(store, models, keyed)
    receipt = {"plan": _plan_hash(plan, folder), "inputs": inputs, "results": results, "lines": list(lines)}
    if receipt != _read(folder):
        write_json(folder / RECEIPT, receipt)


def _read(folder: Path) -> dict[str, Any] | None:
    try:
        receipt = read_json(folder / RECEIPT, remedy="examine again")
    except EyechartError:
        return None
    whole = isinstance(receipt, dict) and receipt.keys() == {"plan", "inputs", "results", "lines"}
    listed = whole and isinstance(receipt["lines"], list) and all(isinstance(line, str) for line in receipt["lines"])
    return receipt if listed else None


def _plan_hash(plan: Plan, folder: Path) -> str:
    """What is known before anything is opened. Paths may be relative to the present folder."""
    prompts = [
        None if names is None else [_prompts(p) for p in names] for names in (plan.prompts, *(d.prompts for d in plan.datasets))
    ]
    places = [str(Path.cwd()), str(folder.resolve())]
    return _hash([__version__, _program(), _added_probes(), environment(), repr(plan), prompts, places, _setting_files(plan)])


def _setting_files(plan: Plan) -> list[list[str]] | None:
    """The content of files that settings of probes name, such as a class design.

    None where a setting may name a folder, another model or an address, whose content is known only when it is opened; no receipt
    covers such a plan.
    """
    found = []
    for text in sorted(set(_texts(plan.settings))):
        if os.path.isfile(text):  # noqa: PTH113 - False, not an error, for a text that can be no path
            found.append([text, hash_file(Path(text)).hex()])
        elif ":" in text or os.path.isdir(text):  # noqa: PTH112 - likewise
            return None
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts(part)


def _prompts(name: str) -> list[Any]:
    """The content of a prompt set; a file that cannot be read is refused by the examination."""
    try:
        return list(astuple(load_prompts(name)))
    except EyechartError as error:
        return [str(error)]


def _inputs_hash(store: Store, models: Mapping[str, Model], keyed: Mapping[bool, Sequence[KeyedDataset]]) -> str:
    """The models and the content of the datasets. What an examination makes itself depends on these and on the plan."""
    of_models = [[name, *_about(model, store)] for name, model in models.items()]
    of_datasets = [
        [reads, d.dataset.name, d.fingerprint, repr(d.dataset.reader), repr(d.dataset.notices), repr(d.set_aside)]
        for reads, datasets in sorted(keyed.items())
        for d in datasets
        if not d.dataset.made
    ]
    return _hash([of_models, of_datasets])


def _about(model: Model, store: Store) -> list[Any]:
    prints = [model.fingerprint, image_fingerprint(model), text_fingerprint(model)]
    facts = store.facts(model.fingerprint) or {}
    return [model.spec, prints, [store.epoch(p) for p in prints], asdict(model.card), {k: facts.get(k) for k in _OF_THE_STORE}]


def _results(folder: Path) -> str | None:
    """A hash of the results, their page and the journal; None where the page is not written from them."""
    page = written_from(folder)
    if page is None:
        return None
    journal = sorted((folder / "journal").iterdir())
    return _hash([page, [[path.name, hash_file(path).hex()] for path in journal if path.is_file()]])


@cache
def _program() -> list[list[Any]]:
    """The files of the program, so that a changed one of the same version counts as another program."""
    return sorted(_files(str(Path(__file__).parent), ""))


def _files(folder: str, place: str) -> Iterator[list[Any]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                stat = entry.stat()
                yield [place + entry.name, stat.st_size, stat.st_mtime_ns]
            elif entry.name != "__pycache__":
                yield from _files(entry.path, f"{place}{entry.name}/")


def _added_probes() -> list[str]:
    """Probes of other packages. Their version is known only when they are loaded, so no receipt covers them."""
    return sorted(point.value for point in entry_points(group="eyechart.probes"))


def _hash(content: Any) -> str:
    return hash_bytes(json.dumps(content, ensure_ascii=True, default=str).encode()).hex()
