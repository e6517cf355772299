"""Which probes are run on which dataset."""

import pyarrow as pa
import pytest

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.errors import UsageError
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.probes.registry import get_probe, probe_names
from eyechart.profiles import PROFILES
from eyechart.session.probe_choice import candidate_probes, choose_probes, suitable_profiles

CLASSES = ClassList("kinds", (PictureClass("cat", "cat"), PictureClass("dog", "dog")))


def dataset(name="mine", *, role="exam", of=None, classes=None, pairs=None, reader=None, **columns):
    table = pa.table({"id": ["a", "b"], **{key.replace("__", "."): value for key, value in columns.items()}})
    return Dataset(name, table, None, classes=classes, pairs=pairs, role=role, of=of, reader=reader or {})


def plan(**asked):
    return Plan((ModelPlan("demo:"),), (DataPlan("mine"),), **asked)


LABELS = {"label": ["cat", "dog"], "classes": CLASSES}
CAPTIONS = {"captions": [["a cat"], ["a dog"]]}
OBJECTS = {"objects": [[], []]}
PAIRS = {"pairs": pa.table({"id_a": ["a"], "id_b": ["b"]})}


@pytest.mark.parametrize(
    ("has", "profiles", "reason"),
    [
        (LABELS, ("classify",), "class labels"),
        ({"classes": CLASSES}, ("classify",), "class names"),
        (CAPTIONS, ("retrieval",), "captions"),
        (OBJECTS, ("objects",), "objects"),
        (PAIRS, ("objects",), "keypoints"),
        ({"attr__mentioned": [["cat"], ["dog"]]}, ("objects",), "objects"),
        ({"attr__gender": ["f", "m"]}, ("audit",), "attributes of people (gender)"),
        ({"attr__Skin_Tone": ["1", "6"]}, ("audit",), "attributes of people (Skin_Tone)"),
        ({**LABELS, "attr__camera": ["x", "y"]}, ("classify",), "class labels"),
        ({**LABELS, "attr__page": ["1", "2"]}, ("classify",), "class labels"),
        ({**LABELS, **CAPTIONS, **OBJECTS}, ("classify", "retrieval", "objects"), "class labels, captions and objects"),
        ({**LABELS, "reader": {"kind": "world"}}, ("all",), "pictures of the embedded world"),
        ({}, ("classify",), "no labels, captions or objects"),
    ],
)
def test_the_data_choose_the_profiles(has, profiles, reason):
    assert suitable_profiles(dataset(**has)) == (profiles, reason)


def run_on(choice, name):
    return {p.name for p in choice.probes if choice.includes(p, name)}


def members(*profiles):
    return {name for name in probe_names() if set(get_probe(name).profiles) & set(profiles)}


def test_each_dataset_gets_the_probes_that_suit_it():
    choice = choose_probes(plan(), [dataset("photos", **LABELS), dataset("search", **CAPTIONS)])
    assert run_on(choice, "photos") == members("classify")
    assert run_on(choice, "search") == members("retrieval")
    assert choice.sentence(2) == (
        "profile classify, since photos has class labels; retrieval, since search has captions: "
        f"{len(members('classify', 'retrieval'))} of {len(probe_names())} probes (--profile all runs all)"
    )


def test_the_profile_all_is_not_told_to_choose_itself():
    sentence = choose_probes(plan(), [dataset("shapes", **LABELS, reader={"kind": "world"})]).sentence(2)
    assert sentence.startswith("profile all, since shapes has pictures of the embedded world: ") and "--profile" not in sentence


def test_labels_alone_bring_no_probe_of_texts_alone():
    choice = choose_probes(plan(), [dataset(**LABELS)])
    assert [p.name for p in choice.probes if p.needs == ("texts",)] == []


def test_a_shifted_dataset_is_asked_what_its_source_is_asked():
    night = dataset("night", role="shift", of="photos", **LABELS, **CAPTIONS)
    choice = choose_probes(plan(), [dataset("photos", **LABELS), dataset("search", **CAPTIONS), night])
    assert choice.profiles["night"] == ("classify",)


def test_a_given_profile_is_for_all_datasets():
    choice = choose_probes(plan(profile=("objects", "audit")), [dataset("photos", **LABELS), dataset("search", **CAPTIONS)])
    assert run_on(choice, "photos") == run_on(choice, "search") == members("objects", "audit")
    assert choice.sentence(2).startswith("profile objects + audit: ")


def test_all_is_every_probe():
    choice = choose_probes(plan(profile=("all",)), [dataset(**LABELS)])
    assert [p.name for p in choice.probes] == [p.name for p in candidate_probes(plan())]
    assert choice.sentence(2) == f"profile all: {len(probe_names())} of {len(probe_names())} probes"
    # `cause` and `progression` compare models: with one model they are not run, skipped or counted.
    every = len(probe_names())
    assert choice.sentence(1) == f"profile all: {every - 2} of {every} probes (2 compare models)"


def test_named_probes_are_run_everywhere_with_those_they_read():
    choice = choose_probes(plan(probes=("worst",)), [dataset("photos", **LABELS), dataset("search", **CAPTIONS)])
    assert [p.name for p in choice.probes] == ["zero_shot", "worst"]
    assert run_on(choice, "photos") == run_on(choice, "search") == {"zero_shot", "worst"}
    assert choice.profiles == {}
    assert choice.sentence(2) == "probes: zero_shot, worst"


def test_a_probe_with_settings_is_run_whatever_the_profile():
    choice = choose_probes(plan(settings={"first_object": {"captions": 60}}), [dataset(**LABELS)])
    assert run_on(choice, "mine") == members("classify") | {"first_object"}


def test_settings_of_a_profile_s_probe_do_not_bring_it_to_other_datasets():
    choice = choose_probes(plan(settings={"retrieval": {"shown": 3}}), [dataset("a", **LABELS), dataset("b", **CAPTIONS)])
    assert "retrieval" not in run_on(choice, "a")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"probes": ("worst",), "profile": ("all",)}, "probes and profile are both given"),
        ({"profile": ("clasify",)}, r"no profile called 'clasify'; did you mean 'classify'\? \(there are: classify, ret"),
        ({"probes": ("worst",), "settings": {"ood": {}}}, r"settings\.ood: the plan runs no such probe"),
        ({"settings": {"odd": {}}}, r"settings\.odd: the plan runs no such probe; did you mean 'ood'"),
    ],
)
def test_what_makes_no_sense_is_refused(asked, message):
    with pytest.raises(UsageError, match=message):
        candidate_probes(plan(**asked))


def test_every_probe_of_ours_is_in_a_profile_and_every_profile_has_probes():
    assert [name for name in probe_names() if not get_probe(name).profiles] == []
    assert all(members(profile) for profile in PROFILES if profile != "all")
