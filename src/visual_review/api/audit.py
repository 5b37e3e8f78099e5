"""``GET /api/audit.jsonl``: the audit log for other systems, by a key with a permission of its own."""

import json

from django.http import HttpRequest, HttpResponse

from visual_review.accounts.callers import KEY_INVALID, caller_of_key
from visual_review.accounts.permissions import AUDIT_VIEW
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import api_endpoint
from visual_review.audit.queries import MOST_EXPORTED, EntryFilter, entry_as_json, find_entries
from visual_review.kernel.errors import ForbiddenError, InvalidInputError

LARGEST_ID = 2**63 - 1
NEEDS_PERMISSION = (
    f"The key lacks the permission '{AUDIT_VIEW}'. An admin can create a key that has it: it is "
    "never a part of a role's permissions."
)


@api_endpoint("GET")
def export_audit(request: HttpRequest) -> HttpResponse:
    """Return the entries after the one with the id ``after``, oldest first, one JSON in a line.

    A response has at most ``MOST_EXPORTED`` entries; the next one begins after the last id.
    """
    key = bearer_of(request.headers, KEY_INVALID)
    with wrong_credentials_limited(request.META.get("REMOTE_ADDR", "")):
        caller = caller_of_key(key, "rest")
    if not caller.may(AUDIT_VIEW):
        raise ForbiddenError(NEEDS_PERMISSION)
    rows = find_entries(caller.organization_id, EntryFilter()).filter(pk__gt=_after(request))
    lines = [json.dumps(entry_as_json(row)) for row in rows.order_by("pk")[:MOST_EXPORTED]]
    body = "".join(f"{line}\n" for line in lines)
    response = HttpResponse(body, content_type="application/jsonl")
    response["Cache-Control"] = "no-store"
    return response


def _after(request: HttpRequest) -> int:
    text = request.GET.get("after", "0")
    is_id = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
    if not is_id or int(text) > LARGEST_ID:
        message = "is not the id of an entry: send the id of the last entry that you have"
        raise InvalidInputError(f"'after' {message}.", [("/after", message)])
    return int(text)
