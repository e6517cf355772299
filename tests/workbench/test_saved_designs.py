"""Saved designs: what was saved is what one starts from again."""

from dataclasses import replace

import pytest

from eyechart.workbench.live_design import LiveClass, design_toml
from eyechart.workbench.saved_designs import saved_designs


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "workbench").mkdir()
    return tmp_path


def save(folder, design, name="mine", prompts=None):
    (folder / "workbench" / f"{name}.toml").write_text(design_toml(design), encoding="utf-8")
    if prompts:
        (folder / "workbench" / f"{name}.prompts.txt").write_text("\n".join(prompts) + "\n", encoding="utf-8")


def test_a_design_of_people_comes_back(people, folder):
    classes = (*people.base.classes[:-1], LiveClass(("burglar", "robber"), people.base.classes[-1].group, ("burglar",)))
    design = replace(people.base, classes=classes, title="mine")
    save(folder, design)
    assert saved_designs(people, folder) == ({"saved: mine": design}, [])


def test_an_edited_list_of_a_dataset_comes_back_as_one_with_its_prompts(shape_desk, folder):
    kept = tuple(c for c in shape_desk.base.classes if c.name not in ("cone", "cube"))
    merged = LiveClass(("cone", "cube"), "cone", ("cone", "cube"))
    added = LiveClass(("a white wall",), "a white wall", ("a white wall",))
    design = replace(shape_desk.base, classes=(*kept, merged, added), title="mine", templates=("a drawing of {}",))
    save(folder, design, prompts=design.templates)
    (found,), notices = saved_designs(shape_desk, folder)[0].values(), saved_designs(shape_desk, folder)[1]
    assert found == design and notices == [] and found.of_dataset


def test_a_file_that_is_no_design_is_named_and_hides_no_other(shape_desk, folder):
    save(folder, shape_desk.base, "good")
    (folder / "workbench" / "broken.toml").write_text("groups = 3\n")
    found, notices = saved_designs(shape_desk, folder)
    assert list(found) == ["saved: good"]
    assert len(notices) == 1 and "broken.toml" in notices[0]
