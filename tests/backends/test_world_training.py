"""Training in the embedded world: losses by hand, runs that go on where they were cut off, folders that both formats open."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("open_clip")

from eyechart.errors import StoreError, UsageError  # noqa: E402
from eyechart.models.open import open_model  # noqa: E402
from eyechart.world.training.fine_tuning import FineTuning, at_side, derive  # noqa: E402
from eyechart.world.training.losses import infonce, patch_loss, sigmoid  # noqa: E402
from eyechart.world.training.muon import orthogonal  # noqa: E402
from eyechart.world.training.recipe import Recipe  # noqa: E402
from eyechart.world.training.running import train  # noqa: E402
from eyechart.world.training.trainer import Trainer  # noqa: E402
from eyechart.world.zoo import zoo_folder  # noqa: E402

TINY = {"samples": 96, "batch": 16, "width": 32, "layers": 1, "text_width": 32, "text_layers": 1, "embedding": 16, "patch": 16}


def silent(line):
    """Nobody is looking."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    train(Recipe("tiny", **TINY), folder / "runs" / "tiny", folder / "tiny", threads=1, say=silent)
    return folder


def pictures(count=6, side=64):
    from PIL import Image

    noise = np.random.default_rng(0).integers(0, 256, (count, side, side, 3), dtype=np.uint8)
    return [Image.fromarray(picture) for picture in noise]


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_infonce_is_the_cross_entropy_of_both_directions():
    logits = torch.tensor([[2.0, 0.0], [1.0, 3.0]])
    rows = [-np.log(np.exp(2) / (np.exp(2) + 1)), -np.log(np.exp(3) / (np.exp(1) + np.exp(3)))]
    columns = [-np.log(np.exp(2) / (np.exp(2) + np.exp(1))), -np.log(np.exp(3) / (1 + np.exp(3)))]
    expected = (np.mean(rows) + np.mean(columns)) / 2
    assert float(infonce(logits, torch.eye(2, dtype=torch.bool))) == pytest.approx(expected, rel=1e-6)


def test_captions_of_one_meaning_share_the_target():
    same = torch.ones(2, 2, dtype=torch.bool)
    assert float(infonce(torch.zeros(2, 2), same)) == pytest.approx(np.log(2))


def test_sigmoid_takes_every_pair_for_itself():
    logits = torch.tensor([[2.0, -1.0], [0.5, 3.0]])
    expected = sum(np.log1p(np.exp(-z)) for z in (2, 1, -0.5, 3)) / 2
    assert float(sigmoid(logits, torch.eye(2, dtype=torch.bool))) == pytest.approx(expected, rel=1e-6)


def test_the_auxiliary_loss_looks_at_shown_cells_only():
    cells = torch.full((1, 8, 8, 3), -1)
    cells[0, 0, 0] = torch.tensor([4, 2, 1])
    outputs = torch.zeros(1, 64, 34)
    uniform = np.log(18) + 0.3 * np.log(10) + 0.3 * np.log(6)
    assert float(patch_loss(outputs, cells)) == pytest.approx(uniform, rel=1e-5)
    outputs[0, 1:] = 100 * torch.randn(63, 34)
    assert float(patch_loss(outputs, cells)) == pytest.approx(uniform, rel=1e-5)


def test_coarse_patches_cover_four_cells_in_reading_order():
    cells = torch.full((1, 8, 8, 3), -1)
    cells[0, 1, 0] = torch.tensor([0, 0, 0])  # below the first cell of the first patch: its third part
    outputs = torch.zeros(1, 16, 4 * 34)
    outputs[0, 0, 2 * 34] = outputs[0, 0, 2 * 34 + 18] = outputs[0, 0, 2 * 34 + 28] = 50.0
    assert float(patch_loss(outputs, cells)) == pytest.approx(0.0, abs=1e-6)


def test_a_step_of_muon_is_nearly_orthogonal():
    torch.manual_seed(0)
    for shape in ((2, 12, 12), (3, 8, 24), (3, 24, 8)):
        strengths = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert float(strengths.min()) > 0.3
        assert float(strengths.max()) < 1.3


def test_a_run_cut_off_gives_the_same_model(tmp_path):
    recipe = Recipe("tiny", **TINY)
    whole = Trainer(recipe, tmp_path / "a" / "whole")
    whole.run(silent)
    Trainer(recipe, tmp_path / "b" / "parts").run(silent, until=4)
    parts = Trainer(recipe, tmp_path / "b" / "parts")
    assert parts.step == 4
    parts.run(silent)
    for key, value in whole.towers.network.state_dict().items():
        assert torch.allclose(value.float(), parts.towers.network.state_dict()[key].float(), atol=1e-6), key


def test_a_shared_opening_gives_the_same_model_as_a_run_of_its_own(tmp_path):
    first, other = Recipe("first", **TINY), Recipe("other", order="largest", **TINY)
    Trainer(first, tmp_path / "shared" / "first").run(silent)
    after = Trainer(other, tmp_path / "shared" / "other")
    assert after.step == other.opening_steps > 0
    after.run(silent)
    alone = Trainer(other, tmp_path / "alone" / "other")
    assert alone.step == 0
    alone.run(silent)
    for key, value in alone.towers.network.state_dict().items():
        assert torch.allclose(value.float(), after.towers.network.state_dict()[key].float(), atol=1e-6), key


def test_another_recipe_is_not_taken_for_the_same_run(tmp_path):
    Trainer(Recipe("tiny", **TINY), tmp_path / "runs" / "x").run(silent, until=1)
    with pytest.raises(UsageError, match="another recipe"):
        Trainer(Recipe("tiny", seed=1, **TINY), tmp_path / "runs" / "x")


@pytest.mark.parametrize("content", [b"", b"PK broken", b"\x80\x04K\x01."])
def test_a_state_that_cannot_be_read_is_said_in_words(tmp_path, content):
    (tmp_path / "runs" / "x").mkdir(parents=True)
    (tmp_path / "runs" / "x" / "state.pt").write_bytes(content)
    with pytest.raises(StoreError, match="delete it to start again"):
        Trainer(Recipe("tiny", **TINY), tmp_path / "runs" / "x")


def test_training_lowers_the_loss(tmp_path):
    trainer = Trainer(Recipe("longer", **(TINY | {"samples": 960})), tmp_path / "runs" / "longer")
    losses = []
    for trainer.step in range(40):
        losses.append(trainer._learn())
    assert np.mean(losses[-8:]) < np.mean(losses[:8])


def test_both_formats_give_the_same_vectors(kept):
    library, plain = open_model(f"hf:{kept / 'tiny'}"), open_model(f"onnx:{kept / 'tiny'}")
    texts = ["a red cube", "a photo of a striped star and a cap", "zebra"]
    a, b = (m.encode_texts(m.tokenize(texts).ids) for m in (library, plain))
    assert np.abs(a - b).max() < 1e-5
    a, b = (m.encode_images(np.stack([m.prepare(p) for p in pictures()])) for m in (library, plain))
    assert np.abs(a - b).max() < 1e-4
    assert library.logit_scale == pytest.approx(plain.logit_scale, rel=1e-3)


def test_weights_are_kept_once_and_in_half_precision(kept):
    folder = kept / "tiny"
    weights = (folder / "model.safetensors").stat().st_size
    assert sum((folder / f"{side}.onnx").stat().st_size for side in ("image", "text")) < 250_000
    assert weights < 2.2 * json.loads((folder / "model.json").read_text())["card"]["parameters"] + 20_000


def test_nothing_of_the_machine_is_in_the_folder(kept):
    for file in (kept / "tiny").iterdir():
        assert str(kept).encode() not in file.read_bytes(), file.name
        assert b"site-packages" not in file.read_bytes(), file.name


@pytest.mark.parametrize("settings", [{"tower": "conv"}, {"text": "bidirectional"}])
def test_models_of_open_clip_open_in_both_formats(tmp_path, settings):
    recipe = Recipe("other", **TINY, **settings)
    train(recipe, tmp_path / "runs" / "other", tmp_path / "other", threads=1, say=silent)
    library, plain = open_model(f"open_clip:{tmp_path / 'other'}"), open_model(f"onnx:{tmp_path / 'other'}")
    texts = ["a red cube", "a cap and a star"]
    a, b = (m.encode_texts(m.tokenize(texts).ids) for m in (library, plain))
    assert np.abs(a - b).max() < 1e-4
    a, b = (m.encode_images(np.stack([m.prepare(p) for p in pictures()])) for m in (library, plain))
    assert np.abs(a - b).max() < 1e-3


def test_a_bidirectional_tower_hears_what_comes_later(tmp_path):
    towers = {t: Trainer(Recipe(t, text=t, **TINY), tmp_path / t / "run") for t in ("causal", "bidirectional")}
    assert towers["bidirectional"].towers.network.attn_mask is None
    assert type(towers["causal"].towers.network).__name__ == "CLIPModel"


def test_the_sigmoid_twin_keeps_its_bias(tmp_path):
    train(Recipe("s", loss="sigmoid", **TINY), tmp_path / "runs" / "s", tmp_path / "s", threads=1, say=silent)
    assert open_model(f"onnx:{tmp_path / 's'}").logit_bias == pytest.approx(-10, abs=1)


def test_checkpoints_are_kept_along_the_way(tmp_path):
    recipe = Recipe("long", checkpoints=(48,), **TINY)
    train(recipe, tmp_path / "runs" / "long", tmp_path / "long", threads=1, say=silent)
    record = json.loads((tmp_path / "long-at-0k" / "recipe.json").read_text())
    assert record["pairs"] == 48


def test_checkpoints_within_a_shared_opening_are_not_lost(tmp_path):
    """Of an opening that another run trained there is only its end."""
    settings = TINY | {"several_from": 0.7}
    train(Recipe("first", **settings), tmp_path / "runs" / "first", tmp_path / "first", threads=1, say=silent)
    recipe = Recipe("other", order="largest", checkpoints=(32,), **settings)
    train(recipe, tmp_path / "runs" / "other", tmp_path / "other", threads=1, say=silent)
    assert json.loads((tmp_path / "other-at-0k" / "recipe.json").read_text())["pairs"] == 32


def test_a_folder_of_other_things_is_refused_before_training(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    with pytest.raises(UsageError, match="new or empty folder"):
        train(Recipe("tiny", **TINY), tmp_path / "runs" / "tiny", tmp_path / "thesis", threads=1, say=silent)
    assert (tmp_path / "thesis" / "chapter.tex").is_file()
    assert not (tmp_path / "runs").exists()


def test_a_parent_of_open_clip_is_refused(tmp_path):
    recipe = FineTuning("tuned", "conv", stages=("names",))
    with pytest.raises(UsageError, match="conv is not a CLIPModel"):
        derive(recipe, zoo_folder("conv"), tmp_path / "tuned", threads=1, say=silent)


@pytest.mark.parametrize("name", ["default", "overconfident", "sigmoid", "fine-tuned-96", "conv", "bidirectional"])
def test_a_kept_model_is_the_same_in_both_formats(name):
    """Weights are in half precision, the logit scale of model.json is not; at 96 pixels the libraries enlarge a little apart."""
    folder = zoo_folder(name)
    kind = "open_clip" if (folder / "open_clip_config.json").is_file() else "hf"
    library, plain = open_model(f"{kind}:{folder}"), open_model(f"onnx:{folder}")
    assert library.logit_scale == pytest.approx(plain.logit_scale, rel=2e-3)
    texts = ["a red cube", "a photo of a striped star and a cap", "zebra"]
    a, b = (unit(m.encode_texts(m.tokenize(texts).ids)) for m in (library, plain))
    assert np.abs(a - b).max() < 1e-5
    a, b = (unit(m.encode_images(np.stack([m.prepare(p) for p in pictures()]))) for m in (library, plain))
    assert np.abs(a - b).max() < (1e-5 if library.card.resolution == 64 else 2e-3)


def test_the_overconfident_twin_differs_in_scale_alone(kept):
    derive(FineTuning("loud", "tiny", scale=3.0), kept / "tiny", kept / "loud", threads=1, say=silent)
    loud, tiny = (open_model(f"onnx:{kept / name}") for name in ("loud", "tiny"))
    assert loud.logit_scale == pytest.approx(3 * tiny.logit_scale, rel=1e-4)
    assert open_model(f"hf:{kept / 'loud'}").logit_scale == pytest.approx(loud.logit_scale, rel=2e-3)
    ids = tiny.tokenize(["a cap"]).ids
    assert np.array_equal(loud.encode_texts(ids), tiny.encode_texts(ids))


def test_fine_tuning_leaves_the_text_tower_alone(kept):
    recipe = FineTuning("tuned", "tiny", stages=("names",), samples=128)
    derive(recipe, kept / "tiny", kept / "tuned", threads=1, say=silent)
    tuned, tiny = (open_model(f"onnx:{kept / name}") for name in ("tuned", "tiny"))
    ids = tiny.tokenize(["a cap"]).ids
    assert np.array_equal(tuned.encode_texts(ids), tiny.encode_texts(ids))
    prepared = np.stack([tiny.prepare(p) for p in pictures(2)])
    assert np.abs(tuned.encode_images(prepared) - tiny.encode_images(prepared)).max() > 1e-3


def test_a_larger_picture_keeps_what_the_tower_knows(kept):
    from transformers import CLIPModel

    network = CLIPModel.from_pretrained(kept / "tiny", dtype=torch.float32)
    wider = at_side(network, 96)
    assert wider.vision_model.embeddings.position_embedding.weight.shape[0] == 37
    assert torch.equal(wider.visual_projection.weight, network.visual_projection.weight)
    flat = torch.zeros(1, 3, 64, 64), torch.zeros(1, 3, 96, 96)
    near = [n.get_image_features(pixel_values=x) for n, x in zip((network, wider), flat, strict=True)]
    a, b = (getattr(v, "pooler_output", v)[0] for v in near)
    assert float(torch.nn.functional.cosine_similarity(a, b, dim=0).detach()) > 0.9
