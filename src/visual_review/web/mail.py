"""Sends the e-mails of pages, always after the transaction."""

import logging

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

_log = logging.getLogger(__name__)


def send_invitation(email: str, organization: str, inviter: str, link: str) -> bool:
    """Send the invitation; return False if no mail server accepts the mail."""
    if not settings.EMAIL_CONFIGURED:
        return False
    context = {"organization": organization, "inviter": inviter, "link": link}
    text = render_to_string("web/email/invitation.txt", context)
    # A header must be one line.
    subject = " ".join(f"Invitation to {organization} on Visual Review".split())
    try:
        send_mail(subject, text, None, [email])
    # The invitation is valid without the e-mail: the page shows its link.
    except OSError as error:
        _log.warning("An invitation could not be sent by e-mail: %s", error)
        return False
    return True
