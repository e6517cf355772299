"""Predictions and neighbors for the sample run, written as the exam writes them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.findings import exhibit
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.predictions import Predictions, write_part, write_predictions

PER_CLASS = 6  # pictures of each class


def sample_ids(classes: Sequence[str], text: str = "", per_class: int = PER_CLASS) -> list[str]:
    return [f"{name}/{k}{text}" for name in classes for k in range(per_class)]


def predicted(classes: Sequence[str], seed: int, prompts: str, text: str = "", per_class: int = PER_CLASS) -> Predictions:
    """The first picture of each class is predicted as the next class; the others are right."""
    random = np.random.default_rng(seed)
    n, count = len(classes) * per_class, len(classes)
    truth = np.repeat(np.arange(count), per_class)
    wrong = np.arange(n) % per_class == 0
    first = np.where(wrong, (truth + 1) % count, truth)
    others = np.stack([(first + step) % count for step in range(1, min(5, count))], axis=1)
    top = np.column_stack([first, others])
    # The true class of a wrong prediction comes second.
    for row in np.flatnonzero(wrong):
        rest = [c for c in top[row, 1:] if c != truth[row]][: top.shape[1] - 2]
        top[row, 1:] = [truth[row], *rest, *[c for c in range(count) if c not in {first[row], truth[row], *rest}]][
            : top.shape[1] - 1
        ]
    p = np.sort(random.dirichlet(np.ones(top.shape[1]), n), axis=1)[:, ::-1].astype(np.float32)
    return Predictions(
        ids=sample_ids(classes, text, per_class),
        clusters=np.arange(n),
        labels=[str(c) for c in range(count)],
        titles=list(classes),
        truth=truth,
        top=top,
        probabilities=p,
        margin=p[:, 0] - p[:, 1],
        rank=np.where(wrong, 1, 0),
        ood_score=p[:, 0],
        prompts=prompts,
    )


def write_sample_predictions(
    folder: Path,
    *,
    classes: Sequence[str],
    models: Sequence[str],
    dataset: str,
    prompts: Sequence[str],
    text: str = "",
    per_class: int = PER_CLASS,
) -> None:
    parts = []
    for place, model in enumerate(models):
        path = folder / f".part-{place}"
        made = [predicted(classes, place, prompt, text, per_class) for prompt in prompts]
        write_part(path, made, model=model, dataset=dataset, roles={dataset: "exam"})
        parts.append(path)
        _write_neighbors(folder, made[0], model, dataset, prompts[0], place)
    write_predictions(folder / "predictions.parquet", parts)
    for path in parts:
        path.unlink()


def _write_neighbors(folder: Path, made: Predictions, model: str, dataset: str, prompts: str, place: int) -> None:
    """Each picture's neighbors are the next four."""
    order = np.argsort(made.rank == 0, kind="stable")[:120]
    rows = [
        {
            "id": made.ids[row],
            "ids": [made.ids[(row + step) % len(made.ids)] for step in range(1, 5)],
            "true": made.titles[made.truth[row]],
            "predicted": made.titles[made.top[row, 0]],
            "cosines": [0.9, 0.8, 0.7, 0.6],
            "attributes": f"color: {made.titles[0]}",
        }
        for row in order
    ]
    shown = Exhibit(
        f"neighbors-{prompts}", "Nearest neighbors", "", pa.Table.from_pylist(rows), "pictures", slice={"prompts": prompts}
    )
    path = folder / "exhibits" / "zero_shot" / f"near-{place}.parquet"
    pq.write_table(exhibit.to_table(shown, model=model, dataset=dataset, probe="zero_shot"), path)
