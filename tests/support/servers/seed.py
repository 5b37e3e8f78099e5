"""Fills the service of the environment: ``python -m tests.support.servers.seed``."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "visual_review.config.settings")
django.setup()

from tests.support.personas import make_personas  # noqa: E402 - Models need Django first.
from tests.support.recording_rows import record, store  # noqa: E402
from tests.support.worlds import World  # noqa: E402
from visual_review.builds.images.composites import image_for_reading  # noqa: E402
from visual_review.builds.images.thumbnails import render_missing_thumbnails  # noqa: E402
from visual_review.builds.time_slices import never_end  # noqa: E402
from visual_review.kernel.blobs import blob_store  # noqa: E402

if __name__ == "__main__":
    world = World(make_personas().alice)
    first = world.publish({"button--primary": "red", "card--plain": "blue"})
    shots = {"button--primary": "green", "card--plain": "blue"}
    build = world.publish(shots, "feature", target="main")
    # Waiting jobs would render the same later, while a backup is restored.
    for each in (first, build):
        render_missing_thumbnails(each, never_end)
    shot = world.shot(build, "button--primary")
    # Larger than the part of a file that a backup keeps in memory.
    store(record(world.repository), "video.webm", os.urandom(9 * 1024 * 1024))
    image_for_reading(world.persona.organization.id, shot.id, "composite")
    assert list(blob_store().keys("drawn"))  # Other tests rely on drawn images.
