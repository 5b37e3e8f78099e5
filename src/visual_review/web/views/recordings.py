"""The recordings of a repository, the player, and their buttons."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.recordings.enrollment import enrollment_of
from visual_review.recordings.links import files_of
from visual_review.recordings.queries import recording_of
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.durations import format_duration
from visual_review.web.forms.recordings import RecordingFilters
from visual_review.web.recording_list import RECORDINGS_PER_PAGE, create_cards, filter_recordings
from visual_review.web.recording_page import download_name, list_builds, list_steps
from visual_review.web.requests import caller_of, member_required, run_action, try_action

ENROLLMENT_ACTIONS = {"enable": "enable_recordings", "disable": "disable_recordings"}


@require_safe
@member_required
def recordings(request: HttpRequest, repository_id: str) -> HttpResponse:
    organization_id = caller_of(request).organization_id
    repository = repository_of(organization_id, repository_id)
    products = list(repository.products.order_by("key").values_list("key", flat=True))
    form = RecordingFilters(request.GET, products=products)
    # Invalid query parameters show all instead of an error.
    filters = (
        {name: value for name, value in form.cleaned_data.items() if value}
        if form.is_valid()
        else {}
    )
    found = filter_recordings(repository, filters)
    page = read_page(request, found, ("-created_at", "-id"), RECORDINGS_PER_PAGE)
    return render(
        request,
        "web/recording_list.html",
        {
            "repository": repository,
            "enrollment": enrollment_of(repository).enrollment,
            "form": form,
            "filtered": bool(filters),
            "several_products": len(products) > 1,
            "page": page,
            "cards": create_cards(page.rows, organization_id),
        },
    )


@require_safe
@member_required
def recording(request: HttpRequest, recording_id: str) -> HttpResponse:
    row = recording_of(caller_of(request).organization_id, recording_id)
    builds = list_builds(row)
    return render(
        request,
        "web/recording.html",
        {
            "recording": row,
            "repository": row.repository,
            "files": files_of(row),
            "download_name": download_name(row),
            "steps": list_steps(row, builds),
            "builds": builds,
            "duration": format_duration(row.duration_ms),
            "test_duration": format_duration(row.test_duration_ms),
        },
    )


@require_POST
@member_required
def delete(request: HttpRequest, recording_id: str) -> HttpResponse:
    row = recording_of(caller_of(request).organization_id, recording_id)
    run_action(request, "delete_recording", {"recordingId": recording_id})
    messages.success(request, f"The recording “{row.title}” was deleted.")
    return redirect("recordings", row.repository_id)


@require_POST
@member_required
def enroll(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    action = ENROLLMENT_ACTIONS.get(request.POST.get("operation", ""))
    if action is None:
        messages.error(request, "Choose whether to enable or disable recordings.")
    elif try_action(request, action, {"repoId": repository_id}) is not None:
        messages.success(request, f"Recordings are {request.POST['operation']}d.")
    return redirect("repository_settings", repository.id)
