"""Alpha channels: the pixels are those of Pillow's own functions on the whole picture, and a PNG takes no second copy."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from eyechart.data.picture import Decoding, decode_picture

SIZE = (37, 150)  # more than two strips, and a part of one


def png(values: np.ndarray, color: int) -> bytes:
    """A PNG of color type 4 (gray) or 6 (RGB) with alpha; 16 bits a value where the array has them."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    depth = 8 * values.dtype.itemsize
    rows = b"".join(b"\0" + row.tobytes() for row in values.astype(values.dtype.newbyteorder(">")))
    header = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], depth, color, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def saved(picture: Image.Image, format: str, **options: object) -> bytes:
    file = io.BytesIO()
    picture.save(file, format, **options)
    return file.getvalue()


def pictures() -> dict[str, bytes]:
    random = np.random.default_rng(4)
    drawn = {n: random.integers(0, 256, (SIZE[1], SIZE[0], n), dtype=np.uint8) for n in (1, 2, 3, 4)}
    deep = {n: random.integers(0, 1 << 16, (SIZE[1], SIZE[0], n), dtype=np.uint16) for n in (2, 4)}
    color = Image.fromarray(drawn[4])
    index = Image.frombytes("P", SIZE, drawn[1].tobytes())
    index.putpalette(random.integers(0, 256, 768, dtype=np.uint8).tobytes())
    first = [tuple(int(v) for v in drawn[3][0, 0]), int(drawn[1][0, 0, 0])]
    return {
        "RGBA": png(drawn[4], 6),
        "RGBA 16": png(deep[4], 6),
        "LA": png(drawn[2], 4),
        "LA 16": png(deep[2], 4),
        "RGBA saved by Pillow": saved(color, "PNG"),
        "animated": saved(color, "PNG", save_all=True, append_images=[color.transpose(Image.Transpose.ROTATE_180)]),
        "palette": saved(index, "PNG", transparency=7),
        "palette, alpha of each": saved(index, "PNG", transparency=bytes(range(256))),
        "one color": saved(Image.fromarray(drawn[3]), "PNG", transparency=first[0]),
        "one gray": saved(Image.frombytes("L", SIZE, drawn[1].tobytes()), "PNG", transparency=first[1]),
        "WebP": saved(color, "WEBP", lossless=True, exact=True),
        "TIFF": saved(color, "TIFF"),
        "GIF": saved(index, "GIF", transparency=7),
        "opaque": saved(Image.fromarray(drawn[3]), "PNG"),
    }


PICTURES = pictures()


def whole(data: bytes, ground: str) -> np.ndarray:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    if ground == "drop" or not picture.has_transparency_data:
        picture.info.pop("transparency", None)
        return np.asarray(picture.convert("RGB"))
    colors = picture.convert("RGBA")
    return np.asarray(Image.alpha_composite(Image.new("RGBA", colors.size, ground), colors).convert("RGB"))


@pytest.mark.parametrize("ground", ["drop", "white", "black"])
@pytest.mark.parametrize("name", PICTURES)
def test_the_pixels_are_those_of_the_whole_picture(name, ground):
    decoded = decode_picture(PICTURES[name], alpha=ground)
    assert decoded.mode == "RGB" and np.array_equal(np.asarray(decoded), whole(PICTURES[name], ground))


@pytest.mark.parametrize("name", ["RGBA", "RGBA 16"])
def test_a_cutout_keeps_its_alpha_channel(name):
    cutout = Decoding().decode_cutout(PICTURES[name])
    assert cutout is not None
    assert np.array_equal(np.asarray(cutout), np.asarray(Image.open(io.BytesIO(PICTURES[name])).convert("RGBA")))


@pytest.mark.parametrize("name", ["RGBA", "RGBA 16"])
def test_the_decoder_leaves_the_alpha_channel_out(name, monkeypatch):
    """No second copy: the decoded picture is RGB at once."""
    monkeypatch.setattr(Image.Image, "convert", None)
    assert decode_picture(PICTURES[name]).mode == "RGB"
