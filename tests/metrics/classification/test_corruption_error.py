"""The common figure of corruption robustness, against published models."""

import csv

import numpy as np
import pytest

from eyechart.metrics.classification.corruption_error import mean_corruption_error, reference_errors


@pytest.fixture(scope="module")
def published(refdata):
    """Errors by model and corruption, mean over severities, on ImageNet-3DCC."""
    with (refdata / "robustbench" / "unaggregated_results_3d.csv").open() as file:
        names, _, *rows = csv.reader(file)
    errors = {}
    for row in rows:
        by_name = {}
        for name, accuracy in zip(names[1:], row[1:], strict=True):
            by_name.setdefault(name, []).append(1 - float(accuracy))
        errors[row[0]] = {name: float(np.mean(values)) for name, values in by_name.items()}
    return errors


@pytest.mark.refdata
def test_stored_errors_are_alexnets(published):
    stored = reference_errors("imagenet-3dcc")
    assert stored == pytest.approx(published["AlexNet"], abs=1e-6)


@pytest.mark.refdata
@pytest.mark.parametrize(("model", "expected"), [("Standard_R50", 0.7316), ("Tian2022Deeper_DeiT-B", 0.4797)])
def test_published_models_have_their_mce(published, model, expected):
    assert mean_corruption_error(published[model], reference_errors("imagenet-3dcc")) == pytest.approx(expected, abs=5e-5)


@pytest.mark.refdata
def test_alexnets_errors_on_imagenet_c_are_near_those_of_another_evaluation(refdata):
    """The testbed measured another AlexNet on the same pictures: within three points on average, and never five."""
    with (refdata / "imagenet-testbed" / "robustness_top1s.csv").open() as file:
        row = next(r for r in csv.DictReader(file) if r["model"] == "alexnet")
    stored = reference_errors("imagenet-c")
    measured = {c: 1 - np.mean([float(row[f"imagenet-c.{c}.{s}_on-disk"]) for s in range(1, 6)]) / 100 for c in stored}
    away = np.abs([stored[c] - measured[c] for c in stored])
    assert len(stored) == 15
    assert away.mean() < 0.03 and away.max() < 0.05


def test_alexnet_itself_has_one():
    errors = reference_errors("imagenet-c")
    assert mean_corruption_error(errors, errors) == pytest.approx(1.0)


@pytest.mark.parametrize("benchmark", [None, "imagenet-v2", "about"])
def test_other_sets_have_no_reference(benchmark):
    assert reference_errors(benchmark) == {}
