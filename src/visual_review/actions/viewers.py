"""The caller as one who fetches images."""

from visual_review.accounts.callers import Caller
from visual_review.builds.images.composites import ReadableImage, Side
from visual_review.builds.models import Screenshot
from visual_review.builds.reviewing.evidence import View, ViewedSide, Viewer, record_views


def viewer_of(caller: Caller) -> Viewer:
    """Return who fetches images: the key or grant, so that no other program of a user counts."""
    found = caller.key_id or caller.grant_id or caller.id
    return Viewer(found, caller.client, caller.client_version)


def record_view(caller: Caller, shot: Screenshot, form: Side, image: ReadableImage) -> None:
    """Record one image of a screenshot as shown to the caller."""
    view = View(shot, form, min(1.0, image.scale), visible_sides(image), image.parts)
    record_views(viewer_of(caller), [view])


def visible_sides(image: ReadableImage) -> list[ViewedSide]:
    """Return the sides shown by the image; a difference alone shows neither."""
    return [side for side in image.sides if side != "diff"]
