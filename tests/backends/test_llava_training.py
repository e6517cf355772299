"""Training of small LLaVA models: packed questions against plain ones, runs that go on, folders that both formats open."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from PIL import Image  # noqa: E402

from eyechart.cli.main import main  # noqa: E402
from eyechart.errors import StoreError, UsageError  # noqa: E402
from eyechart.models.answering import CLASS_QUESTION  # noqa: E402
from eyechart.models.open import open_model  # noqa: E402
from eyechart.world.training.llava.folder import train_llava  # noqa: E402
from eyechart.world.training.llava.network import IGNORED, answer_logits, image_features, pack  # noqa: E402
from eyechart.world.training.llava.recipe import LlavaRecipe  # noqa: E402
from eyechart.world.training.llava.trainer import LlavaTrainer, told  # noqa: E402
from eyechart.world.training.llava.vocabulary import IMAGE_ID  # noqa: E402
from eyechart.world.zoo import zoo_folder  # noqa: E402

TINY = {"vision_tower": "default", "samples": 48, "batch": 8, "questions": 2, "width": 32, "layers": 1}
OPTIONS = ["cube", "heart", "none of these", "red cube", "zebra"]


def silent(line):
    """Nobody is looking."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo")
    recipe = LlavaRecipe("tiny", **TINY)
    train_llava(recipe, zoo_folder("default"), folder / "runs" / "tiny", folder / "tiny", threads=1, say=silent)
    return folder


def pictures(count=3):
    noise = np.random.default_rng(0).integers(0, 256, (count, 64, 64, 3), dtype=np.uint8)
    return [Image.fromarray(picture) for picture in noise]


def test_packed_questions_get_the_logits_of_questions_asked_alone(tmp_path):
    """Against the library's own forward pass with picture tokens, one question at a time."""
    trainer = LlavaTrainer(LlavaRecipe("tiny", **TINY), zoo_folder("default"), tmp_path / "runs" / "tiny")
    network, encode = trainer.network.eval(), trainer.encode
    pixels = torch.randn(2, 3, 64, 64)
    asked = [("What is this? Answer with a word.", "cube"), ("Is there a mug in the picture? Answer with yes or no.", "no")]
    packed = pack([[(encode.question(q), encode.answer(a)) for q, a in asked]] * 2)
    with torch.no_grad():
        found = answer_logits(network, image_features(network, pixels), encode.prefix, packed)
        rows = iter(found)
        for i in range(2):
            for question, answer in asked:
                ids = [*encode.prefix, *[IMAGE_ID] * 64, *encode.question(question), *encode.answer(answer)]
                plain = network(input_ids=torch.tensor([ids]), pixel_values=pixels[i : i + 1]).logits[0]
                for place in range(len(ids) - 3, len(ids) - 1):  # one word and its end
                    torch.testing.assert_close(next(rows), plain[place], atol=2e-4, rtol=1e-3)
    assert int((packed.targets != IGNORED).sum()) == len(found) == 8


def test_the_image_encoder_is_that_of_the_tower_and_stays_frozen(kept):
    from safetensors.torch import load_file

    tower = load_file(zoo_folder("default") / "model.safetensors")
    mine = load_file(kept / "tiny" / "model.safetensors")
    name = "encoder.layers.3.mlp.fc1.weight"
    (own,), (other,) = ([v for key, v in of.items() if key.endswith(name) and "vision" in key] for of in (mine, tower))
    assert torch.equal(own, other)


def test_a_run_cut_off_gives_the_same_model(tmp_path):
    recipe, tower = LlavaRecipe("tiny", **TINY), zoo_folder("default")
    whole = LlavaTrainer(recipe, tower, tmp_path / "a" / "whole")
    whole.run(silent)
    LlavaTrainer(recipe, tower, tmp_path / "b" / "parts").run(silent, until=4)
    parts = LlavaTrainer(recipe, tower, tmp_path / "b" / "parts")
    assert parts.step == 4
    parts.run(silent)
    for key, value in whole.network.state_dict().items():
        assert torch.allclose(value, parts.network.state_dict()[key], atol=1e-6), key


def test_a_shared_opening_gives_the_same_model_as_a_run_of_its_own(tmp_path):
    tower, biased = zoo_folder("default"), LlavaRecipe("biased", truth_first=1.0, **TINY)
    LlavaTrainer(LlavaRecipe("first", **TINY), tower, tmp_path / "shared" / "first").run(silent)
    after = LlavaTrainer(biased, tower, tmp_path / "shared" / "biased")
    assert after.step == biased.opening_steps == 3
    after.run(silent)
    alone = LlavaTrainer(biased, tower, tmp_path / "alone" / "biased")
    assert alone.step == 0
    alone.run(silent)
    for key, value in alone.network.state_dict().items():
        assert torch.allclose(value, after.network.state_dict()[key], atol=1e-6), key


def test_another_recipe_and_a_broken_state_are_refused(tmp_path):
    tower = zoo_folder("default")
    LlavaTrainer(LlavaRecipe("tiny", **TINY), tower, tmp_path / "runs" / "x").run(silent, until=1)
    with pytest.raises(UsageError, match="another recipe"):
        LlavaTrainer(LlavaRecipe("tiny", seed=1, **TINY), tower, tmp_path / "runs" / "x")
    (tmp_path / "runs" / "x" / "state.pt").write_bytes(b"PK broken")
    with pytest.raises(StoreError, match="delete it to start again"):
        LlavaTrainer(LlavaRecipe("tiny", **TINY), tower, tmp_path / "runs" / "x")


def test_training_lowers_the_loss(tmp_path):
    trainer = LlavaTrainer(
        LlavaRecipe("longer", **(TINY | {"samples": 320})), zoo_folder("default"), tmp_path / "runs" / "longer"
    )
    losses = []
    for trainer.step in range(30):
        losses.append(trainer._learn())
    assert np.mean(losses[-6:]) < np.mean(losses[:6]) - 0.4


@pytest.mark.parametrize("name", ["tiny", "llava"])
def test_both_formats_give_the_same_likelihoods_and_replies(kept, name):
    folder = kept / "tiny" if name == "tiny" else zoo_folder("llava")
    library, plain = open_model(f"lmm:{folder}"), open_model(f"onnx:{folder}")
    for picture in pictures():
        a, b = (model.log_likelihoods(picture, CLASS_QUESTION, OPTIONS) for model in (library, plain))
        np.testing.assert_allclose(a, b, atol=1e-3, rtol=1e-3)
        assert library.answer(picture, CLASS_QUESTION) == plain.answer(picture, CLASS_QUESTION)


def test_nothing_of_the_machine_is_in_the_folder(kept):
    for file in (kept / "tiny").iterdir():
        assert str(kept).encode() not in file.read_bytes(), file.name
        assert b"site-packages" not in file.read_bytes(), file.name


def test_the_command_trains_by_a_recipe(tmp_path, capsys):
    lines = [f"{key} = {json.dumps(value)}" for key, value in (TINY | {"samples": 8}).items()]
    (tmp_path / "mine.toml").write_text("\n".join(lines))
    args = ["world", "train", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "zoo" / "mine"), "--json"]
    assert main([*args, "--work", str(tmp_path / "runs" / "mine")]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "mine"
    assert open_model(f"onnx:{tmp_path / 'zoo' / 'mine'}").answer(pictures()[0], CLASS_QUESTION).kind in ("text", "empty")


def test_a_stated_confidence_is_the_probability_in_tens():
    assert [told({"cube": p}, "cube") for p in (0.0, 0.04, 0.26, 0.96, 1.0)] == ["0", "0", "30", "100", "100"]
