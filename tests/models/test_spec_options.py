"""Options after a model's name, and folders that have a comma in theirs."""

import pytest

from eyechart.errors import UsageError
from eyechart.models.spec_options import parse_options, split_options


@pytest.mark.parametrize(
    ("given", "name", "options"),
    [
        ("owner/name", "owner/name", []),
        ("owner/name,tokens=5,more=6", "owner/name", ["tokens=5", "more=6"]),
        ("a,b,tokens=5", "a,b", ["tokens=5"]),
        ("a,b", "a,b", []),
        ("a,tokens=5,b", "a,tokens=5,b", []),
    ],
)
def test_options_are_what_ends_a_name(given, name, options):
    assert split_options(given) == (name, options)


def test_a_folder_that_exists_has_no_options_in_its_name(tmp_path):
    folder = tmp_path / "llava,tokens=5"
    folder.mkdir()
    assert split_options(str(folder)) == (str(folder), [])
    assert split_options(f"{folder},tokens=6") == (str(folder), ["tokens=6"])


def test_an_unknown_option_is_an_error_with_the_known_ones():
    assert parse_options(["tokens=7"], {"tokens": int}, "lmm:a") == {"tokens": 7}
    with pytest.raises(UsageError, match=r"lmm:a: unknown option 'token=7'.*did you mean 'tokens'.*options: tokens"):
        parse_options(["token=7"], {"tokens": int}, "lmm:a")
    with pytest.raises(UsageError, match="tokens=many is not a number"):
        parse_options(["tokens=many"], {"tokens": int}, "lmm:a")
