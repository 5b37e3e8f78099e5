"""Small images in files, for commands that read folders of them."""

from pathlib import Path

from PIL import Image


def draw(
    path: Path,
    *marks: tuple[int, int],
    size: tuple[int, int] = (20, 10),
    lossless: bool = False,
) -> Path:
    """Write a white image with red pixels, in the format of the name; return its path."""
    image = Image.new("RGB", size, "white")
    for mark in marks:
        image.putpixel(mark, (255, 0, 0))
    path.parent.mkdir(parents=True, exist_ok=True)
    if lossless:
        image.save(path, lossless=True)
    else:
        image.save(path)
    return path
