"""Which pictures the page will need, and from which dataset."""

import pyarrow as pa

from eyechart.findings.exhibit import Exhibit, PlacedExhibit
from eyechart.report.sections.pictures import gallery
from eyechart.session.thumbnails import wanted_pictures


def shown(columns, kind="pictures"):
    return PlacedExhibit("model", "exam", "probe", Exhibit("name", "Title", "Sentence.", pa.table(columns), kind))


def test_pictures_come_from_the_dataset_of_the_exhibit():
    single, several = shown({"id": ["a", "b"]}), shown({"ids": [["b", "c"], ["d"]]})
    assert wanted_pictures([single, several]) == {"exam": ["a", "b", "c", "d"]}


def test_a_column_names_another_dataset():
    exhibit = shown({"id": ["a", "a", "b"], "dataset": ["strangers", None, "strangers"]})
    assert wanted_pictures([exhibit]) == {"strangers": ["a", "b"], "exam": ["a"]}


def test_charts_and_tables_want_none():
    assert wanted_pictures([shown({"id": ["a"]}, "table")]) == {}


def test_the_page_takes_each_picture_from_its_own_dataset():
    exhibit = shown({"id": ["a", "a"], "dataset": ["strangers", "exam"]})
    page = str(gallery(exhibit, {("strangers", "a"): "p/one.jpg", ("exam", "a"): "p/two.jpg"}))
    assert page.index("p/one.jpg") < page.index("p/two.jpg")
    assert ">strangers<" not in page
