"""Attention on things: by hand, even attention, attention that follows size beyond area, and attention that knows nothing."""

import io
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from tests.probes.answering import NoPictures, only

import eyechart
from eyechart.data.dataset import Dataset
from eyechart.data.masks import encode_mask
from eyechart.metrics.scenes.mask_attention import covered
from eyechart.models.card import ModelCard
from eyechart.probes.attention import Settings, attention
from eyechart.probes.attention.findings import density_ratio
from eyechart.probes.attention.object_attention import masks_of, object_attention
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.tasks.objects import object_scenes

SIDE, GRID = 32, 8  # pixels, patches a side
NINE = tuple(f"thing {j}" for j in range(9))


def squares(rng, count, n=3):
    """Masks [N, n, SIDE, SIDE]: squares of different sides in columns of their own, and their names."""
    sides = np.array([[9, 6, 4, 3][k] for k in range(n)])
    masks, names = np.zeros((count, n, SIDE, SIDE), bool), []
    for i in range(count):
        order = rng.permutation(n)
        for place, k in enumerate(order):
            left = place * (SIDE // n) + int(rng.integers(0, SIDE // n - sides[k] + 1))
            top = int(rng.integers(0, SIDE - sides[k] + 1))
            masks[i, place, top : top + sides[k], left : left + sides[k]] = True
        names.append([NINE[j] for j in rng.permutation(9)[:n]])
    return masks, names


def inputs(masks, names, maps, settings=None, *, window=(0, 0, SIDE, SIDE), camera=True, pictures=None, earlier=None, **more):
    """`maps` [N, heads, GRID, GRID]: what the class token gives to the patches; it keeps as much again for itself. `earlier`
    [N, blocks, heads, GRID, GRID]: the same in the blocks before, where the model tells."""
    maps = np.asarray(maps, np.float32)
    count, heads = maps.shape[:2]
    if earlier is not None:
        blocks = np.concatenate([np.asarray(earlier, np.float32), maps[:, None]], axis=1).reshape(count, -1, heads, GRID**2)
        blocks = np.concatenate([blocks.sum(axis=-1, keepdims=True), blocks], axis=-1)
        more["block_attention"] = lambda rows: (blocks / blocks.sum(axis=-1, keepdims=True))[rows]

    def weights(rows):
        out = np.full((len(rows), heads, 1 + GRID**2, 1 + GRID**2), 1 / (1 + GRID**2), np.float32)
        out[:, :, 0, 1:] = 0.5 * maps[rows].reshape(len(rows), heads, -1) / maps[rows].sum(axis=(2, 3))[..., None]
        out[:, :, 0, 0] = 0.5
        return out

    objects = [
        [
            {"name": n, "area": float(m.mean()), "x": float(m.any(axis=0).argmax()), "mask": encode_mask(m)}
            for n, m in zip(*one, strict=True)
        ]
        for one in zip(names, masks, strict=True)
    ]
    table = {"id": [str(i) for i in range(count)], "objects": pa.array(objects)}
    if camera:
        table["camera"] = pa.array([{"width": SIDE, "height": SIDE}] * count)
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", pa.table(table), pictures or Blank(count)),
        images=np.ones((count, 1), np.float32),
        clusters=np.arange(count),
        texts=lambda texts: np.empty((0, 1), np.float32),
        prompts=(),
        settings=settings or Settings(shown=2),
        attention=weights,
        windows=lambda rows: np.tile(np.array(window, float), (len(rows), 1)),
        **more,
    )


class Blank(NoPictures):
    """Gray pictures."""

    def read(self, row):
        file = io.BytesIO()
        Image.new("RGB", (SIDE, SIDE), (90, 90, 90)).save(file, "PNG")
        return file.getvalue()


def exact(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def test_by_hand():
    """The left half and a quarter of the right one; attention 3:1 for the left patch."""
    masks = np.zeros((25, 2, SIDE, SIDE), bool)
    masks[:, 0, :, :16] = True
    masks[:, 1, :16, 16:] = True
    maps = np.ones((25, 1, GRID, GRID))
    maps[:, :, :, :4] = 3
    answer = attention.ask(inputs(masks, [["a", "b"]] * 25, maps))
    assert exact(answer, "object_attention", objects=2, size_rank=1).value == pytest.approx(3 / 4)
    assert exact(answer, "object_attention", objects=2, size_rank=2).value == pytest.approx(1 / 8)
    assert exact(answer, "object_attention", objects=2, place=1).value == pytest.approx(3 / 4)
    assert exact(answer, "background_attention", objects=2).value == pytest.approx(1 / 8)
    assert exact(answer, "object_area", objects=2, size_rank=2).value == pytest.approx(1 / 4)
    assert exact(answer, "attention_density", objects=2, size_rank=1).value == pytest.approx(1.5)
    assert exact(answer, "attention_density", objects=2, size_rank=2).value == pytest.approx(0.5)
    assert exact(answer, "attention_density_ratio", objects=2).value == pytest.approx(3.0)
    assert answer.notices == []


def test_even_attention_is_area_and_its_density_one():
    masks, names = squares(np.random.default_rng(0), 60)
    answer = attention.ask(inputs(masks, names, np.ones((60, 2, GRID, GRID))))
    for k in (1, 2, 3):
        share, area = (exact(answer, metric, objects=3, size_rank=k).value for metric in ("object_attention", "object_area"))
        assert share == pytest.approx(area)
        assert exact(answer, "attention_density", objects=3, size_rank=k).value == pytest.approx(1.0)
    assert only(answer, "large_object_attention").value > exact(answer, "object_attention", objects=3, size_rank=3).value
    assert only(answer, "large_object_density_ratio").value == pytest.approx(1.0)


def test_attention_that_favors_the_largest_beyond_its_area_is_found():
    rng = np.random.default_rng(1)
    masks, names = squares(rng, 80)
    largest = np.stack([m[m.sum(axis=(1, 2)).argmax()] for m in masks])
    maps = 1 + 6 * largest.reshape(80, 1, GRID, 4, GRID, 4).mean(axis=(3, 5)) + rng.random((80, 1, GRID, GRID))
    assert only(attention.ask(inputs(masks, names, maps)), "large_object_density_ratio").low > 1.5


def test_attention_that_knows_nothing_raises_no_alarm():
    rng, alarms = np.random.default_rng(2), 0
    masks, names = squares(rng, 60)
    seen = object_attention(inputs(masks, names, np.ones((60, 1, GRID, GRID))), shown_scenes(masks, names), NINE)
    cells = np.stack([[covered(m, (0, 0, SIDE, SIDE), (GRID, GRID)).ravel() for m in of] for of in masks])
    for _ in range(200):
        maps = rng.gamma(4.0, size=(60, 1, GRID**2))
        maps /= maps.sum(axis=2, keepdims=True)
        lead = density_ratio(replace(seen, shares=np.einsum("ihp,inp->ihn", maps, cells)[:, None]))
        alarms += not lead.low < 1 < lead.high
    assert alarms <= 18, alarms


def shown_scenes(masks, names):
    (scenes,) = object_scenes(inputs(masks, names, np.ones((len(masks), 1, GRID, GRID))).dataset).scenes
    return scenes


def test_heads_are_told_apart_on_request():
    masks, names = squares(np.random.default_rng(3), 40)
    maps = np.ones((40, 2, GRID, GRID))
    largest = np.stack([m[m.sum(axis=(1, 2)).argmax()] for m in masks])
    maps[:, 1] += 9 * largest.reshape(40, GRID, 4, GRID, 4).mean(axis=(2, 4))
    answer = attention.ask(inputs(masks, names, maps, Settings(heads=True, shown=0)))
    assert exact(answer, "attention_density_ratio", objects=3, head=1).value == pytest.approx(1.0)
    assert exact(answer, "attention_density_ratio", objects=3, head=2).low > 1.5
    raw = [exact(answer, "object_attention", objects=3, head=head, size_rank=1).value for head in (1, 2)]
    assert raw[0] == pytest.approx(exact(answer, "object_area", objects=3, size_rank=1).value)
    assert raw[1] > 1.5 * raw[0]
    assert {"attention-by-head", "ratio-by-head"} <= {e.name for e in answer.exhibits}
    assert not [f for f in attention.ask(inputs(masks, names, maps)).findings if "head" in f.slice]


def favoring(masks, rank, strength=9):
    """[N, GRID, GRID]: even but for the thing of a rank of size."""
    chosen = np.stack([m[np.argsort(-m.sum(axis=(1, 2)))[rank]] for m in masks])
    return 1 + strength * chosen.reshape(-1, GRID, 4, GRID, 4).mean(axis=(2, 4))


def test_blocks_are_told_apart_on_request():
    """The first looks everywhere alike, the second at the smallest thing (its first head), the last at the largest."""
    masks, names = squares(np.random.default_rng(6), 40)
    even, smallest, largest = np.ones((40, GRID, GRID)), favoring(masks, 2), favoring(masks, 0)
    earlier = np.stack([np.stack([even, even], axis=1), np.stack([smallest, even], axis=1)], axis=1)
    asked = inputs(
        masks, names, np.stack([largest, largest], axis=1), Settings(blocks="all", heads=True, shown=2), earlier=earlier
    )
    answer = attention.ask(asked)
    assert answer.notices == []
    assert exact(answer, "attention_density_ratio", objects=3, block=1).value == pytest.approx(1.0)
    assert exact(answer, "attention_density_ratio", objects=3, block=2).high < 1
    assert exact(answer, "attention_density_ratio", objects=3, block=2, head=1).high < 0.5
    assert exact(answer, "attention_density_ratio", objects=3, block=2, head=2).value == pytest.approx(1.0)
    for metric, where in (
        ("attention_density_ratio", {}),
        ("object_attention", {"size_rank": 1}),
        ("attention_density", {"size_rank": 3}),
    ):
        last, usual = exact(answer, metric, objects=3, block=3, **where), exact(answer, metric, objects=3, **where)
        assert (last.value, last.low, last.high) == pytest.approx((usual.value, usual.low, usual.high))
    area = exact(answer, "object_area", objects=3, size_rank=1).value
    assert exact(answer, "object_attention", objects=3, block=1, size_rank=1).value == pytest.approx(area)
    assert exact(answer, "object_attention", objects=3, block=2, head=2, size_rank=1).value == pytest.approx(area)
    exhibits = {e.name: e for e in answer.exhibits}
    assert exhibits["ratio-by-block"].sentence.endswith("above 1 at 95% confidence in 1 of 3 blocks, below 1 in 1.")
    assert exhibits["ratio-by-block-and-head"].table.num_rows == 6
    tiles = {name: Image.open(io.BytesIO(e.table["drawn"][0].as_py())).size for name, e in exhibits.items() if "maps-by" in name}
    assert tiles == {"attention-maps-by-block": (640, 160), "attention-maps-by-head": (480, 160)}


def test_no_block_is_named_unless_asked_for():
    masks, names = squares(np.random.default_rng(6), 30)
    answer = attention.ask(inputs(masks, names, np.ones((30, 1, GRID, GRID)), earlier=np.ones((30, 1, 1, GRID, GRID))))
    assert not [f for f in answer.findings if "block" in f.slice]


def test_a_model_that_tells_of_its_last_block_alone_is_named():
    masks, names = squares(np.random.default_rng(6), 30)
    answer = attention.ask(inputs(masks, names, np.ones((30, 1, GRID, GRID)), Settings(blocks="all", shown=0)))
    assert not [f for f in answer.findings if "block" in f.slice]
    (told,) = answer.notices
    assert "its last block only" in told.what and "--all-blocks" in told.remedy


def test_a_head_that_gives_a_thing_nothing_has_a_finite_lead():
    masks = np.zeros((25, 2, SIDE, SIDE), bool)
    masks[:, 0, :, :16] = True
    masks[:, 1, :16, 16:] = True
    maps = np.zeros((25, 1, GRID, GRID))
    maps[:, :, :, :4] = 1
    answer = attention.ask(inputs(masks, [["a", "b"]] * 25, maps, Settings(shown=0)))
    assert exact(answer, "attention_density_ratio", objects=2).value == pytest.approx(1e6 * 0.25 / 0.5)
    nothing = exact(answer, "attention_density", objects=2, size_rank=2)
    assert (nothing.value, nothing.low, nothing.high) == (0.0, None, None)


def test_the_window_says_where_patches_lie():
    """The network sees the right half only: what stands there counts for all it sees."""
    masks = np.zeros((25, 2, SIDE, SIDE), bool)
    masks[:, 0, :, 8:24] = True
    masks[:, 1, :, 24:28] = True
    answer = attention.ask(inputs(masks, [["a", "b"]] * 25, np.ones((25, 1, GRID, GRID)), window=(16, 0, 32, 32)))
    assert exact(answer, "object_attention", objects=2, size_rank=1).value == pytest.approx(0.5)
    assert exact(answer, "object_attention", objects=2, size_rank=2).value == pytest.approx(0.25)


def test_scenes_with_a_thing_outside_the_crop_are_left_out_and_counted():
    masks = np.zeros((50, 2, SIDE, SIDE), bool)
    masks[:, 0, :, 8:24] = True
    masks[:20, 1, :, 24:28] = True
    masks[20:, 1, :, 1:5] = True
    names = [["a", "b"]] * 20 + [["b", "a"]] * 30
    answer = attention.ask(inputs(masks, names, np.ones((50, 1, GRID, GRID)), window=(16, 0, 32, 32)))
    assert only(answer, "large_object_attention").n == 20
    assert "30 scenes left out" in answer.notices[0].what


def test_maps_are_drawn_over_pictures():
    masks, names = squares(np.random.default_rng(4), 30)
    answer = attention.ask(inputs(masks, names, np.ones((30, 1, GRID, GRID))))
    (gallery,) = [e for e in answer.exhibits if e.kind == "pictures"]
    drawn = Image.open(io.BytesIO(gallery.table["drawn"][0].as_py()))
    assert (drawn.format, drawn.size, gallery.table.num_rows) == ("JPEG", (256, 256), 2)
    assert all(e.sentence.endswith(".") for e in answer.exhibits)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"windows": None}, "crop .* is unknown"),
        ({"masks": False}, "no masks"),
        ({"camera": False}, "height and width"),
    ],
)
def test_what_cannot_be_laid_over_masks_is_said(change, why):
    masks, names = squares(np.random.default_rng(5), 30)
    asked = inputs(masks, names, np.ones((30, 1, GRID, GRID)), camera=change.get("camera", True))
    if "windows" in change:
        asked = replace(asked, windows=None)
    if "masks" in change:
        column = pa.array(
            [[{"name": t["name"], "area": t["area"], "x": t["x"]} for t in o.as_py()] for o in asked.dataset.table["objects"]]
        )
        asked = replace(
            asked, dataset=replace(asked.dataset, table=pa.table({"id": asked.dataset.table["id"], "objects": column}))
        )
    with pytest.raises(NotApplicable, match=why):
        attention.ask(asked)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="must be at least"):
        Settings(least=1)
    with pytest.raises(ValueError, match="choose one of last, all"):
        Settings(blocks="first")


@pytest.mark.slow
def test_a_model_of_the_world_on_the_whole_way(store, tmp_path):
    exam = eyechart.examine(
        "demo:", "world-scenes", limit=84, probes=["attention"], settings={"attention": {"least": 10, "heads": True}},
        out=tmp_path / "out", store=store,
    )  # fmt: skip
    found = {r["metric"]: r for r in exam.findings.to_pylist()}
    assert found["large_object_attention"]["low"] > found["object_area"]["value"]
    assert len(list(exam.report().parent.rglob("*.jpg"))) == 24  # eight scenes, what was drawn over each, and its heads


def test_heads_are_averaged():
    """One head attends to the first object alone, the other to the second: each object gets half, and one head all of it."""
    masks = np.zeros((3, 2, SIDE, SIDE), bool)
    masks[:, 0, :8, :8], masks[:, 1, 16:24, 16:24] = True, True
    maps = np.zeros((3, 2, GRID, GRID))
    maps[:, 0, :2, :2], maps[:, 1, 4:6, 4:6] = 1, 1
    names = [[NINE[0], NINE[1]]] * 3
    seen = object_attention(inputs(masks, names, maps), shown_scenes(masks, names), NINE)
    assert seen.of() == pytest.approx(np.full((3, 2), 0.5))
    assert seen.of(head=1).max(axis=1) == pytest.approx(1.0) and seen.of(head=1).min() == pytest.approx(0.0)


def test_so_many_scenes_are_drawn_and_as_many_as_needed_are_reported():
    masks, names = squares(np.random.default_rng(7), 22)
    ones = np.ones((22, 1, GRID, GRID))
    for pictures, n in ((0, 22), (22, 22), (21, 21), (20, 20)):
        answer = attention.ask(inputs(masks, names, ones, Settings(pictures=pictures, shown=0)))
        assert only(answer, "large_object_attention").n == n
    with pytest.raises(NotApplicable, match="fewer than 20 pictures"):
        attention.ask(inputs(masks, names, ones, Settings(pictures=19, shown=0)))
    for count, reported in ((20, True), (19, False)):
        some = inputs(masks[:count], names[:count], ones[:count], Settings(shown=0))
        if reported:
            assert only(attention.ask(some), "large_object_attention").n == 20
        else:
            with pytest.raises(NotApplicable, match="fewer than 20 pictures"):
                attention.ask(some)


def test_backgrounds_and_places_by_block_and_head_are_those_of_their_maps():
    masks, names = squares(np.random.default_rng(8), 30)
    rng = np.random.default_rng(9)
    earlier, last = rng.random((30, 1, 2, GRID, GRID)) + 0.1, rng.random((30, 2, GRID, GRID)) + 0.1
    answer = attention.ask(inputs(masks, names, last, Settings(blocks="all", heads=True, shown=0), earlier=earlier))
    cells = masks.reshape(30, 3, GRID, 4, GRID, 4).mean(axis=(3, 5))
    by_size = np.argsort(-masks.sum(axis=(2, 3)), axis=1)
    for block, maps in enumerate((earlier[:, 0], last), start=1):
        weights = maps / maps.sum(axis=(2, 3), keepdims=True)
        shares = np.einsum("ihxy,inxy->ihn", weights, cells)
        found = exact(answer, "background_attention", objects=3, block=block)
        assert (found.value, found.n) == (pytest.approx(1 - shares.mean(axis=1).sum(axis=1).mean(), rel=1e-4), 30)
        ordered = np.take_along_axis(shares, by_size[:, None], axis=2)
        for head in (1, 2):
            largest = exact(answer, "object_attention", objects=3, block=block, head=head, size_rank=1)
            assert largest.value == pytest.approx(ordered[:, head - 1, 0].mean(), rel=1e-4)
        for rank in (1, 2, 3):
            areas = np.take_along_axis(masks.mean(axis=(2, 3)), by_size, axis=1)[:, rank - 1]
            density = exact(answer, "attention_density", objects=3, block=block, size_rank=rank)
            assert density.value == pytest.approx(ordered[:, :, rank - 1].mean(axis=1).sum() / areas.sum(), rel=1e-4)
            assert density.low < density.value < density.high
    for place in (1, 2, 3):
        value = np.einsum("ihxy,ixy->i", last / last.sum(axis=(2, 3), keepdims=True), cells[:, place - 1]) / 2
        assert exact(answer, "object_attention", objects=3, place=place).value == pytest.approx(value.mean(), rel=1e-4)
    assert len([f for f in answer.findings if f.metric == "attention_density_ratio"]) == 1 + 2 + 2 + 4


def test_the_interval_of_a_density_is_on_the_log_scale():
    masks, names = squares(np.random.default_rng(8), 30)
    answer = attention.ask(inputs(masks, names, np.random.default_rng(9).random((30, 1, GRID, GRID)) + 0.1, Settings(shown=0)))
    for rank in (1, 2, 3):
        found = exact(answer, "attention_density", objects=3, size_rank=rank)
        assert found.low * found.high == pytest.approx(found.value**2)
    ratio = exact(answer, "attention_density_ratio", objects=3)
    assert ratio.low * ratio.high == pytest.approx(ratio.value**2) and (ratio.n, ratio.baseline) == (30, "smaller objects")
    headline = only(answer, "large_object_attention")
    assert headline.slice == {"objects": 3} and headline.value == exact(answer, "object_attention", objects=3, size_rank=1).value


def test_an_object_without_a_mask_of_its_own_covers_nothing():
    masks, names = squares(np.random.default_rng(0), 2)
    asked = inputs(masks, names, np.ones((2, 1, GRID, GRID)))
    found = masks_of(asked, 0, [names[0][1], "nobody", names[0][0]])
    assert [
        np.array_equal(mask, of) for mask, of in zip(found, (masks[0, 1], np.zeros((SIDE, SIDE)), masks[0, 0]), strict=True)
    ] == [True] * 3


def test_heads_alone_name_no_block():
    masks, names = squares(np.random.default_rng(6), 30)
    answer = attention.ask(inputs(masks, names, np.ones((30, 2, GRID, GRID)), Settings(heads=True, shown=0)))
    assert not [f for f in answer.findings if "block" in f.slice] and len([f for f in answer.findings if "head" in f.slice]) == 4
