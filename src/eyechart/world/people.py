"""People: figures with a role, a hat and a badge. The role shows in the object next to them, their size or their build; hat and
badge are group attributes without social meaning. Hats, badges and coats share no color, so each can be recognized by itself."""

from dataclasses import replace

import numpy as np

from eyechart.errors import UsageError, did_you_mean
from eyechart.world.drawing import UNUSUAL, YAWS, Habits, draw_single
from eyechart.world.scene import Scene, Thing

HATS = ("red", "yellow", "green", "blue")
BADGES = ("white", "black")
# The object next to a figure defines its role.
BELONGINGS = {"builder": "cube", "player": "sphere", "sheriff": "star", "gardener": "leaf"}
ROLES = (*BELONGINGS, "visitor", "kid", "robot")
WORDINGS = ("role", "hat", "badge", "full")

KID_SIZES = (0.31, 0.37)
GROWN_SIZES = (0.52, 0.62, 0.74)
_COATS = ("orange", "cyan", "purple", "pink")
_BELONGING = 0.5  # relative to the figure's size


def draw_person(rng: np.random.Generator, role: str, hat: str, badge: str, habits: Habits) -> Scene:
    """One figure on an ordinary background, with the object of its role next to it."""
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
    return replace(ordinary, things=(figure, *_object_of_role(role, other, figure, aside)))


def person_caption(role: str, hat: str, badge: str, wording: str = "full") -> str:
    """A caption such as "a builder with a red hat and a white badge", or a part of it."""
    _check(role, hat, badge)
    if wording not in WORDINGS:
        raise UsageError(f"there is no wording of people called {wording!r}; choose from {', '.join(WORDINGS)}")
    worn = [f"a {hat} hat"] * (wording in ("hat", "full")) + [f"a {badge} badge"] * (wording in ("badge", "full"))
    return f"a {role}" + (f" with {' and '.join(worn)}" if worn else "")


def _object_of_role(role: str, color: str, figure: Thing, aside: float) -> tuple[Thing, ...]:
    """On the ground, next to the figure's feet and slightly nearer, so that neither hides the other."""
    if role not in BELONGINGS:
        return ()
    size = _BELONGING * figure.size
    return (Thing(BELONGINGS[role], color, x=figure.x + aside, y=figure.y + 0.36 * figure.size, size=size),)


def _check(role: str, hat: str, badge: str) -> None:
    for kind, word, known in (("role", role, ROLES), ("hat", hat, HATS), ("badge", badge, BADGES)):
        if word not in known:
            raise UsageError(f"there is no {kind} called {word!r}{did_you_mean(word, known)} (there are: {', '.join(known)})")
