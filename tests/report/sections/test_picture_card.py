"""Small pictures: what stands below them, and what they hand to the enlarged picture."""

import json
import re
from html import unescape

from eyechart.report.html.builder import render
from eyechart.report.picture_details import PictureDetail
from eyechart.report.sections.picture_card import picture_card

HOSTILE = '"><script>alert(1)</script>'


def test_without_classes_the_first_fact_stands_below_and_all_are_handed_on():
    facts = (("nearest", HOSTILE), ("largest", "mug"))
    made = str(render(picture_card(PictureDetail("00005-a", None, "", (), (), ""), "views", "x.jpg", facts=facts)))
    assert "<script" not in made and "→" not in made
    assert json.loads(unescape(re.search(r'data-facts="([^"]*)"', made)[1])) == [list(fact) for fact in facts]
    assert f"nearest: {HOSTILE}" in unescape(re.search(r'class="predicted"><bdi>(.*?)</bdi>', made)[1])


def test_classes_come_before_facts():
    made = str(render(picture_card(PictureDetail("1", "cup", "mug", (), (), ""), "d", "x.jpg", facts=(("severity", "5"),))))
    assert "cup" in made and "mug" in made and "severity: 5" not in made


def test_a_missed_query_is_not_called_a_prediction():
    detail = PictureDetail("1", "a red cup", "rank 12", (), (), "")
    made = str(render(picture_card(detail, "d", "x.jpg", gallery="q0", row="1#2")))
    assert 'aria-label="Enlarge a red cup, but rank 12"' in made and 'data-id="1#2"' in made and 'data-gallery="q0"' in made
