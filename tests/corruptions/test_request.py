"""Corruptions named on the command line, and names of ImageNet-C."""

import pytest

from eyechart.corruptions import find_corruption
from eyechart.corruptions.aliases import ABSENT, ALIASES
from eyechart.corruptions.registry import CORRUPTIONS
from eyechart.corruptions.request import CorruptionRequest, parse_requests
from eyechart.errors import UsageError

# The 15 corruptions of ImageNet-C and its four extra ones, from the paper and its repository.
IMAGENET_C = (
    "gaussian_noise",
    "shot_noise",
    "impulse_noise",
    "defocus_blur",
    "glass_blur",
    "motion_blur",
    "zoom_blur",
    "snow",
    "frost",
    "fog",
    "brightness",
    "contrast",
    "elastic_transform",
    "pixelate",
    "jpeg_compression",
    "speckle_noise",
    "gaussian_blur",
    "spatter",
    "saturate",
)


def test_requests_have_a_severity_of_3_unless_they_name_one():
    asked = parse_requests(["noise:1, fog", "noise:1", "jpeg_compression:5"])
    assert asked == (CorruptionRequest("noise", 1), CorruptionRequest("fog", 3), CorruptionRequest("jpeg", 5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("noise:6", r"severity '6' is not one of 1, 2, 3, 4, 5; write noise:3"),
        ("noise:", r"severity '' is not one of"),
        ("nois:3", r"no corruption called 'nois'; did you mean 'noise'\?"),
        ("gausian_noise", r"did you mean 'gaussian_noise'\?"),
        ("fog_3d", r"fog_3d needs depth maps; `eyechart corrupt IN OUT --depth DIR`"),
        ("motion_blur", r"xy_motion_blur needs depth maps"),
        ("glass_blur", r"glass_blur of ImageNet-C has no counterpart here .*--shift imagenet-c:FOLDER"),
    ],
)
def test_what_cannot_be_done_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        parse_requests([text])


@pytest.mark.parametrize("name", IMAGENET_C)
def test_every_name_of_imagenet_c_is_known_or_said_to_be_absent(name):
    if name in ABSENT:
        with pytest.raises(UsageError, match="has no counterpart here"):
            find_corruption(name)
    else:
        assert find_corruption(name).name == ALIASES.get(name, name)


def test_aliases_lead_to_corruptions_and_hide_none():
    assert set(ALIASES.values()) <= set(CORRUPTIONS)
    assert not (set(ALIASES) | ABSENT) & set(CORRUPTIONS)
