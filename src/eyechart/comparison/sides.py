"""What is compared: the models of one run, or of several."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow.parquet as pq

from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.prediction_groups import PredictionGroup, prediction_groups
from eyechart.findings.run import Run, read_run


@dataclass(frozen=True, eq=False)
class Side:
    """One model of a comparison.

    name: What the comparison calls it: the model's name, with the folder where several runs have a model of that name.
    model: The model's name in its run.
    folder: The folder of its run.
    run: Its run.
    """

    name: str
    model: str
    folder: Path
    run: Run

    @cached_property
    def file(self) -> pq.ParquetFile:
        return self.run.open_predictions()

    @cached_property
    def groups(self) -> list[PredictionGroup]:
        """Its predictions."""
        return [group for group in prediction_groups(self.file) if group.model == self.model]


def open_sides(folders: Sequence[Path], models: Sequence[str] = ()) -> list[Side]:
    """Every model of these runs, or those that `models` names, in the order of the folders; the first is the reference.

    Raises:
        UsageError: If a name is unknown, or if there are fewer than two models.
    """
    runs = {folder: read_run(folder) for folder in dict.fromkeys(folders)}
    every = [(folder, model) for folder, run in runs.items() for model in run.models]
    known = [model for _, model in every]
    for model in models:
        if model not in known:
            raise UsageError(f"--model {model}: no run has such a model{did_you_mean(model, known)}")
    chosen = [(folder, model) for folder, model in every if not models or model in models]
    if len(chosen) < 2:
        where = ", ".join(map(str, runs))
        raise UsageError(f"{where}: a comparison needs two models; give another run, or examine with --model A --model B")
    again = Counter(model for _, model in chosen)
    short = _short_names(list(runs))
    names = [model if again[model] == 1 else f"{model} ({short[folder]})" for folder, model in chosen]
    return [Side(name, model, folder, runs[folder]) for name, (folder, model) in zip(names, chosen, strict=True)]


def _short_names(folders: Sequence[Path]) -> dict[Path, str]:
    """Folder → the shortest end of its path that no other folder has.

    >>> list(_short_names([Path("exams/monday/clip"), Path("exams/sunday/clip")]).values())
    ['monday/clip', 'sunday/clip']
    """
    for parts in range(1, max(len(folder.parts) for folder in folders) + 1):
        names = {folder: "/".join(folder.parts[-parts:]) for folder in folders}
        if len(set(names.values())) == len(folders):
            return names
    return {folder: str(folder) for folder in folders}
