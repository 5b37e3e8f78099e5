"""The story and the variant of an image file, by the file's name; pure."""

from visual_review.client.image_names.mapping import (
    NamedImage,
    NameMapping,
    Naming,
    NamingError,
    map_names,
)

__all__ = ["NameMapping", "NamedImage", "Naming", "NamingError", "map_names"]
