"""Run folders with known predictions, as an examination would leave them."""

from dataclasses import replace

import numpy as np
from tests.found import protocol_of, table_of

from eyechart.findings.finding import empty_table
from eyechart.findings.predictions import Predictions
from eyechart.findings.run_folder import RunFolder, Unit

NAMES = ("cat", "dog", "cow", "hen")


def predictions(
    truth, predicted, *, ids=None, confidence=None, ood=None, clusters=None, prompts="single", names=NAMES, attributes=None
):
    """One record: the predicted class has this confidence, the others share the rest."""
    truth, predicted = np.asarray(truth), np.asarray(predicted)
    n = len(truth)
    sure = np.full(n, 0.9) if confidence is None else np.asarray(confidence)
    others = np.array([[c for c in range(len(names)) if c != p] for p in predicted])
    top = np.column_stack([predicted, others])
    rest = np.repeat(((1 - sure) / others.shape[1])[:, None], others.shape[1], axis=1)
    return Predictions(
        ids=[f"{row:05d}.jpg" for row in range(n)] if ids is None else ids,
        clusters=np.arange(n) if clusters is None else np.asarray(clusters),
        labels=[f"n{c}" for c in range(len(names))],
        titles=names,
        truth=truth,
        top=top,
        probabilities=np.column_stack([sure, rest]).astype(np.float32),
        margin=(sure - rest[:, 0]).astype(np.float32),
        rank=np.where(truth < 0, -1, (top == truth[:, None]).argmax(axis=1)),
        ood_score=(sure if ood is None else np.asarray(ood)).astype(np.float32),
        prompts=prompts,
        attributes=attributes or {},
    )


def write_run(folder, models, *, findings=None, dataset="photos", classes=NAMES, fingerprint="f", facts=None, shifted=None):
    """A run: {model: [predictions]}, and {model: [findings of zero_shot]}.

    shifted: {model: predictions of the same pictures as a shifted set of the examined dataset "others", among its classes}.
    """
    made = RunFolder(folder)
    made.prepare()
    records = []
    for number, (model, given) in enumerate(models.items()):
        if shifted:
            part = replace(shifted[model], dataset=dataset)
            roles = {"others": "exam", dataset: "shift"}
            unit = Unit(model, "others", "shift", f"{number + 100:032d}")
            records.append(made.write(unit, empty_table(), predictions=[part], roles=roles))
        table = table_of((findings or {}).get(model, []), model=model, dataset=dataset)
        unit = Unit(model, dataset, "zero_shot", f"{number:032d}")
        roles = {dataset: "exam"} | {part.dataset: "shift" for part in given if part.dataset}
        records.append(made.write(unit, table, predictions=given, roles=roles))
    content = {"classes": [{"label": name, "names": [name]} for name in classes], "probe": "zero_shot", "version": 1}
    protocol = protocol_of("zero_shot") | {
        "models": {model: {} for model in models},
        "datasets": {dataset: {"n": 1, "fingerprint": fingerprint, **(facts or {})}},
        "protocols": {"p": content},
    }
    made.assemble(records, [], protocol)
    return folder
