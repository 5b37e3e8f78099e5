"""All URLs of the service."""

from django.urls import URLPattern, URLResolver, include, path

from visual_review.api.blobs import serve_blob
from visual_review.api.security_txt import security_txt
from visual_review.api.shared_images import serve_shared_image

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("visual_review.api.urls")),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path(".well-known/", include("visual_review.api.oauth.well_known")),
    path("blobs/<path:key>", serve_blob, name="blob"),
    path("shared-pictures/<str:token>", serve_shared_image, name="shared_picture"),
    path("", include("visual_review.web.urls")),
]
handler400 = "visual_review.config.error_views.bad_request"
handler403 = "visual_review.web.errors.forbidden"
handler404 = "visual_review.config.error_views.not_found"
# Used by allauth when a rate limit is exceeded.
handler429 = "visual_review.web.errors.too_many_requests"
handler500 = "visual_review.config.error_views.server_error"
