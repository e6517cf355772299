"""Usual benchmarks in the layouts in which they are given out: every picture gets its class, and what is wrong is named."""

import numpy as np
import pytest
from scipy.io import savemat
from tests.data.published.layouts import draw, in_folders

import eyechart
from eyechart.data.class_file import read_classes
from eyechart.data.open import open_dataset
from eyechart.errors import DataError


def named(dataset):
    """The name of the class of every picture, by the picture's id."""
    return {id: dataset.classes[int(c)].name for id, c in zip(dataset.ids(), dataset.label_indices(), strict=True)}


def scenes(folder):
    return in_folders(folder, ["a/abbey", "a/apartment_building/outdoor", "t/theater/indoor_procenium"], files=("sun_a.jpg",))


def test_scenes_in_folders_of_letters(tmp_path):
    dataset = open_dataset(f"sun397:{scenes(tmp_path / 'SUN397')}")
    assert named(dataset) == {
        "a/abbey/sun_a.jpg": "abbey",
        "a/apartment_building/outdoor/sun_a.jpg": "apartment building outdoor",
        "t/theater/indoor_procenium/sun_a.jpg": "theater indoor procenium",
    }
    assert (len(dataset.classes), dataset.benchmark) == (397, "sun397")
    assert open_dataset(f"sun397:{tmp_path}").ids() == dataset.ids()  # the folder around it may be named as well
    assert "the published set has 108,754" in str(dataset.notices[0])


def test_a_partition_of_scenes(tmp_path):
    scenes(tmp_path)
    (tmp_path / "Partitions").mkdir()
    (tmp_path / "Partitions" / "Testing_01.txt").write_text("/a/abbey/sun_a.jpg\n/z/elsewhere/sun_b.jpg\n")
    assert named(open_dataset(f"sun397:{tmp_path}", split="testing_01")) == {"a/abbey/sun_a.jpg": "abbey"}
    (tmp_path / "Partitions" / "Testing_01.txt").write_text("/z/elsewhere/sun_b.jpg\n")
    with pytest.raises(DataError, match="none of its pictures is in"):
        open_dataset(f"sun397:{tmp_path}", split="testing_01")


def annotations(file, rows, fields=("class", "fname")):
    """As the devkit has them: a struct array, in which every field is an array of its own."""
    table = np.empty((1, len(rows)), dtype=[("bbox_x1", "O"), *((field, "O") for field in fields)])
    for i, row in enumerate(rows):
        table[0, i] = (np.array([[1]]), *(row[field] for field in fields))
    file.parent.mkdir(parents=True, exist_ok=True)
    savemat(file, {"annotations": table})


def test_cars_with_the_annotations_of_their_devkit(tmp_path):
    for number in (1, 2):
        draw(tmp_path / "cars_test" / f"0000{number}.jpg", number)
    rows = [{"class": 181, "fname": "00001.jpg"}, {"class": 1, "fname": "00002.jpg"}]
    annotations(tmp_path / "cars_test_annos_withlabels.mat", rows)
    found = named(open_dataset(f"cars:{tmp_path}"))
    assert found == {"00001.jpg": "Suzuki Aerio Sedan 2007", "00002.jpg": "AM General Hummer SUV 2000"}
    annotations(tmp_path / "cars_test_annos_withlabels.mat", [{"class": 197, "fname": "00001.jpg"}])
    with pytest.raises(DataError, match=r"picture 1 \(00001.jpg\): class 197 is not from 1 to 196"):
        open_dataset(f"cars:{tmp_path}")
    annotations(tmp_path / "cars_test_annos_withlabels.mat", [{"fname": "00001.jpg"}], fields=("fname",))
    with pytest.raises(DataError, match="have no file names and classes"):
        open_dataset(f"cars:{tmp_path}")
    (tmp_path / "cars_test_annos_withlabels.mat").write_bytes(b"no MATLAB")
    with pytest.raises(DataError, match="not readable as a MATLAB file"):
        open_dataset(f"cars:{tmp_path}")
    (tmp_path / "cars_test_annos_withlabels.mat").unlink()
    with pytest.raises(DataError, match=r"cars_test/ have no annotations; put cars_test_annos_withlabels.mat"):
        open_dataset(f"cars:{tmp_path}")


def test_cars_in_a_folder_per_class(tmp_path):
    in_folders(
        tmp_path / "car_data" / "test", ["Ram C-V Cargo Van Minivan 2012", "smart fortwo Convertible 2012"], files=("1.jpg",)
    )
    in_folders(tmp_path / "car_data" / "train", ["Acura RL Sedan 2012"], files=("2.jpg",))
    assert set(named(open_dataset(f"cars:{tmp_path}")).values()) == {
        "Ram C/V Cargo Van Minivan 2012",
        "smart fortwo Convertible 2012",
    }
    assert named(open_dataset(f"cars:{tmp_path}", split="train")) == {"Acura RL Sedan 2012/2.jpg": "Acura RL Sedan 2012"}
    in_folders(tmp_path / "car_data" / "test", ["Acura RL Sedan 2013"], files=("1.jpg",))
    with pytest.raises(DataError, match=r"'Acura RL Sedan 2013' is not one of the 196 classes of cars; did you mean"):
        open_dataset(f"cars:{tmp_path}")
    with pytest.raises(DataError, match=r"no split 'tests'; did you mean 'test'"):
        open_dataset(f"cars:{tmp_path}", split="tests")


def test_aircraft_with_the_lists_of_their_variants(tmp_path):
    data = tmp_path / "fgvc-aircraft-2013b" / "data"
    for number in (1, 2, 3):
        draw(data / "images" / f"000000{number}.jpg", number)
    (data / "images_variant_test.txt").write_text("0000001 F-16A/B\n0000002 Cessna 172\n")
    (data / "images_variant_train.txt").write_text("0000003 707-320\n")
    assert named(open_dataset(f"aircraft:{tmp_path}")) == {"0000001.jpg": "F-16A/B", "0000002.jpg": "Cessna 172"}
    assert named(open_dataset(f"aircraft:{data}", split="train")) == {"0000003.jpg": "707-320"}
    with pytest.raises(DataError, match=r"there is no images_variant_val.txt next to images/"):
        open_dataset(f"aircraft:{tmp_path}", split="val")
    (data / "images_variant_test.txt").write_text("0000001\n")
    with pytest.raises(DataError, match="'0000001' has no variant on its line"):
        open_dataset(f"aircraft:{tmp_path}")
    (data / "images_variant_test.txt").write_text("../../secret 707-320\n")
    with pytest.raises(DataError, match="leads out of"):
        open_dataset(f"aircraft:{tmp_path}")
    (data / "images_variant_test.txt").write_text("")
    with pytest.raises(DataError, match="lists no picture"):
        open_dataset(f"aircraft:{tmp_path}")


def test_aircraft_in_a_folder_per_variant(tmp_path):
    in_folders(tmp_path, ["F-16A_B", "F_A-18", "BAE 146-200"], files=("1.jpg",))
    assert set(named(open_dataset(f"aircraft:{tmp_path}")).values()) == {"F-16A/B", "F/A-18", "BAE 146-200"}


def test_pets_are_told_by_the_names_of_their_files(tmp_path):
    for name in ("Egyptian_Mau_1", "yorkshire_terrier_20"):
        draw(tmp_path / "images" / f"{name}.jpg")
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "test.txt").write_text(
        "#Image CLASS-ID SPECIES\nEgyptian_Mau_1 10 1 5\nyorkshire_terrier_20 37 2 25\n"
    )
    assert list(named(open_dataset(f"pets:{tmp_path}")).values()) == ["Egyptian Mau", "Yorkshire Terrier"]
    with pytest.raises(DataError, match=r"annotations/trainval.txt"):
        open_dataset(f"pets:{tmp_path}", split="trainval")


def test_flowers_are_told_by_their_labels(tmp_path):
    for number in (1, 2, 3):
        draw(tmp_path / "jpg" / f"image_0000{number}.jpg", number)
    savemat(tmp_path / "imagelabels.mat", {"labels": np.array([[77, 1, 102]])})
    savemat(tmp_path / "setid.mat", {"tstid": np.array([[3, 1]]), "trnid": np.array([[2]])})
    assert named(open_dataset(f"flowers102:{tmp_path}")) == {
        "image_00003.jpg": "blackberry lily",
        "image_00001.jpg": "passion flower",
    }
    assert named(open_dataset(f"flowers102:{tmp_path}", split="train")) == {"image_00002.jpg": "pink primrose"}
    savemat(tmp_path / "setid.mat", {"tstid": np.array([[4]])})
    with pytest.raises(DataError, match="picture 4 is not one of the 3"):
        open_dataset(f"flowers102:{tmp_path}")


@pytest.mark.parametrize("name", ["sun397", "cars", "aircraft", "pets", "flowers102"])
def test_letters_and_digits_alone_tell_their_classes_apart(name):
    labels = [c.label for c in read_classes(name)]
    assert len({"".join(s for s in label.casefold() if s.isalnum()) for label in labels}) == len(labels)


def test_an_examination_of_such_a_folder_works_at_once(tmp_path, store):
    exam = eyechart.examine(
        "demo:",
        f"sun397:{scenes(tmp_path / 'SUN397')}",
        prompts="sun397",
        probes=["zero_shot"],
        out=tmp_path / "out",
        store=store,
    )
    (top1,) = [row for row in exam.findings.to_pylist() if row["metric"] == "top1"]
    assert top1["n"] == 3
