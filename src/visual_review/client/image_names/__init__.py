"""The story and the variant of an image file, by the file's name; pure."""

from visual_review.client.image_names.mapping import (
    NamedImage,
    NameMapping,
    NamingError,
    NamingOptions,
    map_names,
)

__all__ = ["NameMapping", "NamedImage", "NamingError", "NamingOptions", "map_names"]
