"""The recordings of a repository, the player, and the buttons for them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from visual_review.recordings.enrollment import enrollment_of
from visual_review.recordings.links import files_of
from visual_review.recordings.queries import recording_of
from visual_review.repositories.queries import repository_of
from visual_review.web.durations import clock
from visual_review.web.forms.recordings import RecordingFilters
from visual_review.web.recording_list import RECORDINGS_A_PAGE, cards, wanted
from visual_review.web.recording_page import builds_of, download_name, steps_of
from visual_review.web.requests import attempt, caller_of, member, run

WISHES = {"enable": "enable_recordings", "disable": "disable_recordings"}


@require_safe
@member
def recordings(request: HttpRequest, repository_id: str) -> HttpResponse:
    organization_id = caller_of(request).organization_id
    repository = repository_of(organization_id, repository_id)
    products = list(repository.products.order_by("key").values_list("key", flat=True))
    form = RecordingFilters(request.GET, products=products)
    # Nonsense in the address shows all instead of an error.
    asked = (
        {name: value for name, value in form.cleaned_data.items() if value}
        if form.is_valid()
        else {}
    )
    page = Paginator(wanted(repository, asked), RECORDINGS_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "web/recordings.html",
        {
            "repository": repository,
            "enrollment": enrollment_of(repository).enrollment,
            "form": form,
            "filtered": bool(asked),
            "several_products": len(products) > 1,
            "page": page,
            "cards": cards(page, organization_id),
            "query": f"{urlencode(asked)}&" if asked else "",
        },
    )


@require_safe
@member
def recording(request: HttpRequest, recording_id: str) -> HttpResponse:
    row = recording_of(caller_of(request).organization_id, recording_id)
    builds = builds_of(row)
    return render(
        request,
        "web/recording.html",
        {
            "recording": row,
            "repository": row.repository,
            "files": files_of(row),
            "download_name": download_name(row),
            "steps": steps_of(row, builds),
            "builds": builds,
            "duration": clock(row.duration_ms),
            "test_duration": clock(row.test_duration_ms),
        },
    )


@require_POST
@member
def delete(request: HttpRequest, recording_id: str) -> HttpResponse:
    row = recording_of(caller_of(request).organization_id, recording_id)
    run(request, "delete_recording", {"recordingId": recording_id})
    messages.success(request, f"The recording “{row.title}” was deleted.")
    return redirect("recordings", row.repository_id)


@require_POST
@member
def enroll(request: HttpRequest, repository_id: str) -> HttpResponse:
    repository = repository_of(caller_of(request).organization_id, repository_id)
    action = WISHES.get(request.POST.get("wish", ""))
    if action is None:
        messages.error(request, "Choose whether to enable or to disable recordings.")
    elif attempt(request, action, {"repoId": repository_id}) is not None:
        messages.success(request, f"Recordings are {request.POST['wish']}d.")
    return redirect("repository_settings", repository.id)
