"""Captions in two orders: read from a file, made into trials, and rewritten by a language model behind a real server of this
machine, of whose replies only those are kept that change the order and nothing else."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.language_models.chat_server import chatting
from tests.probes.staged import objects_column, staged

from eyechart.data.caption_trials import RewrittenCaption, read_caption_file
from eyechart.language_models.address import KEY_VARIABLE, Address
from eyechart.language_models.endpoint import Endpoint, EndpointError
from eyechart.language_models.replies import Replies
from eyechart.metrics.vectors import unit
from eyechart.probes.matching import Settings, matching
from eyechart.probes.matching.rewriting import INSTRUCTION, rewrite_captions
from eyechart.probes.matching.trials import FIRST, KINDS, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST
from eyechart.probes.matching.two_orders import Vocabulary, large_of, two_order_captions, two_order_trials
from eyechart.probes.tasks.name_finder import name_finder

KEY = "sk-very-secret-0123456789"
# Four pictures: what is seen, how large, and what is said of it.
SHOWN = [["dog", "apple"], ["car", "hot dog", "dog"], ["cat", "apple"], ["car"]]
AREAS = [[0.1, 0.3], [0.4, 0.1, 0.2], [0.2, 0.2], [0.3]]
SAID = [
    "A dog under an apple",
    "a hot dog and a dog beside a red car",
    "a cat and an apple",  # equally large
    "a car alone",
]


def scenes(settings=None, **columns):
    return staged(
        objects_column(SHOWN, AREAS), np.eye(4), settings or Settings(), columns={"captions": [[s] for s in SAID], **columns}
    )


def test_names_are_exchanged_with_their_articles_and_nothing_else():
    find = name_finder(["dog", "hot dog", "apple", "elephant"])
    assert find.renamed("A dog under an apple", 0, "elephant") == "An elephant under an apple"
    assert find.renamed("A hot dog and the Dog", 0, "apple") == "A hot dog and the Apple"
    assert find.renamed("an  apple beside apples", 2, "dog") == "a  dog beside apples"
    assert find.renamed("data dogma", 0, "apple") == "data dogma"


def test_trials_by_hand():
    dataset = scenes().dataset
    vocabulary = Vocabulary(dataset)
    assert vocabulary.names == ("apple", "car", "cat", "dog", "hot dog")
    told = [RewrittenCaption("scenes-1", "a red car and a hot dog beside a dog", "a hot dog and a dog beside a red car")]
    kept, lost, faults = two_order_captions(dataset, vocabulary, told)
    assert (len(kept), lost, faults) == (1, 0, {})
    trials = two_order_trials(vocabulary, kept, absent=0, seed=0)
    assert sorted(trials.rows.tolist()) == [1, 1] and set(trials.counts.tolist()) == {3}
    (t,) = [i for i in range(2) if "apple" in trials.wrong[FIRST][i]]  # the other absent thing is the cat
    first, last = told[0].large_first, told[0].large_last
    assert {kind: (trials.right[kind][t], trials.wrong[kind][t]) for kind in KINDS} == {
        FIRST: (first, "a red apple and a hot dog beside a dog"),
        SECOND: (last, "a red car and a hot dog beside an apple"),
        LARGE_LAST: (last, "a hot dog and a dog beside a red apple"),
        SMALL_FIRST: (first, "a red car and a hot dog beside an apple"),
        SMALL_LAST: (last, "a hot dog and an apple beside a red car"),
    }


@pytest.mark.parametrize(
    ("row", "first", "last", "why"),
    [
        (0, "an apple over a dog", "a dog", "same objects"),
        (0, "a dog and an apple", "a dog under an apple", "not named first"),
        (0, "an apple and a dog", "an apple beside a dog", "not named last"),
        (2, "a cat and an apple", "an apple and a cat", "of different size"),
        (3, "a car alone", "alone, a car", "two objects of the picture"),
    ],
)
def test_captions_that_do_not_do_what_they_say_are_left_out_by_reason(row, first, last, why):
    dataset = scenes().dataset
    told = [RewrittenCaption(f"scenes-{row}", first, last), RewrittenCaption("elsewhere", first, last)]
    kept, lost, faults = two_order_captions(dataset, Vocabulary(dataset), told)
    ((reason, count),) = faults.items()
    assert (kept, lost, count) == ([], 1, 1) and why in reason


def test_a_file_of_two_orders_is_asked_with_and_the_rest_is_said(tmp_path):
    """Texts are bags of words with the first name loud: shares by a loop over the captions of the file."""
    file = tmp_path / "two-orders.csv"
    file.write_text(
        "id,caption,large_first,large_last\nscenes-0,x,an apple over a dog,a dog under an apple\n"
        "scenes-1,x,a car beside a dog,a dog beside a car\nscenes-2,x,a cat and an apple,an apple and a cat\ngone,x,a,b\n"
    )
    rng = np.random.default_rng(0)
    known: dict[str, np.ndarray] = {}

    def texts(wanted):
        return unit(np.stack([known.setdefault(text, rng.standard_normal(4)) for text in wanted]).astype(np.float32))

    settings = Settings(captions=str(file), absent=0)
    asked = replace(scenes(settings), texts=texts, can_encode=lambda wanted: True)
    answer = matching.ask(asked)
    trials = two_order_trials(
        Vocabulary(asked.dataset),
        two_order_captions(asked.dataset, Vocabulary(asked.dataset), read_caption_file(file)[1])[0],
        absent=0,
        seed=0,
    )
    for kind in KINDS:
        won = [
            float(asked.images[row] @ known[right] / np.linalg.norm(known[right]))
            > float(asked.images[row] @ known[wrong] / np.linalg.norm(known[wrong]))
            for row, right, wrong in zip(trials.rows, trials.right[kind], trials.wrong[kind], strict=True)
        ]
        (share,) = [
            f for f in answer.findings if f.metric == "trial_accuracy" and f.slice == {"captions": "rewritten", "trial": kind}
        ]
        assert (share.value, share.n) == (pytest.approx(np.mean(won)), len(won))
    assert any(f.metric == "order_effect" and f.slice == {"captions": "rewritten"} for f in answer.findings)
    said = [n.what for n in answer.notices]
    assert any("1 caption of two-orders.csv left out: their pictures" in what for what in said)
    assert any("1 caption of two-orders.csv left out: the caption does not name two objects" in what for what in said)
    assert set(answer.exhibits[0].table["captions"].to_pylist()) == {"template", "rewritten"}


def obedient(question):
    """A model that reorders things around ' and ', as it is asked."""
    thing, caption = (line.split(": ", 1)[1] for line in question.split("\n"))
    parts = caption.split(" and ")
    (large,) = [part for part in parts if thing in part.split()]
    rest = [part for part in parts if part != large]
    return "Sure!\n" + json.dumps({"first": " and ".join([large, *rest]), "last": " and ".join([*rest, large])})


PLAIN = [["a dog and a green apple"], ["a hot dog and a red car and a dog"], ["a cat and an apple"], ["a car"]]


def asking(server, folder, **more):
    return Endpoint(Address(server.base), "some-model", Replies(folder), pause=0.0, **more)


def test_a_server_rewrites_once_and_is_replayed_without_network(tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    dataset = scenes(captions=PLAIN).dataset
    with chatting(obedient) as server:
        kept, refused = rewrite_captions(dataset, asking(server, tmp_path))
        assert len(server.seen) == 2  # only two captions have something to move
        _, headers, body = server.seen[0]
        assert headers["Authorization"] == f"Bearer {KEY}" and body["messages"][0]["content"] == INSTRUCTION
    assert refused == {}
    assert [(one.id, one.large, one.large_first, one.large_last) for one in kept] == [
        ("scenes-0", "apple", "a green apple and a dog", "a dog and a green apple"),
        ("scenes-1", "car", "a red car and a hot dog and a dog", "a hot dog and a dog and a red car"),
    ]
    assert not any(KEY in file.read_text() for file in tmp_path.rglob("*") if file.is_file())
    gone = Endpoint(Address("http://127.0.0.1:9/v1"), "some-model", Replies(tmp_path), offline=True)
    assert rewrite_captions(dataset, gone) == (kept, {})
    with pytest.raises(EndpointError, match="no reply"):
        rewrite_captions(scenes(captions=[["a dog and an apple"], ["x"], ["x"], ["x"]]).dataset, gone)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I cannot do that.", "no JSON object"),
        ('{"first": "a green apple and a dog"}', "no JSON object"),
        ('{"first": "a green apple and a dog", "last": "a dog and an apple"}', "other words"),
        ('{"first": "a green apple and a puppy", "last": "a puppy and a green apple"}', "other words"),
        ('{"first": "a green apple and a dog", "last": "a green apple with a dog"}', "not named last"),
        ('{"first": "a dog and a green apple", "last": "a dog and a green apple"}', "both orders are the same"),
    ],
)
def test_replies_that_change_something_else_are_refused(reply, why, tmp_path):
    dataset = scenes(captions=[PLAIN[0], ["x"], ["x"], ["x"]]).dataset
    with chatting(lambda question: reply) as server:
        kept, refused = rewrite_captions(dataset, asking(server, tmp_path))
    ((reason, count),) = refused.items()
    assert (kept, count) == ([], 1) and why in reason


@pytest.mark.slow
def test_the_command_on_the_whole_way(commands, tmp_path):
    """World scenes are rewritten over HTTP by a process that has a key, then asked about."""

    def run(*words):
        return commands.run("rewrite", *words, cwd=tmp_path, env={KEY_VARIABLE: KEY})

    with chatting(obedient) as server:
        where = ("--endpoint", server.base, "--language-model", "m")
        asked = ("two.csv", "--data", "world-size-ratios", *where, "--limit", "99", "--pictures", "60")
        done = run(*asked)
        assert done.returncode == 0, done.stderr
        assert "60 captions in two.csv" in done.stdout
        assert len(server.seen) == len({body["messages"][-1]["content"] for _, _, body in server.seen}) > 30
        assert run(*asked).returncode == 2  # what is there is never written over
    again = run("again.csv", *asked[1:], "--replies", "two-replies", "--offline", "--json")
    assert json.loads(again.stdout)["kept"] == 60
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "two.csv").read_text()
    told = done.stdout + done.stderr + again.stdout + again.stderr
    assert KEY not in told and not any(KEY in f.read_text() for f in tmp_path.rglob("*") if f.is_file())
    assert len(read_caption_file(tmp_path / "two.csv")[1]) == 60


@pytest.mark.parametrize(
    ("named", "areas", "large"),
    [
        ([0, 1], {0: 1.0, 1: 2.0}, 1),
        ([0, 1], {0: 2.0, 1: 2.0}, None),
        ([0, 1, 2], {0: 2.0, 1: 1.0, 2: 1.0}, 0),
        ([0, 1], {0: 2.0}, None),
        ([0, 1], {0: 2.0, 2: 9.0}, None),
        ([2, 0], {0: 2.0, 2: 9.0}, 2),
        ([], {}, None),
    ],
)
def test_the_large_object_is_named_visible_and_larger_than_all_others(named, areas, large):
    assert large_of(named, areas) == large
