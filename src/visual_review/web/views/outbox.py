"""What the source host was told of a repository, what waits and what failed; sending again."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.notifying.messages import outbox_counts, outbox_of
from visual_review.kernel.clock import now
from visual_review.repositories.queries import repository_of
from visual_review.web.requests import attempt, caller_of, member

MESSAGES_A_PAGE = 50
STATES = {"": "All", "waiting": "Waiting", "failed": "Failed", "sent": "Sent"}


@require_safe
@member
def outbox(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    state = request.GET.get("state", "")
    # An address somebody typed or kept may name a state that is gone.
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
            "page": Paginator(rows, MESSAGES_A_PAGE).get_page(request.GET.get("page")),
        },
    )


@require_POST
@member
def send_again(request: HttpRequest, repository_id: str, message_id: str) -> HttpResponse:
    payload = {"repoId": repository_id, "messageId": message_id}
    if attempt(request, "send_again", payload) is not None:
        messages.success(
            request, "It is sent again. Load this page in a moment to see how it went."
        )
    return redirect("outbox", repository_id)


@require_POST
@member
def host_settings(request: HttpRequest, repository_id: str) -> HttpResponse:
    payload = {
        "repoId": repository_id,
        "postsComments": "postsComments" in request.POST,
        "commentPictures": "commentPictures" in request.POST,
        "reviewDueStatus": request.POST.get("reviewDueStatus", ""),
    }
    if attempt(request, "set_repo_host", payload) is not None:
        messages.success(request, "What the source host is told was saved.")
    return redirect("repository_settings", repository_id)
