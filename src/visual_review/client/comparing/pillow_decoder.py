"""Decode JPEG and WebP with Pillow."""

import io

from PIL import Image, UnidentifiedImageError

from visual_review.client.comparing.other_formats import check_size
from visual_review.imagediff import BrokenImageError, Limits


def decode_to_png(data: bytes, form: str, limits: Limits) -> bytes:
    """Return the pixels of a JPEG or WebP as an uncompressed PNG; of an animation, the first frame.

    Color profiles and orientation are ignored, as they are in a PNG. Raises ImageError.
    """
    try:
        with Image.open(io.BytesIO(data), formats=(form,)) as image:
            check_size(*image.size, limits)
            has_alpha = "A" in image.getbands()
            pixels = image.convert("RGBA" if has_alpha else "RGB")
    except UnidentifiedImageError as error:
        raise BrokenImageError(f"the {form} is damaged") from error
    # Pillow's plugins raise these for files that are damaged or truncated.
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise BrokenImageError(f"the {form} is damaged: {error}") from error
    target = io.BytesIO()
    # Compressing would take longer than decoding it again saves.
    pixels.save(target, "PNG", compress_level=0)
    return target.getvalue()
