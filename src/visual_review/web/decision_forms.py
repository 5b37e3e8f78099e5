"""Forms of a build's page without JavaScript, as requests to decide screenshots."""

import uuid
from collections.abc import Mapping
from typing import Any, Final

from django.http import QueryDict

from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.states import (
    APPROVED,
    CLEARED,
    DIFFERENCES,
    REJECTED,
)
from visual_review.kernel.errors import ConflictError, InvalidInputError

GROUP_CHANGED: Final = (
    "Nothing was approved: the build was compared again since this page was loaded, and this group "
    "does not exist any more."
)
GROUP_DECIDED: Final = "Every screenshot of this group is already decided, so nothing changed."
_BUILD: Final[Mapping[str, Mapping[str, Any]]] = {
    "approve_build": {"decision": APPROVED, "build": True},
    "approve_all_screenshots": {"decision": APPROVED, "build": True, "includeUnchanged": True},
    "reject_build": {"decision": REJECTED, "build": True},
}
_STORY: Final = {"approve_story": APPROVED, "reject_story": REJECTED, "clear_story": CLEARED}


def read_build_form(build: Build, form: QueryDict) -> dict[str, Any]:
    """Return what a form about the build, a story or a group asks for.

    Raises InvalidInputError for no operation, ConflictError for a group that cannot be decided.
    """
    operation = form.get("operation", "")
    if operation in _BUILD:
        return dict(_BUILD[operation])
    if operation in _STORY:
        return {"decision": _STORY[operation], "stories": [form.get("storyId", "")]}
    if operation == "approve_group":
        members = _undecided_members(build, form.get("groupId", ""), form.get("revision", ""))
        return {"decision": APPROVED, "screenshots": members}
    raise InvalidInputError("Choose what to do with the build.")


def read_screenshot_form(shot: Screenshot, form: QueryDict) -> dict[str, Any]:
    """Return what a form about a screenshot asks for."""
    # The action refuses other states, and says which there are.
    payload = {"decision": form.get("state", ""), "screenshots": [shot.id]}
    comment = form.get("comment", "").strip()
    return {**payload, "comment": comment} if comment else payload


def complete_payload(
    build: Build, caller_id: str, payload: Mapping[str, Any], form: QueryDict
) -> dict[str, Any]:
    """Add what the reviewer has seen and confirmed, and the id of the request."""
    seen = form.get("seen", "")
    # The same form twice is the same request; after any change the page has another cursor.
    asked = f"{build.id} {caller_id} {seen} {sorted(payload.items())}"
    return {
        **payload,
        "buildId": build.id,
        "requestId": uuid.uuid5(uuid.NAMESPACE_OID, asked).hex,
        "seen": seen,
        "confirmed": form.getlist("confirmed"),
    }


def warn_of_rejected(build: Build, form: QueryDict) -> str:
    """Return the warning that the form's group has rejected screenshots, empty without any."""
    group = form.get("groupId", "") if form.get("operation") == "approve_group" else ""
    rejected = Screenshot.objects.filter(build=build, group=group, review_decision=REJECTED)
    count = rejected.count() if group else 0
    if not count:
        return ""
    left = "1 rejected screenshot" if count == 1 else f"{count:,} rejected screenshots"
    return f"{left} of the group {'was' if count == 1 else 'were'} left as rejected."


def _undecided_members(build: Build, group_id: str, revision: str) -> list[str]:
    """Return the screenshots of the group as it was shown; rejected ones stay rejected."""
    group = ChangeGroup.objects.filter(build=build, pk=group_id, revision=revision)
    if not group.exists():
        raise ConflictError(GROUP_CHANGED)
    members = Screenshot.objects.filter(
        build=build, group=group_id, diff_state__in=DIFFERENCES, review_decision=""
    )
    found = list(members.values_list("pk", flat=True))
    if not found:
        raise ConflictError(GROUP_DECIDED)
    return found
