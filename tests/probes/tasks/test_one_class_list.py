"""Both sides of every comparison are classified among the same classes, whatever classes a companion's folder has."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.probes.answering import among, answering, class_list, only

import eyechart
from eyechart.probes.calibration import Settings as CalibrationSettings
from eyechart.probes.calibration import calibration
from eyechart.probes.contract import NotApplicable
from eyechart.probes.corruption import Settings as CorruptionSettings
from eyechart.probes.corruption import corruption
from eyechart.probes.factors import Settings as FactorsSettings
from eyechart.probes.factors import factors
from eyechart.probes.ood import Settings as OodSettings
from eyechart.probes.ood import ood
from eyechart.probes.shift import Settings as ShiftSettings
from eyechart.probes.shift import shift
from eyechart.probes.zero_shot import Settings as ZeroShotSettings
from eyechart.probes.zero_shot import zero_shot

LONG = class_list(["cat", "dog", "lynx", "wolf"])  # two classes have pictures, two are only in the list
SHORT = class_list(["cat", "dog"])
HEARD = ["cat", "dog", "lynx", "wolf"]
TRUTH = np.arange(60) % 2
CLEAN = np.where(np.arange(60) % 3 == 0, 2, TRUTH)  # a third is predicted as lynx, with the truth second
WORSE = np.where(np.arange(60) % 3 > 0, 3, TRUTH)  # two thirds are predicted as wolf


def dataset(answers, settings, classes=LONG, **options):
    return answering(answers, TRUTH, classes, settings, heard=HEARD, second=TRUTH, **options)


def corrupted(settings):
    columns = {"attr.shift": ["fog"] * 60, "attr.severity": [1] * 60}
    return dataset(WORSE, settings, SHORT, name="foggy", role="shift", columns=columns)


def test_corruption_is_decided_among_the_whole_list_as_zero_shot_is():
    settings = CorruptionSettings()
    answer = corruption.ask(among(dataset(CLEAN, settings), corrupted(settings)))
    top1 = only(zero_shot.ask(dataset(CLEAN, ZeroShotSettings())), "top1").value
    assert top1 == 40 / 60
    assert only(answer, "clean_accuracy").value == top1
    assert only(answer, "mean_corrupted_accuracy").value == 20 / 60
    assert only(answer, "corrupted_error_rate").value == 40 / 60


def test_calibration_under_corruption_is_decided_among_the_whole_list():
    settings = CalibrationSettings()
    inputs = among(*(replace(g, logit_scale=10.0) for g in (dataset(CLEAN, settings), corrupted(settings))))
    assert only(calibration.ask(inputs), "accuracy", corruption="fog").value == 20 / 60


def test_a_shift_is_decided_among_the_shared_classes_on_both_sides():
    settings = ShiftSettings()
    answer = shift.ask(among(dataset(CLEAN, settings), dataset(WORSE, settings, SHORT, name="sketches", role="shift")))
    assert only(answer, "source_accuracy").value == 1.0  # without lynx and wolf, the truth is first
    assert only(answer, "shifted_accuracy").value == 1.0
    (notice,) = [n for n in answer.notices if "shared classes" in n.what]
    assert "among the 2 shared classes, of 4" in notice.what


def test_a_shift_with_all_classes_has_no_notice():
    settings = ShiftSettings()
    answer = shift.ask(among(dataset(CLEAN, settings), dataset(WORSE, settings, name="sketches", role="shift")))
    assert only(answer, "source_accuracy").value == 40 / 60
    assert not [n for n in answer.notices if "shared classes" in n.what]


def test_out_of_distribution_pictures_are_scored_against_the_whole_list():
    """They show a class that has no picture: against the classes of the folder they would be orthogonal to all of them."""
    settings = OodSettings()
    others = answering([3] * 60, [-1] * 60, SHORT, settings, heard=HEARD, name="others", role="ood")
    answer = ood.ask(among(dataset(1 - TRUTH, settings), others))
    assert only(answer, "ood_auroc").value == pytest.approx(0.0, abs=1e-9)


def test_factors_and_their_average_are_decided_among_the_whole_list():
    columns = {"factor.pose": [bool(i % 3 == 0) for i in range(60)], "factor.other": [True] * 60}
    answer = factors.ask(dataset(CLEAN, FactorsSettings(least=5, permutations=5), columns=columns))
    assert only(answer, "overall_accuracy").value == 40 / 60
    assert only(answer, "factor_accuracy", factor="pose").value == 0.0


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        ("corruption", "all classes of the examined dataset, for clean and corrupted pictures"),
        ("shift", "the classes that both datasets have, for both"),
        ("ood", "all classes of the examined dataset, for in-distribution and out-of-distribution pictures"),
        ("factors", "all classes of the dataset, for pictures with a factor and for all"),
    ],
)
def test_the_protocol_says_which_classes_are_chosen_among(tmp_path, probe, said):
    folder = tmp_path / "out"
    data = {"factors": "world-factors", "ood": "world-ood"}.get(probe, "world-shifts")
    settings = {"factors": {"least": 5}} if probe == "factors" else {}
    exam = eyechart.examine("demo:", data, probes=[probe], limit=120, settings=settings, out=folder, store=tmp_path / "store")
    assert exam.skips.num_rows == 0
    protocols = json.loads((folder / "protocol.json").read_text())["protocols"].values()
    assert [p["among"] for p in protocols if p["probe"] == probe] == [said]


def test_with_one_class_nothing_can_be_lost():
    """Every prediction is correct by construction, so an accuracy that is kept would say nothing."""
    one = class_list(["cat"])
    for probe, settings, columns in (
        (corruption, CorruptionSettings(), {"attr.shift": ["fog"] * 4, "attr.severity": [1] * 4}),
        (shift, ShiftSettings(), None),
    ):
        inputs = answering([0] * 4, [0] * 4, one, settings)
        other = answering([0] * 4, [0] * 4, one, settings, name="other", role="shift", columns=columns)
        with pytest.raises(NotApplicable, match="there is one class"):
            probe.ask(among(inputs, other))
