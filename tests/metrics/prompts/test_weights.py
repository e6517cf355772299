"""Prompt weights without labels: streamed scores against the whole array, weights by hand, and every way out said."""

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import median_abs_deviation

from eyechart.metrics.prompts.template_scores import cpe, mean_picture, picture_blocks, template_scores, zpe
from eyechart.metrics.prompts.weights import cpe_scores, prompt_weights, weighted_classes, zpe_scores
from eyechart.metrics.vectors import unit

N, C, P, WIDTH, K = 83, 9, 6, 24, 3


@pytest.fixture
def whole():
    """Pictures, class vectors [P, C, d], labels of a reference, and all logits [n, p, c] at once. Class 8 has no picture."""
    rng = np.random.default_rng(0)
    images = unit(rng.normal(size=(N, WIDTH)).astype(np.float32))
    texts = unit(rng.normal(size=(P * C, WIDTH)).astype(np.float32)).reshape(P, C, WIDTH)
    labels = rng.integers(0, C - 1, N)
    return images, texts, labels, np.einsum("nd,pcd->npc", images.astype(float), texts.astype(float))


def blocks(images):
    return [images[:40], images[40:41], images[41:]]


def unstreamed_cpe(logits, labels):
    scores = []
    for p in range(P):
        of_class = []
        for c in range(C):
            mine = logits[labels == c, p]
            of_class.append(np.mean(mine[:, c] - np.delete(mine, c, axis=1).max(axis=1)) if len(mine) else np.inf)
        lowest = min(m for m in of_class if m < np.inf)
        scores.append(np.mean(sorted(lowest if m == np.inf else m for m in of_class)[:K]))
    return np.array(scores)


def test_zpe_is_that_of_the_whole_array(whole):
    images, texts, _, logits = whole
    reference = (logits - logits.mean(axis=0)).max(axis=2).mean(axis=0)
    assert zpe_scores(blocks(images), lambda p: texts[p], P) == pytest.approx(reference, abs=1e-6)


def test_zpe_with_pretraining_pictures(whole):
    images, texts, _, logits = whole
    before = unit(np.random.default_rng(1).normal(size=(50, WIDTH)).astype(np.float32))
    usual = (logits.mean(axis=0) + np.einsum("nd,pcd->npc", before, texts).mean(axis=0)) / 2
    mine = zpe_scores(blocks(images), lambda p: texts[p], P, pretraining_mean=mean_picture([before]))
    assert mine == pytest.approx((logits - usual).max(axis=2).mean(axis=0), abs=1e-6)


def test_cpe_is_that_of_the_whole_array(whole):
    images, texts, labels, logits = whole
    assert cpe_scores(blocks(images), lambda p: texts[p], P, labels, K) == pytest.approx(unstreamed_cpe(logits, labels), abs=1e-6)


def test_both_come_off_the_same_products(whole):
    images, texts, labels, logits = whole
    asked = []
    both = template_scores(
        blocks(images), lambda p: asked.append(p) or texts[p], P, [cpe(labels, K), zpe(mean_picture(blocks(images)))]
    )
    assert asked == list(range(P))
    assert both[:, 0] == pytest.approx(unstreamed_cpe(logits, labels), abs=1e-6)
    assert both[:, 1] == pytest.approx((logits - logits.mean(axis=0)).max(axis=2).mean(axis=0), abs=1e-6)


def test_what_is_known_is_not_computed_again(whole):
    images, texts, labels, _ = whole
    once = cpe_scores(blocks(images), lambda p: texts[p], P, labels, K)
    kept = np.full(P, np.nan)

    def stop(template, scores):
        kept[template] = scores[0]
        if template == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cpe_scores(blocks(images), lambda p: texts[p], P, labels, K, done=stop)
    asked = []
    again = cpe_scores(blocks(images), lambda p: asked.append(p) or texts[p], P, labels, K, known=kept)
    assert asked == [4, 5]
    assert (again == once).all()


def test_blocks_are_views_of_all_rows():
    images = np.zeros((1200, 4), np.float32)
    found = picture_blocks(images, 1000)
    assert [len(b) for b in found] == [524, 524, 152]
    assert all(np.shares_memory(b, images) for b in found)


def test_weights_are_a_softmax_over_those_that_stand_out():
    scores = np.array([0.010, 0.012, 0.009, 0.030, 0.011, 0.022])
    z = (scores - np.median(scores)) / median_abs_deviation(scores)
    found = prompt_weights(scores, scale=100, tau=2.0)
    assert found.kept.tolist() == (z >= 2).tolist() == [False, False, False, True, False, True]
    assert found.weights[found.kept] == pytest.approx(softmax(100 * scores[found.kept]))
    assert (found.weights[~found.kept] == 0).all()
    assert (found.scale, found.tau, found.note) == (100, 2.0, "")


def test_without_tau_all_are_weighed():
    scores = np.array([0.1, 0.2, 0.4])
    assert prompt_weights(scores, 10, None).weights == pytest.approx(softmax(10 * scores))


@pytest.mark.parametrize(
    ("scores", "tau", "said"),
    [([0.1, 0.1, 0.1, 0.4], 0.5, "same score"), ([0.0, 0.1, 0.2], 5.0, "none lies 5"), ([0.3], 0.5, "same")],
)
def test_where_nothing_can_be_selected_all_are_kept_and_it_is_said(scores, tau, said):
    found = prompt_weights(np.array(scores), 100, tau)
    assert found.kept.all() and said in found.note
    assert found.weights == pytest.approx(softmax(100 * np.array(scores)))


def test_scores_that_are_not_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        prompt_weights(np.array([0.1, np.nan]))


def test_a_weighted_ensemble_by_hand(whole):
    _, texts, _, _ = whole
    weights = np.array([0.5, 0, 0.5, 0, 0, 0])
    mean = texts[0] + texts[2]
    assert weighted_classes(lambda p: texts[p], weights) == pytest.approx(
        mean / np.linalg.norm(mean, axis=1, keepdims=True), abs=1e-6
    )
