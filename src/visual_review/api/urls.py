"""The URLs of the APIs, below ``/api/``."""

from django.urls import URLPattern, URLResolver, include, path

from visual_review.api.audit import export_audit
from visual_review.api.openapi import openapi_document
from visual_review.api.rest import call_action

urlpatterns: list[URLPattern | URLResolver] = [
    path("ci/", include("visual_review.api.ci.urls")),
    path("webhooks/", include("visual_review.api.webhooks.urls")),
    path("oauth/", include("visual_review.api.oauth.urls")),
    path("audit.jsonl", export_audit, name="audit_export"),
    path("openapi.json", openapi_document, name="openapi"),
    # The rest of the path is any action's name, so the caller is checked before the name.
    path("rest/actions/<path:name>", call_action, name="rest-action"),
]
