"""Depth-dependent blur in layers: near layers cover distant ones and never bleed into them.

If every pixel were blurred by its own amount, a sharp foreground would bleed into the blurred background, and a blurred
foreground would be cut off at its outline. So the picture is divided into layers of similar depth, each is blurred together with
its alpha, and they are composited from far to near. A layer is computed from pixels at its depth or beyond, since nearer pixels
hide it.
"""

from collections.abc import Callable

import numpy as np

from eyechart.corruptions.convolution import Planes
from eyechart.corruptions.depth_planes import Nearness
from eyechart.corruptions.light import Light

Amounts = tuple[tuple[float, float], ...]  # (weight, amount in pixels): a weighted sum of blurs
Smear = Callable[[Planes, Amounts], Planes]

_MOST_PANES = 7
_STEP = 1.5  # pixels of blur from layer to layer; a pixel between two layers is shared by both
# Behind a blurred foreground, background becomes visible that the picture does not show. It is estimated from pixels within the
# strongest blur. Where the background is known, this small weight changes no stored value: the darkest step is 3e-4.
_GUESS = 1e-4
_NOTHING = 1e-6


def smear_by_depth(light: Light, nearness: Nearness, amount_at: Callable[[float], float], smear: Smear) -> Light:
    """The blurred picture. `amount_at(nearness)` is the blur in pixels at this nearness; it must be linear in it."""
    from scipy.ndimage import maximum_filter  # takes a while to load, and few pictures come with depth

    # A pixel on an outline mixes both colors. Assigned to the background, it would remain as a thin sharp line.
    nearness = maximum_filter(nearness, size=3)
    farthest, nearest = float(nearness.min()), float(nearness.max())
    span = abs(amount_at(nearest) - amount_at(farthest))
    panes = int(min(_MOST_PANES, 1 + np.ceil(span / _STEP)))
    strongest = max(amount_at(nearest), amount_at(farthest))
    place = (nearness - farthest) * ((panes - 1) / max(nearest - farthest, 1e-12))
    planes = np.moveaxis(light, -1, 0)
    seen = np.zeros((4, *nearness.shape), np.float32)  # color and coverage so far
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
