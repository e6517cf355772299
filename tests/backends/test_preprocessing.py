"""Our preprocessing against the tensors of open_clip, timm and transformers themselves."""

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.backend

from eyechart.models.preprocessing import Preprocessing  # noqa: E402
from eyechart.models.tokenizing import clean_text  # noqa: E402

SIZES = [(1, 1), (1, 500), (500, 1), (223, 225), (225, 223), (224, 224), (640, 427), (427, 640), (33, 900), (100, 80), (449, 448)]
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def picture(size: tuple[int, int], mode: str = "RGB") -> Image.Image:
    channels = 1 if mode == "L" else 3
    pixels = np.random.default_rng(sum(size)).integers(0, 256, (size[1], size[0], channels), dtype=np.uint8)
    return Image.fromarray(pixels[..., 0] if mode == "L" else pixels)


# open_clip itself stops with an error where the short side of a picture would round to nothing.
CASES = [
    (how, size) for how in ("shortest", "squash", "longest") for size in SIZES if how != "longest" or 448 * min(size) > max(size)
]


@pytest.mark.parametrize("mode", ["RGB", "L"])
@pytest.mark.parametrize("resize, size", CASES)
@pytest.mark.parametrize("interpolation", ["bicubic", "bilinear"])
def test_equals_open_clip(size, mode, resize, interpolation):
    from open_clip.transform import image_transform

    theirs = image_transform(224, is_train=False, resize_mode=resize, interpolation=interpolation, fill_color=7)
    ours = Preprocessing(224, resize=resize, crop="center", interpolation=interpolation, fill=7 if resize == "longest" else 0)
    img = picture(size, mode)
    assert np.array_equal(ours(img), theirs(img).numpy())


@pytest.mark.parametrize("resize", ["shortest", "squash", "longest"])
@pytest.mark.parametrize("size", [(640, 427), (427, 640), (100, 80), (200, 400)])
def test_equals_open_clip_where_the_size_is_not_square(size, resize):
    from open_clip.transform import image_transform

    img = picture(size)
    theirs = image_transform((160, 224), is_train=False, resize_mode=resize)(img).numpy()
    assert np.array_equal(Preprocessing((160, 224), resize=resize)(img), theirs)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("crop_pct", [0.875, 0.9, 0.95, 1.0])
@pytest.mark.parametrize("interpolation", ["bicubic", "bilinear"])
def test_equals_timm(size, crop_pct, interpolation):
    from timm.data import create_transform

    mean, std = IMAGENET
    theirs = create_transform((3, 224, 224), crop_pct=crop_pct, interpolation=interpolation, mean=mean, std=std)
    ours = Preprocessing(224, interpolation=interpolation, mean=mean, std=std, resize_size=int(224 / crop_pct))
    assert np.array_equal(ours(picture(size)), theirs(picture(size)).numpy())


@pytest.mark.parametrize("size", [(640, 427), (427, 640), (223, 225)])
@pytest.mark.parametrize("crop_mode, resize", [("squash", "squash"), ("border", "longest")])
def test_equals_timm_in_its_other_crop_modes(size, crop_mode, resize):
    from timm.data import create_transform

    mean, std = IMAGENET
    theirs = create_transform((3, 224, 224), crop_pct=0.9, crop_mode=crop_mode, interpolation="bicubic", mean=mean, std=std)
    fill = tuple(round(255 * v) for v in mean) if crop_mode == "border" else 0
    ours = Preprocessing(224, resize=resize, mean=mean, std=std, resize_size=248, fill=fill)
    assert np.array_equal(ours(picture(size)), theirs(picture(size)).numpy())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("crop", [224, 221, 240])
def test_equals_the_pillow_processor_of_transformers(size, crop):
    from transformers import CLIPImageProcessorPil

    theirs = CLIPImageProcessorPil(size={"shortest_edge": 224}, crop_size={"height": crop, "width": crop})
    ours = Preprocessing(crop, resize_size=224, rescale="multiply", offset="down")
    expected = np.asarray(theirs(picture(size), return_tensors="np")["pixel_values"][0])
    assert np.array_equal(ours(picture(size)), expected)


def test_fused_levels_equal_the_torchvision_processor_of_transformers():
    from transformers import CLIPImageProcessor

    levels = np.arange(256, dtype=np.uint8).repeat(3).reshape(16, 16, 3)
    theirs = CLIPImageProcessor(do_resize=False, do_center_crop=False)
    expected = theirs(Image.fromarray(levels), return_tensors="pt")["pixel_values"][0].numpy()
    assert np.array_equal(Preprocessing(16, rescale="fused")(Image.fromarray(levels)), expected)


@pytest.mark.parametrize("interpolation", ["nearest", "lanczos"])
def test_equals_torchvision_for_the_rarer_filters(interpolation):
    from torchvision.transforms import CenterCrop, Compose, InterpolationMode, Normalize, Resize, ToTensor

    mean, std = IMAGENET
    theirs = Compose([Resize(96, InterpolationMode(interpolation)), CenterCrop(96), ToTensor(), Normalize(mean, std)])
    ours = Preprocessing(96, interpolation=interpolation, mean=mean, std=std)
    assert np.array_equal(ours(picture((640, 427))), theirs(picture((640, 427))).numpy())


@pytest.mark.parametrize("text", ["A  photo_of:\ta &amp;lt; Cat!", "don't", "ALL CAPS. (really)", "naïve café", ""])
def test_cleaning_equals_open_clips(text):
    from open_clip.tokenizer import get_clean_fn

    assert clean_text(text, "lower") == get_clean_fn("lower")(text)
    assert clean_text(text, "canonicalize") == get_clean_fn("canonicalize")(text)
