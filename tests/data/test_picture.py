import io
import struct
import subprocess
import sys
import threading
import tracemalloc
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image, ImageOps

from eyechart.data import picture as picture_module
from eyechart.data.picture import FORMATS, MAX_PIXELS, BrokenPicture, Decoding, decode_picture, memory_for
from eyechart.errors import UsageError


def encoded(picture, format, **options):
    file = io.BytesIO()
    picture.save(file, format, **options)
    return file.getvalue()


def noise(mode="RGB", size=(24, 16)):
    depth = len(Image.new(mode, (1, 1)).getbands())
    pixels = np.random.default_rng(0).integers(0, 256, (size[1], size[0], depth), dtype=np.uint8)
    return Image.frombytes(mode, size, pixels.tobytes())


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_pixels_that_pillow_gives(format):
    data = encoded(noise(), format)
    decoded = decode_picture(data)
    assert (decoded.mode, decoded.size) == ("RGB", (24, 16))
    assert np.array_equal(np.asarray(decoded), np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_cut_in_half_is_broken(format):
    data = encoded(noise(size=(64, 64)), format)
    with pytest.raises(BrokenPicture, match=r"truncated or corrupt|not a JPEG"):
        decode_picture(data[: len(data) // 2])


@pytest.mark.parametrize("format", FORMATS)
def test_flipped_bytes_give_a_picture_or_a_reason_and_never_another_error(format):
    data = encoded(noise(), format)
    random = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(150):
            damaged = bytearray(data)
            for place in random.integers(0, len(data), 4):
                damaged[place] = random.integers(0, 256)
            try:
                assert decode_picture(bytes(damaged), max_pixels=1_000_000).mode == "RGB"
            except BrokenPicture as error:
                assert error.reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b"hello, I am a text file", "not a JPEG"),
        (b"\xff\xd8\xff", "not a JPEG"),
        (b"%PDF-1.7 ...", "not a JPEG"),
    ],
)
def test_bytes_that_are_no_picture_say_so(data, reason):
    with pytest.raises(BrokenPicture, match=reason):
        decode_picture(data)


def test_formats_that_were_not_asked_for_are_refused():
    with pytest.raises(BrokenPicture, match="not a JPEG"):
        decode_picture(encoded(noise(), "PPM"))


def png_claiming(width, height):
    """A PNG of a few hundred bytes whose header claims any size."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(50_000, 50_000), (2**31 - 1, 2**31 - 1)])
def test_a_decompression_bomb_is_refused_by_its_header(size):
    with pytest.raises(BrokenPicture, match="too large"):
        decode_picture(png_claiming(*size))


def test_the_limit_of_pixels_is_the_callers():
    data = encoded(noise(), "PNG")
    assert decode_picture(data, max_pixels=24 * 16).size == (24, 16)
    with pytest.raises(BrokenPicture, match="24 x 16 pixels, more than the 383"):
        decode_picture(data, max_pixels=24 * 16 - 1)


def test_decoding_leaves_pillows_own_limits_alone():
    before = Image.MAX_IMAGE_PIXELS
    decode_picture(encoded(noise(), "JPEG"), max_pixels=1000)
    assert before == Image.MAX_IMAGE_PIXELS


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_exif_orientation_is_applied_as_pillow_applies_it(format, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(noise(), format, exif=exif, **({"lossless": True} if format == "WEBP" else {}))
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert np.array_equal(np.asarray(decode_picture(data)), np.asarray(upright))
    assert decode_picture(data, exif="ignore").size == (24, 16)


def test_unreadable_exif_does_not_make_a_picture_broken():
    data = encoded(noise(), "JPEG", exif=b"Exif\0\0 this is no TIFF header")
    assert decode_picture(data).size == (24, 16)


def test_sixteen_bits_are_scaled_and_not_clipped():
    ramp = np.array([[0, 255, 256, 32768, 65535]], dtype=np.uint16)
    for format in ("PNG", "TIFF"):
        decoded = np.asarray(decode_picture(encoded(Image.fromarray(ramp), format)))
        assert decoded[0, :, 0].tolist() == [0, 0, 1, 128, 255]


def test_sixteen_bit_gray_agrees_with_sixteen_bit_color():
    """Pillow reads 16-bit color itself; the same values as gray must come out the same."""
    values = np.arange(0, 65536, 257, dtype=">u2").reshape(1, -1)
    raw = b"\0" + np.repeat(values[0], 3).tobytes()

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", values.shape[1], 1, 16, 2, 0, 0, 0))
    color = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    gray = encoded(Image.fromarray(values.astype(np.uint16)), "PNG")
    assert np.array_equal(np.asarray(decode_picture(color)), np.asarray(decode_picture(gray)))


@pytest.mark.parametrize("mode", ["I", "F"])
def test_thirty_two_bits_have_no_range_and_are_set_aside(mode):
    with pytest.raises(BrokenPicture, match="32-bit"):
        decode_picture(encoded(Image.new(mode, (4, 4), 7), "TIFF"))


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "LA", "RGBA", "YCbCr"])
def test_modes_come_out_as_convert_rgb_of_the_libraries(mode):
    picture = noise("RGBA").convert(mode) if mode != "CMYK" else noise("CMYK")
    data = encoded(picture, "JPEG" if mode in ("CMYK", "YCbCr") else "PNG")
    assert np.array_equal(np.asarray(decode_picture(data)), np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))


def test_a_palette_with_transparency_gives_its_colors_without_a_warning():
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putpixel((1, 0), 1)
    data = encoded(picture, "PNG", transparency=bytes([0, 128]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.asarray(decode_picture(data)).tolist() == [[[10, 20, 30], [40, 50, 60]]]


@pytest.mark.parametrize(("alpha", "expected"), [("drop", [200, 100, 0]), ("white", [255, 255, 255]), ("black", [0, 0, 0])])
def test_what_is_wholly_transparent_is_dropped_or_takes_the_ground(alpha, expected):
    data = encoded(Image.new("RGBA", (1, 1), (200, 100, 0, 0)), "PNG")
    assert np.asarray(decode_picture(data, alpha=alpha))[0, 0].tolist() == expected


def test_half_transparent_is_half_the_ground():
    data = encoded(Image.new("RGBA", (1, 1), (200, 100, 0, 51)), "PNG")  # 51/255 = one fifth
    assert np.asarray(decode_picture(data, alpha="white"))[0, 0].tolist() == [244, 224, 204]


def test_the_first_frame_of_a_gif_is_taken():
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    data = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert np.asarray(decode_picture(data))[0, 0].tolist() == [255, 0, 0]


def test_many_threads_decode_the_same():
    datas = [encoded(noise(size=(30 + n, 20)), "JPEG") for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        sizes = [picture.size for picture in pool.map(decode_picture, datas)]
    assert sizes == [(30 + n, 20) for n in range(40)]


def test_the_choices_describe_themselves():
    assert Decoding("ignore", "white", 1000).describe() == {"exif": "ignore", "alpha": "white", "max_pixels": 1000}


@pytest.mark.parametrize("choice", [{"exif": "yes"}, {"alpha": "red"}, {"max_pixels": 0}, {"max_pixels": MAX_PIXELS + 1}])
def test_choices_that_do_not_exist_are_refused(choice):
    with pytest.raises(UsageError, match="choose"):
        Decoding(**choice)


def test_a_large_picture_is_no_matter_for_warnings():
    """100 million pixels of one bit: above Pillow's limit for a warning, below that for an error."""
    program = (
        "import io; from PIL import Image; from eyechart.data.picture import BrokenPicture, Decoding\n"
        "file = io.BytesIO(); Image.new('1', (10_000, 10_000)).save(file, 'PNG')\n"
        "try: Decoding(max_pixels=99_999_999).decode(file.getvalue())\n"
        "except BrokenPicture as error: print(error.reason)"
    )
    run = subprocess.run([sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=True)
    assert run.stderr == "" and run.stdout.startswith("too large: 10000 x 10000 pixels")


def test_sixteen_bits_keep_their_upper_eight_in_every_strip():
    values = np.arange(130 * 3, dtype=np.uint16).reshape(130, 3) * 168  # more rows than a strip, values up to 65,352
    out = io.BytesIO()
    Image.fromarray(values).save(out, "PNG")
    assert np.array_equal(np.asarray(decode_picture(out.getvalue()))[:, :, 0], (values >> 8).astype(np.uint8))


def test_a_large_sixteen_bit_picture_takes_no_arrays_of_its_whole_size():
    out = io.BytesIO()
    Image.new("I;16", (3000, 3000)).save(out, "PNG")
    tracemalloc.start()
    decode_picture(out.getvalue())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3000 * 3000 * 2  # arrays of NumPy are traced: before, they took 13 bytes a pixel


def test_large_pictures_are_decoded_one_after_the_other():
    budget = picture_module._PixelBudget(100)
    order, started = [], threading.Event()

    def second():
        started.set()
        with budget.hold(60):
            order.append("second")

    def small():
        with budget.hold(30):
            order.append("small")

    with budget.hold(60):
        thread = threading.Thread(target=second)
        thread.start()
        started.wait()
        smaller = threading.Thread(target=small)  # it fits beside the first
        smaller.start()
        smaller.join(30)
    thread.join(30)
    with budget.hold(1000):  # one that is larger than the budget is decoded alone
        order.append("huge")
    assert order == ["small", "second", "huge"]


def test_a_thread_that_holds_memory_decodes_without_waiting_for_itself(monkeypatch):
    monkeypatch.setattr(picture_module, "_PIXELS", picture_module._PixelBudget(1))
    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "PNG")
    with ThreadPoolExecutor(1) as pool, memory_for(file.getvalue()):
        assert decode_picture(file.getvalue()).size == (8, 8)
        other = pool.submit(decode_picture, file.getvalue())
        with pytest.raises(TimeoutError):
            other.result(0.2)  # another thread waits until the memory is free
    assert other.result().size == (8, 8)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_large_pictures_is_returned_to_the_system_by_every_thread():
    # 6,000 x 6,000 pixels take 144 MB. Two threads take turns; what stays resident is what neither has returned.
    code = """
import io
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from PIL import Image
from eyechart.data.picture import decode_picture, memory_for
file = io.BytesIO()
Image.new("L", (6000, 6000)).save(file, "PNG")
data, both = file.getvalue(), Barrier(2)
def decode(_):
    both.wait()
    with memory_for(data):
        decode_picture(data)
resident = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
before = resident()
with ThreadPoolExecutor(2) as pool:
    list(pool.map(decode, range(6)))
    print(resident() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 72
