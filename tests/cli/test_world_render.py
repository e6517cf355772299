"""`eyechart world` as a user types it: a real process, its output, its exit code and what it leaves on the disk."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.world.cutouts import draw_bank

from eyechart import world
from eyechart.cli.main import main
from eyechart.world.packaged_bank import names_and_files


@pytest.fixture
def eyechart(commands, tmp_path):
    def run(*words):
        return commands.run(*words, cwd=tmp_path, env={"EYECHART_STORE": str(tmp_path / "store")})

    return run


@pytest.fixture
def bank(tmp_path):
    return draw_bank(tmp_path / "toys")


def digest(folder) -> str:
    found = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        found.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def test_a_rendered_bank_is_examined_at_once(eyechart, bank, tmp_path):
    done = eyechart("world", "render", "out", "--bank", "toys", "--n", "12", "--side", "96")
    assert done.returncode == 0, done.stderr
    assert "rendering: 12/12 pictures" in done.stderr
    table = done.stdout.split("--data ")[1].strip()
    assert pq.read_table(tmp_path / table).num_rows == 12
    assert len(list((tmp_path / "out" / "pictures").iterdir())) == len(list((tmp_path / "out" / "depth").iterdir())) == 12
    examined = eyechart("examine", "--model", "demo:", "--data", table, "--prompts", "single", "--out", "exam", "--json")
    assert examined.returncode == 0, examined.stderr
    assert json.loads(examined.stdout)["failures"] == {}


def test_the_same_seed_gives_the_same_bytes_and_another_others(eyechart, bank, tmp_path):
    for folder, seed in (("a", 5), ("b", 5), ("c", 6)):
        done = eyechart("world", "render", folder, "--bank", "toys", "--n", "4", "--side", "64", "--seed", seed, "--quiet")
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    assert digest(tmp_path / "a") == digest(tmp_path / "b") != digest(tmp_path / "c")


def test_pictures_have_the_resolution_of_a_model(eyechart, tmp_path):
    model = tmp_path / "tower"
    shutil.copytree(Path(world.__file__).parent / "default_model", model)
    told = json.loads((model / "model.json").read_text())
    told["image"]["size"] = [80, 80]
    told["card"]["resolution"] = 80
    (model / "model.json").write_text(json.dumps(told))
    done = eyechart("world", "render", "out", "--bank", "simco", "--n", "2", "--model", "onnx:tower", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["side"] == 80
    assert {Image.open(path).size for path in (tmp_path / "out" / "pictures").iterdir()} == {(80, 80)}


def test_a_model_without_a_resolution_needs_a_side(eyechart, tmp_path):
    np.savez(tmp_path / "v.npz", image_ids=np.array(["a", "b"]), image_vectors=np.eye(2))
    done = eyechart("world", "render", "out", "--bank", "simco", "--model", "vectors:v.npz")
    assert done.returncode == 2
    assert "its input resolution is not known; give --side PX" in done.stderr


def test_json_tells_settings_and_what_was_set_aside(eyechart, bank):
    (bank / "broken.png").write_bytes(b"no picture")
    done = eyechart("world", "render", "out", "--bank", "toys", "--objects", "2,4", "--ratio", "6", "--side", "48", "--json")
    known = json.loads(done.stdout)
    assert known["pictures"] == 5 * (2 + 4)  # one whole block of the design
    assert (known["objects"], known["ratio"], known["names"]) == ([2, 4], 6.0, 5)
    assert len(known["notices"]) == 1
    assert "broken.png: set aside" in known["notices"][0]


def test_a_number_that_is_no_whole_block_is_said(eyechart, bank):
    done = eyechart("world", "render", "out", "--bank", "toys", "--n", "7", "--side", "48", "--json")
    assert "balanced exactly over every 70" in json.loads(done.stdout)["notices"][0]


def test_single_renders_every_object_alone(eyechart, bank, tmp_path):
    done = eyechart("world", "render", "targets", "--bank", "toys", "--single", "--side", "64", "--json")
    assert json.loads(done.stdout)["pictures"] == 5
    table = pq.read_table(tmp_path / "targets" / "dataset.parquet")
    assert sorted(table.column("label").to_pylist()) == ["bar", "disc", "post", "square", "wedge"]
    assert {len(objects) for objects in table.column("objects").to_pylist()} == {1}


def test_a_dataset_of_the_world_is_rendered_too(eyechart, tmp_path):
    done = eyechart("world", "render", "out", "--dataset", "world-objects", "--n", "18", "--json")
    assert done.returncode == 0, done.stderr
    table = pq.read_table(tmp_path / "out" / "dataset.parquet")
    assert len(set(table.column("label").to_pylist())) == 18
    with Image.open(tmp_path / "out" / table.column("path")[0].as_py()) as picture:
        assert picture.size == (64, 64)
    assert eyechart("datasets", "out/dataset.parquet").returncode == 0


def test_an_earlier_rendering_is_replaced_only_when_told(eyechart, bank, tmp_path):
    words = ("world", "render", "out", "--bank", "toys", "--side", "48", "--quiet")
    assert eyechart(*words, "--n", "5").returncode == 0
    again = eyechart(*words, "--n", "3")
    assert again.returncode == 2
    assert "--overwrite" in again.stderr
    assert eyechart(*words, "--n", "3", "--overwrite").returncode == 0
    assert len(list((tmp_path / "out" / "pictures").iterdir())) == 3


def test_nothing_is_written_outside_of_the_folder(eyechart, bank, tmp_path):
    before = set(tmp_path.rglob("*"))
    eyechart("world", "render", "out", "--bank", "toys", "--n", "3", "--side", "48", "--quiet")
    assert all(p.is_relative_to(tmp_path / "out") for p in set(tmp_path.rglob("*")) - before)


@pytest.mark.slow
@pytest.mark.long
def test_ctrl_c_leaves_no_half_dataset(bank, tmp_path):
    words = ["world", "render", "out", "--bank", "toys", "--n", "5000", "--side", "256"]
    process = subprocess.Popen(
        [sys.executable, "-m", "eyechart.cli.main", *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    while not list(tmp_path.glob("out/.unfinished-*/pictures/*.png")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert "interrupted; no partial files remain" in errors
    assert "Traceback" not in errors
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("world",), 2, "ACTION"),
        (("world", "render", "out"), 2, "--bank"),
        (("world", "render", "out", "--bank", "toys", "--dataset", "world-objects"), 2, "not allowed with"),
        (("world", "render", "out", "--bank", "toy"), 3, "did you mean 'toys'"),
        (("world", "render", "out", "--bank", "empty"), 3, "it contains no pictures"),
        (("world", "render", "out", "--bank", "photos"), 3, "transparent"),
        (("world", "render", "out", "--bank", "toys", "--objects", "5-2"), 2, "smaller number first"),
        (("world", "render", "out", "--bank", "toys", "--objects", "two"), 2, "use 4, 2-5 or 2,4"),
        (("world", "render", "out", "--bank", "toys", "--objects", "1"), 2, "--single"),
        (("world", "render", "out", "--bank", "toys", "--objects", "9"), 2, "the bank has 5"),
        (("world", "render", "out", "--bank", "toys", "--side", "1024"), 2, "512"),
        (("world", "render", "out", "--bank", "toys", "--ratio", "1"), 2, "ratio"),
        (("world", "render", "out", "--bank", "toys", "--background", "tiles"), 2, "did you mean 'tiled'"),
        (("world", "render", "out", "--bank", "toys", "--single", "--n", "3"), 2, "leave out"),
        (("world", "render", "out", "--dataset", "world-object"), 2, "did you mean 'world-objects'"),
        (("world", "render", "out", "--dataset", "world-objects", "--ratio", "3"), 2, "scenes of a bank, not to"),
        (("world", "render", "empty/../photos", "--bank", "toys"), 2, "0.jpg"),
        (("world", "bank", "fluent-emoji-3d", "empty", "out"), 3, "assets/"),
        (("world", "bank", "emoji", "empty", "out"), 2, "fluent-emoji-3d"),
    ],
)
def test_mistakes_end_in_one_line_and_their_exit_code(bank, tmp_path, monkeypatch, capsys, words, code, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "photos").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "photos" / "0.jpg")
    monkeypatch.chdir(tmp_path)
    try:
        found = main(words)
    except SystemExit as error:  # argparse's own
        found = error.code
    errors = capsys.readouterr().err
    assert found == code, errors
    assert message in errors
    assert not (tmp_path / "out").exists()


def test_a_package_becomes_a_bank(eyechart, bank, tmp_path):
    assets = tmp_path / "package" / "assets"
    assets.mkdir(parents=True)
    for file in names_and_files("fluent-emoji-3d").values():
        (assets / file).write_bytes((bank / "disc.png").read_bytes())
    done = eyechart("world", "bank", "fluent-emoji-3d", "package", "objects", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["names"]) == 66
    assert (tmp_path / "objects" / "fire hydrant.webp").exists() is False
    assert (tmp_path / "objects" / "teddy bear.webp").is_file()
