"""Folders that generators fill: what is there is kept, what is missing is drawn, and the reader takes it."""

import pytest
from tests.witness import Witness

from eyechart.data.open import open_dataset
from eyechart.errors import MissingExtra, UsageError
from eyechart.generators.folder import draw_all, write_prompts
from eyechart.generators.open import open_generator
from eyechart.generators.prompt_plan import plan_prompts
from eyechart.progress import SilentProgress
from eyechart.world.drawing import NAMES


@pytest.fixture
def jobs():
    return plan_prompts(NAMES, objects=2, sets=3)


def test_what_is_missing_is_drawn_and_the_rest_is_kept(jobs, tmp_path):
    generator, folder = open_generator("world:first-largest", side=32), tmp_path / "out"
    assert draw_all(folder, jobs, generator, SilentProgress()) == 6
    before = {job.file: (folder / job.file).read_bytes() for job in jobs}
    (folder / jobs[3].file).unlink()
    seen = Witness()
    assert draw_all(folder, jobs, generator, seen) == 1
    assert seen.done == [("drawing", 1, "pictures")]
    assert {job.file: (folder / job.file).read_bytes() for job in jobs} == before
    dataset = open_dataset(f"generated:{folder}")
    assert dataset.table["attr.mentioned"].to_pylist() == [list(job.prompt.objects) for job in jobs]
    assert set(dataset.table["attr.generator"].to_pylist()) == {"world:first-largest"}
    largest = [max(of, key=lambda thing: thing["area"])["name"] for of in dataset.table["objects"].to_pylist()]
    assert largest == [job.prompt.objects[0] for job in jobs]  # the planted habit


def test_prompts_alone_for_who_draws_elsewhere(jobs, tmp_path, picture_bytes):
    write_prompts(tmp_path / "out", jobs, "by hand")
    (tmp_path / "out" / "pictures").mkdir()
    for number, job in enumerate(jobs):
        (tmp_path / "out" / job.file).write_bytes(picture_bytes(number))
    dataset = open_dataset(f"generated:{tmp_path / 'out'}")
    assert len(dataset) == 6 and not dataset.has("objects")


def test_a_folder_of_something_else_is_left_alone(jobs, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="contains other files"):
        write_prompts(tmp_path, jobs, "x")
    write_prompts(tmp_path / "out", jobs, "x")
    with pytest.raises(UsageError, match="other prompts"):
        write_prompts(tmp_path / "out", jobs[:4], "x")
    with pytest.raises(UsageError, match="is a file"):
        write_prompts(tmp_path / "letter.txt", jobs, "x")


def test_an_unknown_generator_is_refused_with_those_there_are():
    for spec in ("midjourney:6", "world:last-largest", "diffusers:", "diffusers"):
        with pytest.raises(UsageError, match=r"diffusers:MODEL, or world:first-largest or world:no-order"):
            open_generator(spec)


def test_without_its_packages_a_pipeline_says_which(monkeypatch):
    monkeypatch.setattr("eyechart.generators.diffusion.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"eyechart\[diffusers\]"):
        open_generator("diffusers:some/model")
