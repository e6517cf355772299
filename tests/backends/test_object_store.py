"""Datasets, stores and results in an object store: a real S3 server on this machine, and whatever else fsspec opens."""

import io
import os
import tarfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.clusters.logged_model import make_pictures
from tests.clusters.same_findings import assert_same_findings, assert_same_vectors

from eyechart.cli.main import main
from eyechart.data.open import open_dataset
from eyechart.errors import DataError, StoreError, UsageError
from eyechart.files.remote import remote_path
from eyechart.store import Store

moto_server = pytest.importorskip("moto.server")
boto3 = pytest.importorskip("boto3")

SECRET = "a-secret-that-must-not-be-shown"
EXAMINE = (
    "--model",
    "demo:",
    "--probes",
    "zero_shot,calibration",
    "--prompts",
    "single",
    "--quiet",
    "--no-corruptions",
    "--no-ood",
)


@pytest.fixture(scope="module")
def s3():
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    before = dict(os.environ)
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
    }  # fmt: skip
    client = boto3.client("s3")
    client.create_bucket(Bucket="bucket")
    yield client
    server.stop()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A machine of its own: its cache is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("EYECHART_STORE", raising=False)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    return make_pictures(tmp_path_factory.mktemp("pictures"), 24)


def png(number):
    file = io.BytesIO()
    Image.fromarray(np.full((6, 6, 3), number, np.uint8)).save(file, "PNG")
    return file.getvalue()


def upload(s3, folder, prefix):
    for path in folder.rglob("*"):
        if path.is_file():
            s3.upload_file(str(path), "bucket", f"{prefix}/{path.relative_to(folder).as_posix()}")


def test_a_folder_of_pictures_is_read_as_on_disk(s3, pictures):
    upload(s3, pictures, "folder")
    here, there = open_dataset(pictures), open_dataset("s3://bucket/folder/")
    assert there.ids() == here.ids() and there.table.column("label").to_pylist() == here.table.column("label").to_pylist()
    assert [there.pictures.read(row) for row in (0, 9)] == [here.pictures.read(row) for row in (0, 9)]
    assert there.pictures.identity(0) == there.pictures.identity(0) != there.pictures.identity(1)


def test_parquet_is_read_by_ranges(s3, tmp_path):
    for part in range(2):
        images = [{"bytes": png(10 * part + n), "path": f"{n}.png"} for n in range(5)]
        table = pa.table({"image": images, "label": ["cat", "dog", "cat", "dog", "cat"], "id": [f"{part}-{n}" for n in range(5)]})
        pq.write_table(table, tmp_path / "p.parquet", row_group_size=2)
        s3.upload_file(str(tmp_path / "p.parquet"), "bucket", f"parquet/train-{part:02d}.parquet")
    for spec in ("s3://bucket/parquet/train-{00..01}.parquet", "s3://bucket/parquet/*.parquet", "s3://bucket/parquet"):
        dataset = open_dataset(spec)
        assert len(dataset) == 10 and dataset.pictures.read(7) == png(12) and dataset.ids()[7] == "1-2"


def test_a_webdataset_is_read_in_place(s3, tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for number in range(4):
            for ending, data in (("png", png(number)), ("cls", str(number % 2).encode()), ("txt", f"picture {number}".encode())):
                member = tarfile.TarInfo(f"{number:03d}.{ending}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    s3.upload_file(str(tmp_path / "a.tar"), "bucket", "tars/a.tar")
    dataset = open_dataset("s3://bucket/tars/a.tar")
    assert dataset.ids() == ["000", "001", "002", "003"] and dataset.pictures.read(2) == png(2)
    assert dataset.table.column("captions").to_pylist()[3] == ["picture 3"]


def test_a_listing_names_pictures_beside_it(s3, tmp_path):
    s3.put_object(Bucket="bucket", Key="list/a/1.png", Body=png(1))
    s3.put_object(Bucket="bucket", Key="list/labels.csv", Body=b"path,label\na/1.png,cat\na/2.png,dog\n")
    dataset = open_dataset("s3://bucket/list/labels.csv")
    assert dataset.pictures.read(0) == png(1)
    with pytest.raises(OSError):
        dataset.pictures.read(1)
    s3.put_object(Bucket="bucket", Key="list/out.csv", Body=b"path,label\n../secret.png,cat\n")
    with pytest.raises(DataError, match="leads out of"):
        open_dataset("s3://bucket/list/out.csv")


@pytest.mark.parametrize("spec", ["s3://bucket/none", "s3://bucket/none.parquet", "s3://nobucket/x.tar"])
def test_what_is_not_there_is_an_error_with_its_address(s3, spec):
    with pytest.raises(DataError, match=spec):
        open_dataset(spec)


def test_a_key_in_an_address_is_refused_and_not_shown(s3, capsys):
    assert main(["encode", "--model", "demo:", "--data", f"s3://me:{SECRET}@bucket/folder"]) == 2
    err = capsys.readouterr().err
    assert "environment" in err and SECRET not in err
    with pytest.raises(UsageError):
        remote_path("nothing://x")


def test_examine_with_data_store_and_results_in_the_object_store(s3, pictures, tmp_path, monkeypatch, capsys):
    upload(s3, pictures, "exam")
    here = ["--name", "p", "--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    assert main(["examine", "--data", str(pictures), *EXAMINE, *here]) == 0
    there = ["--name", "p", "--out", "s3://bucket/results/one", "--store", "s3://bucket/store"]
    assert main(["examine", "--data", "s3://bucket/exam", *EXAMINE, *there]) == 0
    assert "s3://bucket/results/one" in capsys.readouterr().out
    # Another machine: the page and the vectors are there, and nothing is encoded again.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other machine"))
    assert main(["verdict", "s3://bucket/results/one"]) == 0
    assert main(["examine", "--data", "s3://bucket/exam", *EXAMINE, *there]) == 0
    assert "nothing was encoded" in capsys.readouterr().out
    store = Store("s3://bucket/store")
    assert store.verify().damaged == () and store.verify().vectors >= 24
    assert assert_same_vectors(store.path, tmp_path / "store") == 24
    (results,) = (tmp_path / "other machine" / "eyechart" / "results").iterdir()
    assert_same_findings(results, tmp_path / "out")


def test_workers_of_several_machines_fill_one_store(s3, pictures, tmp_path, monkeypatch, capsys):
    upload(s3, pictures, "parts")
    encode = [
        "encode",
        "--model",
        "demo:",
        "--data",
        "s3://bucket/parts",
        "--store",
        "s3://bucket/filled",
        "--quiet",
        "--shard-size",
        "4",
    ]
    for part in (0, 1, 1):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / f"machine {part}"))
        assert main([*encode, "--shard", f"{part}/2"]) == 0
    assert [line.split(": ")[2].split(",")[0] for line in capsys.readouterr().out.splitlines()] == [
        "12 encoded",
        "12 encoded",
        "0 encoded",
    ]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "machine 3"))
    assert main([*encode, "--shard", "1/2"]) == 0  # a machine that never saw a segment: names alone tell that all is done
    assert "0 encoded" in capsys.readouterr().out
    here = ["--data", str(pictures), "--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    assert main(["examine", *EXAMINE, *here]) == 0
    store = Store("s3://bucket/filled")
    store.shelves()
    assert assert_same_vectors(store.path, tmp_path / "store") == 24


def test_worker_processes_write_to_the_object_store(s3, pictures, tmp_path):
    upload(s3, pictures, "workers")
    there = ["--out", str(tmp_path / "out"), "--name", "p", "--store", "s3://bucket/of-workers"]
    assert (
        main(
            [
                "examine",
                "--data",
                "s3://bucket/workers",
                *EXAMINE,
                *there,
                "--engine",
                "local:2",
                "--shard-size",
                "8",
                "--batch-size",
                "8",
            ]
        )
        == 0
    )
    here = ["--out", str(tmp_path / "alone"), "--name", "p", "--store", str(tmp_path / "store")]
    assert main(["examine", "--data", str(pictures), *EXAMINE, *here, "--batch-size", "8"]) == 0
    assert_same_findings(tmp_path / "out", tmp_path / "alone")
    listed = s3.list_objects_v2(Bucket="bucket", Prefix="of-workers/models")["Contents"]
    segments = [entry["Key"] for entry in listed if "/image-" in entry["Key"] and "/segments/" in entry["Key"]]
    assert len(segments) >= 3 and all("/segments/shard-" in key for key in segments)


def test_a_put_is_conditional(s3, tmp_path):
    (tmp_path / "a").write_bytes(b"first")
    (tmp_path / "b").write_bytes(b"second")
    target = remote_path("s3://bucket/once/x")
    assert target.create(tmp_path / "a") and not target.create(tmp_path / "b")
    assert s3.get_object(Bucket="bucket", Key="once/x")["Body"].read() == b"first"


def test_a_store_that_cannot_be_reached_is_an_error_without_the_key(s3, capsys):
    assert main(["encode", "--model", "demo:", "--data", "world-objects", "--limit", "4", "--store", "s3://nobucket/s"]) == 6
    err = capsys.readouterr().err
    assert "s3://nobucket" in err and SECRET not in err and "Traceback" not in err


def test_a_store_at_an_address_is_neither_compacted_nor_cleared_here(s3):
    with pytest.raises(StoreError, match="provider"):
        Store("s3://bucket/store").gc()


def test_any_address_of_fsspec_can_be_used(pictures, tmp_path):
    there = ["--data", f"file://{pictures}", "--out", f"file://{tmp_path}/out", "--store", f"file://{tmp_path}/store"]
    assert main(["examine", *EXAMINE, *there]) == 0
    assert (tmp_path / "out" / "findings.parquet").is_file() and Store(tmp_path / "store").verify().vectors >= 24
