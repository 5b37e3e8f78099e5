"""Notifications to the Git provider and failed jobs, and sending or running them again."""

from collections.abc import Mapping
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.notifying.outbox import outbox_counts, outbox_of
from visual_review.kernel.clock import now
from visual_review.repositories.failed_jobs import list_failed_jobs
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.requests import caller_of, member_required, require_manager, try_action

NOTIFICATIONS_PER_PAGE = 50
STATES = {"": "All", "waiting": "Waiting", "failed": "Failed", "sent": "Sent"}
MOST_LISTED: Final = 200
TITLES: Final[Mapping[str, str]] = {
    "ask_pull_request": "Refresh a pull request",
    "ask_repository": "Refresh a repository",
    "carry_to_target": "Carry approvals over after a merge",
    "check_access": "Check access at the sign-in provider",
    "check_branches": "Ask the Git provider for branches",
    "compare_build": "Compare a build",
    "delete_baseline": "Delete the baseline of a branch",
    "deliver_messages": "Deliver messages",
    "deliver_messages_later": "Deliver messages",
    "delete_drawn_pictures": "Delete rendered images",
    "delete_expired_builds": "Delete expired builds",
    "delete_recording": "Delete a recording",
    "delete_unused_images": "Delete unused images",
    "handle_delivery": "Handle a webhook delivery",
    "link_repositories": "Link repositories to the Git provider",
    "measure_storage": "Measure storage use",
    "process_build": "Process a build",
    "process_recording": "Process a recording",
    "remove_repository": "Delete a repository",
    "render_thumbnails": "Render thumbnails",
    "request_owners": "Request reviews from owners",
    "sweep_unused_images": "Find unused images",
    "tell_host": "Notify the Git provider",
    "tell_host_later": "Notify the Git provider",
}


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


@require_safe
@member_required
def failed_jobs(request: HttpRequest) -> HttpResponse:
    caller = require_manager(request)
    found = list_failed_jobs(caller.organization_id, MOST_LISTED + 1)
    jobs = [(TITLES.get(job.name, job.name), job) for job in found[:MOST_LISTED]]
    context = {"jobs": jobs, "has_more": len(found) > MOST_LISTED}
    return render(request, "web/failed_jobs.html", context)


@require_POST
@member_required
def run_again(request: HttpRequest, job_id: int) -> HttpResponse:
    if try_action(request, "run_job_again", {"jobId": job_id}) is not None:
        messages.success(
            request, "The job runs again. If the job fails again, the job is listed here again."
        )
    return redirect("failed_jobs")
