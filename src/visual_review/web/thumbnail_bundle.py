"""The format of several thumbnails in one response; pure.

Four bytes with the length of a JSON list (big-endian), the list of ``[screenshot id, bytes]``, and
the WebP files in the list's order. Zero bytes: there is no thumbnail yet, or never.
"""

import json
from collections.abc import Sequence
from typing import Final

from visual_review.builds.images.thumbnail_files import Thumbnail

MEDIA_TYPE: Final = "application/vnd.visual-review.thumbnails"
CACHE_CONTROL: Final = "private, max-age=86400"


def pack_thumbnails(thumbnails: Sequence[Thumbnail]) -> bytes:
    """Return the body of a response with the thumbnails."""
    sizes = [[each.screenshot_id, len(each.data)] for each in thumbnails]
    head = json.dumps(sizes, separators=(",", ":")).encode()
    return b"".join((len(head).to_bytes(4), head, *(each.data for each in thumbnails)))
