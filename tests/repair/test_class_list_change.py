"""A changed class list where nobody labeled the pictures: the harm is counted, and nothing else is claimed."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.repair.made import _NoPictures, unit

import eyechart
from eyechart.cli.main import main
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput
from eyechart.prompts.prompt_set import PromptSet
from eyechart.repair.class_list_change import change_class_list
from eyechart.repair.class_lists import class_lists
from eyechart.repair.sentences import class_or_group, overall_sentences
from eyechart.repair.settings import Settings
from eyechart.repair.verdict import terminal_sentences

DESIGN = """
harmful = ["crime"]
attributes = ["age"]
[groups]
person = ["man"]
crime = ["thief"]
"""
WORDS = {"man": (1.0, 0.0), "thief": (0.0, 1.0), "child": (0.6, 0.8)}


def texts(asked: Sequence[str]) -> np.ndarray:
    return unit(np.array([WORDS[text.split()[-1]] for text in asked]))


@pytest.fixture
def inputs() -> ProbeInput:
    """Sixty grown-ups stand at "man"; forty young ones where "thief" is nearer than "man", and "child" nearer still."""
    images = unit(np.repeat([(1.0, 0.1), (0.6, 0.75)], [60, 40], axis=0))
    table = pa.table({"id": [str(i) for i in range(100)], "attr.age": ["old"] * 60 + ["young"] * 40})
    dataset = Dataset("faces", table, _NoPictures(100), None)
    prompts = (PromptSet("single", ("a photo of a {}",), "a test"), PromptSet("other", ("a {}",), "a test"))
    return ProbeInput("made", ModelCard("made", "test"), dataset, images, np.arange(100), texts, prompts, Settings(), 40.0)


@pytest.fixture
def settings(tmp_path) -> Settings:
    (tmp_path / "faces.toml").write_text(DESIGN)
    return Settings(design=str(tmp_path / "faces.toml"), change="+child:person")


def changed(inputs: ProbeInput, settings: Settings):
    return change_class_list(inputs, class_lists(None, settings.design, settings.change), settings)


def test_adding_the_missing_class_takes_the_harm_from_those_it_fell_on(inputs, settings):
    found = {(f.metric, f.slice.get("age")): f for f in changed(inputs, settings).findings if f.baseline}
    assert found["harm_rate_change", None].value == pytest.approx(-0.4) and found["harm_rate_change", None].high < 0
    assert found["group_harm_rate_change", "young"].value == -1.0 and found["group_harm_rate_change", "old"].value == 0.0


def test_copies_of_a_picture_prove_no_more(inputs, settings):
    twice = replace(inputs, clusters=np.repeat(np.arange(10), 10))
    widths = [f.high - f.low for g in (inputs, twice) for f in changed(g, settings).findings if f.metric == "harm_rate_change"]
    assert widths[1] > 1.5 * widths[0]


def test_only_harm_is_claimed(inputs, settings):
    repaired = changed(inputs, settings)
    assert {f.metric.removesuffix("_change") for f in repaired.findings} == {"harm_rate", "group_harm_rate"}
    assert (repaired.after.temperature, repaired.after.least, repaired.after.thresholds.tolist()) == (1.0, None, [0.0] * 3)
    assert overall_sentences(repaired)[0].startswith("Harmful predictions: 40.0% before, 0.0% after, a change of −40.0 points")
    selection, _, by_group = terminal_sentences(repaired)
    assert selection == "Selected: the changed class list; prompts: as before." and "better: age: young; worse: none." in by_group
    assert "only the class list was changed" in str(repaired.notices[-1])


def test_two_attributes_together_are_told_from_two_groups():
    assert (
        class_or_group(Finding(metric="group_harm_rate_change", value=0.0, n=9, slice={"age": "3-9", "gender": "Male"}))
        == "age: 3-9 × gender: Male"
    )


def test_the_file_answers_with_the_new_class(inputs, settings, tmp_path):
    path = changed(inputs, settings).after.save(tmp_path / "c.safetensors")
    answers = eyechart.Classifier.load(path)(inputs.images)
    assert answers.labels.tolist() == ["man"] * 60 + ["child"] * 40 and answers.sets is None


def test_the_command_takes_pictures_without_labels(tmp_path, monkeypatch, capsys):
    """FairFace has attributes and no labels: so has this table."""
    monkeypatch.chdir(tmp_path)
    from PIL import Image

    rows = ["file,age,gender,race,service_test"]
    for i in range(48):
        Image.new("RGB", (48, 48), (5 * i, 255 - 5 * i, 100)).save(tmp_path / f"{i}.png")
        rows.append(
            f"{i}.png,{'3-9' if i % 2 else '30-39'},{'Male' if i % 3 else 'Female'},{'White' if i < 24 else 'Black'},True"
        )
    (tmp_path / "fairface_label_val.csv").write_text("\n".join(rows) + "\n")
    asked = ["repair", "--model", "demo:", "--data", f"fairface:{tmp_path}", "--prompts", "single", "--store", "store", "--quiet"]
    assert main([*asked, "--design", "fairface", "--change", "+child:person", "--out", "r.safetensors"]) == 0
    said = capsys.readouterr().out
    assert "on all pictures" in said and "held-out" not in said
    assert "evaluated on all 48 pictures" in (tmp_path / "r-page" / "index.html").read_text()
    assert re.search(r"Harmful predictions: \d", said) and "only the class list was changed" in said
    assert "Change of harmful predictions by group" in (tmp_path / "r-page" / "index.html").read_text()
    assert main([*asked, "--design", "fairface", "--out", "s.safetensors"]) == 3  # nothing is changed, so nothing can be measured


def test_nothing_is_said_of_held_out_pictures_where_all_are_judged(inputs, settings):
    repaired = changed(inputs, settings)
    assert repaired.held_out.title == "all pictures" and len(repaired.held_out.labels) == 100
    assert not any("held-out" in sentence for sentence in terminal_sentences(repaired))


def test_templates_of_the_first_set_have_equal_weights_and_no_class_is_targeted(inputs, settings):
    several = PromptSet("several", ("a photo of a {}", "a {}", "the {}"), "a test")
    repaired = changed(replace(inputs, prompts=(several, *inputs.prompts)), settings)
    assert repaired.chosen.weights.weights.tolist() == [1 / 3] * 3 and repaired.templates == several.templates
    assert (repaired.held_out.worst, repaired.held_out.targeted, repaired.targeted) == (0, (), ())
