"""`onnx:` folders that answer questions: the zoo's LLaVA without torch, its likelihoods, and descriptions that make no sense."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eyechart.errors import ModelError
from eyechart.models.abilities import abilities
from eyechart.models.answering import CLASS_QUESTION
from eyechart.models.open import open_model
from eyechart.world.datasets.open import open_world
from eyechart.world.drawing import NAMES

LLAVA = Path(__file__).parents[2] / "zoo" / "llava"


@pytest.fixture(scope="module")
def model():
    return open_model(f"onnx:{LLAVA}")


@pytest.fixture(scope="module")
def shown():
    import io

    dataset = open_world("world-objects", n=18)
    return [Image.open(io.BytesIO(dataset.pictures.read(row))).convert("RGB") for row in range(18)]


def test_it_answers_and_scores_and_has_no_vectors(model):
    assert abilities(model) == ["answers", "likelihoods"]


def test_likelihoods_of_all_first_tokens_sum_to_1(model, shown):
    """Probabilities of single-token replies are a part of one distribution."""
    found = model.log_likelihoods(shown[0], CLASS_QUESTION, NAMES)
    assert 0.5 < np.exp(found[:, 0]).sum() <= 1 and found[:, 1].tolist() == [1] * len(NAMES)


def test_a_longer_reply_is_less_likely_than_its_beginning(model, shown):
    """A longer reply is less likely than its beginning, and its likelihood does not depend on the other options."""
    question = "Which of these does the picture show: cube, mug, none of these? Answer with the name only."
    whole = model.log_likelihoods(shown[0], question, ["none of these", "none", "none of", "cube"])
    assert whole[:, 1].tolist() == [3, 1, 2, 1]
    assert whole[0, 0] < whole[2, 0] < whole[1, 0] < 0
    alone = model.log_likelihoods(shown[0], question, ["none of these"])
    np.testing.assert_allclose(alone[0], whole[0], atol=1e-5)


def test_the_greedy_reply_is_the_likeliest_word(model, shown):
    for picture in shown[:6]:
        scores = model.log_likelihoods(picture, CLASS_QUESTION, NAMES)[:, 0]
        reply = model.answer(picture, CLASS_QUESTION)
        assert not reply.cut and reply.kind == "text"
        if np.exp(scores.max()) > 0.5:
            assert reply.text == NAMES[int(scores.argmax())]


def test_most_pictures_of_the_world_are_named(model, shown):
    right = [model.answer(p, CLASS_QUESTION).text == name for p, name in zip(shown, NAMES, strict=True)]
    assert sum(right) >= 10


def test_a_question_that_is_too_long_is_said_so(model, shown):
    with pytest.raises(ModelError, match="ask with fewer options"):
        model.answer(shown[0], "what is this " * 400)


def changed(folder, **answers):
    for file in LLAVA.iterdir():
        shutil.copyfile(file, folder / file.name)
    content = json.loads((folder / "model.json").read_text())
    content["answers"] |= answers
    (folder / "model.json").write_text(json.dumps(content))
    return f"onnx:{folder}"


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"prompt": "USER: {question} {image}"}, "it needs {image} and then {question}"),
        ({"context": 0}, "number of tokens"),
        ({"file": "../language.onnx"}, "leads out of the folder"),
        ({"tokenizer": "gone.json"}, "there is no such file"),
        ({"nonsense": 1}, "is not a known key"),
        ({"mean": "gray"}, "mean"),
    ],
)
def test_a_description_that_makes_no_sense_is_refused_by_name(tmp_path, answers, said):
    with pytest.raises(ModelError, match=said):
        open_model(changed(tmp_path, **answers))


def test_prompt_and_weights_are_part_of_the_fingerprint(tmp_path, model):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    same = open_model(changed(tmp_path / "a"))
    other = open_model(changed(tmp_path / "b", prompt="USER: {image} please: {question} ASSISTANT:"))
    assert same.fingerprint == model.fingerprint != other.fingerprint
    assert open_model("zoo:llava-option-order").fingerprint != model.fingerprint
