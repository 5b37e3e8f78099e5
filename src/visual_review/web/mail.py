"""Mail that pages send. It is sent after the transaction, never within."""

import logging

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

_log = logging.getLogger(__name__)


def send_invitation(address: str, organization: str, inviter: str, link: str) -> bool:
    """Whether the invitation was handed to the mail server; False without one."""
    if not settings.EMAIL_CONFIGURED:
        return False
    context = {"organization": organization, "inviter": inviter, "link": link}
    text = render_to_string("web/email/invitation.txt", context)
    # A header has one line.
    subject = " ".join(f"Invitation to {organization} on Visual Review".split())
    try:
        send_mail(subject, text, None, [address])
    # The invitation stands without the mail: the page shows its link to be handed on.
    except OSError as error:
        _log.warning("An invitation could not be mailed: %s", error)
        return False
    return True
