import json
from collections import Counter

import numpy as np
import pytest

from eyechart.data.kinds import dataset_kinds
from eyechart.data.open import default_name, open_dataset
from eyechart.data.sample import stratified_sample
from eyechart.errors import DataError, MissingExtra, UsageError


@pytest.fixture
def pets(tmp_path, picture_bytes):
    for label, count in (("cat", 12), ("dog", 6), ("eel", 2)):
        for number in range(count):
            path = tmp_path / "pets" / label / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture_bytes(number))
    return tmp_path / "pets"


def test_a_limit_samples_every_class_in_proportion(pets):
    dataset = open_dataset(pets, limit=10)
    assert Counter(dataset.table.column("label").to_pylist()) == {"cat": 6, "dog": 3, "eel": 1}
    assert dataset.ids() == sorted(dataset.ids())
    assert (dataset.reader["limit"], dataset.reader["seed"], dataset.reader["rows"]) == (10, 0, 20)


def test_a_sample_is_repeatable_and_moves_with_the_seed(pets):
    assert open_dataset(pets, limit=10, seed=3).ids() == open_dataset(pets, limit=10, seed=3).ids()
    assert len({tuple(open_dataset(pets, limit=10, seed=seed).ids()) for seed in range(5)}) == 5


def test_a_sample_does_not_depend_on_the_order_of_rows():
    ids, labels = [f"p{n}" for n in range(200)], [f"c{n % 7}" for n in range(200)]
    order = np.random.default_rng(0).permutation(200)
    straight = {ids[row] for row in stratified_sample(ids, labels, 50, 1)}
    shuffled = [ids[i] for i in order]
    assert {shuffled[row] for row in stratified_sample(shuffled, [labels[i] for i in order], 50, 1)} == straight


def test_a_sample_smaller_than_the_classes_does_not_take_the_first_ones():
    ids = [f"p{n}" for n in range(1000)]
    labels = [f"c{n // 10:03d}" for n in range(1000)]
    taken = [labels[row] for row in stratified_sample(ids, labels, 10, 0)]
    assert len(set(taken)) == 10
    assert max(taken) > "c050"


def test_the_whole_is_taken_where_the_limit_is_larger(pets):
    assert len(open_dataset(pets, limit=1000)) == 20
    with pytest.raises(UsageError, match="limit is 0; choose 1 or more"):
        open_dataset(pets, limit=0)


def test_how_it_was_read_can_be_written_down(pets):
    reader = open_dataset(pets, limit=3).reader
    assert json.loads(json.dumps(reader)) == reader
    assert (reader["kind"], reader["source"], reader["classes"]) == ("folder", str(pets), "labels, '_' read as a space")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pet", "there is no such file or folder; did you mean 'pets'"),
        ("petz/cat", r"there is no such file or folder \(the folder .*petz does not exist; did you mean 'pets'\?\)"),
        ("notes.xyz", "not a kind of dataset that can be read; give a folder or one file of .csv"),
        ("one.png", "a single picture is not a dataset; give the folder"),
        ("nothing-*.tar", "no file matches"),
    ],
)
def test_what_cannot_be_opened_says_what_to_do(pets, spec, message):
    (pets.parent / "notes.xyz").write_text("x")
    (pets.parent / "one.png").write_bytes(b"x")
    with pytest.raises(DataError, match=message):
        open_dataset(pets.parent / spec)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("data/pets", "pets"),
        ("pets.csv", "pets"),
        ("pets-{0000..0009}.tar", "pets"),
        ("d/s-*.parquet", "s"),
        ("hf://o/n/test", "o/n/test"),
    ],
)
def test_a_dataset_is_named_after_its_place(spec, name):
    assert default_name(spec) == name


def test_a_name_can_be_given(pets):
    assert open_dataset(pets, name="my pets").name == "my pets"


def test_a_hub_dataset_needs_its_extra_or_a_sane_id():
    kinds = {kind.name: kind for kind in dataset_kinds()}
    with pytest.raises(DataError, match="write hf://owner/name"):
        open_dataset("hf://not a name")
    if kinds["hub"].installed:
        pytest.skip("the datasets package is installed here")
    with pytest.raises(MissingExtra, match=r"pip install 'eyechart\[datasets\]'"):
        open_dataset("hf://owner/name")


def test_every_kind_has_an_example_and_a_description():
    assert all(kind.example and kind.description for kind in dataset_kinds())
    assert {"folder", "csv", "jsonl", "parquet", "webdataset", "saved", "hub"} <= {kind.name for kind in dataset_kinds()}


@pytest.mark.refdata
def test_a_real_folder_of_photographs_opens_and_decodes(refdata):
    from eyechart.data.picture import decode_picture

    dataset = open_dataset(refdata / "clothing")
    assert (len(dataset), len(dataset.classes)) == (120, 10)
    assert set(np.bincount(dataset.label_indices())) == {12}
    assert all(decode_picture(dataset.pictures.read(row)).mode == "RGB" for row in range(0, 120, 10))


@pytest.mark.parametrize("spec", ["", "x" * 5000])
def test_paths_that_no_system_has_are_refused(spec):
    with pytest.raises((DataError, UsageError)):
        open_dataset(spec)
