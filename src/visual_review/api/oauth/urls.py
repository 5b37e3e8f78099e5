"""The URLs below ``/api/oauth/``; the page for people is ``/oauth/authorize``."""

from django.urls import path

from visual_review.api.oauth import endpoint

urlpatterns = [
    path("register", endpoint.register, name="oauth-register"),
    path("token", endpoint.token, name="oauth-token"),
    path("revoke", endpoint.revoke, name="oauth-revoke"),
]
