"""What is written into the file of a repaired classifier."""

import numpy as np
from tests.repair.made import BAD, CLASSES, GOOD, inputs

from eyechart.metrics.prompts.weights import Weights
from eyechart.repair.candidates import Candidate
from eyechart.repair.class_lists import class_lists
from eyechart.repair.data_split import DataSplit
from eyechart.repair.provenance import provenance
from eyechart.repair.settings import Settings


def test_templates_without_weight_and_phrases_of_baselines_are_left_out():
    made = inputs((*GOOD, *BAD[:1]))
    weights = Weights(np.array([0.5, 0.0, 0.3, 0.0, 0.2]), np.ones(5, bool))
    chosen = Candidate("cpe", np.eye(10, 48, dtype=np.float32), weights, {3: ["a red one"]})
    others = [
        Candidate("uniform", chosen.vectors, weights, {}),
        Candidate("cpe", chosen.vectors, weights, {1: ["about"]}, baseline="random words"),
        Candidate("zpe", chosen.vectors, weights, {2: ["a blue one"]}),
    ]
    parts = DataSplit(*(np.arange(n) for n in (4, 3, 2, 1)))
    found = provenance(made, Settings(), class_lists(CLASSES), parts, [*others, chosen], chosen, np.array([3, 1]), None, [])
    protocol = found["protocol"]
    assert protocol["templates"] == {GOOD[0]: 0.5, GOOD[2]: 0.3, BAD[0]: 0.2}
    assert protocol["worst_classes"] == ["thing3", "thing1"] and protocol["weighting"] == "cpe + descriptions"
    assert protocol["descriptions"] == {"thing3": ["a red one"]} and protocol["descriptions_tried"] == {"thing2": ["a blue one"]}
    assert protocol["pictures"] == {"fit": 4, "calibrate": 3, "held_out": 2, "unlabeled": 1}
    assert protocol["fitted_temperature"] is None and found["findings"] == []
