"""`world-people`: figures with roles; hats and badges are balanced over the roles."""

from collections.abc import Iterator
from itertools import count

from eyechart.world.captions import size_word
from eyechart.world.datasets.ordinary import ORDINARY
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset, class_list, surroundings
from eyechart.world.people import BADGES, HATS, ROLES, WORDINGS, draw_person, person_caption
from eyechart.world.subjects import Staged


def draw(streams: Streams) -> Iterator[Shot]:
    for row in count():
        turn, number = divmod(row, len(ROLES))
        role = ROLES[number]
        # After four rounds every role has had every hat, and both badges twice; after eight, every combination once.
        hat, badge = HATS[(number + turn) % len(HATS)], BADGES[(number + turn + turn // len(HATS)) % len(BADGES)]
        scene = draw_person(streams.picture(row), role, hat, badge, ORDINARY)
        worn = {"role": role, "hat": hat, "badge": badge, "coat": scene.things[0].color}
        yield Shot(
            f"{row:05d}-{role}",
            Staged(scene),
            label=role,
            captions=tuple(person_caption(role, hat, badge, wording) for wording in WORDINGS),
            attributes={**worn, "size": size_word(scene.things[0]), **surroundings(scene)},
        )


PEOPLE = WorldDataset(
    name="world-people",
    number=1009,
    about="figures of seven roles with hats and badges, which carry no meaning and are balanced over the roles",
    usual=1008,
    draw=draw,
    classes=class_list("roles", ROLES),
)
