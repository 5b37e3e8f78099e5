"""The caller as one who fetches images."""

from visual_review.accounts.callers import Caller
from visual_review.builds.reviewing.image_views import Viewer


def viewer_of(caller: Caller) -> Viewer:
    """Return who fetches images: the key or grant, so that no other program of a user counts."""
    found = caller.key_id or caller.grant_id or caller.id
    return Viewer(found, caller.client, caller.client_version)
