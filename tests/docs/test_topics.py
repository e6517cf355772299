"""Finding a page: by topic, by probe, misspelled."""

import pytest

from eyechart.docs import all_pages, find_page, page_of, page_of_probe, see
from eyechart.errors import UsageError
from eyechart.probes.registry import probe_names


def test_every_probe_of_ours_has_a_page_with_its_name_as_title():
    for name in probe_names():
        page = page_of_probe(name)
        assert page is not None and page.topic == f"probes/{name}" and page.title == name


def test_a_topic_comes_before_a_probe_of_the_same_name():
    assert page_of("prompts").topic == "prompts"
    assert page_of_probe("prompts").topic == "probes/prompts"


@pytest.mark.parametrize(
    ("typed", "topic"),
    [("ood", "probes/ood"), ("OOD", "probes/ood"), ("zero-shot", "probes/zero_shot"), ("docs/store.md", "store"),
     ("caption repair", "caption-repair"), ("onnx_folder", "onnx-folder"), ("", "index")],
)  # fmt: skip
def test_a_page_is_found_as_people_type_it(typed, topic):
    assert find_page(typed).topic == topic


def test_an_unknown_page_gets_a_suggestion():
    with pytest.raises(UsageError, match="did you mean 'calibration'"):
        find_page("calibratoin")


@pytest.mark.parametrize("typed", ["../README", "/etc/passwd", "probes/../index"])
def test_nothing_outside_the_pages_is_found(typed):
    with pytest.raises(UsageError):
        find_page(typed)


def test_the_name_of_a_page_leads_back_to_it():
    assert len(all_pages()) > 50
    for page in all_pages():
        assert find_page(page.name) == page


def test_see_names_the_command_and_is_empty_for_what_has_no_page():
    assert see("ood") == "see: eyechart docs ood"
    assert see("probes/prompts") == "see: eyechart docs probes/prompts"
    assert see("a-probe-of-another-package") == ""
