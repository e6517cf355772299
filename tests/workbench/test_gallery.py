"""The gallery: the numbers of predictions.parquet, filters as by hand, search by words and by picture."""

import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.workbench.gallery import SORTS, Gallery, GalleryQuery


@pytest.fixture(scope="module")
def gallery(shape_desk):
    return Gallery(shape_desk, shape_desk.base)


def test_rows_are_those_of_the_predictions_of_the_run(gallery, shape_desk):
    kept = {r["id"]: r for r in shape_desk.opened.run.predictions.to_pylist() if r["dataset"] == "shapes"}
    for row in range(len(gallery.ids)):
        mine, theirs = gallery.row(row), kept[gallery.ids[row]]
        assert (mine["label"], mine["predicted"]) == (theirs["label"], theirs["predicted_class"])
        assert mine["confidence"] == pytest.approx(theirs["confidence"], abs=1e-6)
        assert mine["margin"] == pytest.approx(theirs["margin"], abs=1e-6)
        assert mine["ood"] == pytest.approx(theirs["ood_score"], abs=1e-6)
        assert mine["correct"] == (theirs["rank"] == 1)


def test_shifted_and_ood_pictures_are_those_of_the_run(shape_desk):
    kept = shape_desk.opened.run.predictions.to_pylist()
    for name in ("shapes: corrupted copies", "generated pictures (easy, far OOD)"):
        theirs = {r["id"]: r["ood_score"] for r in kept if r["dataset"] == name}
        found = Gallery(shape_desk, shape_desk.base, name)
        if theirs:
            assert {i: pytest.approx(theirs[i], abs=1e-6) for i in found.ids} == dict(
                zip(found.ids, found.top.mcm.tolist(), strict=True)
            )
    assert any(r["dataset"] == "generated pictures (easy, far OOD)" for r in kept)


def test_filters_keep_what_they_say(gallery):
    everyone = [gallery.row(r) for r in range(len(gallery.ids))]
    cases = [
        (GalleryQuery(label="star"), lambda a: a["label"] == "star"),
        (GalleryQuery(predicted="star"), lambda a: a["predicted"] == "star"),
        (GalleryQuery(correct=False), lambda a: a["correct"] is False),
        (GalleryQuery(correct=True, label="cube"), lambda a: a["correct"] and a["label"] == "cube"),
        (GalleryQuery(ranges={"confidence": (0.5, 0.9)}), lambda a: 0.5 <= a["confidence"] <= 0.9),
        (GalleryQuery(ranges={"margin": (None, 0.4)}), lambda a: a["margin"] <= 0.4),
        (GalleryQuery(ranges={"ood": (0.08, None)}), lambda a: a["ood"] >= 0.08),
        (GalleryQuery(rows=(3, 5, 10_000)), lambda a: a["row"] in (3, 5)),
    ]
    for query, wanted in cases:
        assert gallery.matching(query).tolist() == [a["row"] for a in everyone if wanted(a)]
    assert 0 < len(gallery.matching(GalleryQuery(correct=False))) < len(everyone)


def test_groups_are_filters_too(people):
    found = Gallery(people, people.base)
    hats = np.array(people.pictures.dataset.table.column("attr.hat").to_pylist())
    assert found.matching(GalleryQuery(groups={"hat": "red"})).tolist() == np.flatnonzero(hats == "red").tolist()
    with pytest.raises(UsageError, match="no attribute 'hatt'; did you mean 'hat'"):
        found.matching(GalleryQuery(groups={"hatt": "red"}))


def test_orders_and_pages(gallery):
    n = len(gallery.ids)
    for sort in SORTS:
        seen = [int(r) for offset in range(0, n, 60) for r in gallery.select(GalleryQuery(sort=sort, offset=offset))[1]]
        assert sorted(seen) == list(range(n))
    _, first = gallery.select(GalleryQuery(sort="surest wrong"))
    wrong = gallery.facets["wrong"]
    assert [bool(gallery.correct[r]) for r in first[:wrong]] == [False] * wrong
    confidence = [gallery.row(int(r))["confidence"] for r in first[:wrong]]
    assert confidence == sorted(confidence, reverse=True)


def test_words_find_what_they_name(gallery):
    _, rows = gallery.select(GalleryQuery(), gallery.like_words("a photo of a star"))
    assert [gallery.row(int(r))["label"] for r in rows[:5]] == ["star"] * 5
    with pytest.raises(UsageError):
        gallery.like_words(" ")


def test_a_picture_is_most_like_itself_and_its_copy(gallery):
    copy = next(r for r, i in enumerate(gallery.ids) if i.endswith("-copy.png"))
    _, rows = gallery.select(GalleryQuery(), gallery.like_vector(gallery.pictures.vectors[copy]))
    assert {gallery.ids[r] for r in rows[:2]} == {gallery.ids[copy], gallery.ids[copy].replace("-copy", "")}
