"""Shape bias: published decisions, both ways to decide, controls, people, and OpenAI's ViT-B/16 on the real stimuli."""

import csv
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import NoPictures, among, answering, class_list, only
from tests.probes.shape_bias.modelvshuman import WORDNET_IDS

import eyechart
from eyechart.data.class_file import read_classes
from eyechart.data.dataset import Dataset
from eyechart.data.published.cue_conflict import CATEGORIES
from eyechart.models.encoder import PicturePrediction
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.shape_bias import Settings, shape_bias
from eyechart.probes.shape_bias.cue_conflict import HUMANS, IMAGENET
from eyechart.prompts.prompt_set import PromptSet
from eyechart.store import Store

DIRECT = Settings(variant="direct")
CLASSES = class_list(list(CATEGORIES))


def told(shape, texture, answers, *, sources=None, clusters=None, settings=DIRECT, classes=CLASSES):
    """Stimuli by the names of their categories, and what a model answers; "na" is an answer that is none of them."""
    names = [c.name for c in classes]
    columns = {"attr.shape": pa.array(list(shape)), "attr.texture": pa.array(list(texture))}
    if sources:
        columns |= {f"attr.{part}_source": pa.array(list(of)) for part, of in zip(("shape", "texture"), sources, strict=True)}
    # An answer of none of the categories points along an axis that no class has.
    heard = [*names, "na"]
    return answering(
        [heard.index(a) for a in answers], [-1] * len(answers), classes, settings, heard=heard, columns=columns, clusters=clusters
    )


def trials(refdata, who):
    """(shape, texture, answer, sources) of every trial; the picture's name is the last piece of a person's."""
    (path,) = (refdata / "texture-vs-shape").glob(f"*experiment_{who}.csv")
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            picture = row["imagename"].rpartition("_")[2]
            shape, n, texture, m = re.fullmatch(r"(\D+)(\d+)-(\D+)(\d+)\.png", picture).groups()
            yield shape, texture, row["object_response"], shape + n, texture + m


@pytest.mark.refdata
@pytest.mark.parametrize(
    ("who", "by_shape", "by_texture", "bias"),
    [
        ("alexnet_session_1", 283, 376, 0.4294),
        ("vgg_session_1", 130, 625, 0.1722),
        ("resnet50_session-1", 162, 572, 0.2207),
        ("resnet50_train_60_epochs_session-1", 586, 141, 0.8061),
    ],
)
def test_published_shape_bias_is_reproduced(refdata, who, by_shape, by_texture, bias):
    shape, texture, answers, *sources = zip(*trials(refdata, who), strict=True)
    answer = shape_bias.ask(told(shape, texture, answers, sources=sources))
    found = only(answer, "shape_bias")
    assert found.value == pytest.approx(bias, abs=5e-5)
    assert found.n == by_shape + by_texture
    assert only(answer, "cue_share").n == 1200
    assert only(answer, "shape_share").value == pytest.approx(by_shape / 1200)
    assert only(answer, "agreeing_accuracy").n == 80
    assert found.low < found.value < found.high


@pytest.mark.refdata
def test_what_people_answered_is_counted_from_their_trials(refdata):
    counted = {category: [0, 0] for category in CATEGORIES}
    for person in range(1, 6):
        for shape, texture, answer, *_ in trials(refdata, f"subject-{person:02d}_session_1"):
            if shape != texture and answer in (shape, texture):
                counted[shape][answer == texture] += 1
    assert {category: tuple(counts) for category, counts in counted.items()} == HUMANS


def test_a_hand_worked_case():
    # cat-dog: shape; cat-bear: texture; dog-cat: neither; bear-dog: shape; oven-oven: no conflict
    answer = shape_bias.ask(
        told(["cat", "cat", "dog", "bear", "oven"], ["dog", "bear", "cat", "dog", "oven"], ["cat", "bear", "car", "bear", "oven"])
    )
    assert (only(answer, "shape_bias").value, only(answer, "shape_bias").n) == (pytest.approx(2 / 3), 3)
    assert (only(answer, "cue_share").value, only(answer, "cue_share").n) == (0.75, 4)
    assert only(answer, "texture_share").value == 0.25
    assert (only(answer, "agreeing_accuracy").value, only(answer, "agreeing_accuracy").n) == (1.0, 1)
    assert only(answer, "gap_to_humans").value == pytest.approx(2 / 3 - 4486 / 4709)
    (decisions,) = [e.table for e in answer.exhibits if e.title == "Decisions"]
    assert decisions.select(["decision", "share", "pictures"]).to_pydict() == {
        "decision": ["shape", "texture", "neither"], "share": [0.5, 0.25, 0.25], "pictures": [2, 1, 1],
    }  # fmt: skip


def test_categories_are_those_of_the_shape():
    """Cats with a dog's skin are decided by shape, dogs with a cat's by texture: the bias is 1 for cat and 0 for dog."""
    n = DIRECT.least
    answer = shape_bias.ask(told(["cat"] * n + ["dog"] * n, ["dog"] * n + ["cat"] * n, ["cat"] * 2 * n))
    assert only(answer, "category_shape_bias", category="cat").value == 1
    assert only(answer, "category_shape_bias", category="dog").value == 0


def coin(rng, lean, n=400):
    """Pictures of random categories, named by the shape with this probability, else by the texture."""
    shape, step = rng.integers(0, 16, n), rng.integers(1, 16, n)
    texture = (shape + step) % 16
    names = np.array(CATEGORIES)
    return names[shape], names[texture], names[np.where(rng.random(n) < lean, shape, texture)]


def test_a_planted_bias_to_texture_is_found():
    found = only(shape_bias.ask(told(*coin(np.random.default_rng(0), 0.3))), "shape_bias")
    assert found.high < 0.5


@pytest.mark.slow
def test_a_model_that_throws_a_coin_leans_to_neither():
    rng, alarms = np.random.default_rng(1), []
    for _ in range(200):
        found = only(shape_bias.ask(told(*coin(rng, 0.5))), "shape_bias")
        alarms.append(not found.low <= 0.5 <= found.high)
    assert not alarms[0]
    assert sum(alarms) <= 18


@pytest.mark.slow
def test_intervals_cover_where_pictures_share_their_sources():
    """Sixty shapes and forty textures, some of which win whatever they are paired with; half of all answers go by shape."""
    rng, held, names = np.random.default_rng(2), 0, np.array(CATEGORIES)
    for _ in range(200):
        s, t = np.repeat(np.arange(60), 6), rng.integers(0, 40, 360)
        shape, texture = names[s % 15], names[np.where(t % 16 == s % 15, 15, t % 16)]
        pull = rng.choice([-0.25, 0.25], 60)[s] + rng.choice([-0.2, 0.2], 40)[t]
        answers = np.where(rng.random(360) < 0.5 + pull, shape, texture)
        sources = [f"s{i}" for i in s], [f"t{i}" for i in t]
        found = only(shape_bias.ask(told(shape, texture, answers, sources=sources)), "shape_bias")
        held += found.low <= 0.5 <= found.high
    assert 179 <= held <= 198


def test_pictures_that_share_a_source_count_for_less():
    shape, texture, answers = coin(np.random.default_rng(3), 0.5, n=240)
    apart = only(shape_bias.ask(told(shape, texture, answers)), "shape_bias")
    # Twelve sources, each of which was always answered alike.
    block = np.arange(240) // 20
    alike = np.where(block % 2 == 0, shape, texture)
    sources = [f"s{b}" for b in block], [f"t{i}" for i in range(240)]
    together = only(shape_bias.ask(told(shape, texture, alike, sources=sources)), "shape_bias")
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_pictures_made_of_a_single_one_have_no_interval():
    """None rather than NaN, which findings and charts do not know."""
    shape, texture, answers = coin(np.random.default_rng(5), 0.5, n=40)
    answer = shape_bias.ask(told(shape, texture, answers, sources=(["s"] * 40, ["t"] * 40)))
    found = only(answer, "shape_bias")
    assert found.value is not None and found.low is None and found.high is None
    assert all(f.low is None or np.isfinite(f.low) for f in answer.findings)


def test_copies_of_a_picture_add_nothing():
    shape, texture, answers = coin(np.random.default_rng(4), 0.6, n=100)
    once = only(shape_bias.ask(told(shape, texture, answers)), "shape_bias")
    tenfold = told(shape.repeat(10), texture.repeat(10), answers.repeat(10), clusters=np.arange(100).repeat(10))
    copies = only(shape_bias.ask(tenfold), "shape_bias")
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))


# The way through ImageNet's thousand classes.


THOUSAND = read_classes("imagenet-1k")


def thinking(logits, shape, texture, *, scale=1.0, can_encode=lambda texts: True):
    """A model whose picture vectors are its logits: class c of ImageNet points along axis c."""
    plain = told(shape, texture, ["na"] * len(shape), settings=Settings(variant="imagenet-1k"))
    names = {c.name: i for i, c in reversed(list(enumerate(THOUSAND)))}
    axes = np.eye(1000, dtype=np.float32)
    return replace(
        plain,
        images=np.asarray(logits, np.float32),
        texts=lambda texts: axes[[names[t] for t in texts]],
        logit_scale=scale,
        can_encode=can_encode,
    )


def logits_for(*classes):
    """The named classes at 5, 4, 3, …, all others at 0."""
    row = np.zeros(1000)
    row[list(classes)] = np.arange(5, 5 - len(classes), -1)
    return row


def test_categories_are_decided_by_the_mean_over_their_classes():
    # 404 is the only airplane. One of six cats beats it by a step, but the mean of the six does not.
    logits = [logits_for(281, 404), logits_for(*IMAGENET["cat"][:5])]
    answer = shape_bias.ask(thinking(logits, ["airplane", "airplane"], ["cat", "cat"]))
    assert only(answer, "shape_bias", variant="imagenet-1k").value == 0.5
    assert only(answer, "cue_share").value == 1.0


def test_the_logit_scale_sharpens_the_softmax_and_may_change_the_answer():
    """All dogs at 0.05 outweigh one cat in six at 0.2 in a flat softmax, and not in a steep one."""
    row = np.zeros(1000)
    row[list(IMAGENET["dog"])] = 0.05
    row[281] = 0.2
    found = [only(shape_bias.ask(thinking([row], ["cat"], ["dog"], scale=scale)), "shape_share").value for scale in (1, 100)]
    assert found == [0.0, 1.0]


def test_categories_hold_the_classes_that_their_names_say():
    names = [c.name for c in read_classes("imagenet-1k")]
    assert names[404] == "airliner" and names[499] == "cleaver" and names[766] == "rotisserie"
    assert {names[i] for i in IMAGENET["elephant"]} == {"Asian elephant", "African bush elephant"}
    assert {len(set(of)) == len(of) for of in IMAGENET.values()} == {True}
    assert (len(IMAGENET["bird"]), len(IMAGENET["dog"]), sum(len(of) for of in IMAGENET.values())) == (49, 109, 207)
    assert list(IMAGENET) == list(CATEGORIES)


def test_members_of_categories_are_those_of_the_published_toolbox():
    """The toolbox gives them as WordNet ids too; our table has places in ImageNet's order."""
    labels = [c.label for c in read_classes("imagenet-1k")]
    for category, ids in WORDNET_IDS.items():
        assert {labels[i] for i in IMAGENET[category]} == set(ids) & set(labels), category
    assert set(WORDNET_IDS) == set(IMAGENET)


def test_a_fixed_classifier_is_asked_by_its_own_scores():
    logits = np.stack([logits_for(404), logits_for(281, 282, 283, 284, 285, 286)])
    deaf = thinking(np.zeros((2, 4)), ["airplane", "airplane"], ["cat", "cat"], can_encode=lambda texts: not texts)
    answer = shape_bias.ask(replace(deaf, class_scores=lambda rows: logits[list(rows)].astype(np.float32)))
    assert only(answer, "shape_bias").value == 0.5
    assert only(answer, "shape_bias").slice == {"variant": "imagenet-1k"}


def test_accuracy_on_stylised_pictures_stands_beside_it():
    inputs = thinking([logits_for(404)], ["airplane"], ["cat"])
    table = pa.table({"id": ["a", "b", "c"], "label": [THOUSAND[i].label for i in (1, 2, 3)]})
    stylised = replace(
        inputs,
        dataset=Dataset("sin", table, NoPictures(3), read_classes("imagenet-1k"), role="shift", benchmark="stylized-imagenet"),
        images=np.stack([logits_for(c) for c in (1, 2, 9)]).astype(np.float32),
        clusters=np.arange(3),
    )
    found = only(shape_bias.ask(among(inputs, stylised)), "stylized_accuracy")
    assert (found.value, found.n, found.slice["dataset"]) == (pytest.approx(2 / 3), 3, "sin")


# Which texts are asked for.


def asked(can_encode, dataset=None, **settings):
    dataset = dataset or told(["cat"], ["dog"], ["cat"]).dataset
    return list(shape_bias.texts(TextRequest(dataset, (PromptSet("bare", ("{}",), "test"),), Settings(**settings), can_encode)))


def test_both_ways_ask_for_sixteen_names_and_a_thousand():
    assert len(asked(lambda texts: True)) == 16 + 1000
    assert asked(lambda texts: True, variant="direct") == list(CATEGORIES)


def test_a_table_of_vectors_is_asked_for_what_it_has():
    assert asked(lambda texts: set(texts) <= set(CATEGORIES)) == list(CATEGORIES)


def test_other_categories_have_no_way_through_imagenet():
    own = told(["cone"], ["striped"], ["cone"], classes=class_list(["cone", "striped"]))
    assert asked(lambda texts: True, own.dataset) == ["cone", "striped"]
    answer = shape_bias.ask(replace(own, settings=Settings()))
    assert [f.slice["variant"] for f in answer.findings if f.metric == "shape_bias"] == ["direct"]
    assert not [f for f in answer.findings if f.metric == "gap_to_humans"]


# What is not applicable.


@pytest.mark.parametrize("columns", [(), ("attr.shape",), ("attr.texture",)])
def test_a_dataset_without_both_cues_is_told_how_stimuli_are_read(columns):
    plain = answering([0], [0], CLASSES, DIRECT, columns={name: pa.array([CLASSES[0].label]) for name in columns})
    with pytest.raises(NotApplicable, match=r"attr.shape and attr.texture; read .* as cue-conflict:FOLDER"):
        shape_bias.ask(plain)


def test_without_a_conflict_there_is_nothing_to_ask():
    with pytest.raises(NotApplicable, match="two different classes"):
        shape_bias.ask(told(["cat"], ["cat"], ["cat"]))


def test_a_model_without_texts_and_scores_cannot_answer():
    with pytest.raises(NotApplicable, match="can neither encode the class names nor score"):
        shape_bias.ask(replace(told(["cat"], ["dog"], ["cat"]), can_encode=lambda texts: False))


def test_no_answer_for_either_cue_has_no_figure():
    found = only(shape_bias.ask(told(["cat"], ["dog"], ["oven"])), "shape_bias")
    assert (found.value, found.n) == (None, 0)


def test_answers_of_a_file_outside_the_categories_are_counted():
    """The first category is an answer as any other."""
    first, second, third = CATEGORIES[:3]
    made = told([first, second, third], [second, first, first], [first] * 3)
    for said, count in (([first, second, first], 0), ([first, "na", third], 1)):
        given = [PicturePrediction((answer,)) for answer in said]
        asked = replace(
            made, images=np.empty((3, 0), np.float32), prompts=(), predictions=lambda rows, g=given: [g[r] for r in rows]
        )
        counted = [n.what for n in shape_bias.ask(asked).notices if "none of the categories" in n.what]
        assert counted == ["1 answer of 3 is none of the categories, and a decision for neither cue"] * count


def test_pictures_of_unknown_names_are_left_out_and_counted():
    answer = shape_bias.ask(told(["cat", "newt"], ["dog", "dog"], ["cat", "cat"]))
    assert only(answer, "cue_share").n == 1
    assert any("1 picture left out because the shape or texture is not among" in n.what for n in answer.notices)


# Real and rendered pictures.


@pytest.mark.slow
@pytest.mark.refdata
@pytest.mark.assets
@pytest.mark.long
def test_openai_vit_b16_goes_by_shape_more_than_a_resnet_and_less_than_people(refdata, assets, tmp_path):
    """On the 256 real stimuli, with the text vectors of the sixteen names: where both papers place zero-shot CLIP."""
    folder = assets / "openai-vit-b16"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: run `make test-assets`")
    exam = eyechart.examine(
        f"onnx:{folder}",
        f"cue-conflict:{refdata / 'cue-conflict'}",
        probes=["shape_bias"],
        out=tmp_path / "out",
        store=Store(tmp_path / "store"),
    )
    found = {r["metric"]: r for r in exam.findings.to_pylist() if "category" not in r["slice"]}
    bias = found["shape_bias"]
    print(f"shape bias of OpenAI ViT-B/16: {bias['value']:.4f} [{bias['low']:.4f}, {bias['high']:.4f}], n = {bias['n']}")
    assert found["cue_share"]["n"] == 239
    assert found["agreeing_accuracy"]["n"] == 17 and round(17 * found["agreeing_accuracy"]["value"]) >= 14
    assert 0.2207 < bias["low"] < bias["value"] < bias["high"] < 4486 / 4709


def test_it_runs_on_the_embedded_world(tmp_path):
    exam = eyechart.examine(
        "demo:", "world-cue-conflict", limit=100, probes=["shape_bias"], out=tmp_path / "out", store=Store(tmp_path / "store")
    )
    found = {r["metric"]: r for r in exam.findings.to_pylist()}
    assert found["cue_share"]["n"] == 100
    assert 0 <= found["shape_bias"]["low"] <= found["shape_bias"]["value"] <= found["shape_bias"]["high"] <= 1


def test_every_share_by_hand():
    """Ten conflicts: four for the shape, two for the texture, four for neither; three pictures agree, two of them right."""
    shape, texture = ["cat"] * 6 + ["dog"] * 4 + ["car"] * 3, ["dog"] * 6 + ["cat"] * 4 + ["car"] * 3
    answers = ["cat", "cat", "cat", "dog", "na", "na", "dog", "cat", "na", "na", "car", "car", "oven"]
    answer = shape_bias.ask(told(shape, texture, answers, settings=Settings(variant="direct", least=2)))
    table = {(f.metric, f.slice.get("category")): (f.value, f.n) for f in answer.findings}
    assert table["shape_bias", None] == (pytest.approx(4 / 6), 6) and table["cue_share", None] == (0.6, 10)
    assert table["shape_share", None] == (0.4, 10) and table["texture_share", None] == (0.2, 10)
    assert table["category_shape_bias", "cat"] == (0.75, 4) and table["category_shape_bias", "dog"] == (0.5, 2)
    assert table["agreeing_accuracy", None] == (pytest.approx(2 / 3), 3)
    by_shape, by_texture = np.array(list(HUMANS.values())).sum(axis=0)
    gap = next(f for f in answer.findings if f.metric == "gap_to_humans")
    assert gap.value == pytest.approx(4 / 6 - by_shape / (by_shape + by_texture)) and gap.n == 6
    bias = next(f for f in answer.findings if f.metric == "shape_bias")
    assert gap.low == pytest.approx(bias.low + gap.value - bias.value) and gap.high == pytest.approx(
        bias.high + gap.value - bias.value
    )
    assert {f.slice["variant"] for f in answer.findings} == {"direct"} and answer.notices == []
    strict = shape_bias.ask(told(shape, texture, answers, settings=Settings(variant="direct", least=3)))
    assert [f.slice["category"] for f in strict.findings if f.metric == "category_shape_bias"] == ["cat"]


def test_one_source_column_is_no_cross_of_sources():
    made = told(["cat", "cat", "dog"], ["dog", "dog", "cat"], ["cat", "dog", "dog"])
    half = replace(made.dataset, table=made.dataset.table.append_column("attr.shape_source", pa.array(["a", "a", "b"])))
    one, other = (only(shape_bias.ask(x), "shape_bias") for x in (made, replace(made, dataset=half)))
    assert (one.low, one.high, one.interval) == (other.low, other.high, other.interval)


def scoring(names, **more):
    """Scores of the categories by their names: the first stimulus has the shape's, the second the texture's."""
    made = told(["cat", "dog"], ["dog", "cat"], ["cat", "cat"], settings=more.pop("settings", DIRECT))
    scores = np.zeros((2, 16), np.float32)
    scores[0, CATEGORIES.index("cat")] = scores[1, CATEGORIES.index("cat")] = 1
    return replace(made, can_encode=lambda texts: False, class_scores=lambda rows: scores[list(rows)], scored_classes=names)


def test_a_model_that_scores_names_decides_by_them_and_a_fixed_classifier_does_not():
    found = only(shape_bias.ask(scoring(CATEGORIES)), "shape_bias")
    assert (found.value, found.n, found.slice) == (0.5, 2, {"variant": "direct", "answers": "class scores"})
    for names, settings in ((None, DIRECT), (CATEGORIES, Settings(variant="imagenet-1k"))):
        with pytest.raises(NotApplicable, match="can neither encode"):
            shape_bias.ask(scoring(names, settings=settings))


def test_stylized_pictures_of_the_first_class_count_and_others_without_a_class_do_not():
    inputs = thinking([logits_for(404)], ["airplane"], ["cat"])
    table = pa.table({"id": ["a", "b", "c"], "label": [THOUSAND[0].label, THOUSAND[2].label, "unknown"]})
    stylized = replace(
        inputs,
        dataset=Dataset("sin", table, NoPictures(3), read_classes("imagenet-1k"), role="shift", benchmark="stylized-imagenet"),
        images=np.stack([logits_for(c) for c in (0, 9, 9)]).astype(np.float32),
        clusters=np.arange(3),
    )
    found = only(shape_bias.ask(among(inputs, stylized)), "stylized_accuracy")
    assert (found.value, found.n) == (0.5, 2)
