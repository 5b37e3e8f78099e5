"""Mail to members about events concerning them: the recipients, and the text of a mail."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core import signing

from visual_review.accounts.models import User
from visual_review.kernel.errors import NotFoundError
from visual_review.messages.event_types import (
    BUILD_DECIDED,
    BUILD_NEEDS_REVIEW,
    COMMENT_CREATED,
    MAIL_TYPES,
    REVIEW_REQUESTED,
    STORAGE_LOW,
)
from visual_review.messages.formats import describe_build
from visual_review.messages.models import Channel, Event

MAIL: Final = "mail"
DIGEST_HOUR_UTC: Final = 7
TEXT_LENGTH: Final = 1000
SALT: Final = "mail.unsubscribe"
LINK_UNKNOWN: Final = (
    "This link is not valid. Sign in and choose what you get mail about under 'Your account'."
)


def find_mailboxes(organization_id: str, people: Mapping[str, str]) -> list[Channel]:
    """Return the mailboxes of the users in ``people`` who want their kind of mail.

    Only members have a mailbox, created with the first event; without a mail server, no one has.
    """
    if not people or not settings.EMAIL_CONFIGURED:
        return []
    members = User.objects.filter(
        pk__in=people, is_active=True, memberships__organization=organization_id
    )
    boxes = [mailbox_of(organization_id, user) for user in members]
    return [each for each in boxes if people[each.user_id or ""] in each.types]


def mailbox_of(organization_id: str, user: User) -> Channel:
    """Return the mailbox of a member, at first with all kinds of mail at once."""
    values = {"kind": MAIL, "types": list(MAIL_TYPES)}
    row, _ = Channel.objects.get_or_create(
        organization_id=organization_id, user=user, defaults=values
    )
    return row


def next_digest(moment: datetime) -> datetime:
    """Return when the next daily digest is sent."""
    today = moment.replace(hour=DIGEST_HOUR_UTC, minute=0, second=0, microsecond=0)
    return today if moment < today else today + timedelta(days=1)


def unsubscribe_token(channel: Channel) -> str:
    """Return the identification of a mailbox for the link in a mail, without expiry."""
    return signing.dumps(channel.pk, salt=SALT)


def unsubscribed_mailbox(token: str) -> Channel:
    """Return the mailbox of a link; raises NotFoundError for a link not made by us."""
    try:
        row = Channel.objects.filter(pk=signing.loads(token, salt=SALT)).first()
    except signing.BadSignature as error:
        raise NotFoundError(LINK_UNKNOWN) from error
    if row is None or row.user is None:
        raise NotFoundError(LINK_UNKNOWN)
    return row


def write_mail(events: Iterable[Event]) -> tuple[str, str]:
    """Return the subject and the text of one mail about all of the events, oldest first; pure."""
    parts = [_describe(event.type, event.data) for event in events]
    subject = parts[0][0] if len(parts) == 1 else f"{len(parts)} messages"
    text = "\n\n".join("\n".join(line for line in part if line) for part in parts)
    # A header is one line, whatever a branch or a person is called.
    return f"[Visual Review] {' '.join(subject.split())}"[:200], text


def _describe(kind: str, data: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the event in a few words, more about the event, and a URL to see more."""
    if kind == STORAGE_LOW:
        return "The storage is nearly full", str(data["text"]), str(data["url"])
    build, line = describe_build(data)
    comment = data.get("comment", {})
    headlines = {
        REVIEW_REQUESTED: f"{data.get('requestedBy') or 'CI'} asks for a review of {build}",
        BUILD_NEEDS_REVIEW: f"{build} needs your review",
        BUILD_DECIDED: f"{build} is {data['reviewState']}, by {data['decidedBy']}",
        COMMENT_CREATED: f"{comment.get('by')} commented on {comment.get('storyId')} in {build}",
    }
    return headlines[kind], str(comment.get("text", line))[:TEXT_LENGTH], str(data["url"])
