import io
import re

import pytest

import eyechart
from eyechart import progress
from eyechart.progress import SilentProgress, TerminalProgress, spell_seconds


class Clock:
    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_a_log_gets_a_line_at_most_every_ten_seconds_and_one_at_the_end(clock):
    log = io.StringIO()
    with TerminalProgress(log).task("encoding", 100, "pictures") as task:
        for _ in range(50):
            clock.now += 0.5
            task.advance(2)
    lines = log.getvalue().splitlines()
    assert lines == [
        "encoding: 40/100 pictures, 4.0/s, 0:15 left",
        "encoding: 80/100 pictures, 4.0/s, 0:05 left",
        "encoding: 100/100 pictures, 4.0/s, took 0:25",
    ]


def test_without_a_total_no_time_left_is_invented(clock):
    log = io.StringIO()
    with TerminalProgress(log).task("reading", None, "rows") as task:
        clock.now += 20
        task.advance(10)
    assert log.getvalue().splitlines() == ["reading: 10 rows, 0.5/s", "reading: 10 rows, 0.5/s, took 0:20"]


def test_the_last_line_comes_after_an_error_too(clock):
    log = io.StringIO()
    with pytest.raises(KeyboardInterrupt), TerminalProgress(log).task("encoding", 10, "pictures") as task:
        task.advance(3)
        raise KeyboardInterrupt
    assert "3/10" in log.getvalue()


def test_a_terminal_shows_done_of_total_and_rate():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    with TerminalProgress(screen).task("model [x]: encoding", 7, "pictures") as task:
        task.advance(7)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    assert "model [x]: encoding" in shown and "7/7" in shown and "/s" in shown


def test_silence_says_nothing(capfd):
    with SilentProgress().task("encoding", 10, "pictures") as task:
        task.advance()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("seconds", "spelt"), [(0, "0:00"), (75, "1:15"), (3700, "1:01:40"), (-3, "0:00")])
def test_seconds_are_spelt_as_a_clock(seconds, spelt):
    assert spell_seconds(seconds) == spelt


def test_a_title_cannot_control_the_terminal():
    stream = io.StringIO()
    with TerminalProgress(stream).task("photos\x1b[2J\u202e", 2, "pictures") as task:
        task.advance(2)
    assert "\x1b" not in stream.getvalue() and "\u202e" not in stream.getvalue()


def test_every_stage_of_an_examination_has_a_line_that_ends(tmp_path):
    """Several models and datasets, written to a log: no stage between the first dataset and the page is silent."""
    plan = eyechart.Plan(
        models=(eyechart.ModelPlan("demo:", name="one"), eyechart.ModelPlan("demo:", name="two")),
        datasets=(eyechart.DataPlan("world-objects", limit=36), eyechart.DataPlan("world-factors", limit=36)),
        probes=("zero_shot", "cause"),
        prompts=("single",),
    )
    log = io.StringIO()
    eyechart.run(plan, out=tmp_path / "out", store=tmp_path / "store", progress=TerminalProgress(log))
    lines = re.findall(r"^(.*): ([\d,]+)/([\d,]+) (\w+), [\d.,]+/s, took \d+:\d\d$", log.getvalue(), re.MULTILINE)
    assert all(done == total for _, done, total, _ in lines), lines
    stages = [(title, unit) for title, _, _, unit in lines]
    assert [unit for title, unit in stages if title == "opening"] == ["datasets"] and stages[0][0] == "opening"
    assert ("one: probes", "tasks") in stages and ("all models: probes", "tasks") in stages
    assert [title for title, _ in stages[-2:]] == ["small copies", "page"]
