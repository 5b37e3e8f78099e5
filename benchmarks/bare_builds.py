"""``list_builds`` as a program of one endpoint has it: key check, one more query, and a dictionary.

The view uses none of the service's actions, schemas or encoders, and returns the same JSON. The
module also has the URLs of the web process in which the view runs next to the service's own.
"""

import json
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db.models import F, FilteredRelation, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from visual_review.accounts.models import ApiKey
from visual_review.accounts.permissions import BUILDS_VIEW, permissions_of
from visual_review.accounts.secrets import digest
from visual_review.builds.models import Build
from visual_review.repositories.models import Repository

# Below ``/api/``, where programs call Django.
PATH = "/api/bare/list_builds"
PUBLISHED = ("processing", "completed", "failed")
COLUMNS = (
    *("id", "number", "product__key", "branch", "head_repository", "commit", "pull_request"),
    *("status", "changed_count", "new_count", "removed_count", "review_state"),
    *("decided_by_name", "decided_client", "decided_at", "decision_source"),
    *("superseded_by_id", "created_at"),
)


class RefusedError(Exception):
    """The credential is not valid, or does not permit the call."""


class MissingError(Exception):
    """There is no such repository in the organization of the key."""


def list_builds(authorization: str, body: bytes) -> dict[str, Any]:
    """Return the JSON of ``list_builds`` over REST. Raises RefusedError or MissingError."""
    organization = _organization_of(authorization.removeprefix("Bearer "))
    values = json.loads(body)
    repository = Repository.objects.filter(
        organization_id=organization, removed_at=None, pk=values["repoId"]
    )
    limit = values.get("limit", 25)
    rows = list(
        Build.objects.filter(
            repository__organization_id=organization,
            repository__removed_at=None,
            repository_id=values["repoId"],
            status__in=PUBLISHED,
        )
        .order_by("-number")
        # One more row says whether there are more.
        .values(*COLUMNS)[: limit + 1]
    )
    if not rows and not repository.exists():
        raise MissingError
    builds = [_describe(row) for row in rows[:limit]]
    return {"result": {"builds": builds, "more": len(rows) > limit}}


def _organization_of(key: str) -> str:
    same_organization = Q(user__memberships__organization=F("organization"))
    row = (
        ApiKey.objects.annotate(
            membership=FilteredRelation("user__memberships", condition=same_organization)
        )
        .filter(secret_hash=digest(key))
        .values(
            *("organization_id", "permissions", "revoked_at", "expires_at", "user_id"),
            *("user__is_active", "membership__role"),
        )
        .first()
    )
    if row is None or row["revoked_at"] is not None:
        raise RefusedError
    if row["expires_at"] is not None and row["expires_at"] <= datetime.now(UTC):
        raise RefusedError
    if BUILDS_VIEW not in _permissions(row):
        raise RefusedError
    return str(row["organization_id"])


def _permissions(row: dict[str, Any]) -> frozenset[str]:
    held = frozenset(row["permissions"])
    if row["user_id"] is None:
        return held
    if not row["user__is_active"] or row["membership__role"] is None:
        return frozenset()
    allowed = permissions_of(row["membership__role"])
    return allowed & held if held else allowed


def _describe(row: dict[str, Any]) -> dict[str, Any]:
    decided = None
    if row["decided_at"] is not None and row["decision_source"]:
        decided = {
            "name": row["decided_by_name"],
            "at": _format_time(row["decided_at"]),
            "source": row["decision_source"],
            "client": row["decided_client"] or None,
        }
    return {
        "id": row["id"],
        "number": row["number"],
        "productKey": row["product__key"],
        "branch": row["branch"],
        "headRepository": row["head_repository"] or None,
        "commit": row["commit"],
        "pullRequest": row["pull_request"],
        "status": row["status"],
        "diffCount": row["changed_count"] + row["new_count"] + row["removed_count"],
        "reviewState": row["review_state"],
        "decided": decided,
        "supersededBy": row["superseded_by_id"],
        "createdAt": _format_time(row["created_at"]),
        "url": f"{settings.PUBLIC_URL}/builds/{row['id']}",
    }


def _format_time(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


@csrf_exempt
@require_POST
def list_builds_view(request: HttpRequest) -> HttpResponse:
    try:
        return JsonResponse(list_builds(request.headers.get("Authorization", ""), request.body))
    except RefusedError:
        return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    except MissingError:
        return HttpResponse(status=HTTPStatus.NOT_FOUND)


urlpatterns = [
    path(PATH.removeprefix("/"), list_builds_view),
    path("", include("visual_review.config.urls")),
]
