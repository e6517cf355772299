import subprocess
import sys

import numpy as np
import pytest

from eyechart.errors import MissingExtra, UsageError
from eyechart.models.open import model_backends, open_model


@pytest.mark.parametrize(
    "spec, message",
    [
        ("ViT-B-32", r"does not say what kind it is; write KIND:NAME, for instance open_clip:"),
        ("openclip:ViT-B-32", r"no kind of model called 'openclip'; did you mean 'open_clip'"),
        ("onnx:", r"'onnx:' names no model; write for instance onnx:models/my-clip"),
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
    missing = [backend for backend in model_backends() if not backend.installed]
    if not missing:
        pytest.skip("every backend is installed here")
    with pytest.raises(MissingExtra) as refusal:
        open_model(missing[0].example)
    assert str(refusal.value).endswith(f"pip install 'eyechart[{missing[0].extra}]'")
    assert "\n" not in str(refusal.value)


def test_what_there_is_is_listed_without_importing_any_of_it():
    code = (
        "import sys; from eyechart.models.open import model_backends; b = model_backends(); "
        "heavy = {'torch', 'onnxruntime', 'tokenizers', 'transformers', 'timm', 'open_clip'} & set(sys.modules); "
        "print(len(b), sorted(heavy))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "8 []"


def test_backends_that_need_nothing_more_are_installed():
    installed = {backend.prefix for backend in model_backends() if backend.installed}
    assert {"onnx", "vectors", "demo"} <= installed
