"""Which story and variant an image file shows, by its name; pure."""

from visual_review.client.image_names.mapping import (
    NamedImage,
    NameMapping,
    Naming,
    NamingError,
    map_names,
)

__all__ = ["NameMapping", "NamedImage", "Naming", "NamingError", "map_names"]
