import pytest

from eyechart.data.label_set import read_labels
from eyechart.errors import UsageError


def test_the_declared_sets():
    assert len(read_labels("occupations-300")) == 300
    assert {"nurse", "firefighter", "congresswoman"} <= set(read_labels("occupations-300"))
    assert "necktie" in read_labels("appearance")


def test_a_set_of_ones_own(tmp_path):
    (tmp_path / "mine.txt").write_text("# a remark\nnurse\n\ndoctor \n")
    assert read_labels(str(tmp_path / "mine.txt")) == ("nurse", "doctor")


@pytest.mark.parametrize(("text", "message"), [("a\nb\na\n", "'a' is listed twice"), ("a\n", "at least two labels")])
def test_mistakes_are_named(tmp_path, text, message):
    (tmp_path / "mine.txt").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_labels(str(tmp_path / "mine.txt"))
    with pytest.raises(UsageError, match="did you mean 'appearance'"):
        read_labels("apearance")
