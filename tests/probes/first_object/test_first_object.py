"""What a text encoder hears: encoders with known weights of positions, without order, with names that are strong anyway."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import only
from tests.probes.text_encoders import Weighted, encodable, named

import eyechart
from eyechart.data.class_file import read_classes
from eyechart.errors import UsageError
from eyechart.metrics.vectors import unit
from eyechart.models.open import open_model
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.first_object import LONGEST_COUNT, Settings, _templates, first_object
from eyechart.probes.tasks.name_finder import name_finder
from eyechart.probes.tasks.name_lists import NameList, names_for
from eyechart.probes.tasks.template_captions import template_captions

NAMES = [f"n{i}" for i in range(40)]
MIXTURE = (0.5, 0.25, 0.15, 0.10)


def four(**more):
    return Settings(**{"counts": (4,), "focus": 4, "styles": ("bare",), "captions": 480, **more})


def within(finding, truth):
    return finding.low <= truth <= finding.high


def test_known_weights_of_positions_are_recovered():
    answer = first_object.ask(encodable(named(NAMES), Weighted(NAMES, MIXTURE), four(captions=2000)))
    for position, truth in enumerate(MIXTURE, 1):
        for metric in ("object_share", "object_share_conditional"):
            found = only(answer, metric, captions="bare", position=position)
            assert within(found, truth) and found.high - found.low < 0.08
    assert (
        only(answer, "all_objects_retrieved", captions="bare").value == only(answer, "top_n_recall", captions="bare").value == 1.0
    )
    assert within(only(answer, "first_object_lead", captions="bare"), 0.5 - 0.5 / 3)
    (headline,) = [f for f in answer.findings if f.metric == "first_object_share"]
    assert headline.slice == {} and within(headline, 0.5)


def strong(names, seed=0):
    """Sums of name vectors of very different lengths: what is heard hangs on the names alone, however they are ordered."""
    rng = np.random.default_rng(seed)
    vectors = unit(rng.normal(size=(len(names), 64)).astype(np.float32)) * np.linspace(2, 1, len(names))[:, None]
    number = {name: i for i, name in enumerate(names)}
    return lambda texts: [vectors[sorted(number[n] for n in text.split(" and "))].sum(axis=0) for text in texts]


def test_an_encoder_without_order_gives_every_position_the_same_share():
    answer = first_object.ask(encodable(named(NAMES), strong(NAMES), four()))
    shares = [only(answer, "object_share", captions="bare", position=k).value for k in range(1, 5)]
    assert shares == pytest.approx([shares[0]] * 4)
    assert within(only(answer, "first_object_lead", captions="bare"), 0.0)
    assert only(answer, "first_object_lead", captions="sum of names").value == pytest.approx(0.0, abs=1e-12)


def test_the_order_of_the_list_confounds_position_with_identity():
    """The same encoder: strong names stand at the head of the list, so `compat` takes strength for position."""
    balanced = first_object.ask(encodable(named(NAMES), strong(NAMES), four()))
    compat = first_object.ask(encodable(named(NAMES), strong(NAMES), four(order="compat", words=tuple(NAMES))))
    assert abs(only(balanced, "first_object_lead", captions="bare").value) < 1e-9
    assert only(compat, "first_object_lead", captions="bare").low > 0.2


def drawn(rng, *, lead):
    """A list of twenty names drawn from a population in which some names are heard wherever they stand, and first ones more."""
    names = [f"n{i}" for i in range(20)]
    pull, first = rng.normal(0, 1, 20), rng.normal(lead, 0.5, 20)

    def chances(said):
        z = pull[said]
        z[:, 0] += first[said[:, 0]] if lead else 0.0
        return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    encode = Weighted(names, seed=int(rng.integers(1 << 31)), chances=chances)
    answer = first_object.ask(encodable(named(names), encode, four(captions=240, shown=0)))
    return only(answer, "first_object_lead", captions="bare")


@pytest.mark.slow
def test_without_an_effect_of_order_it_stays_quiet():
    rng = np.random.default_rng(0)
    alarms = [not within(drawn(rng, lead=0.0), 0.0) for _ in range(200)]
    assert not alarms[0]
    assert sum(alarms) <= 18


@pytest.mark.slow
def test_intervals_cover_lists_of_names_from_a_population():
    rng = np.random.default_rng(1)
    pulls = rng.normal(0, 1, (400_000, 4))
    pulls[:, 0] += rng.normal(0.8, 0.5, 400_000)
    share = (np.exp(pulls) / np.exp(pulls).sum(axis=1, keepdims=True))[:, 0].mean()
    truth = share - (1 - share) / 3
    assert 179 <= sum(within(drawn(rng, lead=0.8), truth) for _ in range(200)) <= 198


def test_real_captions_with_exactly_so_many_names_are_asked():
    names = ["dog", "cat", "cow", "pig", "hen"]
    said = [["a dog behind a cat", "one dog"], ["the cow sees a hen"], ["pig, hen, cow"]] * 12
    dataset = named(names, captions=pa.array(said, pa.list_(pa.string())))
    find = name_finder(names)

    def encode(texts):
        """The last name of a real caption is heard best, and both of a made one alike."""
        last = [0.0 if " and " in text else 0.5 for text in texts]
        return [np.eye(5)[find(t)].sum(axis=0) + w * np.eye(5)[find(t)[-1]] for t, w in zip(texts, last, strict=True)]

    answer = first_object.ask(encodable(dataset, encode, Settings(counts=(2,), focus=2, styles=("bare",), least=20)))
    assert only(answer, "object_share", captions="real", position=2).n == 24
    assert only(answer, "object_share", captions="real", position=2).value == 1.0
    assert only(answer, "object_share", captions="bare", position=2).value == 0.5
    assert only(answer, "first_object_lead_real_captions").value == -1.0  # no headline of its own: order may go with identity


def test_captions_that_do_not_fit_are_left_out_with_their_turns():
    def cut(texts):
        return np.array([text.startswith("n1 and") for text in texts])

    settings = four(captions=120)
    whole = first_object.ask(encodable(named(NAMES[:6]), Weighted(NAMES[:6], MIXTURE), settings))
    part = first_object.ask(encodable(named(NAMES[:6]), Weighted(NAMES[:6], MIXTURE), settings, truncated=cut))
    assert only(whole, "first_object_lead", captions="bare").n == 60  # all sets of four of six, in four turns
    assert only(part, "first_object_lead", captions="bare").n == 20  # n1 is in ten of the fifteen
    assert "40 bare captions skipped" in part.notices[0].what
    with pytest.raises(NotApplicable, match="longer than the model's context"):
        first_object.ask(
            encodable(named(NAMES[:6]), Weighted(NAMES[:6], MIXTURE), settings, truncated=lambda texts: np.ones(len(texts), bool))
        )


def test_flips_are_shown():
    answer = first_object.ask(encodable(named(NAMES), Weighted(NAMES, (1, 0, 0, 0)), four(shown=4)))
    (flips,) = [e for e in answer.exhibits if e.name == "flips"]
    rows = flips.table.to_pylist()
    assert {row["position"] for row in rows} == {"first"} and len({row["nearest"] for row in rows}) == 4
    assert len({frozenset(row["caption"].split(" and ")) for row in rows}) == 1
    assert "120 of 120 sets" in flips.sentence


def test_names_come_from_the_settings_the_classes_the_objects_or_coco(tmp_path):
    (tmp_path / "mine.txt").write_text("cup\nmug\npot\n", encoding="utf-8")
    inputs = Settings(names=str(tmp_path / "mine.txt"))
    assert inputs.words == ("cup", "mug", "pot")  # so the protocol tells them
    assert names_for(named(NAMES), inputs.names, inputs.words).names == ("cup", "mug", "pot")
    assert names_for(named(["b", "a", "c", "b"]), "", ()).names == ("a", "b", "c")
    unnamed = named(NAMES, objects=pa.array([[{"name": "b"}, {"name": "a"}], [{"name": "c"}]]))
    assert names_for(replace(unnamed, classes=None), "", ()).names == ("a", "b", "c")
    bare = named(NAMES)
    assert names_for(replace(bare, classes=None), "", ()).title == "coco-80"
    with pytest.raises(UsageError, match="did you mean 'coco-80'"):
        Settings(names="coco-8")
    with pytest.raises(NotApplicable, match="at least 3 object names"):
        first_object.ask(encodable(named(["a", "b"]), Weighted(["a", "b"], (1, 1)), four()))
    assert first_object.texts(TextRequest(named(["a", "b"]), (), four())) == ()


def test_the_lists_that_come_along():
    """ComCO: COCO without "sports ball", and eleven more. SimCO: the shapes of the embedded world."""
    coco, comco, simco = ([c.name for c in read_classes(name)] for name in ("coco-80", "comco-90", "simco-18"))
    assert [len(set(names)) for names in (coco, comco, simco)] == [80, 90, 18]
    assert set(coco) - set(comco) == {"sports ball"} and len(set(comco) - set(coco)) == 11
    assert (coco[0], coco[-1]) == ("person", "toothbrush")


@pytest.mark.parametrize(
    "settings",
    [{"order": "random"}, {"counts": (1, 4)}, {"counts": (9, 4)}, {"focus": 9}, {"styles": ("loud",)}, {"captions": 0}],
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError):
        Settings(**settings)


def test_a_model_that_only_hears_is_examined(store, tmp_path):
    """Vectors of texts alone, of the classes of world-objects: other probes are skipped with a sentence, this one is asked."""
    settings = {"counts": [2], "focus": 2, "styles": ["bare"], "captions": 60, "names": "simco-18"}
    asked = first_object.texts(TextRequest(named(NAMES), (), Settings(**{**settings, "counts": (2,), "styles": ("bare",)})))
    names = [c.name for c in read_classes("simco-18")]
    captions = [text for text in dict.fromkeys(asked) if text not in names]
    hear = Weighted(names, (3, 1))
    np.savez(tmp_path / "heard.npz", texts=[*names, *captions], text_vectors=np.concatenate([hear(names), hear(captions)]))
    exam = eyechart.examine(
        f"vectors:{tmp_path / 'heard.npz'}",
        "world-objects",
        limit=4,
        probes=["first_object", "zero_shot"],
        settings={"first_object": settings},
        out=tmp_path / "out",
        store=store,
    )
    assert {f["probe"] for f in exam.findings.to_pylist()} >= {"first_object"}
    assert [(s["probe"], s["reason"]) for s in exam.skips.to_pylist()] == [
        ("zero_shot", "it has no image encoder, and gives no log-likelihoods of answers")
    ]
    (protocol,) = [p for p in exam.protocol["protocols"].values() if p["probe"] == "first_object"]
    assert protocol["settings"]["words"] == names
    assert exam.report().is_file()


def test_the_whole_way_on_the_embedded_world(store, tmp_path):
    exam = eyechart.examine(
        "demo:",
        "world-scenes",
        limit=12,
        probes=["first_object"],
        settings={"first_object": {"counts": [2, 4], "captions": 120, "least": 4}},
        out=tmp_path / "out",
        store=store,
    )
    found = [(f["metric"], json.loads(f["slice"])) for f in exam.findings.to_pylist()]
    assert ("first_object_lead", {}) in found and ("object_share", {"captions": "real", "count": 2, "position": 1}) in found
    assert any("long captions skipped" in n.what for n in exam.notices)  # they are longer than the small model's context
    assert not any("cut at its end" in n.what for n in exam.notices)  # for none of those that were used is
    assert {e.exhibit.name for e in exam.exhibits} >= {"positions", "counts"}


def test_a_position_is_called_best_only_where_its_interval_lies_above_all_others():
    def told(weights):
        return first_object.ask(encodable(named(NAMES), Weighted(NAMES, weights), four(captions=2000))).exhibits[0].sentence

    assert "the first object is retrieved best" in told((0.6, 0.2, 0.1, 0.1))
    assert "the fourth object is retrieved best" in told((0.1, 0.1, 0.2, 0.6))
    assert "better than the mean of the others, but not better than the fourth at 95% confidence" in told((0.4, 0.1, 0.1, 0.4))
    assert "the first object is retrieved worse than the mean of the others" in told((0.1, 0.3, 0.3, 0.3))
    assert "does not differ from the mean of the others" in told((1, 1, 1, 1))


def test_words_are_asked_about_once_and_every_dataset_with_its_own_captions():
    """Three datasets of the same names: the second brings captions along, the third none."""
    names = ["dog", "cat", "cow", "pig", "hen"]
    said = pa.array([["a dog behind a cat"], ["the cow sees a hen"]] * 12, pa.list_(pa.string()))
    find = name_finder(names)
    settings = Settings(counts=(2,), focus=2, styles=("bare",), least=20)

    def inputs(name, **columns):
        return encodable(
            replace(named(names, **columns), name=name), lambda texts: [np.eye(5)[find(t)].sum(axis=0) for t in texts], settings
        )

    first, second = inputs("first"), inputs("second", captions=said)
    plan = {"first": first, "second": second, "third": inputs("third")}
    of = {name: replace(g, companions=plan) for name, g in plan.items()}
    assert only(first_object.ask(of["first"]), "first_object_share").slice == {}
    answer = first_object.ask(of["second"])
    assert {f.slice["captions"] for f in answer.findings} == {"real"}
    assert "the dataset's captions" in answer.exhibits[0].sentence and [e.name for e in answer.exhibits] == ["positions"]
    with pytest.raises(NotApplicable, match="object names only, which are those of first"):
        first_object.ask(of["third"])
    other = replace(first, dataset=replace(named([*names, "ox"]), name="first"))
    alone = first_object.ask(replace(second, companions={"first": other, "second": second}))
    assert {f.slice.get("captions") for f in alone.findings} == {None, "bare", "sum of names", "real"}


def test_a_headline_about_other_captions_than_those_in_focus_says_so():
    answer = first_object.ask(
        encodable(named(NAMES[:4]), Weighted(NAMES[:4], MIXTURE[:3]), Settings(counts=(3, 4), styles=("bare",)))
    )
    assert only(answer, "first_object_share").slice == {"captions": "bare", "count": 3}
    with pytest.raises(NotApplicable, match="need more names than the 4"):
        first_object.ask(encodable(named(NAMES[:4]), Weighted(NAMES[:4], MIXTURE), four()))


def test_made_captions_that_are_asked_elsewhere_bring_no_notice(store, tmp_path):
    plan = Plan(
        models=(ModelPlan("demo:"),),
        datasets=(DataPlan("world-objects", limit=4), DataPlan("world-scenes", limit=12)),
        probes=("first_object",),
        settings={"first_object": {"names": "simco-18", "counts": [2], "focus": 2, "captions": 60, "least": 4}},
    )
    exam = eyechart.run(plan, out=tmp_path / "out", store=store)
    shares = [(f["dataset"], json.loads(f["slice"])) for f in exam.findings.to_pylist() if f["metric"] == "first_object_share"]
    assert shares == [("world-objects", {})]
    assert [n.where for n in exam.notices if "long" in n.what] == ["world-objects"]


def test_a_column_of_bare_words_lends_no_names():
    words = replace(named(NAMES, objects=pa.array([["dog", "cat"], None])), classes=None)
    assert names_for(words, "", ()).title == "coco-80"


def test_of_few_names_a_model_that_hears_them_all_is_not_told_to_choose_others():
    """Of six names guessing hears four: twice that nobody can hear."""
    names = NAMES[:6]
    known = first_object.ask(encodable(named(names), Weighted(names, MIXTURE), four(captions=60)))
    rng = np.random.default_rng(0)
    deaf = first_object.ask(encodable(named(names), lambda texts: rng.normal(size=(len(texts), 16)), four(captions=60)))
    told = [any("names that the model knows" in n.remedy for n in answer.notices) for answer in (known, deaf)]
    assert told == [False, True]
    for answer in (known, deaf):
        headline = {f.metric: f for f in answer.findings if f.slice == {}}
        assert headline["top_n_recall_chance"].value == 4 / 6
        assert headline["top_n_recall"].value == only(answer, "top_n_recall", captions="bare").value


def test_a_short_sentence_fits_where_a_long_caption_does_not():
    """The zoo reads 40 tokens and spells words that it does not know."""
    names = NameList("simco-18", tuple(c.name for c in read_classes("simco-18")))
    model = open_model("demo:")

    def left_out(count, style):
        made = template_captions(names, count, style, order="balanced", captions=60, seed=0)
        return model.tokenize(list(made.texts)).truncated.mean()

    assert [left_out(count, "sentence") for count in (2, 3, 4, 5)] == [0.0] * 4
    assert left_out(2, "long") == 1.0


def test_sentences_name_objects_in_the_order_of_the_bare_caption():
    names = NameList("some", ("ant", "dog", "owl", "kite", "bus"))
    bare, made = (template_captions(names, 3, style, order="balanced", captions=30, seed=4) for style in ("bare", "sentence"))
    assert np.array_equal(bare.objects, made.objects)
    for row, text in zip(made.objects.tolist(), made.texts, strict=True):
        a, b, c = (f"{'an' if i in (0, 2) else 'a'} {names.names[i]}" for i in row)
        assert text == f"a picture of {a} with {b} and {c}"


def test_the_notice_names_the_shorter_style():
    def cut(texts):
        return np.array([text.startswith("The picture") for text in texts])

    def notices(*styles):
        names, settings = NAMES[:6], four(captions=60, styles=("bare", *styles))
        heard = Weighted(names, MIXTURE)
        asked = encodable(named(names), lambda texts: heard([t if "picture" not in t else "n1" for t in texts]), settings)
        return [n.remedy for n in first_object.ask(replace(asked, truncated=cut)).notices if "context length" in n.what]

    (remedy,) = notices("long")
    assert "use the style sentence instead of long" in remedy
    assert not notices("sentence")


def test_styles_and_counts_of_template_captions():
    """Long captions and sentences have at most so many names; captions with attributes only those in focus."""
    names = NameList("test", tuple(NAMES[:6]))
    settings = Settings(counts=(4, 2, 8, 6), focus=4, styles=("bare", "long", "sentence", "attributes"), captions=6)
    made = [(captions.style, captions.count) for captions in _templates(settings, names)]
    assert [made_of for made_of in made if made_of[0] == "bare"] == [("bare", 2), ("bare", 4)]  # six names need a seventh
    assert [count for style, count in made if style == "attributes"] == [4]
    assert {count for style, count in made if style in ("long", "sentence")} == {n for n in (2, 4) if n <= LONGEST_COUNT}


def test_the_headline_is_that_of_the_focus_without_a_slice():
    answer = first_object.ask(encodable(named(NAMES), Weighted(NAMES, MIXTURE), four()))
    where = {"captions": "bare", "count": 4}
    table = {f.metric: f for f in answer.findings if f.slice == {}}
    assert set(table) == {
        "first_object_share",
        "first_object_share_conditional",
        "first_object_lead",
        "top_n_recall",
        "top_n_recall_chance",
    }
    shares = {f.metric: f for f in answer.findings if f.slice == {**where, "position": 1}}
    assert table["first_object_share"].value == shares["object_share"].value
    assert table["first_object_share_conditional"].value == shares["object_share_conditional"].value
    assert table["top_n_recall_chance"].value == 4 / 40 and table["top_n_recall"].value == 1.0


def test_too_few_names_name_the_smallest_count():
    with pytest.raises(NotApplicable, match="captions of 4 names need more names than the 3 of"):
        first_object.ask(encodable(named(NAMES[:3]), Weighted(NAMES[:3], MIXTURE), four(counts=(6, 4))))
