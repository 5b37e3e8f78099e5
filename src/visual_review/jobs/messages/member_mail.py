"""Sends the waiting events of one member's mailbox as one mail."""

import logging
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Q

from visual_review.accounts.models import Membership, User
from visual_review.kernel.clock import now
from visual_review.kernel.connections import release_connection
from visual_review.messages.events import SENT, WAITING
from visual_review.messages.mailboxes import unsubscribe_token, write_mail
from visual_review.messages.models import Channel, Delivery

MOST_EVENTS: Final = 100

logger = logging.getLogger(__name__)


def send_mail_to(channel: Channel, user: User) -> bool:
    """Send one mail with all due events; return False if the mail server did not accept the mail.

    Someone who is not a member any more gets nothing. Mail waits while no server is configured.
    """
    waiting = Delivery.objects.filter(channel=channel, state=WAITING)
    members = Membership.objects.filter(organization=channel.organization_id, user=user)
    if not user.is_active or not members.exists():
        waiting.delete()
        return True
    due = Q(next_try_at=None) | Q(next_try_at__lte=now())
    deliveries = list(waiting.filter(due).select_related("event").order_by("event")[:MOST_EVENTS])
    if not deliveries:
        return True
    if not settings.EMAIL_CONFIGURED:
        return False
    message = _compose(channel, user, deliveries)
    rows = Delivery.objects.filter(pk__in=[each.pk for each in deliveries])
    release_connection()
    try:
        message.send()
    except OSError as error:
        logger.warning("mail to %s could not be sent: %s", channel.pk, error)
        rows.update(failure=str(error))
        return False
    rows.update(state=SENT, sent_at=now(), failure="")
    Channel.objects.filter(pk=channel.pk).update(failures=0, retry_at=None)
    channel.failures, channel.retry_at = 0, None
    return True


def _compose(channel: Channel, user: User, deliveries: list[Delivery]) -> EmailMessage:
    subject, text = write_mail([each.event for each in deliveries])
    unsubscribe = f"{settings.PUBLIC_URL}/account/mail/{unsubscribe_token(channel)}"
    footer = (
        f"You get this mail as a member of {channel.organization.name}. Choose what you get mail "
        f"about: {settings.PUBLIC_URL}/account/mail\nNo more mail like this: {unsubscribe}"
    )
    # Of RFC 8058: mail programs unsubscribe with one request, without a page.
    headers = {
        "List-Unsubscribe": f"<{unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(subject, f"{text}\n\n-- \n{footer}\n", None, [user.email], headers=headers)
