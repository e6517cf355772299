"""A model of a run, opened again with its datasets. Vectors come from the store; nothing is encoded unless it is asked for."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from eyechart.arrays import Floats, Indices
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.data.independent_units import independent_units
from eyechart.data.picture import Decoding
from eyechart.encode.keys import text_key
from eyechart.encode.local import LocalEngine
from eyechart.encode.validate import as_vectors, faults
from eyechart.errors import DataError, EyechartError, ModelError
from eyechart.findings.run import EXAM, Run
from eyechart.metrics.vectors import unit
from eyechart.models.abilities import has_members, lacks
from eyechart.models.answering import GivesLikelihoods
from eyechart.models.encoder import EncodesTexts, LooksUpTexts, Model
from eyechart.models.open import open_model
from eyechart.models.towers import text_fingerprint
from eyechart.notice import counted
from eyechart.probes.tasks.classifier import build_classifier
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.reopening import model_specs, remake, reopen
from eyechart.session.activations import Activations
from eyechart.session.keyed_dataset import KeyedDataset, key_dataset
from eyechart.session.probe_tasks import missing_texts
from eyechart.session.session import Session
from eyechart.store.store import Store
from eyechart.workbench.scored_names import BARE, SPARE, ScoredNames

_KEPT_VECTORS = 4096  # class vectors: as many as a person could type in a day


class VectorsMissing(EyechartError):
    """Some pictures of a dataset have no vector in the store.

    Args:
        dataset: The dataset.
        missing: Pictures without a vector.
        total: All pictures.
        store: The folder of the store.
    """

    exit_code = 6

    def __init__(self, dataset: str, missing: int, total: int, store: str) -> None:
        super().__init__(
            f"{dataset}: {counted(missing, 'picture')} of {total:,} have no vector in the store {store}; encode them here, or "
            "set EYECHART_STORE to the store that the examination used"
        )
        self.dataset, self.missing, self.total = dataset, missing, total


@dataclass(frozen=True, eq=False)
class OpenedPictures:
    """The usable pictures of a dataset.

    dataset: The dataset, without the pictures that were set aside.
    vectors: Unit vectors [n, d]; the scores of classes where the model has no vectors and scores names.
    units: Equal numbers, counted from 0, mark copies of a picture, and versions of one.
    activations: Attention and patches, where the model gives them.
    """

    dataset: Dataset
    vectors: Floats
    units: Indices
    activations: Activations


class OpenedModel:
    """One model of a run.

    Args:
        run: The run.
        name: What its findings call the model.
        store: Where the vectors are.
        places: Datasets that have moved, and where they are now.
    """

    def __init__(self, run: Run, name: str, *, store: Store, places: Mapping[str, str] | None = None) -> None:
        self.run, self.name, self.store, self._places = run, name, store, dict(places or {})
        self._keyed: dict[str, KeyedDataset] = {}
        self._pictures: dict[str, OpenedPictures] = {}
        self._rows: dict[str, dict[str, int]] = {}
        self._class_vectors: OrderedDict[tuple[tuple[str, ...], tuple[str, ...]], Floats] = OrderedDict()

    @cached_property
    def names(self) -> ScoredNames | None:
        """The scores of class names, for a model without vectors that gives log-likelihoods; None for others."""
        if not lacks(self.model, "images") or lacks(self.model, "likelihoods"):
            return None
        lists = [self._keyed_dataset(d).dataset.classes for d in self.run.datasets if not self.run.dataset_facts(d).get("of")]
        return ScoredNames(cast(GivesLikelihoods, self.model), sum(len(of) for of in lists if of) + SPARE)

    @cached_property
    def model(self) -> Model:
        facts = self.run.model_facts(self.name)
        if not facts.get("spec"):
            raise ModelError(f"{self.name}: the run does not say how to open this model; examine it again")
        precision = ((facts.get("encoded_with") or {}).get("precision")) or "float32"
        assert self.run.folder is not None
        failed: EyechartError | None = None
        for spec in model_specs(facts, self.run.folder):
            try:
                model = open_model(spec, hashes=self.store.hashes, device="cpu", precision=precision)
                if model.fingerprint == facts.get("fingerprint"):
                    return model
            except EyechartError as error:
                failed = failed or error
        if failed is not None:
            raise ModelError(f"{self.name} cannot be opened again: {failed}") from failed
        raise ModelError(f"{self.name}: {facts['spec']} is not the model of this run any more; examine it again")

    @cached_property
    def decoding(self) -> Decoding:
        protocols = (self.run.protocol.get("protocols") or {}).values()
        described: dict[str, Any] = next((p["decoding"] for p in protocols if p.get("probe") == EXAM and "decoding" in p), {})
        return Decoding(**described)

    @cached_property
    def session(self) -> Session:
        return self._session(SilentProgress())

    def _session(self, progress: Progress) -> Session:
        engine = LocalEngine()
        return Session(
            self.name,
            self.model,
            store=self.store,
            engine=engine,
            decoding=self.decoding,
            progress=progress,
            made_with={"device": "cpu", "precision": "float32", "batch_size": engine.batch_size},
            store_precision=str(self.run.model_facts(self.name).get("store_precision") or "float32"),
        )

    @cached_property
    def logits(self) -> tuple[float | None, float]:
        """Logit scale and bias. Log-likelihoods are logits as they are."""
        if self.names is not None:
            return 1.0, 0.0
        facts = self.run.model_facts(self.name)
        scale = facts.get("logit_scale")
        return (None if scale is None else float(scale)), float(facts.get("logit_bias") or 0.0)

    def pictures(self, dataset: str) -> OpenedPictures:
        """The pictures of a dataset with their vectors.

        Raises:
            VectorsMissing: If some have none.
            DataError: If the dataset is not there any more, or is another one.
        """
        if dataset not in self._pictures:
            keyed = self._keyed_dataset(dataset)
            total, missing = (0, 0) if self.names else self.session.count_images([keyed])
            if missing:
                raise VectorsMissing(dataset, missing, total, str(self.store.path))
            self._pictures[dataset] = self._opened(keyed)
        return self._pictures[dataset]

    def row_of(self, dataset: str, id: str) -> int:
        """The row of a picture among the usable ones; -1 where there is none."""
        if dataset not in self._rows:
            self._rows[dataset] = {known: row for row, known in enumerate(self.pictures(dataset).dataset.ids())}
        return self._rows[dataset].get(id, -1)

    def encode(self, dataset: str, progress: Progress) -> None:
        """Encode the pictures of a dataset that have no vector, or score the classes that have no scores."""
        keyed = self._keyed_dataset(dataset)
        if self.names is not None:
            self.names.fill_wanted(dataset, self._session(progress).asking(keyed, self.session.encoded(keyed).rows))
            return
        self._session(progress).encode_images([keyed])

    def prompts(self, dataset: str) -> PromptSet:
        """The leading prompt set of the run on a dataset."""
        if self.names is not None:
            return BARE
        table = self.run.findings.select(["model", "dataset", "protocol"])
        rows = [r for r in table.to_pylist() if r["model"] == self.name and r["dataset"] == dataset]
        protocols = self.run.protocol.get("protocols") or {}
        for row in rows:
            listed = (protocols.get(row["protocol"]) or {}).get("prompts")
            if listed:
                return PromptSet(str(listed[0]["name"]), tuple(listed[0]["templates"]), "the run")
        return load_prompts("bare" if has_members(self.model, "look_up_texts") else "openai-80")

    def settings_of(self, probe: str) -> dict[str, Any]:
        """The settings of a probe in this run; empty where it was not run."""
        protocols = (self.run.protocol.get("protocols") or {}).values()
        return next((dict(p.get("settings") or {}) for p in protocols if p.get("probe") == probe), {})

    def class_vectors(self, classes: Sequence[tuple[str, ...]], templates: tuple[str, ...]) -> Floats:
        """[C, d] the vector of every class: each of its names in each template. Classes seen before are not encoded again."""
        wanted = [(names, templates) for names in classes]
        if self.names is not None:
            return self.names.vectors(wanted)
        new = [key for key in dict.fromkeys(wanted) if key not in self._class_vectors]
        if new:
            listed = ClassList("new", tuple(PictureClass(str(i), names[0], names[1:]) for i, (names, _) in enumerate(new)))
            made = build_classifier(listed, PromptSet("workbench", templates, ""), self.text_vectors)
            self._class_vectors.update(zip(new, made.vectors, strict=True))
        for key in wanted:
            self._class_vectors.move_to_end(key)
        found = np.stack([self._class_vectors[key] for key in wanted])
        while len(self._class_vectors) > max(_KEPT_VECTORS, len(wanted)):
            self._class_vectors.popitem(last=False)
        return found

    def score(self, dataset: str, classes: Sequence[tuple[str, ...]], templates: tuple[str, ...]) -> None:
        """Make sure that the pictures of a dataset have scores for these classes, where the model scores names.

        Raises:
            ScoresMissing: If that takes many runs of the model.
        """
        if self.names is not None:
            self.pictures(dataset)
            self.names.fill(dataset, [(names, templates) for names in classes])

    def text_vectors(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of texts. What is typed is not stored: half a word is of no use to anyone later."""
        if has_members(self.model, "answer") and self.names is None:
            raise ModelError(
                f"{self.name}: it answers in words and gives no log-likelihoods, so class lists and thresholds cannot be tried "
                "live; Result, Compare and the page show what it answered"
            )
        if reason := lacks(self.model, "texts") or missing_texts(self.model, texts):
            raise ModelError(f"{self.name}: {reason}")
        if has_members(self.model, "look_up_texts"):
            return unit(cast(LooksUpTexts, self.model).look_up_texts(list(texts)))
        distinct = sorted(set(texts))
        keys = [text_key(text) for text in distinct]
        missing = self._text_shelf.missing(keys)
        known = [row for row, lacking in enumerate(missing) if not lacking]
        parts = dict(zip(known, self._text_shelf.get([keys[row] for row in known]), strict=True)) if known else {}
        todo = [row for row, lacking in enumerate(missing) if lacking]
        if todo:
            encoder = cast(EncodesTexts, self.model)
            vectors = as_vectors(encoder.encode_texts(encoder.tokenize([distinct[r] for r in todo]).ids), len(todo), encoder.spec)
            for row, reason in faults(vectors).items():
                raise ModelError(f"{self.name}: text {distinct[todo[row]]!r}: {reason}")
            parts.update(zip(todo, vectors, strict=True))
        place = {text: row for row, text in enumerate(distinct)}
        return unit(np.stack([parts[place[text]] for text in texts]).astype(np.float32))

    @cached_property
    def _text_shelf(self) -> Any:
        return self.store.shelf(text_fingerprint(self.model), "text")

    def _keyed_dataset(self, name: str) -> KeyedDataset:
        if name in self._keyed:
            return self._keyed[name]
        facts = self.run.dataset_facts(name)
        if not facts:
            raise DataError(f"{name} is not a dataset of this run")
        if facts.get("made"):
            dataset = remake(name, facts, self._keyed_dataset(str(facts["of"])).dataset, self.decoding)
        else:
            assert self.run.folder is not None
            dataset = reopen(name, facts, self.run.folder, self._places.get(name))
        reads = has_members(self.model, "encode_images") or has_members(self.model, "answer")
        keyed = key_dataset(dataset, None, self.store.hashes, SilentProgress(), pictures=reads)
        if reads and keyed.fingerprint != facts.get("fingerprint"):
            raise DataError(
                f"{name}: the pictures, labels or class names at {facts.get('source')} are not those of the run any more; "
                f"examine again, or name the place of the old ones with --data '{name}=PLACE'"
            )
        self._keyed[name] = keyed
        return keyed

    def _main_dataset(self, name: str) -> str | None:
        """The dataset whose classes the run scored for a companion; None for a dataset with classes of its own."""
        facts = self.run.dataset_facts(name)
        if facts.get("of"):
            return str(facts["of"])
        examined = [d for d in self.run.datasets if d not in self.run.companions]
        return examined[0] if name in self.run.companions and examined else None

    def _opened(self, keyed: KeyedDataset) -> OpenedPictures:
        self.session.encode_images([keyed])  # encodes nothing; finds out which pictures are broken
        encoded = self.session.encoded(keyed)
        if not encoded.rows:
            raise DataError(f"{keyed.dataset.name}: none of its pictures can be read; check the paths and files")
        usable = keyed.dataset.take(encoded.rows)
        units, vectors = independent_units(usable, encoded.clusters), encoded.vectors
        if self.names is not None:
            asking = self.session.asking(keyed, encoded.rows)
            assert asking is not None
            main = self._main_dataset(keyed.dataset.name)
            listed = usable.classes if main is None else self._keyed_dataset(main).dataset.classes
            vectors = self.names.open(keyed.dataset.name, asking, len(usable), listed)
        return OpenedPictures(usable, vectors, units, self.session.activations(keyed, encoded))
