"""Parts of correspondence by hand: shares over pairs, patches in a box, groups of views, notices."""

from dataclasses import replace

import numpy as np
import pytest
from tests.probes.correspondence.test_correspondence import inputs

from eyechart.data.classes import ClassList, PictureClass
from eyechart.findings.finding import Finding
from eyechart.metrics.scenes.patch_matching import directions
from eyechart.probes.correspondence import Settings, _drops, _notices, _pck, _recall
from eyechart.probes.correspondence.keypoint_recall import KeypointRecall
from eyechart.probes.correspondence.keypoints import KeypointMatches, PatchPicture, Search, _in_pair, _inside, _searched
from eyechart.probes.correspondence.surfaces import on_patches
from eyechart.probes.correspondence.view_groups import ViewGroup, by_class, by_view


def recall(pair, error, *, box_error=None, pairs=4, outside=0, patch=8.0, boxed=(), chance=0.25, first=None, second=None):
    error = np.asarray(error, float)
    n = len(error)
    nowhere = np.zeros((n, 2))
    box_error = np.full(n, np.nan) if box_error is None else np.asarray(box_error, float)
    columns = np.full((n, 1), chance), np.arange(n)[:, None] % 2 == 0
    matches = KeypointMatches(np.asarray(pair), error, box_error, *columns, outside, patch, nowhere, nowhere, nowhere)
    listed = [{"id_a": f"p{2 * i}", "id_b": f"p{2 * i + 1}", "box_b": [0, 0, 9, 9] if i in boxed else None} for i in range(pairs)]
    ends = np.arange(2 * pairs).reshape(-1, 2).T
    return KeypointRecall(matches, listed, ends[0] if first is None else first, ends[1] if second is None else second)


def group(value, members):
    return ViewGroup("turn", value, np.asarray(members, bool))


TEN = Settings(pixels=(10,), judged=10)


def test_recall_counts_keypoints_at_the_tolerance_itself():
    found = recall([0, 0, 1, 2, 2], [10.0, 10.1, 3.0, 0.0, 99.0])
    share, chance, bound = _recall(found, TEN, (10,))
    assert (share.metric, share.value, share.n) == ("keypoint_recall_10px", pytest.approx(3 / 5), 5)
    assert (chance.metric, chance.value, chance.n) == ("keypoint_recall_10px_chance", 0.25, 5)
    assert (bound.metric, bound.value, bound.n) == ("keypoint_recall_10px_upper_bound", pytest.approx(3 / 5), 5)
    assert found.usable.tolist() == [True, True, True, False]
    some = found.share("x", found.matches.error <= 10, np.array([True, False, True, True]), {"a": 1})
    assert (some.value, some.n, some.slice) == (0.5, 4, {"a": 1}) and 0 <= some.low < 0.5 < some.high <= 1


def test_a_drop_is_the_share_of_the_smallest_turn_minus_that_of_a_larger_one():
    found = recall([0, 0, 1, 2, 3, 3], [1, 1, 99, 1, 99, 99])
    views = [group("0–30°", [1, 0, 0, 0]), group("30–60°", [0, 1, 1, 0]), group("60–90°", [0, 0, 0, 1])]
    first, second = _drops(found, TEN, views)
    assert [(d.value, d.n, d.slice, d.baseline) for d in (first, second)] == [
        (0.5, 4, {"turn": "30–60°"}, "0–30°"), (1.0, 4, {"turn": "60–90°"}, "0–30°"),
    ]  # fmt: skip
    near, far = (found.share("x", found.matches.error <= 10, view.members) for view in views[:2])
    low = 0.5 - np.hypot(near.value - near.low, far.high - far.value)
    high = 0.5 + np.hypot(near.high - near.value, far.value - far.low)
    assert (first.low, first.high) == pytest.approx((low, high))
    assert list(_drops(found, TEN, views[:1])) == []


def test_pck_is_over_pairs_with_boxes_and_groups_with_enough_of_them():
    """Pairs 0 and 1 have boxes; the box of pair 3 is of a pair without a visible keypoint."""
    found = recall([0, 0, 1, 2], [1] * 4, box_error=[0.1, 0.2, 0.05, 0.0], boxed=(0, 1, 3))
    views = [group("a", [1, 0, 1, 0]), group("b", [0, 1, 0, 1]), group("c", [0, 0, 1, 1])]
    made = inputs(None, [])
    pck = {f.slice.get("turn"): (f.metric, f.value, f.n) for f in _pck(made, found, Settings(box=0.1, least=1), views)}
    assert pck == {None: ("pck10", pytest.approx(2 / 3), 3), "a": ("pck10", 0.5, 2), "b": ("pck10", 1.0, 1)}
    assert {f.slice.get("turn") for f in _pck(made, found, Settings(box=0.1, least=2), views)} == {None}
    assert list(_pck(made, recall([0], [1]), Settings(), views)) == []


def test_notices_say_what_was_left_out_how_coarse_patches_are_and_whether_it_is_chance():
    made = inputs(None, [])

    def said(low, outside=0, patch=20.0):
        findings = [
            Finding(metric="keypoint_recall_10px", value=0.5, n=9, low=low, high=0.9),
            Finding(metric="keypoint_recall_10px_chance", value=0.25, n=9),
            Finding(metric="keypoint_recall_10px", value=0.1, n=9, low=0.0, high=0.9, slice={"turn": "a"}),
        ]
        found = recall([0], [1], outside=outside, patch=patch)
        return [notice.what.split(" of test")[0] for notice in _notices(made, found, TEN, findings)]

    assert said(0.26) == []
    assert said(0.25) == said(None) == ["keypoint recall"]
    assert said(0.26, outside=1) == ["1 keypoint left out because they are outside the crop"]
    assert said(0.26, patch=20.5) == ["a patch"]


def test_places_on_the_edge_of_a_box_are_inside():
    box = np.array([1.0, 2.0, 5.0, 8.0])
    places = np.array([[1.0, 2.0], [5.0, 8.0], [0.9, 5], [5.1, 5], [3, 1.9], [3, 8.1], [3, 5]])
    assert _inside(places, box).tolist() == [True, True, False, False, False, False, True]
    assert _searched(places, box).tolist() == [0, 1, 6] and _searched(places, None).tolist() == list(range(7))
    assert _searched(places, np.array([2.9, 4.9, 3.1, 5.1])).tolist() == list(range(7))  # one patch is too few to search
    assert _searched(places, np.array([0.0, 0.0, 1.0, 5.5])).tolist() == [0, 2]


def test_of_each_patch_the_surface_point_nearest_to_its_center_counts():
    """A grid of 2 rows and 3 columns over a window from (10, 20) to (40, 40): patches of 10 × 10 pixels."""
    picture = PatchPicture(np.zeros((2, 3, 4)), np.array([10.0, 20.0, 40.0, 40.0]))
    assert picture.size.tolist() == [30, 20] and picture.patch.tolist() == [10, 10]
    surface = np.array(
        [
            [11.0, 21.0, 1, 1, 1], [16.0, 26.0, 2, 2, 2],  # both on the first patch; the second is nearer to its center
            [39.9, 39.9, 3, 3, 3], [10.0, 30.0, 4, 4, 4],
            [9.9, 25.0, 5, 5, 5], [40.0, 25.0, 6, 6, 6], [20.0, 19.9, 7, 7, 7], [20.0, 40.0, 8, 8, 8],  # outside
        ]
    )  # fmt: skip
    cells, space = on_patches(picture, surface)
    assert cells.tolist() == [0, 3, 5] and space[:, 0].tolist() == [2, 4, 3]


def test_views_are_ranges_of_the_angle_or_the_viewpoints_of_the_set():
    made = inputs(None, [], count=4)
    pairs = [{"id_a": f"p{i}", "turn": turn} for i, turn in enumerate([0, 30, 60, None])]
    found = by_view(made.dataset, pairs, (0, 30, 60, 90))
    assert [(g.title, g.members.tolist()) for g in found] == [
        ("0–30°", [True, False, False, False]), ("30–60°", [False, True, False, False]), ("60–90°", [False, False, True, False]),
    ]  # fmt: skip
    named = [{"id_a": f"p{i}", "viewpoint": v} for i, v in enumerate([2, 0, None, 2])]
    found = by_view(made.dataset, named, (0, 90))
    assert [(g.title, g.slice, g.members.tolist()) for g in found] == [
        ("viewpoint 0", {"viewpoint": 0}, [False, True, False, False]),
        ("viewpoint 2", {"viewpoint": 2}, [True, False, False, True]),
    ]  # fmt: skip
    assert by_view(made.dataset, [{"id_a": "p0"}], (0, 90)) == []


def test_classes_are_those_of_the_first_picture_where_there_are_several():
    classes = ClassList("c", (PictureClass("a", "ant"), PictureClass("b", "bee"), PictureClass("c", "cow")))
    made = inputs(None, [], count=4, classes=classes, label=["b", None, "a", "b"])
    pairs = [{"id_a": f"p{i}"} for i in (0, 1, 2, 3)]
    assert [(g.value, g.members.tolist()) for g in by_class(made.dataset, pairs)] == [
        ("ant", [False, False, True, False]), ("bee", [True, False, False, True]),
    ]  # fmt: skip
    assert list(by_class(made.dataset, [pairs[0], pairs[1], pairs[3]])) == []
    assert list(by_class(replace(made.dataset, classes=None), pairs)) == []


def test_chance_and_reach_are_shares_of_patches_within_the_tolerance():
    """A window of 40 × 40 pixels at a side of 80: every pixel counts twice. Patches are 10 pixels wide, 20 at that side."""
    rng = np.random.default_rng(0)
    tokens = directions(rng.normal(size=(1, 4, 4, 8)).astype(np.float32))[0]
    picture = PatchPicture(tokens, np.array([0.0, 0.0, 40.0, 40.0]))
    pair = {"points_a": [[5.0, 5.0], [25.0, 15.0]], "points_b": [[5.0, 5.0], [25.0, 15.0]], "box_b": [0.0, 0.0, 20.0, 10.0]}
    search = Search(keep=9, side=80, within_box=False, pixels=(0, 20, 21))
    error, box_error, chance, reachable, start, goal, guess = _in_pair(picture, picture, pair, search)
    for place in range(2):
        assert guess[place].tolist() == goal[place].tolist() == start[place].tolist()  # each patch is nearest to itself
        x, y = goal[place]
        apart = [2 * np.hypot(10 * c + 5 - x, 10 * r + 5 - y) for r in range(4) for c in range(4)]
        assert chance[place].tolist() == [np.mean([a <= t for a in apart]) for t in (0, 20, 21)]
    assert chance[:, 0].tolist() == [1 / 16] * 2 and chance[:, 1].max() == 5 / 16
    assert error.tolist() == [0, 0] and box_error.tolist() == [0, 0] and reachable.all()
    moved = {**pair, "points_b": [[15.0, 5.0], [25.0, 15.0]]}
    error, box_error, *_, goal, guess = _in_pair(picture, picture, moved, search)
    (wrong,) = np.flatnonzero(goal[:, 0] == 15.0)
    assert (error[wrong], box_error[wrong]) == (20.0, 10 / 20)


def test_a_pair_without_a_keypoint_has_no_part_in_a_share():
    found = recall([0, 0, 2], [1, 99, 1], pairs=3)
    alone = recall([0, 0, 1], [1, 99, 1], pairs=2)
    a, b = (x.share("x", x.matches.error <= 10) for x in (found, alone))
    assert (a.value, a.low, a.high, a.n) == (b.value, b.low, b.high, 3)
