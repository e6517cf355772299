"""The drawing of a pair: lines start at keypoints, end at matches, and are colored by whether they are right."""

import io

import numpy as np
import pytest
from PIL import Image
from tests.probes.correspondence.test_correspondence import inputs

from eyechart.probes.correspondence.drawing import HEIGHT, RIGHT, WRONG, draw_pair
from eyechart.probes.correspondence.keypoint_recall import KeypointRecall
from eyechart.probes.correspondence.keypoints import KeypointMatches

PAIR = {"id_a": "p0", "id_b": "p1", "points_a": [[20.0, 20.0], [20.0, 90.0]], "points_b": [[60.0, 20.0], [60.0, 90.0]]}


class GrayPictures:
    """Two pictures of one gray, 120 pixels wide and high."""

    def __init__(self) -> None:
        held = io.BytesIO()
        Image.new("RGB", (120, 120), (128, 128, 128)).save(held, "PNG")
        self.content = held.getvalue()

    def __len__(self) -> int:
        return 2

    def read(self, row: int) -> bytes:
        return self.content


def recall() -> KeypointRecall:
    start, goal = np.array(PAIR["points_a"]), np.array(PAIR["points_b"])
    guess = np.array([[60.0, 20.0], [100.0, 60.0]])  # the first is right, the second is not
    error = np.linalg.norm(guess - goal, axis=1)
    nothing = np.zeros((2, 1))
    matches = KeypointMatches(np.zeros(2, int), error, error, nothing, nothing > 0, 0, 8.0, start, goal, guess)
    return KeypointRecall(matches, [PAIR], np.array([0]), np.array([1]))


def near(pixel, color) -> bool:
    return np.abs(np.asarray(pixel, int) - color).max() < 60


def test_a_line_ends_where_the_model_finds_the_keypoint_and_tells_right_from_wrong():
    asked = inputs(lambda rows: None, [PAIR])
    object.__setattr__(asked.dataset, "pictures", GrayPictures())
    drawn = Image.open(io.BytesIO(draw_pair(asked, recall(), 0, 10)))
    scale, second = HEIGHT / 120, HEIGHT + 8
    assert drawn.size == (2 * HEIGHT + 8, HEIGHT)
    assert near(drawn.getpixel((second + 60 * scale, 20 * scale)), RIGHT)
    assert near(drawn.getpixel((second + 100 * scale, 60 * scale)), WRONG)
    assert near(drawn.getpixel((20 * scale, 90 * scale)), WRONG)
    assert near(drawn.getpixel((second + 60 * scale, 60 * scale)), (128, 128, 128))  # nothing leads there


def test_without_pictures_there_is_no_drawing():
    assert draw_pair(inputs(lambda rows: None, [PAIR]), recall(), 0, 10) is None


@pytest.mark.parametrize("pixels", [10, 100])
def test_a_looser_tolerance_makes_a_match_right(pixels):
    asked = inputs(lambda rows: None, [PAIR])
    object.__setattr__(asked.dataset, "pictures", GrayPictures())
    drawn = Image.open(io.BytesIO(draw_pair(asked, recall(), 0, pixels)))
    scale, second = HEIGHT / 120, HEIGHT + 8
    assert near(drawn.getpixel((second + 100 * scale, 60 * scale)), RIGHT if pixels == 100 else WRONG)


class TwoPictures(GrayPictures):
    """A dark square picture, and a bright one that is half as wide and twice as high."""

    def read(self, row: int) -> bytes:
        held = io.BytesIO()
        Image.new("RGB", ((120, 120), (60, 240))[row], ((40,) * 3, (200,) * 3)[row]).save(held, "PNG")
        return held.getvalue()


def test_pictures_have_one_height_and_keypoints_the_scale_of_their_picture():
    asked = inputs(lambda rows: None, [PAIR])
    object.__setattr__(asked.dataset, "pictures", TwoPictures())
    drawn = Image.open(io.BytesIO(draw_pair(asked, recall(), 0, 10)))
    assert drawn.size == (240 + 8 + 60, 240)
    for x, y, gray in ((1, 1, 40), (238, 238, 40), (250, 1, 200), (306, 238, 200), (244, 120, 255)):
        assert near(drawn.getpixel((x, y)), (gray,) * 3), (x, y)
    assert near(drawn.getpixel((248 + 60, 20 - 4)) if 248 + 60 < 308 else (200,) * 3, (200,) * 3)
    assert near(drawn.getpixel((40, 40)), RIGHT)  # the start of the first keypoint, twice as large as in its picture
    assert not near(drawn.getpixel((20, 20)), RIGHT)


def test_an_error_of_the_tolerance_itself_is_right():
    found = recall()
    asked = inputs(lambda rows: None, [PAIR])
    object.__setattr__(asked.dataset, "pictures", GrayPictures())
    scale, second = HEIGHT / 120, HEIGHT + 8
    for pixels, color in ((50, RIGHT), (49, WRONG)):
        assert found.matches.error[1] == 50.0
        drawn = Image.open(io.BytesIO(draw_pair(asked, found, 0, pixels)))
        assert near(drawn.getpixel((second + 100 * scale, 60 * scale)), color)
        goal = (second + 60 * scale, 90 * scale)
        assert near(drawn.getpixel((goal[0] + 5, goal[1])), (255, 255, 255))  # a ring around the true position
        assert near(drawn.getpixel((goal[0] - 5, goal[1])), (255, 255, 255)) and near(
            drawn.getpixel((goal[0] + 11, goal[1])), (128,) * 3
        )
