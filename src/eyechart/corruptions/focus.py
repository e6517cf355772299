"""Defocus: a lens focused on the near or the far end of the scene."""

from eyechart.corruptions.convolution import Planes, convolve, disc, weighted_sum
from eyechart.corruptions.corruption import Corruption, Depth, Picture, of_scene, shorter_side, step
from eyechart.corruptions.depth_planes import depth_planes
from eyechart.corruptions.layers import Amounts, smear_by_depth
from eyechart.corruptions.light import light_of, picture_of_light

RADIUS = (0.012, 0.022, 0.034, 0.047, 0.06)  # radius of the blur disc at the plane out of focus, in shorter sides
# A scene with less depth (far plane below 1.25 times the near one) is blurred proportionally less: the ripples of an estimated
# depth map of a wall are noise.
LEAST_RANGE = 0.2


def near_focus(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """Sharp at the near plane; the blur disc grows with 1/near − 1/d."""
    return _focused(picture, depth, step(RADIUS, severity), on_near=True)


def far_focus(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """Sharp at the far plane; the blur disc grows with 1/d − 1/far."""
    return _focused(picture, depth, step(RADIUS, severity), on_near=False)


def _focused(picture: Picture, depth: Depth, radius: float, *, on_near: bool) -> Picture:
    """A thin lens focused at f images a point at d as a disc of radius ∝ |1/d − 1/f|.

    The plane out of focus gets the full radius; pixels beyond the near and far planes are blurred like the nearer plane."""
    planes = depth_planes(depth)
    nearest, farthest = 1 / planes.near, 1 / planes.far
    in_focus = nearest if on_near else farthest
    disc_radius = radius * shorter_side(picture) / max(nearest - farthest, LEAST_RANGE * nearest)
    nearness = planes.nearness().clip(farthest, nearest)
    light = smear_by_depth(light_of(picture), nearness, lambda near: disc_radius * abs(near - in_focus), _defocus)
    return picture_of_light(light)


def _defocus(planes: Planes, amounts: Amounts) -> Planes:
    return convolve(planes, weighted_sum([disc(radius) for _, radius in amounts], [weight for weight, _ in amounts]))


FOCUS: tuple[Corruption, ...] = (
    of_scene("near_focus", "The lens is focused on near objects, and distant ones are blurred.", near_focus),
    of_scene("far_focus", "The lens is focused on distant objects, and near ones are blurred.", far_focus),
)
