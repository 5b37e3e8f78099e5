"""The URLs below ``/.well-known/``."""

from django.urls import path

from visual_review.api.oauth import endpoint

urlpatterns = [
    path("oauth-protected-resource", endpoint.protected_resource),
    path("oauth-protected-resource/api/mcp", endpoint.protected_resource, name="oauth-resource"),
    path("oauth-authorization-server", endpoint.authorization_server, name="oauth-server"),
]
