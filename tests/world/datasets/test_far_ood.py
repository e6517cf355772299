"""Generated out-of-distribution pictures."""

from collections import Counter

from eyechart.data.classes import ClassList, PictureClass
from eyechart.world.datasets.far_ood import far_ood


def named(*names):
    return ClassList("mine", tuple(PictureClass(name, name) for name in names))


def shown(dataset):
    return set(dataset.table.column("attr.shows").to_pylist())


def test_shapes_textures_and_empty_scenes():
    dataset = far_ood(named("shirt", "shoe"), 80, name="far", of="photos")
    assert (len(dataset), dataset.role, dataset.of, dataset.made) == (80, "ood", "photos", True)
    assert Counter(dataset.table.column("label").to_pylist()) == {"shape": 40, "empty scene": 20, "texture": 20}
    assert len(dataset.pictures.read(0)) > 100


def test_nothing_that_is_a_class_is_shown():
    everything = shown(far_ood(named("shirt"), 400, name="far"))
    assert {"mug", "star", "heart", "striped"} <= everything
    classes = ClassList("mine", (PictureClass("7", "coffee mugs"), PictureClass("STAR", "a bright star", ("heart shape",))))
    left = shown(far_ood(classes, 400, name="far"))
    assert left == everything - {"mug", "star", "heart"}


def test_the_seed_decides_the_pictures():
    first, again, other = (far_ood(named("shirt"), 8, name="far", seed=seed) for seed in (0, 0, 1))
    assert [first.pictures.read(row) for row in range(8)] == [again.pictures.read(row) for row in range(8)]
    assert first.pictures.read(0) != other.pictures.read(0)
