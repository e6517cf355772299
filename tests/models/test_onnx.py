import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eyechart.errors import DataError, ModelError, UsageError
from eyechart.models.encoder import (
    EncodesImages,
    EncodesTexts,
    GivesAttention,
    GivesClassScores,
    GivesPatches,
    LooksUpTexts,
    Model,
    ScoresPairs,
)
from eyechart.models.open import open_model

from .conftest import IMAGE, TEXT, image_tower, text_tower


def opened(folder: Path, **options):
    return open_model(f"onnx:{folder}", **options)


def test_pictures_become_the_vectors_their_pixels_give(make_folder):
    model = opened(make_folder())
    picture = Image.new("RGB", (8, 8), (255, 51, 0))
    vectors = model.encode_images(np.stack([model.prepare(picture)]))
    np.testing.assert_allclose(vectors, [[1.0, 0.2, 0.0]], atol=1e-6)


def test_texts_of_mixed_lengths_come_back_in_order(make_folder):
    model = opened(make_folder())
    tokens = model.tokenize(["a photo of a cat", "dog", "a dog", "cat"])
    vectors = model.encode_texts(tokens.ids)
    # BOS 1, EOS 2; a 3, photo 4, of 5, cat 6, dog 7. The first is cut to 6 tokens, EOS last.
    np.testing.assert_array_equal(vectors, [[1 + 3 + 4 + 5 + 3 + 2, 6, 1], [10, 3, 1], [13, 4, 1], [9, 3, 1]])
    assert tokens.truncated.tolist() == [True, False, False, False]


def test_attention_folded_into_the_batch_is_unfolded(make_folder):
    weights = opened(make_folder()).attention(np.zeros((3, 3, 4, 4), np.float32))
    assert weights.shape == (3, 2, 5, 5)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)


def test_patches_leave_out_the_class_token_and_keep_their_places(make_folder):
    prepared = np.zeros((1, 3, 4, 4), np.float32)
    prepared[0, 0, 2:, :2] = 1  # the lower left quarter
    patches = opened(make_folder()).patches(prepared)
    assert patches.shape == (1, 2, 2, 3)
    np.testing.assert_allclose(patches[0, :, :, 0], [[0, 0], [1, 0]])


def test_class_scores(make_folder):
    prepared = np.ones((2, 3, 4, 4), np.float32) * np.array([1, 2, 3], np.float32)[None, :, None, None]
    np.testing.assert_allclose(opened(make_folder()).class_scores(prepared), [[1, 2], [1, 2]])


def test_a_whole_folder_claims_all_it_can(make_folder):
    model = opened(make_folder())
    for ability in (Model, EncodesImages, EncodesTexts, ScoresPairs, GivesAttention, GivesPatches, GivesClassScores):
        assert isinstance(model, ability), ability
    assert not isinstance(model, LooksUpTexts)


def test_an_image_only_folder_claims_no_texts_and_no_scale(make_folder):
    image = {k: v for k, v in IMAGE.items() if k not in ("attention", "patches", "scores")}
    model = opened(make_folder(image=image, text=None, logit_scale=None))
    assert isinstance(model, EncodesImages)
    for ability in (EncodesTexts, LooksUpTexts, ScoresPairs, GivesAttention, GivesPatches, GivesClassScores):
        assert not isinstance(model, ability), ability


def test_a_text_table_is_looked_up_in_the_place_of_a_tower(make_folder):
    folder = make_folder(text={"vectors": "names.npz"})
    np.savez(folder / "names.npz", emb=np.eye(2, 3), names=np.array(["cat", "dog"]))
    model = opened(folder)
    assert isinstance(model, LooksUpTexts)
    assert not isinstance(model, EncodesTexts)
    assert list(model.known_texts()) == ["cat", "dog"]
    np.testing.assert_array_equal(model.look_up_texts(["dog", "cat", "dog"]), np.eye(2, 3)[[1, 0, 1]])
    with pytest.raises(DataError, match="'dogs'; did you mean 'dog'"):
        model.look_up_texts(["cat", "dogs"])


def test_a_text_table_of_another_width_is_refused(make_folder):
    folder = make_folder(text={"vectors": "names.npz"})
    np.savez(folder / "names.npz", emb=np.eye(2, 5), names=np.array(["cat", "dog"]))
    with pytest.raises(ModelError, match=r"names.npz: its text vectors have 5 numbers and the image encoder gives 3"):
        opened(folder).encode_images(np.zeros((1, 3, 4, 4), np.float32))


def test_a_pickled_text_table_is_refused(make_folder):
    folder = make_folder(text={"vectors": "names.npz"})
    np.savez(folder / "names.npz", emb=np.eye(2, 3), names=np.array(["cat", "dog"], dtype=object))
    with pytest.raises(DataError, match=r"names.npz: it contains pickled objects.*np.array\(names, dtype=str\)"):
        opened(folder)


def test_a_file_for_a_fixed_number_of_pictures_takes_any_number(make_folder):
    folder = make_folder()
    image_tower(folder / "image.onnx", batch=2)
    prepared = np.random.default_rng(0).random((5, 3, 4, 4), dtype=np.float32)
    np.testing.assert_allclose(opened(folder).encode_images(prepared), prepared.mean((2, 3)), atol=1e-6)


def test_a_masked_tower_does_not_see_padding(make_folder):
    folder = make_folder(text=TEXT | {"pad": "max", "pad_id": 8, "mask": "attention_mask"})
    text_tower(folder / "text.onnx", masked=True)
    model = opened(folder)
    tokens = model.tokenize(["dog"])
    assert tokens.ids[0].tolist() == [1, 7, 2, 8, 8, 8]
    np.testing.assert_array_equal(model.encode_texts(tokens.ids), [[10, 3, 1]])


def test_padding_with_the_end_token_leaves_one_of_them_visible(make_folder):
    folder = make_folder(text=TEXT | {"pad": "max", "pad_id": 2, "mask": "attention_mask"})
    text_tower(folder / "text.onnx", masked=True)
    model = opened(folder)
    np.testing.assert_array_equal(model.encode_texts(model.tokenize(["dog"]).ids), [[10, 3, 1]])


def test_the_network_is_not_loaded_to_know_card_and_fingerprint(make_folder):
    folder = make_folder()
    (folder / "text.onnx").write_bytes(b"\x08\x01")  # a protobuf, but no model
    model = opened(folder)
    assert len(model.fingerprint) == 64
    assert model.card.resolution == 4
    with pytest.raises(ModelError, match=r"text.onnx: ONNX Runtime cannot load it"):
        model.encode_texts([np.array([1, 2])])


@pytest.mark.parametrize(
    "change, same",
    [
        ({}, True),
        ({"card": {"family": "test"}}, True),
        ({"image": IMAGE | {"resize": "squash"}}, False),
        ({"image": IMAGE | {"resize": "shortest"}}, True),  # what it is without being said
        ({"text": TEXT | {"pad_id": 0, "readout": "end"}}, True),
        ({"text": TEXT | {"pad": "max"}}, False),
        ({"logit_scale": 50.0}, False),
    ],
)
def test_the_fingerprint_follows_what_changes_the_vectors(make_folder, change, same):
    before = opened(make_folder()).fingerprint
    assert (opened(make_folder(**change)).fingerprint == before) is same


def test_the_fingerprint_follows_the_weights(make_folder):
    folder = make_folder()
    before = opened(folder).fingerprint
    image_tower(folder / "image.onnx", batch=2)
    assert opened(folder).fingerprint != before


@pytest.mark.parametrize(
    "change, message",
    [
        ({"format_version": None}, "format_version is missing"),
        ({"format_version": 2}, "format_version is 2, and this version of Eyechart reads 1"),
        ({"imgae": {}}, "imgae is not a known key; did you mean 'image'"),
        ({"image": IMAGE | {"sise": 3}}, "image.sise is not a known key; did you mean 'size'"),
        ({"image": {k: v for k, v in IMAGE.items() if k != "size"}}, "image: preprocessing: the field 'size' is missing"),
        ({"image": IMAGE | {"interpolation": "bicubik"}}, "did you mean 'bicubic'"),
        ({"image": IMAGE | {"mean": [0, 0]}}, "mean is .* three numbers"),
        ({"image": IMAGE | {"file": "../image.onnx"}}, "image.file is '../image.onnx', which leads out of the folder"),
        ({"image": IMAGE | {"file": "/etc/passwd"}}, "leads out of the folder"),
        ({"image": IMAGE | {"file": "none.onnx"}}, "image.file is 'none.onnx', and there is no such file"),
        ({"text": TEXT | {"pad": "maximum"}}, "text.pad is 'maximum'"),
        ({"text": TEXT | {"context": "77"}}, "text.context is '77'; it must be a whole number"),
        ({"text": {"vectors": "x.npz", "file": "text.onnx"}}, "text.file is not a known key"),
        ({"image": None, "text": None}, "neither an image encoder nor a text encoder"),
        ({"logit_scale": -1}, "logit_scale is -1"),
        ({"logit_scale": True}, "logit_scale is True"),
        ({"card": {"nmae": "x"}}, "card.nmae is not a known key; did you mean 'name'"),
    ],
)
def test_a_wrong_model_json_is_refused_by_file_and_field(make_folder, change, message):
    folder = make_folder(**change)
    with pytest.raises(ModelError, match=message) as refusal:
        opened(folder)
    assert "model.json" in str(refusal.value)


def test_a_model_json_that_is_no_json_is_refused(make_folder):
    folder = make_folder()
    (folder / "model.json").write_text("{'format_version': 1}")
    with pytest.raises(ModelError, match=r"model.json, row 1: not valid JSON"):
        opened(folder)


def test_a_link_that_leads_out_of_the_folder_is_refused(make_folder, tmp_path):
    folder = make_folder(image=IMAGE | {"file": "linked.onnx"})
    (folder / "image.onnx").rename(tmp_path / "outside.onnx")
    (folder / "linked.onnx").symlink_to(tmp_path / "outside.onnx")
    with pytest.raises(ModelError, match="leads out of the folder"):
        opened(folder)


def test_an_output_that_is_not_there_is_named_with_those_that_are(make_folder):
    model = opened(make_folder(image=IMAGE | {"output": "embeddings"}))
    with pytest.raises(ModelError, match=r"no output 'embeddings', as model.json says \(it has: image_embeds, tokens"):
        model.encode_images(np.zeros((1, 3, 4, 4), np.float32))


def test_an_output_that_is_no_vector_is_refused(make_folder):
    model = opened(make_folder(image=IMAGE | {"output": "tokens"}))
    with pytest.raises(ModelError, match=r"'tokens' has shape \(1, 5, 3\)"):
        model.encode_images(np.zeros((1, 3, 4, 4), np.float32))


def test_a_device_this_runtime_has_not_is_refused(make_folder):
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this machine has CUDA")
    with pytest.raises(UsageError, match="onnxruntime-gpu"):
        opened(make_folder(), device="cuda")


def test_another_precision_is_refused(make_folder):
    with pytest.raises(UsageError, match="precision it was exported in"):
        opened(make_folder(), precision="float16")


def test_the_card_is_read_and_the_folder_names_the_model(make_folder):
    card = opened(make_folder(card={"family": "CLIP", "dataset_size": 12, "notes": ["x"]})).card
    assert (card.name, card.backend, card.family, card.dataset_size, card.notes) == ("model", "onnx", "CLIP", 12, ("x",))


def test_threads_do_not_change_the_vectors(make_folder):
    prepared = np.random.default_rng(0).random((3, 3, 4, 4), dtype=np.float32)
    folder = make_folder()
    np.testing.assert_allclose(
        opened(folder, threads=1).encode_images(prepared), opened(folder, threads=2).encode_images(prepared)
    )


def test_no_texts_give_no_rows(make_folder):
    assert len(opened(make_folder()).encode_texts([])) == 0


def test_model_json_is_written_as_documented(make_folder):
    """The example of the design document opens as it stands."""
    folder = make_folder()
    said = json.loads((folder / "model.json").read_text())
    said["image"] |= {"input": "pixel_values", "resize": "shortest", "crop": "center", "interpolation": "bicubic"}
    said["text"] |= {"readout": "end"}
    said |= {"logit_bias": 0.0}
    (folder / "model.json").write_text(json.dumps(said))
    assert opened(folder).logit_scale == 100.0
