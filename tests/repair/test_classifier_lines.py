"""The classifier file beside a model that Eyechart opens, in the very lines that docs/repair.md shows."""

import re
from contextlib import closing
from pathlib import Path

import numpy as np

import eyechart
from eyechart.inputs import open_data
from eyechart.plan import DataPlan
from eyechart.repair.settings import Settings
from eyechart.store import Store

PAGE = Path(__file__).resolve().parents[2] / "docs" / "repair.md"


def lines_with(name: str) -> str:
    (block,) = [b for b in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M) if name in b]
    return block


def test_the_lines_beside_a_model_of_the_zoo(tmp_path, monkeypatch):
    """A picture that the model knows, read from a file by the lines of the page."""
    monkeypatch.chdir(tmp_path)
    with closing(Store(tmp_path / "store")) as store:
        eyechart.repair_classifier(
            "zoo:default",
            "world-objects",
            out="repaired.safetensors",
            prompts=("single",),
            settings=Settings(weights="uniform"),
            limit=72,
            store=store,
        )
    data = open_data(DataPlan("world-objects", None, None, None, None, None, 72, {}), seed=0)
    Path("cat.png").write_bytes(data.pictures.read(0))
    scope: dict[str, object] = {}
    exec(lines_with("open_model"), scope)
    answers, classifier = scope["answers"], eyechart.Classifier.load("repaired.safetensors")
    assert isinstance(answers, eyechart.classifier.Answers)
    assert answers.labels.tolist() == data.table.column("label").to_pylist()[:1]
    assert answers.sets.shape == answers.probabilities.shape == (1, 18) and answers.sets.dtype == np.bool_
    assert answers.labels[0] in [classifier.labels[c] for c in answers.sets[0].nonzero()[0]]
