"""URLs of repositories, their builds, baselines and recordings."""

from django.urls import path

from visual_review.web.views import (
    baselines,
    builds,
    decisions,
    identity,
    outbox,
    recordings,
    repositories,
    review,
    storage,
)
from visual_review.web.views import contact_sheets as sheets

_REPOSITORY = "repositories/<str:repository_id>"

urlpatterns = [
    path("repositories", repositories.repositories, name="repositories"),
    path("repositories/at-host", repositories.host_repositories, name="host_repositories"),
    path("capture-default", repositories.capture_default, name="capture_default"),
    path(_REPOSITORY, builds.builds, name="repository"),
    path(f"{_REPOSITORY}/settings", repositories.settings_page, name="repository_settings"),
    path(f"{_REPOSITORY}/token", repositories.rotate_token, name="rotate_token"),
    path(f"{_REPOSITORY}/identity", identity.set_identity, name="repository_identity"),
    path(f"{_REPOSITORY}/identity/unpin", identity.unpin, name="unpin_identity"),
    path(f"{_REPOSITORY}/retention", storage.repository_retention, name="repository_retention"),
    path(f"{_REPOSITORY}/remove", repositories.remove, name="remove_repository"),
    path(f"{_REPOSITORY}/capture", repositories.capture, name="repository_capture"),
    path(
        f"{_REPOSITORY}/faint-changes",
        repositories.faint_changes,
        name="repository_faint_changes",
    ),
    path(f"{_REPOSITORY}/carry-over", repositories.carry_over, name="repository_carry_over"),
    path(f"{_REPOSITORY}/baselines", baselines.baselines, name="baselines"),
    path(f"{_REPOSITORY}/recordings", recordings.recordings, name="recordings"),
    path(f"{_REPOSITORY}/enrollment", recordings.enroll, name="recordings_enrollment"),
    path("recordings/<str:recording_id>", recordings.recording, name="recording"),
    path("recordings/<str:recording_id>/delete", recordings.delete, name="delete_recording"),
    path(f"{_REPOSITORY}/outbox", outbox.outbox, name="outbox"),
    path(f"{_REPOSITORY}/outbox/<str:message_id>", outbox.send_again, name="send_again"),
    path(f"{_REPOSITORY}/host", outbox.host_settings, name="repository_host"),
    path("baselines/<str:baseline_id>", baselines.history, name="baseline"),
    path("baselines/<str:baseline_id>/restore", baselines.restore, name="restore_baseline"),
    path("builds/<str:build_id>", review.build_page, name="build"),
    path("builds/<str:build_id>/review.json", review.build_index, name="build_index"),
    path(
        "builds/<str:build_id>/screenshots.json",
        review.screenshot_details,
        name="screenshot_details",
    ),
    path("builds/<str:build_id>/changes.json", review.build_changes, name="build_changes"),
    path("builds/<str:build_id>/log.json", review.build_log, name="build_log"),
    path(
        "builds/<str:build_id>/approval.json", decisions.approval_preview, name="approval_preview"
    ),
    path(
        "builds/<str:build_id>/decisions", decisions.decide_screenshots, name="decide_screenshots"
    ),
    path("builds/<str:build_id>/undo", decisions.undo_decision, name="undo_decision"),
    path("builds/<str:build_id>/sheets", sheets.contact_sheets, name="contact_sheets"),
    path("builds/<str:build_id>/sheets/<int:number>", sheets.contact_sheet, name="contact_sheet"),
    path("screenshots/<str:screenshot_id>/composite", builds.composite, name="composite"),
]
