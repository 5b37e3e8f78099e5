"""Mails a link to choose a new password.

A job, so that the request takes equally long for mail addresses without an account. The job creates
the link, so the queue never stores the link.
"""

from django.core.mail import send_mail
from django.template.loader import render_to_string
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.accounts.links import password_link, password_token
from visual_review.accounts.models import User
from visual_review.accounts.users import FORGOTTEN_MAIL

# About twenty minutes in all: later, people have requested another link.
RETRY = RetryStrategy(max_attempts=5, exponential_wait=4, retry_exceptions=[OSError])
TEXT = "account/email/password_reset_key_message.txt"
SUBJECT = "[Visual Review] Choose a new password"


@app.task(name=FORGOTTEN_MAIL, queue="upkeep", retry=RETRY)
def mail_password_link(user_id: str) -> None:
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None:
        return
    link = password_link(user.id, password_token(user))
    text = render_to_string(TEXT, {"email": user.email, "password_reset_url": link})
    send_mail(SUBJECT, text, None, [user.email])
