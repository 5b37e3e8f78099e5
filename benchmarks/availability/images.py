"""Folders of screenshots to publish."""

import random
from pathlib import Path

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 390, 300


def write_screenshots(folder: Path, count: int, seed: int) -> Path:
    """Write ``count`` different PNG files, named as stories in one variant; return the folder."""
    folder.mkdir(parents=True)
    numbers = random.Random(seed)
    for index in range(count):
        pixels = np.full((HEIGHT, WIDTH, 3), 245, dtype=np.uint8)
        for _ in range(12):
            top, left = numbers.randrange(HEIGHT - 40), numbers.randrange(WIDTH - 80)
            color = [numbers.randrange(256) for _ in range(3)]
            pixels[top : top + 40, left : left + 80] = color
        Image.fromarray(pixels).save(folder / f"card--state-{index}--light-phone.png")
    return folder
