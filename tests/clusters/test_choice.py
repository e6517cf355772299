"""What `--engine` and `--shard` accept, and what they say about anything else."""

import pytest
from tests.clusters.logged_model import make_pictures

from eyechart.cli.main import main
from eyechart.clusters.choice import engine_of, executor_of
from eyechart.clusters.engine import ShardEngine
from eyechart.clusters.executor import InProcess
from eyechart.clusters.processes import Processes
from eyechart.encode.local import LocalEngine
from eyechart.errors import UsageError
from eyechart.exam import examine


def test_the_engines():
    assert isinstance(engine_of("local"), LocalEngine)
    assert engine_of("local:3", batch_size=7, shard_size=50) == ShardEngine(Processes(3), 7, None, 50)
    assert isinstance(executor_of("local"), InProcess)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("local:0", "local:4"),
        ("local:-1", "local:4"),
        ("local:x", "local:4"),
        ("locall", "did you mean 'local'"),
        ("ray:", "address is empty"),
        ("slurm", "no such engine"),
    ],
)
def test_a_wrong_engine_is_refused_with_what_to_write(text, words):
    with pytest.raises(UsageError, match=words):
        executor_of(text) if text != "ray:" else _without_address(text)


def _without_address(text):
    pytest.importorskip("ray")
    executor_of(text)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--shard", "9/4"], "0/4 to 3/4"),
        (["--shard", "4/4"], "counted from 0"),
        (["--shard", "0/0"], "counted from 0"),
        (["--shard", "1"], "expected I/N"),
        (["--shard", "-1/4"], "expected"),
        (["--shard", "1/2", "--engine", "ray"], "divides the work itself"),
        (["--engine", "locall"], "did you mean"),
        (["--shard-size", "0"], "positive whole number"),
        (["--gpus-per-worker", "-1"], "from 0 up"),
        (["--data", "world"], "several datasets"),
        (["--model", "vectors:none.npz"], "none.npz"),
    ],
)
def test_wrong_flags_end_with_a_sentence(flags, words, tmp_path, capsys):
    command = ["encode", "--model", "demo:", "--data", "nothing", "--store", str(tmp_path / "store"), *flags]
    try:
        code = main(command)
    except SystemExit as end:  # argparse
        code = end.code
    err = capsys.readouterr().err
    assert code in (2, 3, 4) and words in err and "Traceback" not in err
    assert not (tmp_path / "store" / "models").exists()


def test_more_parts_than_shards_leave_some_without_work(tmp_path, capsys):
    pictures = make_pictures(tmp_path / "pictures", 3, broken=False)
    command = ["encode", "--model", "demo:", "--data", str(pictures), "--store", str(tmp_path / "store"), "--quiet"]
    assert [main([*command, "--shard", f"{part}/3"]) for part in range(3)] == [0, 0, 0]
    said = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in said] == ["0 pictures in 0 shards", "0 pictures in 0 shards", "3 pictures in 1 shard"]


def test_pictures_that_nobody_can_read_are_an_error(tmp_path, capsys):
    (tmp_path / "list.csv").write_text("path,label\na.png,cat\nb.png,dog\n")
    assert main(["encode", "--model", "demo:", "--data", str(tmp_path / "list.csv"), "--store", str(tmp_path / "store")]) == 3
    assert "all 2 pictures" in capsys.readouterr().err


def test_python_takes_the_same_words(tmp_path):
    pictures = make_pictures(tmp_path / "pictures", 3, broken=False)
    with pytest.raises(UsageError, match="no such engine"):
        examine("demo:", pictures, engine="locally", out=tmp_path / "out", store=tmp_path / "store")
