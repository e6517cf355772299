"""Smear a picture by an amount that depends on depth, as a stack of panes: the near cover the far, and never bleed into them.

If every pixel were blurred by its own amount alone, a sharp foreground would bleed into the blurred ground behind it, and a
blurred foreground would be cut off at its old outline. So the picture is cut into panes of like depth, each is smeared as a whole
together with its cover (alpha), and they are laid over one another from far to near. A pane is smeared over the pixels at its
depth or beyond only: what lies in front hides it there, and tells nothing of its colour.
"""

from collections.abc import Callable

import numpy as np
from scipy.ndimage import maximum_filter

from eyechart.corruptions.convolution import Planes
from eyechart.corruptions.depth_planes import Nearness
from eyechart.corruptions.light import Light

Amounts = tuple[tuple[float, float], ...]  # (weight, amount in pixels): a weighted sum of smears
Smear = Callable[[Planes, Amounts], Planes]

_MOST_PANES = 7
_STEP = 1.5  # pixels of smear from pane to pane; a pixel between two panes is shared by both
# Behind a smeared foreground a ground comes into sight that the picture does not show. It is guessed from as far away as the
# strongest smear reaches. Where the ground is known, a weight this small does not move a stored value: the darkest step is 3e-4.
_GUESS = 1e-4
_NOTHING = 1e-6


def smear_by_depth(light: Light, nearness: Nearness, amount_at: Callable[[float], float], smear: Smear) -> Light:
    """`amount_at(nearness)` is the smear in pixels of what is so near; it has to be linear in the nearness."""
    # A pixel on an outline mixes both colours. Left to the ground, it would stay behind as a thin sharp line.
    nearness = maximum_filter(nearness, size=3)
    farthest, nearest = float(nearness.min()), float(nearness.max())
    span = abs(amount_at(nearest) - amount_at(farthest))
    panes = int(min(_MOST_PANES, 1 + np.ceil(span / _STEP)))
    strongest = max(amount_at(nearest), amount_at(farthest))
    place = (nearness - farthest) * ((panes - 1) / max(nearest - farthest, 1e-12))
    planes = np.moveaxis(light, -1, 0)
    seen = np.zeros((4, *nearness.shape), np.float32)  # colour, and how much of a pixel is covered by now
    known = np.zeros_like(nearness)
    for pane in range(panes):
        share = np.clip(1 - np.abs(place - pane), 0, 1)
        if not share.any():
            continue
        known = known + share
        amount = amount_at(farthest + (nearest - farthest) * pane / max(panes - 1, 1))
        amounts: Amounts = ((1.0, amount),) if known.min() > 0.5 else ((1 - _GUESS, amount), (_GUESS, strongest))
        smeared = smear(np.concatenate([share * planes, share[None], known[None]]), amounts)
        pane_seen = smeared[:4] / np.maximum(smeared[4], _NOTHING)
        seen = pane_seen + (1 - np.clip(pane_seen[3], 0, 1)) * seen
    return np.moveaxis(seen[:3] / np.maximum(seen[3], _NOTHING), 0, -1)
