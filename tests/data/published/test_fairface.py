import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError

HEAD = "file,age,gender,race,service_test\n"


@pytest.fixture
def faces(tmp_path, picture_bytes):
    def write(rows, name="fairface_label_val.csv"):
        (tmp_path / "val").mkdir(exist_ok=True)
        for number in range(1, len(rows) + 1):
            (tmp_path / "val" / f"{number}.jpg").write_bytes(picture_bytes(number))
        (tmp_path / name).write_text(HEAD + "".join(f"val/{i}.jpg,{row},True\n" for i, row in enumerate(rows, start=1)))
        return f"fairface:{tmp_path}"

    return write


def test_a_row_is_a_face_with_three_attributes(faces):
    dataset = open_dataset(faces(["20-29,Male,East Asian", "more than 70,Female,Latino_Hispanic"]))
    assert dataset.ids() == ["val/1.jpg", "val/2.jpg"]
    assert dataset.table.column("attr.age").to_pylist() == ["20-29", "more than 70"]
    assert dataset.table.column("attr.gender").to_pylist() == ["Male", "Female"]
    assert dataset.table.column("attr.race").to_pylist() == ["East Asian", "Latino_Hispanic"]
    assert dataset.pictures.read(0) and not dataset.notices
    assert dataset.classes is None  # nobody is sorted by a list that was not asked for


def test_ages_that_a_spreadsheet_damaged_are_repaired_and_said(faces):
    dataset = open_dataset(faces(["03-Sep,Male,Black", "Oct-19,Female,White", "3-9,Male,Indian"]))
    assert dataset.table.column("attr.age").to_pylist() == ["3-9", "10-19", "3-9"]
    assert "2 ages that a spreadsheet had turned into dates" in dataset.notices[0].what


@pytest.mark.parametrize(
    ("cell", "age"),
    [
        *((cell, "3-9") for cell in ("3-Sep", "03-sep", "Sep-03", "Sep 3", "9-Mar", "09-mar", "mar-9", "2024-09-03", "2024-03-09",
                                     "2024-03-09 00:00:00", "9/3/2024", "3-Sep-24", "September 3")),
        *((cell, "10-19") for cell in ("Oct-19", "19-Oct", "Oct 19", "2019-10-01", "10/19", "october-19")),
        *((cell, "0-2") for cell in ("Feb-00", "02-Jan", "2-Jan", "2000-02-01")),
        *((cell, "more than 70") for cell in ("70+", ">70")),
    ],
)  # fmt: skip
def test_a_damaged_age_is_read(faces, cell, age):
    dataset = open_dataset(faces([f"{cell},Male,Black"]))
    assert dataset.table.column("attr.age").to_pylist() == [age]
    assert bool(dataset.notices) == ("70" not in cell)


@pytest.mark.parametrize("cell", ["4-Sep", "Nov-19", "2019-10-02", "2020-10-01", "13/9", "foo-3", "sep", "2024-04-09", "1-Feb"])
def test_a_date_that_no_age_becomes_is_refused(faces, cell):
    with pytest.raises(DataError, match="is not an age group"):
        open_dataset(faces([f"{cell},Male,Black"]))


def test_an_age_that_is_none_is_named(faces):
    with pytest.raises(DataError, match=r"fairface_label_val.csv:3: age '20-39' is not an age group of FairFace"):
        open_dataset(faces(["20-29,Male,Black", "20-39,Male,Black"]))


def test_another_split_and_a_folder_that_is_none(faces, tmp_path):
    assert len(open_dataset(faces(["0-2,Male,Black"], "fairface_label_train.csv"), split="train")) == 1
    with pytest.raises(DataError, match=r"it contains no fairface_label_val.csv"):
        open_dataset(f"fairface:{tmp_path}")
