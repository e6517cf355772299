"""Which settings of a caption repair are refused."""

import pytest

from eyechart.repair.captions.settings import CaptionSettings


@pytest.mark.parametrize("wrong", [{"most": 1}, {"pictures": -1}, {"absent": -1}, {"seed": -1}])
def test_each_setting_has_its_own_limit(wrong):
    with pytest.raises(ValueError, match="most must be at least 2; pictures, absent and seed must not be negative"):
        CaptionSettings(**wrong)


@pytest.mark.parametrize("wrong", [{"way": "order"}, {"purpose": "search"}])
def test_words_are_those_that_are_known(wrong):
    with pytest.raises(ValueError, match="must be one of auto, "):
        CaptionSettings(**wrong)


def test_the_limits_themselves_are_allowed():
    found = CaptionSettings(most=2, pictures=0, absent=0, seed=0)
    assert (found.most, found.ways, CaptionSettings(way="parts").ways) == (2, ("orders", "parts", "both"), ("parts",))
