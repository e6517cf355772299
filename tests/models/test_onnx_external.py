import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from eyechart.errors import ModelError
from eyechart.models.onnx_external import external_files
from eyechart.models.open import open_model

from .conftest import IMAGE


def external(tensor: TensorProto, location: str) -> TensorProto:
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "48")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def write(path, location: str, where: str = "initializer") -> None:
    """An image tower whose 3 × 4 weights lie in `location`, referred to from one of the places a tensor can be."""
    weight = external(numpy_helper.from_array(np.ones((3, 4), np.float32), "weight"), location)
    nodes = [helper.make_node("GlobalAveragePool", ["pixel_values"], ["mean"]), helper.make_node("Flatten", ["mean"], ["flat"])]
    initializers = []
    if where == "initializer":
        initializers.append(weight)
    elif where == "constant":
        nodes.append(helper.make_node("Constant", [], ["weight"], value=weight))
    else:
        inner = helper.make_graph([], "inner", [], [helper.make_tensor_value_info("weight", 1, [3, 4])], [weight])
        nodes.append(helper.make_node("If", ["yes"], ["weight"], then_branch=inner, else_branch=inner))
        initializers.append(numpy_helper.from_array(np.array(True), "yes"))
    nodes.append(helper.make_node("MatMul", ["flat", "weight"], ["image_embeds"]))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("pixel_values", 1, ["n", 3, 4, 4])],
        [helper.make_tensor_value_info("image_embeds", 1, ["n", 4])],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    path.write_bytes(model.SerializeToString())


IMAGE_ONLY = {k: v for k, v in IMAGE.items() if k not in ("attention", "patches", "scores")}


def test_data_inside_the_folder_is_found_used_and_part_of_the_fingerprint(make_folder):
    folder = make_folder(image=IMAGE_ONLY, text=None)
    write(folder / "image.onnx", "weights.bin")
    (folder / "weights.bin").write_bytes(np.full((3, 4), 2, np.float32).tobytes())
    assert external_files(folder / "image.onnx") == [(folder / "weights.bin").resolve()]
    model = open_model(f"onnx:{folder}")
    np.testing.assert_allclose(model.encode_images(np.ones((1, 3, 4, 4), np.float32)), [[6, 6, 6, 6]])
    (folder / "weights.bin").write_bytes(np.full((3, 4), 3, np.float32).tobytes())
    assert open_model(f"onnx:{folder}").fingerprint != model.fingerprint


@pytest.mark.parametrize("where", ["initializer", "constant", "subgraph"])
@pytest.mark.parametrize("location", ["../secret.bin", "/etc/passwd", "sub/../../secret.bin"])
def test_data_outside_the_folder_is_refused_wherever_it_is_named(make_folder, location, where):
    folder = make_folder(image=IMAGE_ONLY, text=None)
    write(folder / "image.onnx", location, where)
    (folder.parent / "secret.bin").write_bytes(b"x" * 48)
    with pytest.raises(ModelError, match=r"image.onnx: its external data .* leads out of the folder"):
        open_model(f"onnx:{folder}")


def test_a_link_out_of_the_folder_is_refused(make_folder):
    folder = make_folder(image=IMAGE_ONLY, text=None)
    write(folder / "image.onnx", "weights.bin")
    (folder.parent / "secret.bin").write_bytes(b"x" * 48)
    (folder / "weights.bin").symlink_to(folder.parent / "secret.bin")
    with pytest.raises(ModelError, match="leads out of the folder"):
        open_model(f"onnx:{folder}")


def test_missing_data_is_named(make_folder):
    folder = make_folder(image=IMAGE_ONLY, text=None)
    write(folder / "image.onnx", "weights.bin")
    with pytest.raises(ModelError, match=r"'weights.bin', and there is no such file in .*; copy it there"):
        open_model(f"onnx:{folder}")


def test_a_model_without_external_data_needs_no_other_file(make_folder):
    assert external_files(make_folder() / "image.onnx") == []


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"not an onnx file at all"])
def test_a_file_that_is_no_protobuf_is_refused(tmp_path, content):
    file = tmp_path / "image.onnx"
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"image.onnx: (the file is empty|not an ONNX file)"):
        external_files(file)


def test_what_onnx_itself_saves_apart_is_found(tmp_path, make_folder):
    model = onnx.load(make_folder() / "image.onnx")
    onnx.save(model, tmp_path / "big.onnx", save_as_external_data=True, location="big.data", size_threshold=0)
    assert external_files(tmp_path / "big.onnx") == [(tmp_path / "big.data").resolve()]
