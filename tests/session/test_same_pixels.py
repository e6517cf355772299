"""Another way of decoding encodes only the pictures that it changes."""

import io

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from tests.encode.tiny import TinyEncoder
from tests.witness import Witness

from eyechart.data.dataset import Dataset
from eyechart.data.picture import Decoding, same_pixels
from eyechart.encode.local import LocalEngine
from eyechart.session.keyed_dataset import key_dataset
from eyechart.session.session import Session


def picture(number, kind="JPEG", *, orientation=None, mode="RGB"):
    rng = np.random.default_rng(number)
    pixels = rng.integers(0, 256, (8, 8, 4 if mode == "RGBA" else 3), dtype=np.uint8)
    exif, file = Image.Exif(), io.BytesIO()
    if orientation is not None:
        exif[0x0112] = orientation
    Image.fromarray(pixels).save(file, kind, exif=exif)
    return file.getvalue()


class Held:
    """Pictures in memory."""

    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def read(self, row):
        return self.data[row]

    def identity(self, row):
        return None

    def place(self, row):
        return f"held:{row}"

    def take(self, rows):
        return Held([self.data[row] for row in rows])


class Counting(TinyEncoder):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def encode_images(self, prepared):
        self.seen += len(prepared)
        return super().encode_images(prepared)


FILES = [picture(i) for i in range(6)] + [
    picture(6, orientation=1),
    picture(7, orientation=3),
    picture(8, "PNG", mode="RGBA"),
    picture(9, "PNG"),
    picture(10, "WEBP"),
]
TURNED, CLEAR, UNSURE = 7, 8, 10


@pytest.fixture
def encode(store):
    dataset = Dataset("held", pa.table({"id": [str(i) for i in range(len(FILES))]}), Held(FILES), None)

    def encode(decoding, **options):
        model, progress = Counting(), Witness()
        engine = LocalEngine(batch_size=4, workers=1)
        session = Session("m", model, store=store, engine=engine, decoding=decoding, progress=progress, made_with={}, **options)
        keyed = key_dataset(dataset, None, store.hashes, progress, pictures=True)
        session.encode_images([keyed])
        return model.seen, session.encoded(keyed).vectors

    return encode


@pytest.mark.parametrize(("choices", "new"), [({"exif": "ignore"}, {TURNED, UNSURE}), ({"alpha": "white"}, {CLEAR, UNSURE})])
def test_only_pictures_that_change_are_encoded_again(encode, choices, new):
    seen, before = encode(Decoding())
    assert seen == len(FILES)
    seen, after = encode(Decoding(**choices))
    assert seen == len(new)
    changed = {row for row in range(len(FILES)) if not np.allclose(before[row], after[row], atol=1e-5)}
    assert changed == new - {UNSURE}
    assert encode(Decoding(**choices))[0] == 0
    assert encode(Decoding(exif="ignore", alpha="white"))[0] <= 3


def test_vectors_are_those_of_the_network_itself(encode, tmp_path):
    from eyechart.store.store import Store

    encode(Decoding())
    _, copied = encode(Decoding(exif="ignore"))
    model, progress, store = Counting(), Witness(), Store(tmp_path / "another")
    dataset = Dataset("held", pa.table({"id": [str(i) for i in range(len(FILES))]}), Held(FILES), None)
    engine = LocalEngine(batch_size=4, workers=1)
    decoding = Decoding(exif="ignore")
    session = Session("m", model, store=store, engine=engine, decoding=decoding, progress=progress, made_with={})
    keyed = key_dataset(dataset, None, store.hashes, progress, pictures=True)
    session.encode_images([keyed])
    np.testing.assert_allclose(copied, session.encoded(keyed).vectors, atol=1e-6)


def test_vectors_in_half_precision_are_not_taken_for_whole_ones(encode):
    encode(Decoding(), store_precision="float16")
    assert encode(Decoding(exif="ignore"))[0] == len(FILES)


def test_a_header_that_is_broken_or_a_picture_that_is_too_large_decides_nothing():
    a, b = Decoding(), Decoding(exif="ignore")
    assert not same_pixels(b"no picture", a, b)
    assert not same_pixels(FILES[0], Decoding(max_pixels=63), Decoding())
    assert same_pixels(FILES[0], a, b) and not same_pixels(FILES[TURNED], a, b)
