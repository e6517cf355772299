"""The tab that compares models: the decision comes first, with its direction."""

import numpy as np
from tests.comparison.runs import predictions, write_run
from tests.report.page_files import Seen

from eyechart.findings.run import read_run
from eyechart.report.sections.compare import compare_panel

TRUTH = np.random.default_rng(0).integers(0, 4, 200)


def test_a_dataset_begins_with_the_decision_and_says_what_each_model_is(tmp_path):
    other = np.where(np.arange(200) % 4 == 0, (TRUTH + 1) % 4, TRUTH)
    models = {"float32": [predictions(TRUTH, TRUTH)], "<int8>": [predictions(TRUTH, other)]}
    html = compare_panel(read_run(write_run(tmp_path / "run", models)), {}, {})["html"]
    seen = Seen(html).text
    said = "On photos, <int8> is worse than float32: top-1 accuracy −25.0 points ("
    assert seen.startswith(f"Models on the same pictures{said}")
    assert "top-1 (higher is better)" in seen and "−25.0 points" in seen.split("reference")[1]
    assert html.count("<td>worse</td>") == 1 and "<int8>" not in html
