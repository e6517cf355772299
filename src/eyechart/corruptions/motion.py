"""Motion blur of a moving camera: near objects move farther across the picture than distant ones."""

import numpy as np

from eyechart.corruptions.convolution import Planes, convolve, streak, weighted_sum
from eyechart.corruptions.corruption import Corruption, Depth, Picture, of_scene, shorter_side, step, stream
from eyechart.corruptions.depth_planes import depth_planes
from eyechart.corruptions.layers import Amounts, smear_by_depth
from eyechart.corruptions.light import light_of, picture_of_light

SLIDE = (0.012, 0.025, 0.04, 0.058, 0.08)  # length of the streak at the median depth, in shorter sides
APPROACH = (0.025, 0.05, 0.08, 0.115, 0.155)  # magnification at the median depth, as an exponent (about the relative growth)
NEAREST = 4.0  # nearness relative to the median at which the blur is capped


def xy_motion_blur(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """The camera moves sideways, in a random direction: a streak of length ∝ 1/d."""
    angle = stream(seed, "xy_motion_blur", severity).uniform(0, np.pi)
    length = step(SLIDE, severity) * shorter_side(picture)

    def slide(planes: Planes, amounts: Amounts) -> Planes:
        return convolve(planes, weighted_sum([streak(long, angle) for _, long in amounts], [weight for weight, _ in amounts]))

    nearness = depth_planes(depth).nearness().clip(max=NEAREST)
    return picture_of_light(smear_by_depth(light_of(picture), nearness, lambda near: length * near, slide))


def z_motion_blur(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """The camera moves forward: a point p from the center moves to p · exp(a/d), which is p · (1 + a/d) to first order."""
    corner = np.hypot(*picture.shape[:2]) / 2
    at_median = step(APPROACH, severity) * corner

    def approach(planes: Planes, amounts: Amounts) -> Planes:
        moved = [np.float32(weight) * _zoom_blur(planes, moves / corner, moves) for weight, moves in amounts]
        return np.asarray(sum(moved[1:], start=moved[0]))

    nearness = depth_planes(depth).nearness().clip(max=NEAREST)
    return picture_of_light(smear_by_depth(light_of(picture), nearness, lambda near: at_median * near, approach))


def _zoom_blur(planes: Planes, exponent: float, moves: float) -> Planes:
    """The mean of 2^k pictures magnified by exp(0) … exp(exponent), in equal steps of the exponent.

    The steps are fine enough for a corner that moves by `moves` pixels. The second half is the first half magnified, so k
    magnifications are enough."""
    doublings = int(np.ceil(np.log2(moves + 1)))
    small_step = exponent / max(2**doublings - 1, 1)
    for doubling in range(doublings):
        planes = np.asarray((planes + _magnified(planes, np.exp(small_step * 2**doubling))) / 2, dtype=np.float32)
    return planes


def _magnified(planes: Planes, factor: float) -> Planes:
    """Magnified about the center, by linear interpolation."""
    for axis in (1, 2):
        last = planes.shape[axis] - 1
        place = last / 2 + (np.arange(last + 1) - last / 2) / factor
        lower = np.clip(place.astype(np.intp), 0, max(last - 1, 0))
        share = (place - lower).astype(np.float32).reshape((-1, 1) if axis == 1 else (1, -1))
        below, above = planes.take(lower, axis), planes.take(np.minimum(lower + 1, last), axis)
        planes = below + share * (above - below)
    return planes


MOTION: tuple[Corruption, ...] = (
    of_scene("xy_motion_blur", "The camera moves sideways during the exposure; near objects are blurred most.", xy_motion_blur),
    of_scene("z_motion_blur", "The camera moves forward during the exposure; near objects are blurred most.", z_motion_blur),
)
