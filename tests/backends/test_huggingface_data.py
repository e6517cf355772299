"""What the `datasets` package writes is read without it."""

import pytest

from eyechart.data.formats.huggingface import fetch
from eyechart.data.open import open_dataset

pytestmark = pytest.mark.backend


@pytest.fixture
def pets(picture_bytes):
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"image": datasets.Image(), "label": datasets.ClassLabel(names=["cat", "great_dane"]), "light": datasets.Value("string")}
    )
    rows = {"image": [{"bytes": picture_bytes(n), "path": None} for n in range(6)], "label": [0, 1] * 3, "light": ["dim"] * 6}
    return datasets.Dataset.from_dict(rows, features=features)


def check(dataset, picture_bytes):
    assert dataset.label_indices().tolist() == [0, 1] * 3
    assert [c.name for c in dataset.classes] == ["cat", "great dane"]
    assert dataset.table.column("attr.light").to_pylist() == ["dim"] * 6
    assert [dataset.pictures.read(row) for row in range(6)] == [picture_bytes(n) for n in range(6)]


def test_save_to_disk(pets, tmp_path, picture_bytes):
    pets.save_to_disk(tmp_path / "pets", num_shards=2)
    check(open_dataset(tmp_path / "pets"), picture_bytes)


def test_save_to_disk_of_splits(pets, tmp_path, picture_bytes):
    datasets = pytest.importorskip("datasets")
    datasets.DatasetDict(train=pets, test=pets).save_to_disk(tmp_path / "pets")
    check(open_dataset(tmp_path / "pets", split="test"), picture_bytes)


def test_to_parquet(pets, tmp_path, picture_bytes):
    (tmp_path / "pets" / "data").mkdir(parents=True)
    pets.to_parquet(tmp_path / "pets" / "data" / "train-00000-of-00001.parquet")
    check(open_dataset(tmp_path / "pets"), picture_bytes)


def test_what_the_package_loads_is_read_from_its_arrow_files(pets, tmp_path, picture_bytes, monkeypatch):
    """A repository's folder stands for the hub, which a test does not ask."""
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    (tmp_path / "pets" / "data").mkdir(parents=True)
    pets.to_parquet(tmp_path / "pets" / "data" / "test-00000-of-00001.parquet")
    reading = fetch(str(tmp_path / "pets"), "test")
    assert reading.labels == ("cat", "great_dane")
    assert [reading.pictures.read(row) for row in range(6)] == [picture_bytes(n) for n in range(6)]
