"""A probe that cannot be asked costs no encoding."""

import pytest
from tests.encode.tiny import TinyEncoder, drawn_dataset
from tests.witness import Witness

from eyechart.data.picture import Decoding
from eyechart.encode.local import LocalEngine
from eyechart.exam import dry_run, run
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.session.applicability import NeedsEncoding, UnencodedInput
from eyechart.session.keyed_dataset import key_dataset
from eyechart.session.session import Session

DATA = DataPlan("world-objects", limit=36)


def plan(*probes, data=(DATA,), **settings):
    return Plan((ModelPlan("demo:"),), data, probes=probes, prompts=("single",), settings=settings)


@pytest.mark.parametrize(
    ("probe", "reason"),
    [
        ("class_groups", "no class design is given"),
        ("ood", "there are no out-of-distribution pictures"),
        ("labels_by_group", "."),
    ],
)
def test_nothing_is_encoded_for_a_probe_that_does_not_apply(probe, reason, tmp_path):
    witness = Witness()
    exam = run(plan(probe), out=tmp_path / "out", store=tmp_path / "store", progress=witness)
    (skip,) = exam.skips.to_pylist()
    assert reason in skip["reason"] and skip["probe"] == probe
    assert witness.encoded("pictures") == witness.encoded("texts") == 0
    assert not list((tmp_path / "store").rglob("*.arrow"))


def test_a_dry_run_tells_it_too(tmp_path):
    told = dry_run(plan("class_groups", "zero_shot"), out=tmp_path / "out", store=tmp_path / "store")
    assert [(skip.probe, "no class design" in skip.reason) for skip in told.skips] == [("class_groups", True)]
    assert [cost.probes for cost in told.datasets] == [("zero_shot",)]


def test_a_probe_that_reads_other_findings_is_asked_when_they_are_there(tmp_path):
    exam = run(plan("zero_shot", "worst"), out=tmp_path / "out", store=tmp_path / "store")
    assert {row["probe"] for row in exam.findings.to_pylist()} >= {"zero_shot", "worst"}


def test_what_the_model_gives_is_not_there_yet(tmp_path):
    made = object.__new__(UnencodedInput)
    for name in ("images", "texts", "upstream", "logit_scale", "attention", "shared"):
        with pytest.raises(NeedsEncoding):
            getattr(made, name)


def test_probes_of_attention_and_patches_encode_no_vectors(tmp_path):
    witness = Witness()
    data = (DataPlan("world-scenes", limit=60),)
    exam = run(plan("attention", data=data), out=tmp_path / "out", store=tmp_path / "store", progress=witness)
    assert "attention" in {row["probe"] for row in exam.findings.to_pylist()}
    assert witness.encoded("pictures") == 0
    both = run(plan("attention", "large_object", data=data), out=tmp_path / "both", store=tmp_path / "store", progress=witness)
    assert witness.encoded("pictures") > 0

    def found(of):
        rows = [r for r in of.findings.to_pylist() if r["probe"] == "attention"]
        return [(r["metric"], r["slice"], r["n"], r["value"], r["low"], r["high"]) for r in rows]

    assert found(exam) and found(exam) == found(both)


def test_a_picture_that_cannot_be_decoded_is_set_aside_without_encoding(store):
    dataset, witness = drawn_dataset(range(4), instead={1: b"no picture"}), Witness()
    engine = LocalEngine(batch_size=2, workers=1)
    session = Session("m", TinyEncoder(), store=store, engine=engine, decoding=Decoding(), progress=witness, made_with={})
    keyed = key_dataset(dataset, None, store.hashes, witness, pictures=True)
    session.encode_images([])
    session.check_images([keyed])
    encoded = session.encoded(keyed, vectors_needed=False)
    assert encoded.rows == [0, 2, 3] and encoded.vectors.shape == (3, 0)
    assert [(s.row, s.reason) for s in encoded.set_aside] == [(1, "not a JPEG, PNG, WebP, BMP, TIFF or GIF picture")]
    assert witness.encoded("pictures") == 0
