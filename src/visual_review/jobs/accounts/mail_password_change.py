"""Mails a person about the changed password, in case someone else changed the password."""

from datetime import datetime

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.accounts.links import access_link, forgotten_password_link
from visual_review.accounts.models import User
from visual_review.accounts.users import CHANGED_MAIL

# About six hours in all: the mail is a warning, and still useful after an outage.
RETRY = RetryStrategy(max_attempts=8, exponential_wait=4, retry_exceptions=[OSError])
TEXT = "web/email/password_changed.txt"
SUBJECT = "[Visual Review] Your password was changed"


@app.task(name=CHANGED_MAIL, queue="upkeep", retry=RETRY)
def mail_password_change(user_id: str, changed_at: str) -> None:
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return
    context = {
        "email": user.email,
        "service": settings.PUBLIC_URL,
        "moment": f"{datetime.fromisoformat(changed_at):%-d %B %Y, %H:%M} UTC",
        "access_link": access_link(),
        "password_link": forgotten_password_link(),
    }
    send_mail(SUBJECT, render_to_string(TEXT, context), None, [user.email])
