"""Spots known again from another side: towers of which the answer is known by geometry, guessing by hand, and controls."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.witness import rows

import eyechart
from eyechart.cli.main import main
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.correspondence import Settings, correspondence
from eyechart.probes.correspondence.keypoints import Search, match_keypoints
from eyechart.probes.correspondence.view_groups import by_view
from eyechart.session.probe_tasks import settings_of

SIDE, GRID = 224, 14
PATCH = SIDE / GRID


class NoPictures:
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def take(self, rows):
        return NoPictures(len(rows))

    def read(self, row):
        raise FileNotFoundError("precomputed, without pictures")


def lifted(surface):
    """Places of a surface as unit vectors whose cosine is the higher the nearer they are: points of a large sphere."""
    x, y = (np.asarray(surface, float) / (4 * SIDE)).T
    return np.column_stack([x, y, np.sqrt(1 - x * x - y * y)]).astype(np.float32)


CENTRES = np.stack(np.meshgrid(*[(np.arange(GRID) + 0.5) * PATCH] * 2), axis=-1)  # the middles of patches, x and y


def shifted(shift):
    """A tower of which every patch says which spot of the surface it shows; `shift[row]` is how far the camera has moved."""

    def patches(rows):
        return np.stack([lifted((CENTRES + shift[row]).reshape(-1, 2)).reshape(GRID, GRID, 3) for row in rows])

    return patches


def inputs(patches, pairs, *, count=None, windows=None, settings=None, clusters=None, classes=None, **columns):
    count = count or 2 * len(pairs)
    table = pa.table({"id": [f"p{i}" for i in range(count)], **columns})
    whole = np.array([[0, 0, SIDE, SIDE]], float)
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("views", table, NoPictures(count), classes, pairs=pa.Table.from_pylist(pairs)),
        images=np.ones((count, 2), np.float32),
        clusters=np.arange(count) if clusters is None else clusters,
        texts=lambda texts: np.empty((0, 2), np.float32),
        prompts=(),
        settings=settings or Settings(side=SIDE),
        patches=patches,
        windows=windows or (lambda rows: np.repeat(whole, len(rows), axis=0)),
    )


def moved_pairs(rng, count=12, points=40, **more):
    """The second camera of each pair has moved by a known shift, so that a spot at p is seen at p - shift."""
    shift, pairs = {}, []
    for i in range(count):
        by = rng.uniform(-40, 40, 2)
        shift |= {2 * i: np.zeros(2), 2 * i + 1: by}
        second = rng.uniform(50, SIDE - 50, (points, 2))
        row = {"id_a": f"p{2 * i}", "id_b": f"p{2 * i + 1}", "points_a": (second + by).tolist(), "points_b": second.tolist()}
        pairs.append(row | {key: values[i] for key, values in more.items()})
    return shift, pairs


def value(answer, metric, **slice):
    return only(answer, metric, **slice).value


def only(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def test_a_tower_that_knows_the_surface_finds_every_spot_within_its_patch():
    shift, pairs = moved_pairs(np.random.default_rng(0))
    answer = correspondence.ask(inputs(shifted(shift), pairs, settings=Settings(side=SIDE, pixels=(5, 12, 16), judged=16)))
    assert (
        value(answer, "keypoint_recall_16px") == value(answer, "keypoint_recall_12px") == 1.0
    )  # half a patch's diagonal is 11.3 pixels
    assert value(answer, "keypoint_recall_5px") == value(answer, "keypoint_recall_5px_upper_bound") < 0.6
    # The middle of the nearest patch is within 5 pixels with the chance π 5² / 16².
    assert value(answer, "keypoint_recall_5px_upper_bound") == pytest.approx(np.pi * 25 / 256, abs=0.06)


def test_shuffled_patches_find_what_guessing_finds():
    """A random patch of the 14 × 14 has its middle within t of a spot with the chance (patches near) / 196, counted by hand."""
    rng = np.random.default_rng(1)
    shift, pairs = moved_pairs(rng, count=60)
    order = {row: rng.permutation(GRID * GRID) for row in shift}

    def patches(rows):
        tokens = shifted(shift)(rows).reshape(len(rows), GRID * GRID, 3)
        return np.stack([t[order[row]] for t, row in zip(tokens, rows, strict=True)]).reshape(len(rows), GRID, GRID, 3)

    answer = correspondence.ask(inputs(patches, pairs, settings=Settings(side=SIDE, pixels=(25, 50), judged=50)))
    spots = np.concatenate([np.array(pair["points_b"]) for pair in pairs])
    apart = np.linalg.norm(CENTRES.reshape(1, -1, 2) - spots[:, None], axis=2)
    for pixels in (25, 50):
        by_hand = (apart <= pixels).mean()
        assert value(answer, f"keypoint_recall_{pixels}px_chance") == pytest.approx(by_hand)
        found = only(answer, f"keypoint_recall_{pixels}px")
        assert found.low <= by_hand <= found.high
    assert any("is not above chance" in n.what for n in answer.notices)


def test_pixels_are_those_of_a_picture_of_the_given_side():
    shift, pairs = moved_pairs(np.random.default_rng(0))
    small = correspondence.ask(inputs(shifted(shift), pairs, settings=Settings(side=SIDE, pixels=(5,), judged=5)))
    large = correspondence.ask(inputs(shifted(shift), pairs, settings=Settings(side=10 * SIDE, pixels=(50,), judged=50)))
    assert value(small, "keypoint_recall_5px") == value(large, "keypoint_recall_50px")


def test_a_window_says_where_patches_lie_and_what_is_not_seen():
    """The network sees the middle square of pictures of 448 × 224; points on the sides are left out and counted."""
    shift, pairs = moved_pairs(np.random.default_rng(2), count=6)
    for pair in pairs:
        for points in ("points_a", "points_b"):
            pair[points] = (np.array(pair[points]) + np.array([112, 0])).tolist()
        pair["points_a"] += [[20.0, 100.0], [200.0, 100.0]]
        pair["points_b"] += [[200.0, 100.0], [430.0, 100.0]]
    middle = np.array([[112.0, 0, 336, 224]])
    seen = inputs(shifted(shift), pairs, windows=lambda rows: np.repeat(middle, len(rows), axis=0))
    answer = correspondence.ask(seen)
    assert value(answer, "keypoint_recall_20px") == 1.0
    assert only(answer, "keypoint_recall_20px").n == 6 * 40
    assert any("12 keypoints left out because they are outside the crop" in n.what for n in answer.notices)


def test_only_the_clearest_matches_are_kept():
    """Of two spots one is met exactly and one lies between two patches: kept is the first."""
    tokens = np.eye(4, dtype=np.float32).reshape(1, 2, 2, 4)
    pairs = [{"id_a": "p0", "id_b": "p1", "points_a": [[112.0, 56.0], [56.0, 56.0]], "points_b": [[1.0, 1.0], [56.0, 56.0]]}]
    asked = inputs(lambda rows: np.repeat(tokens, len(rows), axis=0), pairs)
    assert match_keypoints(asked, pairs, Search(1, SIDE, False, (5,))).error.tolist() == [0.0]
    assert len(match_keypoints(asked, pairs, Search(2, SIDE, False, (5,))).error) == 2


def test_fewer_kept_keypoints_than_a_pair_has_are_those_of_the_pair():
    """All arrays are cut alike, so the whole probe answers: 7 of the 40 keypoints of each of 12 pairs, with their positions."""
    shift, pairs = moved_pairs(np.random.default_rng(0))
    asked = inputs(shifted(shift), pairs, settings=Settings(side=SIDE, keep=7))
    answer = correspondence.ask(asked)
    assert only(answer, "keypoint_recall_20px").n == 12 * 7 and value(answer, "keypoint_recall_20px") == 1.0
    matches = match_keypoints(asked, pairs, Search(7, SIDE, False, (5, 20)))
    assert np.bincount(matches.pair).tolist() == [7] * 12
    assert {len(getattr(matches, name)) for name in ("error", "box_error", "chance", "reachable", "start", "goal", "guess")} == {
        84
    }
    for number, goal in zip(matches.pair, matches.goal, strict=True):
        assert goal.tolist() in pairs[number]["points_b"]


def test_pixels_of_a_picture_that_is_not_square_refer_to_its_shorter_side():
    """A picture of 448 × 224 with one patch of 112 × 112 too far to the right: at a side of 448, 112 of its pixels are 224."""
    tokens = np.eye(8, dtype=np.float32).reshape(2, 4, 8)
    turned = np.roll(tokens, 1, axis=1)
    pairs = [{"id_a": "p0", "id_b": "p1", "points_a": [[56.0, 56.0]], "points_b": [[56.0, 56.0]]}]
    wide = np.array([[0.0, 0.0, 448.0, 224.0]])
    asked = inputs(
        lambda rows: np.stack([(tokens, turned)[row] for row in rows]), pairs, windows=lambda rows: np.repeat(wide, len(rows), 0)
    )
    matches = match_keypoints(asked, pairs, Search(9, 448, False, (5,)))
    assert matches.guess.tolist() == [[168.0, 56.0]] and matches.error.tolist() == [224.0]
    assert matches.patch == 224.0


def test_a_turn_at_the_edge_of_a_range_belongs_to_the_range_that_begins_there_and_the_last_edge_to_the_last():
    turns = [0.0, 29.999, 30.0, 59.0, 60.0, 180.0, None]
    pairs = [{"id_a": "p0", "turn": turn} for turn in turns]
    groups = {g.value: np.flatnonzero(g.members).tolist() for g in by_view(None, pairs, (0, 30, 60, 180))}
    assert groups == {"0–30°": [0, 1], "30–60°": [2, 3], "60–180°": [4, 5]}


def test_pck_is_measured_in_longer_sides_of_the_box():
    """Errors are at most half a patch's diagonal, 11.3 pixels: within a tenth of a box of 120, not always of one of 60."""
    for side, all_found in ((120, True), (60, False)):
        shift, pairs = moved_pairs(np.random.default_rng(3), box_b=[[10.0, 10.0, 10.0 + side, 30.0]] * 12)
        pck = value(correspondence.ask(inputs(shifted(shift), pairs)), "pck10")
        assert (pck == 1.0) is all_found
        if not all_found:
            assert pck == pytest.approx(np.pi * 36 / 256, abs=0.06)  # within 6 pixels of the nearest middle


def test_without_boxes_there_is_no_pck():
    shift, pairs = moved_pairs(np.random.default_rng(3))
    assert not [f for f in correspondence.ask(inputs(shifted(shift), pairs)).findings if f.metric.startswith("pck")]


def test_the_search_may_be_kept_to_the_box():
    """All patches alike: the first of those searched is the match."""
    flat = lambda rows: np.ones((len(rows), GRID, GRID, 2), np.float32)  # noqa: E731
    pairs = [{"id_a": "p0", "id_b": "p1", "points_a": [[8.0, 8.0]], "points_b": [[104.0, 104.0]], "box_b": [96.0, 96, 130, 130]}]
    anywhere = match_keypoints(inputs(flat, pairs), pairs, Search(9, SIDE, False, (5,)))
    in_box = match_keypoints(inputs(flat, pairs), pairs, Search(9, SIDE, True, (5,)))
    assert (anywhere.error[0], in_box.error[0]) == (pytest.approx(np.hypot(96, 96)), 0.0)


def test_pairs_are_told_apart_by_class_and_by_the_sets_own_viewpoints():
    shift, pairs = moved_pairs(np.random.default_rng(4), count=12, viewpoint=[0, 2] * 6, box_b=[[0.0, 0.0, SIDE, SIDE]] * 12)
    labels = pa.array(["cat"] * 12 + ["bus"] * 12)
    classes = ClassList("test", (PictureClass("cat", "cat"), PictureClass("bus", "bus")))
    answer = correspondence.ask(inputs(shifted(shift), pairs, classes=classes, label=labels))
    assert {tuple(f.slice.items()) for f in answer.findings if f.metric == "pck10"} == {
        (),
        (("viewpoint", 0),),
        (("viewpoint", 2),),
        (("class", "cat"),),
        (("class", "bus"),),
    }


def viewed(rng, right, *, turns, points=8):
    """A tower that knows a spot of pair i with the chance `right[i]`, and takes it for another place otherwise."""
    shift, pairs = moved_pairs(rng, count=len(turns), points=points, turn=list(turns))
    for pair, chance in zip(pairs, right, strict=True):
        first = np.array(pair["points_a"])
        lost = rng.random(points) >= chance
        pair["points_b"] = np.where(lost[:, None], (np.array(pair["points_b"]) + 100) % SIDE, pair["points_b"]).tolist()
        pair["points_a"] = first.tolist()
    return inputs(shifted(shift), pairs, settings=Settings(side=SIDE, shown=0))


TURNS = [15.0, 45.0, 75.0, 105.0] * 20


def drop(answer):
    return only(answer, "keypoint_recall_25px_drop", turn="90–120°")


def test_spots_that_are_lost_as_the_view_turns_are_told():
    answer = correspondence.ask(viewed(np.random.default_rng(0), [1 - turn / 150 for turn in TURNS], turns=TURNS))
    assert drop(answer).low > 0
    assert drop(answer).baseline == "0–30°"
    by_view = [value(answer, "keypoint_recall_25px", turn=t) for t in ("0–30°", "30–60°", "60–90°", "90–120°")]
    assert by_view == sorted(by_view, reverse=True)
    for found, turn in zip(by_view, (15, 45, 75, 105), strict=True):
        assert found == pytest.approx(1 - turn / 150, abs=0.12)


@pytest.mark.slow
def test_where_nothing_is_lost_it_stays_quiet():
    rng, alarms = np.random.default_rng(1), []
    for _ in range(200):
        found = drop(correspondence.ask(viewed(rng, [0.6] * 40, turns=rng.permutation(TURNS[:40]))))
        alarms.append(not found.low <= 0 <= found.high)
    assert not alarms[0]
    assert sum(alarms) <= 18


@pytest.mark.slow
def test_intervals_cover_where_spots_of_a_pair_hang_together():
    """Pairs are easy (0.9) or hard (0.3): the population's recall is 0.6."""
    rng, hits = np.random.default_rng(2), 0
    for _ in range(200):
        found = only(correspondence.ask(viewed(rng, rng.choice([0.9, 0.3], 40), turns=TURNS[:40])), "keypoint_recall_25px")
        hits += found.low <= 0.6 <= found.high
    assert 179 <= hits <= 198


def test_the_angle_of_the_first_picture_serves_where_pairs_have_none():
    shift, pairs = moved_pairs(np.random.default_rng(0), count=12)
    turns = pa.array(np.repeat([15.0, 75.0], 12))
    answer = correspondence.ask(inputs(shifted(shift), pairs, **{"attr.turn": turns}))
    assert {f.slice["turn"] for f in answer.findings if f.slice} == {"0–30°", "60–90°"}


def test_coarse_patches_are_said():
    shift, pairs = moved_pairs(np.random.default_rng(0))
    coarse = lambda rows: shifted(shift)(rows)[:, ::2, ::2]  # noqa: E731
    answer = correspondence.ask(inputs(coarse, pairs, settings=Settings()))
    assert any("a patch of test is 73 px wide at a picture side of 512 px" in n.what for n in answer.notices)


def test_a_picture_in_many_pairs_is_looked_at_once():
    shift, pairs = moved_pairs(np.random.default_rng(0), count=40)
    looked = []

    def patches(rows):
        looked.extend(rows)
        return shifted(shift)(rows)

    again = [{**pair, "id_a": "p0", "points_a": pair["points_a"]} for pair in pairs]
    match_keypoints(inputs(patches, again, count=80), again, Search(9, SIDE, False, (5,)))
    assert sorted(looked) == sorted({0, *range(1, 80, 2)})


def test_pictures_are_forgotten_when_they_are_too_many(monkeypatch):
    monkeypatch.setattr("eyechart.probes.correspondence.keypoints._BYTES", 1)
    shift, pairs = moved_pairs(np.random.default_rng(0), count=40)
    found = match_keypoints(inputs(shifted(shift), pairs), pairs, Search(99, SIDE, False, (5,)))
    assert found.error.max() < 12


def test_what_cannot_be_asked_is_said():
    shift, pairs = moved_pairs(np.random.default_rng(0), count=1)
    asked = inputs(shifted(shift), pairs)
    with pytest.raises(NotApplicable, match="no pair of two readable pictures"):
        correspondence.ask(inputs(shifted(shift), pairs[:0], count=2))
    outside = [{**pairs[0], "points_a": [[900.0, 900.0]], "points_b": [[1.0, 1.0]]}]
    with pytest.raises(NotApplicable, match="no keypoint is within the model's crop"):
        correspondence.ask(inputs(shifted(shift), outside))
    with pytest.raises(NotApplicable, match="the crop that the model sees is unknown"):
        correspondence.ask(replace(asked, windows=None))


@pytest.mark.parametrize(
    "settings",
    [{"pixels": ()}, {"pixels": (25, 5)}, {"judged": 7}, {"within": "thing"}, {"box": 0.0}, {"degrees": (0,)}, {"side": 0}],
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError):
        Settings(**settings)


def test_a_plan_gives_numbers_as_lists():
    plan = Plan((ModelPlan("demo:"),), (DataPlan("demo:"),), settings={"correspondence": {"pixels": [10, 25]}})
    assert settings_of(correspondence, plan).pixels == (10, 25)


@pytest.mark.slow
def test_the_whole_way_on_the_embedded_world(store, tmp_path):
    """The demo's patches are 8 × 8: a spot's own has its middle within 50 of 512 pixels, which chance finds in 3% of cases."""
    exam = eyechart.examine("demo:", "world-views", limit=80, probes=["correspondence"], out=tmp_path / "out", store=store)
    found = {f["slice"]: f for f in rows(exam, "keypoint_recall_50px")}
    assert found["{}"]["low"] > 3 * rows(exam, "keypoint_recall_50px_chance")[0]["value"]
    assert list(found) == ["{}", *(f'{{"turn": "{low}–{low + 30}°"}}' for low in (0, 30, 60, 90))]
    assert rows(exam, "keypoint_recall_50px_upper_bound")[0]["value"] == 1.0
    assert exam.report().is_file()


def test_a_dataset_without_pairs_is_skipped_with_a_sentence(store, tmp_path):
    exam = eyechart.examine("demo:", "world-objects", limit=18, probes=["correspondence"], out=tmp_path / "out", store=store)
    assert [s["reason"] for s in exam.skips.to_pylist()] == ["the dataset has no pairs of pictures with matching keypoints"]


@pytest.mark.slow
@pytest.mark.assets
@pytest.mark.long
def test_openai_vit_b16_knows_spots_again_better_than_chance_and_worse_as_the_view_turns(assets, store, tmp_path):
    folder = assets / "openai-vit-b16"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: run `make test-assets`")
    views = tmp_path / "views"
    assert main(["world", "render", str(views), "--dataset", "world-views", "--n", "48", "--side", "224", "--quiet"]) == 0
    exam = eyechart.examine(
        f"onnx:{folder}", views / "dataset.parquet", probes=["correspondence"], out=tmp_path / "out", store=store
    )
    (whole, near, *_, far) = rows(exam, "keypoint_recall_50px")
    assert whole["low"] > 2 * rows(exam, "keypoint_recall_50px_chance")[0]["value"]
    assert near["value"] > far["value"]


def test_the_size_of_a_patch_is_its_longer_side():
    """Half as many columns as rows: patches are twice as wide as high. The picture's side counts twice the crop's."""
    pairs = [{"id_a": "p0", "id_b": "p1", "points_a": [[30.0, 30.0]] * 4, "points_b": [[30.0, 30.0]] * 4}]
    tokens = np.random.default_rng(0).normal(size=(2, GRID, GRID // 2, 3)).astype(np.float32)
    found = match_keypoints(inputs(lambda rows: tokens[list(rows)], pairs), pairs, Search(9, 2 * SIDE, False, (5,)))
    assert found.patch == 2 * (2 * PATCH)
