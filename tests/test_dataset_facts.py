"""What protocol.json says of a dataset."""

import json

import eyechart


def test_classes_that_a_shift_is_decided_among_are_listed_where_they_are_fewer(photos, tmp_path, store):
    """A folder with one class fewer, and one with all of them."""
    classes = sorted(folder.name for folder in photos.iterdir())
    for name, kept in (("few", classes[1:]), ("same", classes)):
        for label in kept:
            (tmp_path / name / label).mkdir(parents=True)
            for picture in (photos / label).iterdir():
                (tmp_path / name / label / picture.name).write_bytes(picture.read_bytes())
    eyechart.examine(
        "demo:", photos, shifts={"few": tmp_path / "few", "same": tmp_path / "same"}, probes=["shift"], prompts="single",
        out=tmp_path / "out", store=store,
    )  # fmt: skip
    datasets = json.loads((tmp_path / "out" / "protocol.json").read_text())["datasets"]
    assert datasets["few"]["shared_classes"] == {"photos": classes[1:]}
    assert "shared_classes" not in datasets["same"] and "shared_classes" not in datasets["photos"]
    assert datasets["photos"]["n"] == sum(1 for _ in photos.rglob("*.*"))
