"""The page of a caption repair: what its first section is called."""

from dataclasses import replace

from tests.repair.captions.made_scenes import hears_first, scenes

from eyechart.repair.captions.repair import choose_way
from eyechart.repair.captions.run import _page
from eyechart.repair.captions.settings import CaptionSettings


def test_changes_are_those_of_the_chosen_way_or_of_the_best_other():
    made = scenes(200, hears_first, captions="last")
    repaired = choose_way(made, CaptionSettings())
    assert repaired.chosen != "as is"
    page = _page(repaired, made)
    assert [section.heading for section in page.sections] == ["What changed", "What was done"]
    assert f"{repaired.pictures:,} held-out pictures" in page.lead
    kept = _page(replace(repaired, chosen="as is"), made)
    assert kept.sections[0].heading == "What the best other way would change"
