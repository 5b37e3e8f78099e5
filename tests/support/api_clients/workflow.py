"""Review a repository by all 20 actions, with the client that openapi-python-client generates.

A program of its own, run with the URL of the service and an API key. It writes what CI is to do,
and goes on when a line comes back.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from visual_review_client import AuthenticatedClient
from visual_review_client.api.builds import (
    approve_all_screenshots,
    approve_build,
    approve_story_screenshots,
    get_build,
    list_builds,
    reject_build,
    review_screenshot,
    set_dynamic_regions,
)
from visual_review_client.api.recordings import (
    delete_recording,
    disable_recordings,
    enable_recordings,
    get_recording,
    list_recordings,
)
from visual_review_client.api.repos import (
    connect_repo,
    list_host_repos,
    list_repos,
    remove_repo,
    rotate_repo_token,
    set_org_capture,
    set_repo_capture,
)
from visual_review_client.models import (
    ApproveAllScreenshotsInput,
    ApproveBuildInput,
    ApproveStoryScreenshotsInput,
    Build,
    ConnectRepoInput,
    Decision,
    DeleteRecordingInput,
    Device,
    DiffState,
    DisableRecordingsInput,
    EnableRecordingsInput,
    FullBuild,
    GetBuildInput,
    GetRecordingInput,
    ListBuildsInput,
    ListedBuildStatus,
    ListHostReposInput,
    ListRecordingsInput,
    ListReposInput,
    Problem,
    RecordingStatus,
    Region,
    RejectBuildInput,
    RemoveRepoInput,
    ReviewScreenshotInput,
    ReviewState,
    RotateRepoTokenInput,
    Screenshot,
    SetDynamicRegionsInput,
    SetOrgCaptureInput,
    SetRepoCaptureInput,
    Theme,
)
from visual_review_client.types import Unset

T = TypeVar("T")
COMMENT = "The shadow is gone."


def success(response: T | Problem | None) -> T:
    assert response is not None
    assert not isinstance(response, Problem), response.detail
    return response


def problem(response: T | Problem | None) -> Problem:
    assert isinstance(response, Problem)
    return response


def only(items: Iterable[T]) -> T:
    (item,) = items
    return item


def run_ci(job: str, token: str) -> None:
    sys.stdout.write(json.dumps({"job": job, "token": token}) + "\n")
    sys.stdout.flush()
    assert sys.stdin.readline() == "done\n"


def connect(client: AuthenticatedClient) -> tuple[str, str]:
    """Connect the repository of the Git provider; return its id and a second token."""
    offered = success(list_host_repos.sync(client=client, body=ListHostReposInput())).result.repos
    host_repo = only(repo for repo in offered if repo.repo_id is None)
    refused = problem(connect_repo.sync(client=client, body=ConnectRepoInput(full_name="")))
    assert refused.status == 400
    assert not isinstance(refused.errors, Unset)
    assert only(refused.errors).pointer == "/fullName"
    connected = success(
        connect_repo.sync(client=client, body=ConnectRepoInput(full_name=host_repo.full_name))
    ).result
    # What was not set is not sent, so the Git provider's branch counts.
    assert connected.repo.default_branch == host_repo.default_branch == "trunk"
    assert connected.repo.created_at > datetime.now(UTC) - timedelta(hours=1)
    rotated = success(
        rotate_repo_token.sync(client=client, body=RotateRepoTokenInput(repo_id=connected.repo.id))
    ).result
    assert rotated.secret_name == connected.secret_name == "UI_REVIEW_TOKEN"
    assert rotated.project_token != connected.project_token
    repos = success(list_repos.sync(client=client, body=ListReposInput())).result.repos
    assert connected.repo in repos
    return connected.repo.id, rotated.project_token


def choose_captures(client: AuthenticatedClient, repo_id: str) -> None:
    organization = success(
        set_org_capture.sync(client=client, body=SetOrgCaptureInput(themes=[Theme.LIGHT]))
    ).result.capture
    assert organization.themes == [Theme.LIGHT]
    product = success(
        set_repo_capture.sync(
            client=client, body=SetRepoCaptureInput(repo_id=repo_id, devices=[Device.DESKTOP])
        )
    ).result.capture
    assert (product.themes, product.devices) == ([Theme.LIGHT], [Device.DESKTOP])


def newest_build(client: AuthenticatedClient, repo_id: str) -> Build:
    found = success(list_builds.sync(client=client, body=ListBuildsInput(repo_id=repo_id))).result
    assert not found.more
    build = found.builds[0]
    assert build.status is ListedBuildStatus.COMPLETED
    return build


def full_build(client: AuthenticatedClient, build_id: str) -> FullBuild:
    return success(
        get_build.sync(client=client, body=GetBuildInput(build_id=build_id))
    ).result.build


def with_state(build: FullBuild, state: DiffState) -> Iterator[Screenshot]:
    return (shot for shot in build.screenshots if shot.diff_state is state)


def approve_the_first_build(client: AuthenticatedClient, repo_id: str) -> None:
    build = full_build(client, newest_build(client, repo_id).id)
    assert build.repo_id == repo_id
    assert build.links_expire_at > datetime.now(UTC)
    assert build.counts.new == len(list(with_state(build, DiffState.NEW))) == 3
    body = ApproveBuildInput(build_id=build.id)
    approved = success(approve_build.sync(client=client, body=body)).result
    assert approved.review_state is ReviewState.APPROVED
    assert (approved.finalized, approved.baseline_move) == (True, 1)
    assert (approved.open_screenshots, approved.failed_screenshots) == (0, 0)
    assert approved.screenshot is None


def review_the_changes(client: AuthenticatedClient, repo_id: str) -> Screenshot:
    """Decide a build in three steps; return the screenshot that was rejected first."""
    build = full_build(client, newest_build(client, repo_id).id)
    changed = list(with_state(build, DiffState.CHANGED))
    card = only(shot for shot in changed if shot.story_id == "card--plain")
    rejected = success(
        review_screenshot.sync(
            client=client,
            body=ReviewScreenshotInput(
                screenshot_id=card.id, state=Decision.REJECTED, comment=COMMENT
            ),
        )
    ).result
    assert rejected.review_state is ReviewState.UNREVIEWED
    assert rejected.open_screenshots == 2
    assert rejected.screenshot is not None
    assert rejected.screenshot.decision is Decision.REJECTED
    found = only(shot for shot in full_build(client, build.id).screenshots if shot.id == card.id)
    assert found.review_decision is Decision.REJECTED
    assert found.comment == COMMENT
    assert found.decided is not None
    story = success(
        approve_story_screenshots.sync(
            client=client,
            body=ApproveStoryScreenshotsInput(build_id=build.id, story_id="button--primary"),
        )
    ).result
    assert (story.decided_screenshots, story.finalized) == (2, False)
    body = ApproveAllScreenshotsInput(build_id=build.id)
    everything = success(approve_all_screenshots.sync(client=client, body=body)).result
    assert (everything.finalized, everything.baseline_move) == (True, 2)
    return card


def ignore_a_region(client: AuthenticatedClient, repo_id: str, shot: Screenshot) -> None:
    stored = success(
        set_dynamic_regions.sync(
            client=client,
            body=SetDynamicRegionsInput(
                repo_id=repo_id,
                story_id=shot.story_id,
                theme=shot.variant.theme,
                device=shot.variant.device,
                regions=[Region(x=0, y=0.5, width=1, height=0.25)],
            ),
        )
    ).result
    region = only(stored.regions)
    assert (region.x, region.y, region.width, region.height) == (0, 0.5, 1, 0.25)
    assert stored.theme is Theme.LIGHT


def reject_the_last_build(client: AuthenticatedClient, repo_id: str) -> None:
    build = newest_build(client, repo_id)
    assert build.review_state is ReviewState.UNREVIEWED
    body = RejectBuildInput(build_id=build.id)
    rejected = success(reject_build.sync(client=client, body=body)).result
    assert rejected.review_state is ReviewState.REJECTED
    assert rejected.baseline_move is None


def keep_a_recording(client: AuthenticatedClient, repo_id: str, token: str) -> None:
    enabled = success(
        enable_recordings.sync(client=client, body=EnableRecordingsInput(repo_id=repo_id))
    ).result.enrollment
    assert enabled.enabled
    run_ci("record", token)
    listed = success(
        list_recordings.sync(client=client, body=ListRecordingsInput(repo_id=repo_id))
    ).result.recordings
    body = GetRecordingInput(recording_id=only(listed).id)
    recording = success(get_recording.sync(client=client, body=body)).result.recording
    assert recording.status is RecordingStatus.READY
    assert recording.test is not None
    assert recording.test.title == "signs in"
    assert recording.video_url is not None
    deleted = success(
        delete_recording.sync(client=client, body=DeleteRecordingInput(recording_id=recording.id))
    ).result
    assert deleted.deleted
    disabled = success(
        disable_recordings.sync(client=client, body=DisableRecordingsInput(repo_id=repo_id))
    ).result.enrollment
    assert not disabled.enabled


def remove(client: AuthenticatedClient, repo_id: str) -> None:
    body = RemoveRepoInput(repo_id=repo_id)
    assert success(remove_repo.sync(client=client, body=body)).result.removed
    gone = problem(list_builds.sync(client=client, body=ListBuildsInput(repo_id=repo_id)))
    assert (gone.status, gone.title) == (404, "Not Found")


def main(url: str, key: str) -> None:
    client = AuthenticatedClient(base_url=url, token=key)
    repo_id, token = connect(client)
    choose_captures(client, repo_id)
    run_ci("publish", token)
    approve_the_first_build(client, repo_id)
    run_ci("publish changes", token)
    card = review_the_changes(client, repo_id)
    ignore_a_region(client, repo_id, card)
    run_ci("publish more changes", token)
    reject_the_last_build(client, repo_id)
    keep_a_recording(client, repo_id, token)
    remove(client, repo_id)


if __name__ == "__main__":
    main(*sys.argv[1:])
