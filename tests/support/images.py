"""Builds with images of realistic sizes; those of ``worlds`` have four pixels a side."""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from PIL import Image as PILImage
from PIL import ImageDraw

from tests.support.worlds import World, sha256
from visual_review.builds.images.keys import image_key
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.requests import AnnouncedShot
from visual_review.builds.variants import Variant
from visual_review.imagediff import hash_pixels
from visual_review.kernel.blobs import blob_store


def encode_png(image: PILImage.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def page(width: int, height: int, mark: str = "", at: tuple[int, int] = (60, 40)) -> bytes:
    """Return a white page with lines of text and, if ``mark`` is a color, a 40 x 20 button."""
    image = PILImage.new("RGB", (width, height), "white")
    brush = ImageDraw.Draw(image)
    for top in range(8, height - 16, 24):
        brush.text((12, top), f"Line {top} of a page", "black")
    if mark:
        brush.rectangle((*at, at[0] + 39, at[1] + 19), mark)
    return encode_png(image)


def noise(width: int, height: int, seed: int = 1) -> bytes:
    """Return an image that compresses badly."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return encode_png(PILImage.fromarray(pixels))


@dataclass
class ImageWorld(World):
    """A world whose shots are given images instead of colors."""

    images: dict[str, bytes] = field(default_factory=dict)

    def show(self, shots: Mapping[str, bytes], branch: str = "main", **order: object) -> Build:
        """Publish and compare a build of these images, by story."""
        names = {story: sha256(data) for story, data in shots.items()}
        self.images |= {names[story]: data for story, data in shots.items()}
        return self.publish(names, branch, **order)  # type: ignore[arg-type]

    def pair(self, before: bytes, after: bytes, story: str = "a") -> Screenshot:
        """Publish a story that is ``before`` in the approved baseline and ``after`` now."""
        self.act("approve_build", buildId=self.show({story: before}).id)
        return self.shot(self.show({story: after}), story)

    def _store(self, colors: Iterable[str]) -> None:
        super()._store(color for color in colors if color not in self.images)

    def _announce(self, story: str, color: str, variant: Variant) -> AnnouncedShot:
        data = self.images.get(color)
        if data is None:
            return super()._announce(story, color, variant)
        row = self._image(data)
        return AnnouncedShot(
            story_id=story,
            title=f"Title of {story}",
            theme=variant.theme,
            device=variant.device,
            sha256=row.sha256,
            width=row.width,
            height=row.height,
        )

    def _image(self, data: bytes) -> Image:
        verified = hash_pixels(data)
        row, made = Image.objects.get_or_create(
            organization=self.persona.organization,
            sha256=sha256(data),
            defaults={
                "pixels_sha256": verified.pixels_sha256,
                "width": verified.width,
                "height": verified.height,
                "size": len(data),
            },
        )
        if made:
            blob_store().put(image_key(row), data)
        return row
