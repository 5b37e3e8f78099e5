"""All addresses of the service."""

from django.urls import URLPattern, URLResolver, include, path

from visual_review.api.blobs import blob
from visual_review.api.shared_images import picture

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("visual_review.api.urls")),
    path(".well-known/", include("visual_review.api.oauth.well_known")),
    path("blobs/<path:key>", blob, name="blob"),
    path("shared-pictures/<str:token>", picture, name="shared_picture"),
    path("", include("visual_review.web.urls")),
]
handler400 = "visual_review.web.errors.bad_request"
handler403 = "visual_review.web.errors.forbidden"
handler404 = "visual_review.web.errors.not_found"
# Looked up by allauth when somebody tries too often.
handler429 = "visual_review.web.errors.too_many"
handler500 = "visual_review.web.errors.server_error"
