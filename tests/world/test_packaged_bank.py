import pytest
from tests.world.cutouts import picture

from eyechart.errors import DataError, UsageError
from eyechart.world.folder_bank import open_bank
from eyechart.world.packaged_bank import copy_bank, names_and_files

KIND = "fluent-emoji-3d"
# Of the COCO names that have an emoji, these show something else as well (protocol page); they are left out.
MISLEADING = {"surfboard", "snowboard", "fork", "tie", "couch", "bowl", "tennis racket"}


@pytest.fixture
def package(tmp_path):
    """The layout of the package, with drawings instead of its pictures."""
    assets = tmp_path / "package" / "assets"
    assets.mkdir(parents=True)
    for number, file in enumerate(names_and_files(KIND).values()):
        picture("disc", 32 + number).save(assets / file, lossless=True)
    return tmp_path / "package"


def test_sixty_names_of_coco_and_six_more_none_of_them_misleading():
    names = names_and_files(KIND)
    assert len(names) == 66
    assert len(set(names.values())) == 66
    assert not MISLEADING & set(names)


def test_pictures_are_copied_under_the_names_of_what_they_show(package, tmp_path):
    names = copy_bank(KIND, package, tmp_path / "bank")
    assert set(open_bank(tmp_path / "bank").names) == set(names)
    assert (tmp_path / "bank" / "zebra.webp").read_bytes() == (package / "assets" / "1f993.webp").read_bytes()
    assert "MIT" in (tmp_path / "bank" / "SOURCE.txt").read_text()


def test_links_out_of_the_package_are_not_followed(package, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (package / "assets" / "1f993.webp").unlink()
    (package / "assets" / "1f993.webp").symlink_to(tmp_path / "secret")
    with pytest.raises(DataError, match=r"1 of 66 pictures cannot be read: 1f993\.webp \(zebra\): leads out"):
        copy_bank(KIND, package, tmp_path / "bank")
    assert not (tmp_path / "bank").exists()


def test_another_folder_is_told_from_the_package(tmp_path):
    with pytest.raises(DataError, match="no folder assets/"):
        copy_bank(KIND, tmp_path, tmp_path / "bank")
    (tmp_path / "assets").mkdir()
    with pytest.raises(DataError, match=r"66 of 66 pictures cannot be read.*download version 1\.1\.0"):
        copy_bank(KIND, tmp_path, tmp_path / "bank")


def test_a_folder_in_use_is_left_alone(package, tmp_path):
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "mine.png").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        copy_bank(KIND, package, tmp_path / "bank")


@pytest.mark.assets
def test_the_real_package_makes_a_bank(assets, tmp_path):
    package = assets / "fluent-emoji-3d"
    if not package.is_dir():
        pytest.skip(f"{package} does not exist: run `make test-assets`")
    bank = open_bank(copy_bank(KIND, package, tmp_path / "bank") and tmp_path / "bank")
    assert len(bank.names) == len(bank.cutouts) == 66
    assert bank.notices == ()
    assert all(0.1 < cutout.fill < 1 and 0.2 < cutout.stretch < 4 for cutout in bank.cutouts)
