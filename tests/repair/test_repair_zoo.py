"""The model of the zoo that saw some shapes rarely: its worst classes rise on pictures that the repair did not see."""

from contextlib import closing

import pytest

import eyechart
from eyechart.store import Store

pytestmark = pytest.mark.slow


def test_the_worst_classes_of_the_long_tailed_model_rise_on_held_out_pictures(tmp_path):
    with closing(Store(tmp_path / "store")) as store:
        repaired = eyechart.repair_classifier(
            "zoo:long-tail", "world-long-tail", out=tmp_path / "r.safetensors", describe="world", limit=1080, store=store
        ).repaired
    assert repaired.chosen.weighting == "cpe"  # which looks at no label
    change = {f.metric: f for f in repaired.findings if f.baseline and set(f.slice) <= {"k"}}
    assert change["targeted_classes_change"].low > 0 and change["worst_at_k_change"].low > 0
    assert change["top1_change"].high > 0  # the cost in accuracy is none that could be seen
