"""URLs of images, thumbnails, events and the client, and of the next build to review."""

from django.urls import path

from visual_review.web.views import client, events, images, next_build

urlpatterns = [
    path(
        "repositories/<str:repository_id>/images/<str:sha256>.png",
        images.repository_image,
        name="repository_image",
    ),
    path(
        "repositories/<str:repository_id>/diffs/<str:key>.png",
        images.repository_diff,
        name="repository_diff",
    ),
    path("builds/<str:build_id>/thumbnails", images.thumbnails, name="build_thumbnails"),
    path("builds/<str:build_id>/events", events.build_events, name="build_events"),
    path("client/", client.client, name="client"),
    path("client/simple/visual-review/", client.simple_index, name="client_simple"),
    path("client/<str:name>", client.client_file, name="client_file"),
    path("next-build", next_build.next_build, name="next_build"),
]
