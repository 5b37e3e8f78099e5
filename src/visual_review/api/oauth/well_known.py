"""The URLs below ``/.well-known/``."""

from django.urls import path

from visual_review.api.oauth import metadata

urlpatterns = [
    path("oauth-protected-resource", metadata.protected_resource),
    path("oauth-protected-resource/api/mcp", metadata.protected_resource, name="oauth-resource"),
    path("oauth-authorization-server", metadata.authorization_server, name="oauth-server"),
]
