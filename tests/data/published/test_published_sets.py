"""Published sets in their own layouts: what is read, what it means, and what is said where a folder does not look right."""

import json
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pytest
from PIL import Image
from tests.data.published.layouts import WNIDS, draw, in_folders, objectnet, vid_robust

import eyechart.data.published
from eyechart.cli.main import main
from eyechart.data.class_file import read_classes
from eyechart.data.open import open_dataset
from eyechart.data.picture import decode_picture
from eyechart.data.published.registry import PUBLISHED_SETS, published_set
from eyechart.errors import DataError, UsageError
from eyechart.files.hashing import hash_bytes
from eyechart.plan import read_plan


def labels(dataset):
    return dataset.table.column("label").to_pylist()


def said(dataset):
    return " | ".join(str(n) for n in dataset.notices)


@pytest.mark.parametrize("name", ["imagenet", "imagenet-sketch", "stylized-imagenet"])
def test_sets_of_all_classes(tmp_path, name):
    in_folders(tmp_path / "x", [WNIDS[5], WNIDS[999]])
    dataset = open_dataset(f"{name}:{tmp_path / 'x'}")
    assert (dataset.name, dataset.benchmark, len(dataset.classes)) == (name, name, 1000)
    assert dataset.label_indices().tolist() == [5, 5, 999, 999]
    assert dataset.ids()[0] == f"{WNIDS[5]}/a.png"
    assert "4 pictures; the published set has 50," in said(dataset)


@pytest.mark.parametrize(("name", "index"), [("imagenet-a", 6), ("imagenet-r", 1)])
def test_sets_of_two_hundred_classes(tmp_path, name, index):
    """Class 6 is the first of ImageNet-A's, 1 the first of R's; neither has class 0."""
    in_folders(tmp_path / name, [WNIDS[index]])
    dataset = open_dataset(f"{name}:{tmp_path}")  # the folder around it will do
    assert len(dataset.classes) == 200
    assert dataset.label_indices().tolist() == [0, 0]
    in_folders(tmp_path / name, [WNIDS[0]])
    with pytest.raises(DataError, match=f"'{WNIDS[0]}' is not one of the 200 WordNet ids of {name}"):
        open_dataset(f"{name}:{tmp_path}")


def test_the_folders_of_v2_are_numbers(tmp_path):
    folder = in_folders(tmp_path / "imagenetv2-matched-frequency-format-val", ["10", "2", "999"], files=("a.jpeg",))
    dataset = open_dataset(f"imagenet-v2:{folder}")
    assert sorted(dataset.label_indices().tolist()) == [2, 10, 999]
    assert labels(dataset)[dataset.ids().index("10/a.jpeg")] == WNIDS[10]
    assert dataset.benchmark == "imagenet-v2"


@pytest.mark.parametrize(
    ("folder", "benchmark"),
    [
        ("imagenetv2-threshold0.7-format-val", "imagenet-v2-threshold0.7"),
        ("imagenetv2-top-images-format-val", "imagenet-v2-top-images"),
    ],
)
def test_samplings_of_v2_are_told_apart(tmp_path, folder, benchmark):
    assert open_dataset(f"imagenet-v2:{in_folders(tmp_path / folder, ['3'])}").benchmark == benchmark


def test_objectnet_is_mapped_and_cropped(tmp_path):
    dataset = open_dataset(f"objectnet:{objectnet(tmp_path / 'objectnet-1.0')}")
    assert [(c.label, c.name, c.same_as) for c in dataset.classes] == [
        ("alarm_clock", "alarm clock", (WNIDS[409], WNIDS[530])),
        ("shoe", "running shoe", (WNIDS[770],)),
    ]
    assert labels(dataset) == ["alarm_clock", "shoe"]
    assert "1 pictures of classes that ImageNet does not have were left out" in said(dataset)
    inside = np.asarray(decode_picture(dataset.pictures.read(0)))
    assert np.array_equal(inside, draw(tmp_path / "again.png"))  # no red is left


def test_a_cropped_picture_is_not_taken_for_the_whole_one(tmp_path):
    folder = objectnet(tmp_path / "objectnet-1.0")
    cropped, whole = open_dataset(f"objectnet:{folder}"), open_dataset(folder / "images")
    assert cropped.pictures.identity(0) != whole.pictures.identity(0)
    assert hash_bytes(cropped.pictures.read(0)) != hash_bytes(whole.pictures.read(0))
    assert cropped.take([1]).pictures.place(0).endswith("shoe/1.png")


@pytest.mark.parametrize("size", [(4, 3), None])
def test_what_is_all_border_or_no_picture_is_left_as_it_is(tmp_path, size):
    folder = objectnet(tmp_path / "objectnet-1.0")
    path = folder / "images" / "shoe" / "1.png"
    if size:
        Image.new("RGB", size).save(path)
    else:
        path.write_text("no")
    assert open_dataset(f"objectnet:{folder}").pictures.read(1) == path.read_bytes()


def test_videos_have_frames_around_frames(tmp_path):
    dataset = open_dataset(f"imagenet-vid-robust:{vid_robust(tmp_path)}")
    rows = dataset.table.to_pylist()
    near = {row["id"][-11:-5]: row["attr.neighbours"] for row in rows if row["attr.neighbours"]}
    assert {k: [(n["id"][-11:-5], n["distance"]) for n in v] for k, v in near.items()} == {
        "000011": [("000010", 1), ("000012", 1), ("000013", 2)],
        "000014": [("000013", 1), ("000015", 1)],
    }
    assert [row["label"] for row in rows] == ["turtle"] * 4 + ["domestic cat"] * 2
    assert rows[4]["attr.labels"] == ["domestic cat", "monkey"]
    assert rows[0]["attr.video"] == "val/ILSVRC2015_val_00000000"
    assert "2 frames with neighbors; the published set has 1,109" in said(dataset)
    assert sum(len(c.same_as) for c in dataset.classes) == 288


def test_a_part_of_videos_has_whole_pieces(tmp_path):
    part = open_dataset(f"imagenet-vid-robust:{vid_robust(tmp_path)}", limit=4)
    pieces = [{row["id"], *(n["id"] for n in row["attr.neighbours"])} for row in part.table.to_pylist() if row["attr.neighbours"]]
    assert pieces and len(part) <= 4
    assert all(piece <= set(part.ids()) for piece in pieces)


@pytest.mark.parametrize(("name", "group"), [("imagenet-c", "noise/"), ("imagenet-c", ""), ("imagenet-3dcc", "")])
def test_corruptions_of_imagenet(tmp_path, name, group):
    for severity in (1, 5):
        draw(tmp_path / f"{group}iso_noise" / str(severity) / WNIDS[7] / "ILSVRC2012_val_00000001.JPEG")
    dataset = open_dataset(f"{name}:{tmp_path}")
    rows = dataset.table.to_pylist()
    assert {row["attr.shift"] for row in rows} == {"iso_noise"}
    assert [row["attr.severity"] for row in rows] == [1, 5]
    assert {row["attr.source_id"] for row in rows} == {f"{WNIDS[7]}/ILSVRC2012_val_00000001.JPEG"}
    assert dataset.label_indices().tolist() == [7, 7]
    assert dataset.benchmark == name


def test_corruptions_of_ones_own_pictures(tmp_path):
    """As `eyechart corrupt` writes them; a class may be called 3."""
    draw(tmp_path / "fog" / "2" / "3" / "deep" / "a.png")
    draw(tmp_path / "fog" / "2" / "cat" / "a.png")
    (tmp_path / "corrupted.json").write_text("{}")
    dataset = open_dataset(f"corrupted:{tmp_path}")
    rows = dataset.table.to_pylist()
    assert [(row["label"], row["attr.severity"], row["attr.source_id"]) for row in rows] == [
        ("3", 2, "3/deep/a.png"),
        ("cat", 2, "cat/a.png"),
    ]
    assert dataset.benchmark is None


def test_corruptions_without_classes_have_no_labels(tmp_path):
    draw(tmp_path / "fog" / "2" / "a.png")
    dataset = open_dataset(f"corrupted:{tmp_path}")
    assert not dataset.has("label")
    assert dataset.table.column("attr.source_id").to_pylist() == ["a.png"]


@pytest.mark.parametrize("name", ["inaturalist", "sun", "places"])
@pytest.mark.parametrize("around", ["images", "."])
def test_flat_sets_of_other_things(tmp_path, name, around):
    draw(tmp_path / around / "a.jpg")
    dataset = open_dataset(f"{name}:{tmp_path}")
    assert (len(dataset), dataset.classes, dataset.benchmark) == (1, None, name)


def test_textures_and_ninco_have_kinds(tmp_path):
    in_folders(tmp_path / "dtd" / "images", ["banded", "woven"])
    assert labels(open_dataset(f"dtd:{tmp_path / 'dtd'}")) == ["banded"] * 2 + ["woven"] * 2
    in_folders(tmp_path / "NINCO" / "NINCO_OOD_classes", ["amphiuma_means", "spaghetti_bolognese"])
    in_folders(tmp_path / "NINCO" / "NINCO_OOD_unit_tests", ["noise"])
    dataset = open_dataset(f"ninco:{tmp_path / 'NINCO'}")
    assert [c.name for c in dataset.classes] == ["amphiuma means", "spaghetti bolognese"]


def test_pictures_of_imagenet_o_have_no_label(tmp_path):
    in_folders(tmp_path, [WNIDS[0]])
    dataset = open_dataset(f"imagenet-o:{tmp_path}")
    assert not dataset.has("label") and dataset.classes is None
    assert dataset.table.column("attr.near").to_pylist() == [WNIDS[0]] * 2


def wrong(tmp_path, what):
    """A folder of pictures that does not look right, as the set."""
    if what == "flat imagenet":
        draw(tmp_path / "ILSVRC2012_val_00000001.JPEG")
    elif what == "flat":
        draw(tmp_path / "a.png")
    elif what == "a loose picture":
        draw(tmp_path / "zz.png")
        in_folders(tmp_path, [WNIDS[0]])
    elif what == "other folders":
        in_folders(tmp_path, ["cats"])
    elif what == "severity 6":
        draw(tmp_path / "fog" / "6" / WNIDS[0] / "a.png")
    elif what == "many folders":
        in_folders(tmp_path, [str(i) for i in range(70)], files=("a.png",))


def test_v2_in_a_folder_around_it_is_told_which_folder_to_give(tmp_path):
    folder = in_folders(tmp_path / "imagenetv2-matched-frequency-format-val", ["10", "2"], files=("a.jpeg",))
    with pytest.raises(DataError, match=f"give the inner folder, imagenet-v2:{folder}"):
        open_dataset(f"imagenet-v2:{tmp_path}")


@pytest.mark.parametrize(
    ("name", "what", "message"),
    [
        ("imagenet", "flat imagenet", "sort them into a subfolder per class.*imagenet-x:FOLDER"),
        ("imagenet", "flat", "are not in subfolders; imagenet has a subfolder per class"),
        ("imagenet", "a loose picture", "zz.png: it is not in a subfolder"),
        ("imagenet", "other folders", "'cats' is not one of the 1,000 WordNet ids of imagenet"),
        ("imagenet-v2", "other folders", "'cats' is not a number from 0 to 999; check that this is ImageNet-V2"),
        ("imagenet-v2", "flat", "numbered from 0 to 999"),
        ("imagenet-c", "severity 6", "its path is not <corruption>/<severity from 1 to 5>/<class>/<picture>"),
        ("corrupted", "other folders", "its path is not <corruption>"),
        ("inaturalist", "other folders", "is one folder, images/"),
        ("ninco", "flat", "64 subfolders, one per kind"),
        ("ninco", "many folders", "70 subfolders; ninco has 64"),
        ("objectnet", "other folders", r"no mappings/objectnet_to_imagenet_1k.json.*give the folder objectnet-1.0"),
        ("imagenet-vid-robust", "other folders", "neither pmsets.json nor metadata/pmsets.json"),
    ],
)
def test_a_folder_that_does_not_look_right_is_said_to_be_so(tmp_path, name, what, message):
    wrong(tmp_path, what)
    with pytest.raises(DataError, match=message):
        open_dataset(f"{name}:{tmp_path}")


def test_corruptions_of_other_classes_are_not_imagenets(tmp_path):
    draw(tmp_path / "fog" / "1" / "cat" / "a.png")
    with pytest.raises(DataError, match="'cat' is not a WordNet id of ImageNet; check that this is imagenet-3dcc"):
        open_dataset(f"imagenet-3dcc:{tmp_path}")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("objectnet_to_imagenet_1k.json", '{"Alarm clock": "sundial"}', "are inconsistent"),
        ("objectnet_to_imagenet_1k.json", "[1]", "not a JSON object"),
        ("folder_to_objectnet_label.json", "{", "not valid JSON"),
        ("pytorch_to_imagenet_2012_id.json", '{"0": 5000}', "are inconsistent"),
    ],
)
def test_mappings_that_do_not_fit_are_named(tmp_path, file, content, message):
    folder = objectnet(tmp_path / "objectnet-1.0")
    (folder / "mappings" / file).write_text(content)
    with pytest.raises(DataError, match=message):
        open_dataset(f"objectnet:{folder}")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("labels.json", "{}", "not a JSON object of frames with lists"),
        ("labels.json", {"val/x/000001.JPEG": [1]}, "has no entry for the frame"),
        ("pmsets.json", {"frame": ["other"]}, "has no entry for the frame"),
        ("pmsets.json", "nothing", "not valid JSON"),
    ],
)
def test_lists_of_frames_that_do_not_fit_are_named(tmp_path, file, content, message):
    vid_robust(tmp_path)
    (tmp_path / "metadata" / file).write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(DataError, match=message):
        open_dataset(f"imagenet-vid-robust:{tmp_path}")


def test_frames_may_not_lead_out_of_the_folder(tmp_path):
    vid_robust(tmp_path / "set")
    outside = {"../secret/000001.JPEG": ["../secret/000002.JPEG"]}
    labeled = {frame: [1] for frame in (*outside, *outside["../secret/000001.JPEG"])}
    (tmp_path / "set" / "metadata" / "pmsets.json").write_text(json.dumps(outside))
    (tmp_path / "set" / "metadata" / "labels.json").write_text(json.dumps(labeled))
    with pytest.raises(DataError, match="leads out of"):
        open_dataset(f"imagenet-vid-robust:{tmp_path / 'set'}")


@pytest.mark.parametrize("number", [30, -1, "cat", True])
def test_a_category_that_there_is_not_is_refused(tmp_path, number):
    vid_robust(tmp_path)
    path = tmp_path / "metadata" / "labels.json"
    content = json.loads(path.read_text())
    content[next(iter(content))] = [number]
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match="not a category from 0 to 29"):
        open_dataset(f"imagenet-vid-robust:{tmp_path}")


def test_missing_frames_are_noticed_at_once(tmp_path):
    vid_robust(tmp_path)
    shutil.rmtree(tmp_path / "val")
    with pytest.raises(DataError, match="give the folder that contains val/"):
        open_dataset(f"imagenet-vid-robust:{tmp_path}")


def test_columns_make_no_sense(tmp_path):
    with pytest.raises(UsageError, match="its columns are fixed"):
        open_dataset(f"imagenet:{in_folders(tmp_path, [WNIDS[0]])}", columns={"label": "x"})


def test_own_class_names_may_be_given(tmp_path):
    in_folders(tmp_path / "val", [WNIDS[0]])
    (tmp_path / "names.txt").write_text(f"{WNIDS[0]}\ta fish\nother\tanything else\n")
    dataset = open_dataset(f"imagenet:{tmp_path / 'val'}", classes=tmp_path / "names.txt")
    assert [c.name for c in dataset.classes] == ["a fish", "anything else"]


@pytest.mark.parametrize("name", ["imagenet-a", "imagenet-r", "imagenet-vid-robust"])
def test_their_classes_are_lists_that_can_be_named(name):
    assert len(read_classes(name)) == {"imagenet-vid-robust": 30}.get(name, 200)
    every = {label for c in read_classes(name) for label in (c.same_as or (c.label,))}
    assert every <= set(WNIDS)


def test_every_published_set_is_listed_by_the_command(capsys):
    assert main(["datasets", "--json"]) == 0
    listed = {row["example"] for row in json.loads(capsys.readouterr().out) if row["kind"] == "published"}
    assert listed == {published_set(name).example for name in PUBLISHED_SETS}


@pytest.mark.parametrize("name", list(PUBLISHED_SETS))
def test_registry_and_records_agree(name):
    record = published_set(name)
    assert record.name == name
    assert record.example.startswith(f"{name}:")
    assert callable(record.read)
    assert record.license and record.layout and record.about.endswith(".")


def test_every_record_of_the_package_is_registered():
    modules = [import_module(f"eyechart.data.published.{m.name}") for m in iter_modules(eyechart.data.published.__path__)]
    records = [record for m in modules for record in (*getattr(m, "SETS", ()), *([m.SET] if hasattr(m, "SET") else []))]
    assert sorted(record.name for record in records) == list(PUBLISHED_SETS)


def test_names_are_known_without_loading_pyarrow():
    code = (
        "import sys; from eyechart.data.published.registry import PUBLISHED_SETS; list(PUBLISHED_SETS);"
        "print('pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_a_plan_finds_them_beside_itself(tmp_path):
    in_folders(tmp_path / "val", [WNIDS[0]])
    (tmp_path / "plan.toml").write_text('[[models]]\nspec = "demo:"\n[[datasets]]\nsource = "imagenet:val"\n')
    assert read_plan(tmp_path / "plan.toml").datasets[0].source == f"imagenet:{tmp_path / 'val'}"


def test_the_page_of_datasets_lists_every_record():
    """docs/data.md is written by scripts/write_data_page.py from the records."""
    script = Path(__file__).parents[3] / "scripts" / "write_data_page.py"
    spec = spec_from_file_location("write_data_page", script)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.PAGE.read_text(encoding="utf-8")
    assert page == module.filled(page), "run python scripts/write_data_page.py"
