"""Which pictures cannot be read or decoded, for a model that gets pictures one by one with a question."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from eyechart.data.picture import BrokenPicture, Decoding
from eyechart.encode.cores import usable_cores
from eyechart.encode.engine import LostPicture, PictureWork


def lost_pictures(works: Iterable[PictureWork], decoding: Decoding) -> list[LostPicture]:
    """The pictures that cannot be shown to a model, with the reason. Each is decoded once."""
    distinct = list({work.key: work for work in works}.values())

    def check(work: PictureWork) -> LostPicture | None:
        try:
            decoding.decode(work.read())
        except BrokenPicture as error:
            return LostPicture(work.key, work.place(), error.reason, lasting=True)
        except OSError as error:
            return LostPicture(work.key, work.place(), f"cannot be read: {error.strerror or error}", lasting=False)
        return None

    with ThreadPoolExecutor(max(2, usable_cores()), thread_name_prefix="eyechart-decode") as pool:
        return [lost for lost in pool.map(check, distinct) if lost is not None]
