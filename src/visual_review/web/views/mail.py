"""The user's choice of mails, and the link for unsubscribing in each mail."""

from typing import Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from visual_review.accounts.callers import caller_of_user
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.kernel.errors import UnauthenticatedError
from visual_review.messages.event_types import MAIL_TYPES
from visual_review.messages.mailboxes import mailbox_of, unsubscribed_mailbox
from visual_review.web.requests import (
    caller_of,
    member_required,
    public_page,
    run_action,
    user_of,
)

AT_ONCE, DAILY = "at_once", "daily"
WHEN: Final = ((AT_ONCE, "At once"), (DAILY, "Once a day, in the morning (7:00 UTC)"))


class MailForm(forms.Form):
    types = forms.MultipleChoiceField(
        label="About",
        choices=[*MAIL_TYPES.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    when = forms.ChoiceField(label="When", choices=WHEN, widget=forms.RadioSelect)


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
def mail(request: HttpRequest) -> HttpResponse:
    box = mailbox_of(caller_of(request).organization_id, user_of(request))
    initial = {"types": box.types, "when": DAILY if box.is_digest else AT_ONCE}
    form = MailForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        payload = {"types": chosen["types"], "isDigest": chosen["when"] == DAILY}
        run_action(request, "set_mail", payload)
        messages.success(request, "Your choice was saved.")
        return redirect("mail")
    context = {"form": form, "is_configured": settings.EMAIL_CONFIGURED}
    return render(request, "web/mail.html", context, status=400 if form.errors else 200)


# Mail programs send the request of RFC 8058 without a session; the token says whose mail ends.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@public_page
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    box = unsubscribed_mailbox(token)
    if request.method == "POST" and box.user is not None:
        try:
            caller = caller_of_user(box.user, box.organization_id, "web")
            dispatch(any_action("set_mail"), caller, {"types": [], "isDigest": box.is_digest})
        # A former member gets no mail anyway.
        except UnauthenticatedError:
            box.delete()
    context = {"is_done": request.method == "POST", "name": box.organization.name}
    return render(request, "web/mail_unsubscribe.html", context)
