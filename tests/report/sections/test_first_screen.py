"""The tile of the worst classes names the worst one, and numbers of the first screen lead to what they count."""

import re

from tests.report.page_files import Seen
from tests.report.sample_run import add_probe, write_sample_run

from eyechart.findings.finding import Finding
from eyechart.findings.run import read_run
from eyechart.report.class_rows import class_rows
from eyechart.report.page import write_report


def page_of(folder, *, predictions=True):
    """A run that is bad by the mean of its two worst classes, which names no class."""
    write_sample_run(folder, models=("one",))
    under = {"k": 2, "prompts": read_run(folder).prompts[0]}
    add_probe(folder, "worst", [
        Finding(metric="worst_at_k", value=0.05, low=0.01, high=0.1, n=100, slice=under),
        Finding(metric="worst_at_k_chance", value=0.6, low=0.5, high=0.7, n=100, slice=under, higher_is_better=None),
    ])  # fmt: skip
    if not predictions:
        (folder / "predictions.parquet").unlink()
    return write_report(folder)


def test_the_worst_class_is_named_with_a_link_to_its_errors(tmp_path):
    page = page_of(tmp_path / "run")
    run = read_run(tmp_path / "run")
    weakest = min(class_rows(run, "one", run.datasets[0]), key=lambda row: row["value"])
    seen = Seen(page)
    assert f"worst class: {weakest['class']} {weakest['text']}" in seen.text
    assert any(a.get("href") == f"#m0/pictures?true={weakest['class'].replace(' ', '%20')}&show=wrong" for a in seen.all("a"))


def test_without_predictions_it_is_named_without_a_link(tmp_path):
    seen = Seen(page_of(tmp_path / "run", predictions=False))
    assert "worst class: " in seen.text and not any("pictures?true=" in a.get("href", "") for a in seen.all("a"))


def test_a_figure_that_names_the_class_itself_is_enough(calm_page):
    assert "worst class: " not in Seen(calm_page).text


def test_the_main_number_and_the_numbers_of_tiles_are_links_to_what_they_count(calm_page, calm_run):
    """A number that counts pictures leads to them, another to the chart of its probe."""
    page = calm_page.read_text("utf-8")
    hero = re.search(r'<a class="number" href="#(.*?)">|<a href="#(.*?)" class="number">', page)
    assert (hero[1] or hero[2]).endswith("/pictures?show=wrong")
    values = re.findall(r'<p class="tile-value"><a href="#(.*?)"><span class="tile-number">', page)
    assert values and len(values) == page.count('class="tile-value"')
    probes = {f"p{number}" for number, _ in enumerate(read_run(calm_run).probes)}
    assert all("/pictures?" in address or address.rpartition("/")[2] in probes for address in values)


def test_every_tile_and_ruling_leads_to_the_documentation_of_its_probe(tmp_path):
    """Where an area was tested, where it was not, and where it is not judged because accuracy is near chance."""
    write_sample_run(tmp_path / "run", models=("one",))
    page = write_report(tmp_path / "run")
    text = page.read_text("utf-8")
    tiles = re.findall(r'<article class="tile .*?</article>', text, re.DOTALL)
    rulings = re.findall(r'<article id="\S+/ruling-\d+".*?</article>', text, re.DOTALL)
    assert len(tiles) == 6 and rulings and any("not tested" in tile for tile in tiles)
    for part in (*tiles, *rulings):
        (address, *_) = re.findall(r'href="(docs/probes/\w+\.html)"', part)
        assert (page.parent / address).is_file()


def test_errors_of_free_answers_are_called_so(tmp_path):
    write_sample_run(tmp_path / "run", models=("one",), prompts=("free answer",))
    assert "Free answers: all 12 errors" in Seen(write_report(tmp_path / "run")).text
    write_sample_run(tmp_path / "other", models=("one",))
    assert "Free answers" not in Seen(write_report(tmp_path / "other")).text
