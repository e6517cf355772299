import numpy as np
import pytest

from eyechart.errors import UsageError
from eyechart.models.open import open_model


@pytest.fixture
def specs(make_folder, tmp_path):
    np.savez(tmp_path / "v.npz", image_ids=np.array(["a"]), image_vectors=np.ones((1, 2), np.float32))
    return [f"onnx:{make_folder()}", f"vectors:{tmp_path / 'v.npz'}", "demo:"]


@pytest.mark.parametrize("device", ["gpu", "", "cpu:0", "mps:1", "cuda:", "cuda:x", "cuda:-1", "cuda:0:1", "cuda:²", "CPU"])
def test_a_device_that_does_not_exist_is_refused_when_any_model_is_opened(specs, device):
    for spec in specs:
        with pytest.raises(UsageError, match=r"there is no device .*cuda:N"):
            open_model(spec, device=device)


def test_a_precision_that_does_not_exist_is_refused_when_any_model_is_opened(specs):
    for spec in specs:
        with pytest.raises(UsageError, match=r"there is no precision 'float31'; did you mean 'float32'\?"):
            open_model(spec, precision="float31")


def test_auto_runs_onnx_models_where_it_can(make_folder):
    model = open_model(f"onnx:{make_folder()}", device="auto")
    assert model.encode_images(np.ones((1, 3, 4, 4), np.float32)).tolist() == [[1, 1, 1]]
