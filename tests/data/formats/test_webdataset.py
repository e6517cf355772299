import gzip
import io
import json
import tarfile

import pytest

from eyechart.data.formats.tar_index import index_tar
from eyechart.data.open import open_dataset
from eyechart.errors import DataError


def write(path, members, format=tarfile.PAX_FORMAT):
    with tarfile.open(path, "w", format=format) as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


@pytest.fixture
def shards(tmp_path, picture_bytes):
    for shard in range(2):
        members = []
        for n in range(shard * 3, shard * 3 + 3):
            members += [
                (f"{n:04d}.png", picture_bytes(n)),
                (f"{n:04d}.cls", str(n % 2).encode()),
                (f"{n:04d}.txt", f"picture {n}\n".encode()),
                (f"{n:04d}.json", json.dumps({"light": "dim", "height": n}).encode()),
            ]
        write(tmp_path / f"pets-{shard:04d}.tar", members)
    return tmp_path


@pytest.mark.parametrize("spec", ["", "/pets-*.tar", "/pets-{0000..0001}.tar", "/pets-{0000,0001}.tar"])
def test_shards_are_read_in_place(shards, spec, picture_bytes):
    before = sorted(shards.rglob("*"))
    dataset = open_dataset(f"{shards}{spec}")
    assert dataset.table.to_pylist()[4] == {
        "id": "0004", "label": "0", "captions": ["picture 4"], "attr.light": "dim", "attr.height": 4,
    }  # fmt: skip
    assert [dataset.pictures.read(row) for row in (5, 0)] == [picture_bytes(5), picture_bytes(0)]
    assert sorted(shards.rglob("*")) == before


def test_numbers_in_cls_count_the_class_list(shards):
    (shards / "names.txt").write_text("cat\ndog\n")
    dataset = open_dataset(f"{shards}/pets-0000.tar", classes=shards / "names.txt")
    assert dataset.table.column("label").to_pylist() == ["cat", "dog", "cat"]
    assert dataset.name == "pets-0000"


def test_taken_rows_and_identities_follow_their_members(shards, picture_bytes):
    dataset = open_dataset(shards)
    taken = dataset.take([4, 1])
    assert taken.pictures.read(0) == picture_bytes(4)
    assert taken.pictures.identity(0) == dataset.pictures.identity(4)
    assert taken.pictures.place(0).endswith("pets-0001.tar!0004.png")


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_the_index_agrees_with_tarfile_in_every_format(tmp_path, format):
    names = ["a.jpg", "deep/" * 25 + "b.jpg", "c" * 96 + ".jpg", "thé/ça.jpg", "x/./../y.jpg"]
    if format != tarfile.USTAR_FORMAT:
        names += ["long" * 60 + ".jpg", "ü" * 80 + ".png"]
    path = write(tmp_path / "a.tar", [(name, bytes([n]) * (n * 300)) for n, name in enumerate(names)], format)
    with tarfile.open(path, "a", format=format) as tar:
        folder, link = tarfile.TarInfo("folder"), tarfile.TarInfo("link.jpg")
        folder.type, link.type, link.linkname = tarfile.DIRTYPE, tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(folder)
        tar.addfile(link)
    with tarfile.open(path) as tar:
        expected = [(m.name, m.offset_data, m.size) for m in tar if m.isreg()]
    assert [(m.name, m.offset, m.size) for m in index_tar(path)] == expected
    assert len(expected) == len(names)


def test_a_size_that_octal_digits_cannot_hold_is_read(tmp_path):
    """GNU's base-256 numbers and pax's size record; the claimed nine gigabytes are not there, and that is said."""
    for format in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        info = tarfile.TarInfo("a.jpg")
        info.size = 9 << 30
        (tmp_path / "a.tar").write_bytes(info.tobuf(format))
        with pytest.raises(DataError, match="cut off within the member"):
            index_tar(tmp_path / "a.tar")


def test_a_shard_cut_anywhere_before_its_end_is_refused(tmp_path, picture_bytes):
    path = write(tmp_path / "a.tar", [("a.png", picture_bytes(0)), ("b.png", picture_bytes(1))])
    data = path.read_bytes()
    last = index_tar(path)[-1]
    end = last.offset + -(-last.size // 512) * 512 + 512  # padded content, then a block of zeros
    for length in [*range(1, end, 97), *range(0, end, 512), end - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(DataError):
            index_tar(path)
    path.write_bytes(data[:end])
    assert len(index_tar(path)) == 2


def test_damage_between_members_is_not_taken_for_the_end(tmp_path, picture_bytes):
    path = write(tmp_path / "a.tar", [("a.png", b"1"), ("b.png", b"2")])
    data = bytearray(path.read_bytes())
    data[1024 + 20] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(DataError, match="damaged at byte 1024"):
        open_dataset(path)


@pytest.mark.parametrize("content", [b"", b"this is no tar", b"x" * 2000])
def test_what_is_no_tar_is_refused(tmp_path, content):
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(DataError, match=r"a.tar: (not a tar|the file is empty)"):
        open_dataset(tmp_path / "a.tar")


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
def test_a_compressed_tar_is_refused_with_a_sentence(tmp_path, name, picture_bytes):
    plain = write(tmp_path / "plain.tar", [("a.png", picture_bytes(0))]).read_bytes()
    (tmp_path / "plain.tar").unlink()
    (tmp_path / name).write_bytes(gzip.compress(plain))
    with pytest.raises(DataError, match=r"cannot be read in place; decompress it to a plain .tar first"):
        open_dataset(tmp_path / name)


def test_names_are_ids_and_never_paths(tmp_path, picture_bytes):
    path = write(tmp_path / "a.tar", [("../../etc/a.png", picture_bytes(0)), ("/abs/b.png", picture_bytes(1))])
    assert open_dataset(path).ids() == ["../../etc/a", "/abs/b"]


def test_keys_that_begin_anew_in_every_shard_get_the_shards_name(tmp_path, picture_bytes):
    for shard in range(2):
        write(tmp_path / f"s{shard}.tar", [("0.png", picture_bytes(shard))])
    dataset = open_dataset(tmp_path)
    assert (dataset.ids(), dataset.reader["ids"]) == (["s0/0", "s1/0"], "shard and key")


def test_a_member_that_is_there_twice_is_refused(tmp_path, picture_bytes):
    path = write(tmp_path / "a.tar", [("a.png", picture_bytes(0)), ("a.png", picture_bytes(1))])
    with pytest.raises(DataError, match=r"a.tar!a.png: the shard contains this member twice"):
        open_dataset(path)


def test_several_pictures_of_a_sample_need_a_word(tmp_path, picture_bytes):
    path = write(tmp_path / "a.tar", [("a.left.png", picture_bytes(0)), ("a.right.png", picture_bytes(1))])
    with pytest.raises(DataError, match=r"several pictures \(left.png, right.png\); choose one with --column image=ENDING"):
        open_dataset(path)
    assert open_dataset(path, columns={"image": "right.png"}).pictures.read(0) == picture_bytes(1)


def test_samples_without_a_picture_are_counted(tmp_path, picture_bytes):
    path = write(tmp_path / "a.tar", [("a.png", picture_bytes(0)), ("b.txt", b"no picture"), ("._a.png", b"resource fork")])
    dataset = open_dataset(path)
    assert len(dataset) == 1
    assert any("1 samples without a picture" in str(n) for n in dataset.notices)


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (("a.json", b"{"), "a.json: not valid JSON"),
        (("a.json", b"[1]"), "not a JSON object"),
        (("a.txt", b"\xe9"), "a.txt: not UTF-8"),
    ],
)
def test_companions_that_cannot_be_read_are_named(tmp_path, picture_bytes, member, message):
    path = write(tmp_path / "a.tar", [("a.png", picture_bytes(0)), member])
    with pytest.raises(DataError, match=f"a.tar!.*{message}"):
        open_dataset(path)


def test_a_missing_shard_of_a_range_is_named(shards):
    with pytest.raises(DataError, match=r"there is no .*pets-0002.tar"):
        open_dataset(f"{shards}/pets-{{0000..0003}}.tar")


@pytest.mark.parametrize("spec", ["s-{0..999999}-{0..99}.tar", "s-{0..99999999999999999999}.tar", "s-{5..2}.tar"])
def test_ranges_that_name_too_many_files_are_refused_at_once(spec):
    with pytest.raises(DataError, match=r"more than 100,000 files|empty or too long"):
        open_dataset(spec)
