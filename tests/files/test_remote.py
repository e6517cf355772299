from importlib.util import find_spec

import pytest

from eyechart.errors import MissingExtra, UsageError
from eyechart.files.remote import RemotePath, is_address, remote_path


@pytest.mark.parametrize("text", ["s3://b/x", "gs://b", "az://c/d", "https://host/a.parquet", "memory://x", "file:///tmp/x"])
def test_addresses(text):
    assert is_address(text)


@pytest.mark.parametrize("text", ["photos", "/data/photos", "hf://owner/name", "imagenet:photos", "C:\\photos", "demo:", "s3:b"])
def test_what_is_no_address(text):
    assert not is_address(text)


def test_parts_of_an_address():
    path = RemotePath("s3://bucket/a/b.c.tar")
    assert (path.name, path.stem, path.suffix, str(path.parent), str(path.parent / "x")) == (
        "b.c.tar", "b.c", ".tar", "s3://bucket/a", "s3://bucket/a/x",
    )  # fmt: skip
    assert sorted([RemotePath("s3://b/2"), RemotePath("s3://b/1")])[0].name == "1"


def test_a_password_in_an_address_is_refused_without_repeating_it():
    with pytest.raises(UsageError) as error:
        remote_path("s3://me:hidden@bucket/x")
    assert "hidden" not in str(error.value) and "environment" in str(error.value)


@pytest.mark.skipif(find_spec("s3fs") is not None, reason="the packages are installed")
@pytest.mark.parametrize(
    ("address", "extra"), [("s3://b/x", "eyechart[s3]"), ("gs://b/x", "eyechart[gs]"), ("az://b/x", "eyechart[az]")]
)
def test_missing_packages_are_named(address, extra):
    with pytest.raises(MissingExtra, match=f"pip install '{extra}'".replace("[", r"\[")):
        remote_path(address)
