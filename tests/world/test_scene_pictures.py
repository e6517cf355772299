from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from eyechart.world.composer import Rendering, render
from eyechart.world.scene import Scene, Thing
from eyechart.world.scene_pictures import ScenePictures, encode_picture
from eyechart.world.subjects import Corrupted, Staged

SCENE = Scene((Thing("mug", "red", size=0.6),))


def test_identities_differ_wherever_the_bytes_do():
    subjects = [
        Staged(SCENE),
        Staged(replace(SCENE, grain=1)),
        Staged(replace(SCENE, things=(replace(SCENE.things[0], x=0.5 + 1e-9),))),
        Corrupted(SCENE, "noise", 1, seed=0),
        Corrupted(SCENE, "noise", 2, seed=0),
        Corrupted(SCENE, "noise", 1, seed=1),
        Corrupted(SCENE, "fog", 1, seed=0),
    ]
    identities = {ScenePictures(tuple(subjects), side).identity(row) for row in range(len(subjects)) for side in (32, 64)}
    assert len(identities) == 2 * len(subjects)
    assert ScenePictures((Staged(SCENE),), 32).identity(0) == ScenePictures((Staged(replace(SCENE)),), 32).identity(0)


def test_threads_read_what_one_would_have_read():
    """Views that no other test asks for, so that the threads meet at work that is not done yet."""
    things = [Thing("pot", "blue", yaw=1.0 + 0.25 * turn) for turn in range(12)]
    pictures = ScenePictures(tuple(Staged(Scene((thing,))) for thing in things), 48)
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(pictures.read, [*range(12)] * 2))
    assert together == [encode_picture(pictures.render(row).picture) for row in range(12)] * 2


@dataclass(frozen=True)
class Counted:
    """A subject that notes each time it is rendered."""

    scene: Scene
    rendered: list[int] = field(default_factory=list, compare=False)

    def render(self, side: int) -> Rendering:
        self.rendered.append(side)
        return render(self.scene, side)


def test_a_picture_that_is_read_again_is_not_rendered_again():
    subject, other = Counted(SCENE), Counted(replace(SCENE, grain=1))
    pictures = ScenePictures((subject, other), 24)
    read = [pictures.read(0), pictures.read(1), pictures.take([1, 0]).read(1)]
    assert subject.rendered == other.rendered == [24]
    assert read == [encode_picture(render(scene, 24).picture) for scene in (SCENE, other.scene, SCENE)]
    assert ScenePictures((subject,), 32).read(0) == encode_picture(render(SCENE, 32).picture)


def test_pictures_and_depth_are_those_of_the_scene():
    pictures = ScenePictures((Staged(SCENE), Corrupted(SCENE, "contrast", 5, seed=0)), 40)
    clean = render(SCENE, 40)
    assert np.array_equal(pictures.render(0).picture, clean.picture)
    assert np.array_equal(pictures.depth(1), clean.depth)
    assert pictures.render(1).picture.std() < clean.picture.std() / 3
