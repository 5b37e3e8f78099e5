"""The URLs below ``/api/oauth/``; the page for people is ``/oauth/authorize``."""

from django.urls import path

from visual_review.api.oauth import register, tokens

urlpatterns = [
    path("register", register.register, name="oauth-register"),
    path("token", tokens.token, name="oauth-token"),
    path("revoke", tokens.revoke, name="oauth-revoke"),
]
