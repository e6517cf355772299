"""Trials by hand: those of a file by scenario, and names of trials of different length."""

import numpy as np
from tests.probes.staged import staged

from eyechart.data.caption_trials import CaptionTrial
from eyechart.probes.matching.trials import file_trials, filled


def test_trials_of_a_file_are_grouped_by_scenario_and_found_by_id():
    dataset = staged(None, np.eye(3), None, name="s").dataset
    a, b, c = dataset.ids()
    listed = [
        CaptionTrial(c, "right 1", "wrong 1", "swap"),
        CaptionTrial(a, "right 2", "wrong 2", "replace"),
        CaptionTrial("elsewhere", "right 3", "wrong 3", "swap"),
        CaptionTrial(b, "right 4", "wrong 4", "swap"),
        CaptionTrial("elsewhere", "right 5", "wrong 5", "add"),
    ]
    found = [(one.scenario, one.rows.tolist(), one.right, one.wrong) for one in file_trials(dataset, listed)]
    assert found == [
        ("swap", [2, 1], ["right 1", "right 4"], ["wrong 1", "wrong 4"]),
        ("replace", [0], ["right 2"], ["wrong 2"]),
    ]


def test_shorter_rows_of_names_end_in_minus_one():
    assert filled([[4, 5], [6], [7, 8, 9]]).tolist() == [[4, 5, -1], [6, -1, -1], [7, 8, 9]]
    assert filled([]).shape == (0, 0)
