"""Channels for events, and the messages sent to the channels."""

from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from visual_review.messages.channels import channel_of, shared_channels
from visual_review.messages.event_types import TYPES
from visual_review.messages.events import WAITING
from visual_review.messages.formats import KINDS, WEBHOOK
from visual_review.messages.models import Delivery
from visual_review.repositories.models import Repository
from visual_review.repositories.names import BRANCH_LENGTH
from visual_review.repositories.queries import repositories_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.forms.problems import FORM_ERRORS, add_form_errors
from visual_review.web.requests import (
    member_required,
    require_manager,
    run_action,
    try_action,
)
from visual_review.web.security import secret_page

DELIVERIES_PER_PAGE: Final = 50
DONE: Final = {"remove": "The channel was removed.", "resume": "What waits is sent now."}


class ChannelForm(forms.Form):
    kind = forms.ChoiceField(label="Send to", choices=[*KINDS.items()], initial=WEBHOOK)
    url = forms.CharField(
        label="URL",
        max_length=2000,
        help_text="Of your receiver, or the incoming webhook URL that Slack or Teams shows.",
    )
    types = forms.MultipleChoiceField(
        label="Events",
        choices=[*TYPES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Chats get the first two only.",
    )
    repository = forms.ModelChoiceField(
        Repository.objects.none(), required=False, empty_label="All repositories"
    )
    branch = forms.CharField(
        required=False,
        max_length=BRANCH_LENGTH,
        help_text="A name, or a pattern such as release/*; empty for all branches.",
    )

    def __init__(self, organization_id: str, data: Any = None) -> None:  # noqa: ANN401 - As Django's.
        super().__init__(data)
        field = cast("forms.ModelChoiceField[Repository]", self.fields["repository"])
        field.queryset = repositories_of(organization_id)

    def payload(self) -> dict[str, Any]:
        values = self.cleaned_data
        repository: Repository | None = values["repository"]
        return {
            **{name: values[name] for name in ("kind", "url", "types", "branch")},
            "repositoryId": repository.pk if repository else "",
        }


@require_http_methods(["GET", "HEAD", "POST"])
@secret_page
@member_required
def channels(request: HttpRequest) -> HttpResponse:
    organization_id = require_manager(request).organization_id
    form = ChannelForm(organization_id, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            created = run_action(request, "create_channel", form.payload())
        except FORM_ERRORS as error:
            add_form_errors(form, error)
        else:
            messages.success(request, "The channel was created.")
            return _show_secret(request, created.secret) if created.secret else redirect("channels")
    waiting = Count("deliveries", filter=Q(deliveries__state=WAITING))
    rows = shared_channels(organization_id).annotate(waiting=waiting)
    context = {
        "channels": rows.order_by("created_at"),
        "form": form,
        "kinds": KINDS,
        "types": TYPES,
    }
    return render(request, "web/channel_list.html", context, status=400 if form.errors else 200)


@require_safe
@member_required
def deliveries(request: HttpRequest, channel_id: str) -> HttpResponse:
    channel = channel_of(require_manager(request).organization_id, channel_id)
    rows = Delivery.objects.filter(channel=channel).select_related("event")
    page = read_page(request, rows, ("-event_id",), DELIVERIES_PER_PAGE)
    return render(request, "web/channel.html", {"channel": channel, "page": page, "kinds": KINDS})


@require_POST
@secret_page
@member_required
def change_channel(request: HttpRequest, channel_id: str) -> HttpResponse:
    operation = request.POST.get("operation", "")
    payload = {"channelId": channel_id, "operation": operation}
    changed = try_action(request, "change_channel", payload)
    if changed is not None and changed.secret:
        return _show_secret(request, changed.secret)
    if changed is not None:
        messages.success(request, DONE[operation])
    return redirect("channels")


@require_POST
@member_required
def send_event_again(request: HttpRequest, delivery_id: int) -> HttpResponse:
    sent = try_action(request, "send_event_again", {"deliveryId": delivery_id})
    if sent is None:
        return redirect("channels")
    messages.success(request, "The event is sent again.")
    return redirect("channel", sent.channel_id)


def _show_secret(request: HttpRequest, secret: str) -> HttpResponse:
    return render(request, "web/channel_secret.html", {"secret": secret})
