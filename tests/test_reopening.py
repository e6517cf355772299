"""How a model of a finished run is found again."""

from eyechart.reopening import model_specs, place_of_model


def test_a_moved_run_opens_the_model_beside_it_with_the_same_options(tmp_path):
    for name in ("here", "there"):
        (tmp_path / name / "llava").mkdir(parents=True)
        (tmp_path / name / "run").mkdir()
    spec = f"lmm:{tmp_path}/here/llava,tokens=1024"
    facts = {"spec": spec, **place_of_model(spec, tmp_path / "here" / "run")}
    assert facts["from_run"] == {"kind": "lmm:", "path": "../llava"}
    assert model_specs(facts, tmp_path / "there" / "run") == [f"lmm:{tmp_path}/there/llava,tokens=1024", spec]
