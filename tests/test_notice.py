import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.notice import Notice, one_line


def test_escape_sequences_do_not_reach_the_terminal():
    assert str(Notice("\x1b[31mred.png", "odd", "rename \x9b2J it")) == "\ufffd[31mred.png: odd (rename \ufffd2J it)"


def test_a_notice_is_one_line():
    assert str(Notice("a\nb", "two\r\nlines\u2028", "tab\there")) == "a b: two  lines  (tab here)"


def test_bytes_that_are_no_text_are_spelled_out():
    assert one_line("caf\udce9.png") == "caf\\udce9.png"


def test_harmless_text_stays_as_it_is():
    text = "Ein Bild – 写真 🖼 é (1 %)"
    assert one_line(text) == text


@given(st.text(st.characters(exclude_categories=())))
def test_whatever_is_said_can_be_printed(text):
    shown = one_line(text)
    shown.encode()
    assert not any(sign < " " or "\x7f" <= sign <= "\x9f" for sign in shown) and len(shown.splitlines()) <= 1


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200f", "\u061c"])
def test_a_name_cannot_change_the_direction_of_writing(sign):
    assert one_line(f"photo{sign}gnp.exe") == "photo\ufffdgnp.exe"


def test_joined_emoji_stay_whole():
    assert one_line("👩\u200d🔬\n") == "👩\u200d🔬 "
