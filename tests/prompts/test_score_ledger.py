"""Scores that survive: an interruption at any byte, and never the scores of something else."""

import numpy as np
import pytest

from eyechart.metrics.prompts.template_scores import cpe, mean_picture, picture_blocks, template_scores, zpe
from eyechart.metrics.vectors import unit
from eyechart.prompts.score_ledger import ScoreLedger

MEASURES = ("cpe", "zpe")


def test_a_stopped_run_goes_on_and_gives_the_very_same_scores(tmp_path):
    rng = np.random.default_rng(0)
    images = unit(rng.normal(size=(40, 8)).astype(np.float32))
    texts = unit(rng.normal(size=(5 * 4, 8)).astype(np.float32)).reshape(5, 4, 8)
    blocks = picture_blocks(images, 4)
    measures = [cpe(rng.integers(0, 4, 40), 2), zpe(mean_picture(blocks))]
    whole = template_scores(blocks, lambda p: texts[p], 5, measures)

    def stops(template):
        if template == 3:
            raise KeyboardInterrupt
        return texts[template]

    ledger = ScoreLedger(tmp_path / "scores", "these", 5, MEASURES)
    with pytest.raises(KeyboardInterrupt):
        template_scores(blocks, stops, 5, measures, known=ledger.known, done=ledger.done)
    again, asked = ScoreLedger(tmp_path / "scores", "these", 5, MEASURES), []
    found = template_scores(blocks, lambda p: asked.append(p) or texts[p], 5, measures, known=again.known, done=again.done)
    assert asked == [3, 4]
    assert (found == whole).all()


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_line_cut_short_is_computed_again(tmp_path, cut):
    path = tmp_path / "scores"
    first = ScoreLedger(path, "these", 3, MEASURES)
    first.done(0, np.array([0.1, 1 / 3]))
    before = path.stat().st_size
    first.done(1, np.array([0.2, 2 / 3]))
    path.write_bytes(path.read_bytes()[: min(before + cut, path.stat().st_size - 1)])
    second = ScoreLedger(path, "these", 3, MEASURES)
    assert second.known[0].tolist() == [0.1, 1 / 3]
    assert np.isnan(second.known[1:]).all()
    second.done(1, np.array([0.2, 2 / 3]))
    assert ScoreLedger(path, "these", 3, MEASURES).known[1].tolist() == [0.2, 2 / 3]


@pytest.mark.parametrize("other", [("those", 3, MEASURES), ("these", 4, MEASURES), ("these", 3, ("cpe",))])
def test_scores_of_something_else_are_not_taken(tmp_path, other):
    ScoreLedger(tmp_path / "scores", "these", 3, MEASURES).done(0, np.array([0.1, 0.2]))
    assert np.isnan(ScoreLedger(tmp_path / "scores", *other).known).all()
