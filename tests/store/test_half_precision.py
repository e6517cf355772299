"""Picture vectors in half precision: a shelf of their own, half the size, and findings that hardly change."""

import numpy as np
import pyarrow as pa
import pytest
from tests.clusters.logged_model import make_pictures

from eyechart.cli.main import main
from eyechart.errors import StoreError
from eyechart.findings.run import read_run
from eyechart.store import Store

MODEL = "ab" * 32
KEYS = [bytes([n]) * 32 for n in range(8)]


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)


@pytest.mark.parametrize("shard", [True, False])
def test_vectors_come_back_rounded_to_half_precision(tmp_path, vectors, shard):
    shelf = Store(tmp_path).shelf(MODEL, "image", "x.float16")
    shelf.put_shard("s", KEYS, vectors) if shard else shelf.put(KEYS, vectors)
    expected = vectors.astype(np.float16).astype(np.float32)
    got = Store(tmp_path).shelf(MODEL, "image", "x.float16").get(KEYS)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, expected)
    (path,) = shelf.segment_paths()
    with pa.memory_map(str(path)) as file:
        assert pa.ipc.open_file(file).schema.field("vector").type.value_type == pa.float16()


def test_compaction_and_verification_keep_the_numbers(tmp_path, vectors):
    store = Store(tmp_path)
    shelf = store.shelf(MODEL, "image", "x.float16")
    for half in (slice(0, 4), slice(4, 8)):
        shelf.put(KEYS[half], vectors[half])
    store.compact()
    assert store.verify().damaged == () and len(shelf.segment_paths()) == 1
    np.testing.assert_array_equal(shelf.get(KEYS), vectors.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("factor", [1e5, 1e-5])
def test_numbers_that_half_precision_cannot_hold_are_refused(tmp_path, vectors, factor):
    with pytest.raises(StoreError, match="leave out --store-precision"):
        Store(tmp_path).shelf(MODEL, "image", "x.float16").put(KEYS, vectors * np.float32(factor))


def test_a_segment_of_the_other_precision_is_no_part_of_a_shelf(tmp_path, vectors):
    store = Store(tmp_path)
    whole, half = store.shelf(MODEL, "image", "x"), store.shelf(MODEL, "image", "x.float16")
    whole.put(KEYS, vectors)
    half.prepare_to_write()
    (path,) = whole.segment_paths()
    (half.segment_folder / path.name).write_bytes(path.read_bytes())
    assert half.missing(KEYS).all() and "another shelf" in str(store.notices[-1])


def test_an_examination_in_half_precision_says_so_and_differs_little(tmp_path):
    pictures = make_pictures(tmp_path / "pictures", 24)
    runs = {}
    for precision in ("float32", "float16"):
        flags = [
            "--prompts",
            "single",
            "--probes",
            "zero_shot",
            "--no-corruptions",
            "--no-ood",
            "--quiet",
            "--store",
            str(tmp_path / "store"),
        ]
        out = tmp_path / precision
        assert (
            main(
                [
                    "examine",
                    "--model",
                    "demo:",
                    "--data",
                    str(pictures),
                    "--out",
                    str(out),
                    *flags,
                    "--store-precision",
                    precision,
                ]
            )
            == 0
        )
        runs[precision] = read_run(out)
    value = {name: {(r["metric"], r["slice"]): r["value"] for r in run.findings.to_pylist()} for name, run in runs.items()}
    assert value["float32"].keys() == value["float16"].keys()
    assert runs["float16"].protocol["models"]["demo"]["store_precision"] == "float16"
    protocols = [{r["protocol"] for r in run.findings.to_pylist() if r["probe"] == "zero_shot"} for run in runs.values()]
    assert protocols[0].isdisjoint(protocols[1]), "numbers of two precisions must not be taken for the same protocol"
    sizes = {
        s.label.variant: sum(p.stat().st_size for p in s.segment_paths())
        for s in Store(tmp_path / "store").shelves()
        if s.label.role == "image"
    }
    assert len(sizes) == 2
    whole, half = (size for _, size in sorted(sizes.items(), key=lambda item: item[0].endswith(".float16")))
    assert half < 0.75 * whole  # keys and metadata stay as they are
