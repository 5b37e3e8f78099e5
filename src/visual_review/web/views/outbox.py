"""A repository's notifications to the Git provider: sent, waiting and failed; sending again."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.notifying.messages import outbox_counts, outbox_of
from visual_review.kernel.clock import now
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.requests import caller_of, member_required, try_action

NOTIFICATIONS_PER_PAGE = 50
STATES = {"": "All", "waiting": "Waiting", "failed": "Failed", "sent": "Sent"}


@require_safe
@member_required
def outbox(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    state = request.GET.get("state", "")
    # A typed or bookmarked URL may have an unknown state.
    state = state if state in STATES else ""
    account = repository.host_account
    paused = account.paused_until if account else None
    rows = outbox_of(repository, state).select_related("review_entry__build")
    return render(
        request,
        "web/outbox.html",
        {
            "repository": repository,
            "account": account,
            "paused_until": paused if paused and paused > now() else None,
            "state": state,
            "states": STATES.items(),
            "counts": outbox_counts(repository),
            "page": read_page(request, rows, ("-changed_at", "-id"), NOTIFICATIONS_PER_PAGE),
        },
    )


@require_POST
@member_required
def send_again(request: HttpRequest, repository_id: str, message_id: str) -> HttpResponse:
    payload = {"repoId": repository_id, "messageId": message_id}
    if try_action(request, "send_again", payload) is not None:
        messages.success(
            request,
            "The notification is being sent again. Reload this page in a moment to see the result.",
        )
    return redirect("outbox", repository_id)


@require_POST
@member_required
def host_settings(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = {
        "repoId": repository_id,
        "postsComments": "postsComments" in request.POST,
        "commentPictures": "commentPictures" in request.POST,
        "reviewDueStatus": request.POST.get("reviewDueStatus", ""),
        "allowsSkip": "allowsSkip" in request.POST,
    }
    if try_action(request, "set_repo_host", payload) is not None:
        messages.success(request, "The notification settings were saved.")
    return redirect("repository_settings", repository_id)
