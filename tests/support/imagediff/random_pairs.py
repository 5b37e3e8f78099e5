"""Random pairs of images of the kinds found in screenshots, in random forms of PNG."""

import math
import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from tests.support.imagediff.png_forms import FORMS
from tests.support.imagediff.png_writer import Form, Samples, png_of_samples

Pixels = npt.NDArray[np.uint8]
Size = tuple[int, int]
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6


@dataclass(frozen=True)
class RandomPair:
    """Two PNG files of one form and one size."""

    kind: str
    form: Form
    before: bytes
    after: bytes


def make_pair(rng: random.Random, side: int) -> RandomPair:
    """Return a pair of at most ``side`` pixels a side; often one side is a single pixel."""
    size = (rng.choice((1, *(rng.randint(1, side) for _ in range(6)))), rng.randint(1, side))
    size = size if rng.random() < 0.5 else (size[1], size[0])
    kind = rng.choice(list(IMAGES))
    before = IMAGES[kind](rng, size)
    after = rng.choice(CHANGES)(rng, before)
    if rng.random() < 0.3:
        before, after = see_through(rng, before), see_through(rng, after)
    color, depth = rng.choice((*FORMS, (RGBA, 8), (RGB, 8)))
    form = Form(depth, color, rng.random() < 0.3, filters=rng.randrange(10**6))
    if color == PALETTE:
        form.palette = rng.randbytes(3 * 2**depth)
    form.transparency = make_transparency(rng, form) if rng.random() < 0.3 else None
    return RandomPair(kind, form, *(encode(rng, each, form) for each in (before, after)))


def noise(rng: random.Random, size: Size) -> Pixels:
    top = rng.choice((2, 30, 256))
    pixels = np.random.default_rng(rng.randrange(2**32)).integers(0, top, (size[1], size[0], 4))
    return opaque(pixels + rng.randint(0, 256 - top))


def gradient(rng: random.Random, size: Size) -> Pixels:
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    steps = [(rng.uniform(-4, 4), rng.uniform(-4, 4), rng.uniform(0, 255)) for _ in range(4)]
    return opaque(np.stack([across * x + down * y + start for across, down, start in steps], 2))


def edges(rng: random.Random, size: Size) -> Pixels:
    """Draw a smooth edge at any angle: every pixel on the edge is a mix of two colors."""
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    angle, width = rng.uniform(0, 2 * math.pi), rng.choice((0.5, 1, 1, 2))
    away = (x - size[0] / 2) * math.cos(angle) + (y - size[1] / 2) * math.sin(angle)
    cover = np.clip(away / width + rng.random(), 0, 1)[:, :, None]
    return opaque(cover * random_color(rng) + (1 - cover) * random_color(rng))


def text(rng: random.Random, size: Size) -> Pixels:
    image = Image.new("RGBA", size, tuple(random_color(rng).tolist()))
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(rng.uniform(8, 16))
    words = "".join(rng.choices("abcdefgAWMilj 0189,.", k=12))
    draw.text((rng.uniform(-3, 3), rng.uniform(-3, 3)), words, tuple(random_color(rng)), font)
    return opaque(np.asarray(image))


def flat(rng: random.Random, size: Size) -> Pixels:
    pixels = np.empty((size[1], size[0], 4), np.uint8)
    pixels[:] = random_color(rng)
    pixels[size[1] // 2 :, size[0] // 3 :] = random_color(rng)
    return opaque(pixels)


def random_color(rng: random.Random) -> npt.NDArray[np.int64]:
    return np.array([*(rng.randrange(256) for _ in range(3)), 255])


def opaque(values: npt.NDArray[np.generic]) -> Pixels:
    pixels = np.clip(values, 0, 255).astype(np.uint8)
    pixels[:, :, 3] = 255
    return pixels


def move(rng: random.Random, pixels: Pixels) -> Pixels:
    return np.roll(pixels, rng.choice((-3, -1, 1, 2)), axis=rng.randrange(2))


def speckle(rng: random.Random, pixels: Pixels) -> Pixels:
    changed = pixels.copy()
    for _ in range(rng.randint(0, 12)):
        y, x = rng.randrange(len(pixels)), rng.randrange(pixels.shape[1])
        changed[y, x] = random_color(rng)
    return changed


def tint(rng: random.Random, pixels: Pixels) -> Pixels:
    """Change all colors by a little or much: around the threshold in between."""
    amount = rng.choice((1, 3, 12, 25, 40, 90))
    shift = np.array([*(rng.randint(-amount, amount) for _ in range(3)), 0])
    return np.clip(pixels + shift, 0, 255).astype(np.uint8)


def jitter(rng: random.Random, pixels: Pixels) -> Pixels:
    amount = np.random.default_rng(rng.randrange(2**32)).integers(-40, 41, pixels.shape)
    return opaque(pixels + amount)


def mix(rng: random.Random, pixels: Pixels) -> Pixels:
    """Mix with the image moved by a pixel, as half a pixel of movement does."""
    moved = np.roll(pixels, 1, axis=rng.randrange(2)).astype(np.int64)
    return ((pixels + moved) // 2).astype(np.uint8)


def replace(rng: random.Random, pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    return rng.choice(list(IMAGES.values()))(rng, (width, height))


def see_through(rng: random.Random, pixels: Pixels) -> Pixels:
    alphas = np.array(rng.choice(((255, 0), (255, 128, 3), (254,), tuple(range(256)))), np.uint8)
    chosen = np.random.default_rng(rng.randrange(2**32)).integers(0, len(alphas), pixels.shape[:2])
    changed = pixels.copy()
    changed[:, :, 3] = alphas[chosen]
    return changed


def make_transparency(rng: random.Random, form: Form) -> bytes | None:
    if form.color == PALETTE:
        return rng.randbytes(rng.randint(1, 2**form.depth))
    top = 2**form.depth
    count = {GRAY: 1, RGB: 3}.get(form.color, 0)
    return b"".join(rng.randrange(top).to_bytes(2) for _ in range(count)) or None


def encode(rng: random.Random, pixels: Pixels, form: Form) -> bytes:
    """Encode the parts of an image that the form can hold."""
    channels = {GRAY: [1], PALETTE: [0], RGB: [0, 1, 2], GRAY_ALPHA: [1, 3], RGBA: [0, 1, 2, 3]}
    values = pixels[:, :, channels[form.color]].astype(np.int64)
    if form.depth == 16:
        low = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, values.shape)
        values = values * 256 + (values if rng.random() < 0.5 else low)
    else:
        values >>= 8 - form.depth
    samples: Samples = [[tuple(pixel) for pixel in row] for row in values.tolist()]
    return png_of_samples(samples, form)


IMAGES = {"noise": noise, "gradient": gradient, "edges": edges, "text": text, "flat": flat}
CHANGES = (move, move, speckle, tint, jitter, mix, replace)
