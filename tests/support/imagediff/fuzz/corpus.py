"""Valid images to damage: PngSuite, real screenshots and parts of them, and ours."""

import io
import random
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from scripts.setup_steps import SAMPLES

from tests.support.imagediff.png_forms import FORMS, form_of, random_samples
from tests.support.imagediff.png_writer import png_of_samples

MOST_SCREENSHOTS = 24
LARGEST_SCREENSHOT = 60_000
PART = (72, 48)
MODES = ("RGBA", "RGB", "P", "L", "LA")


@dataclass(frozen=True)
class Corpus:
    """Small images, used by most cases, and whole screenshots."""

    small: tuple[bytes, ...]
    screenshots: tuple[bytes, ...]


def load_corpus() -> Corpus:
    """Return the same images in the same order on every machine that has the samples."""
    suite = [path.read_bytes() for path in sorted((SAMPLES / "pngsuite" / "suite").glob("*.png"))]
    real = [
        path.read_bytes()
        for path in sorted((SAMPLES / "pairs").rglob("*.png"))
        if path.stat().st_size < LARGEST_SCREENSHOT
    ]
    chosen = real[:: max(1, len(real) // MOST_SCREENSHOTS)]
    parts = [cut_part(data, number) for number, data in enumerate(chosen)]
    return Corpus((*suite, *parts, *made_images()), tuple(chosen))


def cut_part(data: bytes, number: int) -> bytes:
    rng = random.Random(number)
    image = Image.open(io.BytesIO(data))
    left, top = (
        rng.randrange(max(1, size - part)) for size, part in zip(image.size, PART, strict=True)
    )
    target = io.BytesIO()
    part = image.crop((left, top, left + PART[0], top + PART[1]))
    part.convert(MODES[number % len(MODES)]).save(target, "PNG")
    return target.getvalue()


def made_images() -> list[bytes]:
    """Return two small images of every form, one of them interlaced."""
    made = []
    for seed, (color, depth) in enumerate(FORMS):
        for interlaced in (False, True):
            form = form_of(color, depth, seed, interlaced=interlaced)
            made.append(png_of_samples(random_samples(seed, 9 + seed, 7, form), form))
    return made


def has_samples(folder: Path = SAMPLES) -> bool:
    return folder.exists()
