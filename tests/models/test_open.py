import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eyechart.models
from eyechart.errors import MissingExtra, PluginError, UsageError
from eyechart.models import sources
from eyechart.models.open import open_model
from eyechart.models.sources import ModelSource, model_sources
from eyechart.registry import Registry


@pytest.mark.parametrize(
    "spec, message",
    [
        ("ViT-B-32", r"has no source; write SOURCE:NAME, for example open_clip:"),
        ("openclip:ViT-B-32", r"no model source called 'openclip'; did you mean 'open_clip'"),
        ("onnx:", r"'onnx:' names no model; write for example onnx:models/my-clip"),
        ("onnx:nowhere", r"onnx:nowhere: there is no folder nowhere"),
        ("demo:large", r"there is one demo model"),
    ],
)
def test_names_that_make_no_sense(spec, message):
    with pytest.raises(UsageError, match=message):
        open_model(spec)


def test_a_bare_folder_with_a_model_json_is_told_its_prefix(make_folder):
    folder = make_folder()
    with pytest.raises(UsageError, match=rf"is a folder with a model.json; write onnx:{folder}"):
        open_model(str(folder))


def test_a_bare_npz_is_told_its_prefix(tmp_path):
    np.savez(tmp_path / "v.npz", x=1)
    with pytest.raises(UsageError, match="write vectors:"):
        open_model(str(tmp_path / "v.npz"))


def test_a_missing_extra_is_one_line_that_says_what_to_install():
    missing = [source for source in model_sources() if not source.installed]
    if not missing:
        pytest.skip("every source is installed here")
    with pytest.raises(MissingExtra) as refusal:
        open_model(missing[0].example)
    assert str(refusal.value).endswith(f"pip install 'eyechart[{missing[0].extra}]'")
    assert "\n" not in str(refusal.value)


def test_a_checkpoint_without_its_architecture_is_told_so_even_without_open_clip():
    if next(source for source in model_sources() if source.prefix == "open_clip").installed:
        pytest.skip("open_clip is installed here; tests/backends has this case")
    with pytest.raises(MissingExtra, match=r"without its architecture \(write open_clip:ARCHITECTURE/file.pt\)"):
        open_model("open_clip:file.pt")
    with pytest.raises(MissingExtra) as refusal:
        open_model("open_clip:ViT-B-32/file.pt")
    assert "without its architecture" not in str(refusal.value)


def test_what_there_is_is_listed_without_importing_any_of_it():
    code = (
        "import sys; from eyechart.models.sources import model_sources; b = model_sources(); "
        "heavy = {'torch', 'onnxruntime', 'tokenizers', 'transformers', 'timm', 'open_clip'} & set(sys.modules); "
        "print(len(b), sorted(heavy))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "11 []"


def test_sources_that_need_nothing_more_are_installed():
    installed = {source.prefix for source in model_sources() if source.installed}
    assert {"onnx", "vectors", "demo"} <= installed


def test_models_do_not_know_the_world():
    """`zoo:` and `demo:` are added from outside; neither an import nor a text of `models` names the world."""
    folder = Path(eyechart.models.__file__).parent
    assert [file for file in folder.rglob("*.py") if "eyechart.world" in file.read_text(encoding="utf-8")] == []


def test_an_installed_package_adds_a_source(monkeypatch):
    added = Registry("model source", {})
    added.add("mine", "tests.models.test_open:open_mine", package="my-models")
    monkeypatch.setattr(sources, "_OPENERS", added)
    assert open_model("mine:small") == ("small", "cpu")
    assert sources.model_sources()[-1].description == "a model source of the installed package my-models"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("PREFIX", "its record has the prefix 'other', and its entry point the name 'mine'"),
        ("NUMBER", "its entry point gives 3, not a ModelSource or a function"),
        ("GONE", r"its entry point 'tests.models.no_such_module:open' cannot be loaded \(ModuleNotFoundError"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused_where_it_is_named(monkeypatch, target, reason):
    added = Registry("model source", {})
    added.add("mine", f"tests.models.test_open:{target}", package="my-models")
    monkeypatch.setattr(sources, "_OPENERS", added)
    with pytest.raises(PluginError, match=f"'mine' of the package my-models cannot be used: {reason}"):
        open_model("mine:small")


def test_a_record_of_a_package_says_what_to_install(monkeypatch):
    added = Registry("model source", {})
    added.add("mine", "tests.models.test_open:NEEDY", package="my-models")
    monkeypatch.setattr(sources, "_OPENERS", added)
    with pytest.raises(MissingExtra, match="pip install no_such_package_at_all"):
        open_model("mine:small")


PREFIX = ModelSource("other", "tests.models.test_open:open_mine", "other:x", (), "")
NUMBER = 3
GONE = ModelSource("mine", "tests.models.no_such_module:open", "mine:x", (), "")
NEEDY = ModelSource("mine", "tests.models.test_open:open_mine", "mine:x", (), "", packages=("no_such_package_at_all",))


def open_mine(name, hashes, device, precision, threads):
    return name, device
