import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import StoreError
from eyechart.report.html.builder import a, bdi, data_script, div, element, embedded_json, img, p, render


class Reader(HTMLParser):
    """The standard library's parser, as an independent judge of what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.text, self.attributes = [], "", []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text += data


def read(markup) -> Reader:
    reader = Reader()
    reader.feed(render(markup))
    reader.close()
    return reader


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"))))
def test_any_text_comes_back_as_text_and_makes_no_element(text):
    reader = read(div(p(text)))
    assert (reader.tags, reader.text) == (["div", "p"], text)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"))))
def test_any_text_comes_back_from_an_attribute(text):
    assert read(div(title=text)).attributes == [("title", text)]


def test_children_may_be_nested_lists_numbers_and_nothing():
    assert render(p("a", [1, None, [bdi("b")]])) == "<p>a1<bdi>b</bdi></p>"


def test_attribute_names_lose_underscores():
    assert render(div(class_="x", aria_label="y", hidden=True, title=None)) == '<div class="x" aria-label="y" hidden></div>'


def test_void_elements_are_not_closed():
    assert render(img(src="pictures/a.jpg", alt="")) == '<img src="pictures/a.jpg" alt="">'


@pytest.mark.parametrize("name", ["onclick", "style", "srcdoc", 'x" onload="'])
def test_attributes_that_can_run_or_restyle_are_refused(name):
    with pytest.raises(ValueError, match="attribute"):
        element("div", **{name: "x"})


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://example.org/", "//example.org", "../../secret", "data:text/html,x", " x"]
)
def test_links_leave_the_report_nowhere(url):
    with pytest.raises(ValueError, match="only point to itself"):
        a("x", href=url)


def test_characters_that_html_forbids_become_the_replacement_character():
    assert render(p("a\x00b\x1bc\ud800d\te\n")) == "<p>a\ufffdb\ufffdc\ufffdd\te\n</p>"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=("Cs",))), st.lists, max_leaves=9
    )
)
def test_embedded_json_is_the_same_json(value):
    assert json.loads(embedded_json(value)) == value


def test_embedded_json_cannot_end_its_script():
    text = data_script("x", {"</script><!--": "<script> & \u2028\u2029"}).text
    inside = text.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert not set("<>&\u2028\u2029") & set(inside)


def test_embedded_json_refuses_what_is_not_json():
    with pytest.raises(StoreError, match="Out of range"):
        embedded_json(float("nan"))
