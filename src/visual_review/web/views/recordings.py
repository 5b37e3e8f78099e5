"""The recordings of a repository, the player, and their buttons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import PUBLISHED
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.enrollment import enrollment_of
from visual_review.recordings.links import LINK_SECONDS, files_of, key_of
from visual_review.recordings.models import Recording
from visual_review.recordings.read_models import newest_recordings, recording_of
from visual_review.recordings.states import OUTCOMES, READY, STATUSES
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repository_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.durations import format_duration, format_seconds, format_time
from visual_review.web.requests import caller_of, member_required, run_action, try_action

TEXT_LENGTH = 200
# A commit may be built several times; older builds add nothing.
BUILDS_SHOWN = 5
RECORDINGS_PER_PAGE = 24
ENROLLMENT_ACTIONS = {"enable": "enable_recordings", "disable": "disable_recordings"}


def _choices(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [("", "Any"), *((name, name.replace("_", " ").capitalize()) for name in names)]


class RecordingFilters(forms.Form):
    text = forms.CharField(
        label="Title, file or branch",
        required=False,
        max_length=TEXT_LENGTH,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    outcome = forms.ChoiceField(label="Test", required=False, choices=_choices(OUTCOMES))
    status = forms.ChoiceField(label="Video", required=False, choices=_choices(STATUSES))
    product = forms.ChoiceField(label="Product", required=False)

    def __init__(self, *args: object, products: list[str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # As Django has it.
        choices = [("", "All"), *((key, key) for key in products)]
        self.fields["product"].choices = choices  # type: ignore[attr-defined] # A choice field.
        # With only one product there is nothing to filter.
        if len(products) < 2:  # noqa: PLR2004 - Two are.
            del self.fields["product"]


@dataclass(frozen=True)
class Step:
    """A step of the test; ``story_build`` is the id of a build with the story of the step."""

    title: str
    start: str
    clock: str
    duration: str
    story_id: str
    story_build: str


def list_builds(recording: Recording) -> list[Build]:
    """Return published builds of the same commit: same product first, then newest first."""
    if not recording.commit:
        return []
    rows = Build.objects.filter(
        repository_id=recording.repository_id, commit=recording.commit, status__in=PUBLISHED
    ).select_related("product")
    newest = rows.order_by("-number")[: BUILDS_SHOWN * 4]
    ordered = sorted(newest, key=lambda build: build.product_id != recording.product_id)
    return ordered[:BUILDS_SHOWN]


def download_name(recording: Recording) -> str:
    """Return the name of the uploaded file, with the extension of the stored format."""
    suffix = PurePosixPath(recording.original_name).suffix
    return f"{PurePosixPath(recording.file_name).stem}{suffix}"


def list_steps(recording: Recording, builds: Sequence[Build]) -> list[Step]:
    named = {str(step["storyId"]) for step in recording.steps if step.get("storyId")}
    story_builds = _find_story_builds(named, builds)
    return [_create_step(step, story_builds) for step in recording.steps]


def _create_step(step: dict[str, Any], story_builds: dict[str, str]) -> Step:
    start = int(step.get("startMs") or 0)
    duration = int(step.get("durationMs") or 0)
    story_id = str(step.get("storyId") or "")
    return Step(
        title=str(step["title"]),
        start=format_seconds(start),
        clock=format_time(start),
        duration=f"{duration / 1000:.1f} s" if duration else "",
        story_id=story_id,
        story_build=story_builds.get(story_id, ""),
    )


def _find_story_builds(story_ids: set[str], builds: Sequence[Build]) -> dict[str, str]:
    """Map each story to the first of ``builds`` with the story."""
    if not story_ids or not builds:
        return {}
    found = (
        Screenshot.objects.filter(build__in=builds, story_id__in=story_ids, detection_only=False)
        .values_list("story_id", "build_id")
        .distinct()
    )
    positions = {build.id: position for position, build in enumerate(builds)}
    first_builds: dict[str, str] = {}
    for story_id, build_id in sorted(found, key=lambda pair: positions[pair[1]]):
        first_builds.setdefault(story_id, build_id)
    return first_builds


@dataclass(frozen=True)
class RecordingCard:
    """A recording with the URL of its video, empty until the video is ready."""

    row: Recording
    video: str
    duration: str


def filter_recordings(repository: Repository, filters: Mapping[str, str]) -> QuerySet[Recording]:
    """Return the recordings matching the cleaned ``filters``, newest first."""
    rows = newest_recordings(repository, filters.get("product"))
    for name in ("outcome", "status"):
        if value := filters.get(name):
            rows = rows.filter(**{name: value})
    for word in filters.get("text", "").split():
        rows = rows.filter(_matches(word))
    return rows


def _matches(word: str) -> Q:
    return (
        Q(title__icontains=word)
        | Q(test__file__icontains=word)
        | Q(branch__icontains=word)
        | Q(project__icontains=word)
    )


def create_cards(rows: Iterable[Recording], organization_id: str) -> list[RecordingCard]:
    """Create the cards of ``rows``; sign the URLs of all videos at once."""
    shown = list(rows)
    ready = [row for row in shown if row.status == READY]
    keys = [key_of(row, organization_id, row.original_name) for row in ready]
    videos = dict(
        zip((row.id for row in ready), blob_store().links(keys, LINK_SECONDS), strict=True)
    )
    return [
        RecordingCard(row, videos.get(row.id, ""), format_duration(row.duration_ms))
        for row in shown
    ]


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
