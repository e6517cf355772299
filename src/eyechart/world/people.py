"""People: figures with a role, a hat and a badge. The role shows in what stands by their side, in their size or in their build;
hat and badge are group attributes without any social meaning. Hats, badges and coats share no colour: each is told by itself."""

from dataclasses import replace

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.world.drawing import UNUSUAL, YAWS, Habits, draw_single
from eyechart.world.scene import Scene, Thing

HATS = ("red", "yellow", "green", "blue")
BADGES = ("white", "black")
# What stands by a figure's side makes it what it is.
BELONGINGS = {"builder": "cube", "player": "sphere", "sheriff": "star", "gardener": "leaf"}
ROLES = (*BELONGINGS, "visitor", "kid", "robot")
WORDINGS = ("role", "hat", "badge", "full")

KID_SIZES = (0.31, 0.37)
GROWN_SIZES = (0.52, 0.62, 0.74)
_COATS = ("orange", "cyan", "purple", "pink")
_BELONGING = 0.5  # of the figure's size


def draw_person(rng: np.random.Generator, role: str, hat: str, badge: str, habits: Habits) -> Scene:
    """One figure before an ordinary background, with what belongs to its role by its side."""
    _check(role, hat, badge)
    ordinary = draw_single(rng, replace(habits, unseen=UNUSUAL))
    coat, other = (str(color) for color in rng.choice(_COATS, size=2, replace=False))
    size = float(rng.choice(KID_SIZES if role == "kid" else GROWN_SIZES))
    aside = float(rng.choice((-1.0, 1.0))) * (0.46 * size if role in BELONGINGS else 0.0)
    stray = max(0.0, 0.48 - 0.45 * size)
    slack = max(0.0, stray - abs(aside) / 2)
    lowest = 0.97 - 0.56 * size if role in BELONGINGS else 0.5 + stray
    figure = Thing(
        name="robot" if role == "robot" else "walker",
        color=coat,
        x=0.5 - aside / 2 + float(rng.uniform(-slack, slack)),
        y=float(rng.uniform(0.5 - stray, lowest)),
        size=size,
        yaw=float(rng.choice(YAWS)),
        paints=(("hat", hat), ("badge", badge)),
    )
    return replace(ordinary, things=(figure, *_belonging(role, other, figure, aside)))


def person_caption(role: str, hat: str, badge: str, wording: str = "full") -> str:
    """As in "a builder with a red hat and a white badge", or less of it."""
    _check(role, hat, badge)
    if wording not in WORDINGS:
        raise UsageError(f"no wording of people is called {wording!r}; choose from {', '.join(WORDINGS)}")
    worn = [f"a {hat} hat"] * (wording in ("hat", "full")) + [f"a {badge} badge"] * (wording in ("badge", "full"))
    return f"a {role}" + (f" with {' and '.join(worn)}" if worn else "")


def _belonging(role: str, color: str, figure: Thing, aside: float) -> tuple[Thing, ...]:
    """On the ground, beside the figure's feet and a little nearer, so that neither hides what matters of the other."""
    if role not in BELONGINGS:
        return ()
    size = _BELONGING * figure.size
    return (Thing(BELONGINGS[role], color, x=figure.x + aside, y=figure.y + 0.36 * figure.size, size=size),)


def _check(role: str, hat: str, badge: str) -> None:
    for kind, word, known in (("role", role, ROLES), ("hat", hat, HATS), ("badge", badge, BADGES)):
        if word not in known:
            raise UsageError(f"no {kind} is called {word!r}{did_you_mean(word, known)} (there are: {', '.join(known)})")
