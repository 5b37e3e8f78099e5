"""``POST recordings``, ``POST recordings/{id}/finish`` and ``GET recordings/{id}``."""

from django.http import HttpRequest

from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.api.ci.endpoint import Project, ci_endpoint
from visual_review.api.ci.recording_input import Input
from visual_review.api.json_bodies import MANIFEST_LIMIT, read_object
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.announce import announce_recording
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.links import recording_page
from visual_review.recordings.models import Recording
from visual_review.recordings.requests import Origin
from visual_review.recordings.states import Status
from visual_review.recordings.uploads import (
    LINK_SECONDS,
    attachment_key,
    finish_recording,
    missing_of,
    part_key,
    repository_recording,
)
from visual_review.repositories.identity_rules import BuildClaim


class NoInput(ActionInput):
    pass


class MissingPart(ActionResult):
    """Bytes ``offset`` to ``offset + size`` of the video go to ``url``."""

    number: int
    offset: int
    size: int
    url: str


class MissingAttachment(ActionResult):
    name: str
    url: str


class Result(ActionResult):
    id: str
    status: Status
    failure: str
    duration_ms: int | None
    url: str


class AnnounceResult(Result):
    part_size: int
    missing_parts: list[MissingPart]
    missing_attachments: list[MissingAttachment]


@ci_endpoint("POST", takes_identities=True)
def announce(request: HttpRequest, project: Project) -> AnnounceResult:
    # Checked before reading the body: a repository without recordings gets only this error.
    require_enabled(project.repository)
    values = validate_as(Input, read_object(request, MANIFEST_LIMIT), "the recording")
    recording_request = values.to_request()
    _authorize(project, recording_request.origin)
    recording = announce_recording(project.repository, recording_request)
    blobs = blob_store()
    missing = missing_of(recording, blobs)
    return AnnounceResult(
        **_fields(recording),
        part_size=recording.part_size,
        missing_parts=[
            MissingPart(
                number=part.number,
                offset=part.offset,
                size=part.size,
                url=blobs.upload_link(part_key(recording, part), part.size, LINK_SECONDS),
            )
            for part in missing.parts
        ],
        missing_attachments=[
            MissingAttachment(
                name=each.name,
                url=blobs.upload_link(attachment_key(recording, each), each.size, LINK_SECONDS),
            )
            for each in missing.attachments
        ],
    )


@ci_endpoint("POST", takes_identities=True)
def finish(request: HttpRequest, project: Project, recording_id: str) -> Result:
    _load_recording(project, recording_id)
    validate_as(NoInput, read_object(request), "the call")
    actor = project.caller.actor()
    return Result(**_fields(finish_recording(project.repository, recording_id, actor)))


@ci_endpoint("GET", takes_identities=True)
def show(_request: HttpRequest, project: Project, recording_id: str) -> Result:
    return Result(**_fields(_load_recording(project, recording_id)))


def _load_recording(project: Project, recording_id: str) -> Recording:
    """Return the recording; raises NotFoundError, or ForbiddenError if it is not the identity's."""
    row = repository_recording(project.repository, recording_id)
    _authorize(project, Origin(row.branch, row.commit, row.head_repository, row.pull_request))
    return row


def _authorize(project: Project, origin: Origin) -> None:
    is_pull_request = origin.pull_request is not None
    project.authorize(
        BuildClaim(
            branch=origin.branch,
            head_repository=project.normalize_head(origin.head_repository),
            pull_request=origin.pull_request,
            # Claims of pull requests name the merge commit, which recordings do not carry.
            commit=None if is_pull_request else origin.commit,
        )
    )


def _fields(recording: Recording) -> dict[str, object]:
    return {
        "id": recording.id,
        "status": recording.status,
        "failure": recording.failure,
        "duration_ms": recording.duration_ms,
        "url": recording_page(recording.id),
    }
