"""The URLs of all pages."""

from allauth.account import views as allauth
from django.urls import URLPattern, URLResolver, path, re_path

from visual_review.web.security import secret_page
from visual_review.web.views import (
    access,
    account,
    apps,
    audit,
    authorize,
    baselines,
    builds,
    client,
    components,
    decisions,
    events,
    home,
    identity,
    images,
    invitations,
    keys,
    members,
    next_build,
    organizations,
    outbox,
    recordings,
    regions,
    repositories,
    review,
    setup,
    sign_in,
    source_host,
    storage,
)
from visual_review.web.views import contact_sheets as sheets

_REPOSITORY = "repositories/<str:repository_id>"

urlpatterns: list[URLPattern | URLResolver] = [
    # Sign-in, passwords, the user's own account, setup and invitations. allauth looks for the names
    # that start with "account_".
    path("", home.home, name="home"),
    path("sign-in", sign_in.sign_in, name="account_login"),
    path("sign-out", sign_in.sign_out, name="account_logout"),
    path("inactive", allauth.account_inactive, name="account_inactive"),
    path("password/forgotten", sign_in.password_forgotten, name="account_reset_password"),
    path("password/sent", allauth.password_reset_done, name="account_reset_password_done"),
    # User ids contain an underscore, which allauth's own pattern does not allow.
    re_path(
        r"^password/reset/key/(?P<uidb36>[0-9A-Za-z_]+)-(?P<key>.+)$",
        secret_page(allauth.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path(
        "password/done",
        allauth.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("setup/<str:secret>", setup.setup, name="setup"),
    path("invitations/<str:secret>", invitations.invitation, name="invitation"),
    path("account", account.account, name="account"),
    path("account/password", sign_in.password_change, name="account_change_password"),
    path("account/access", access.own_access, name="own_access"),
    path("oauth/authorize", authorize.authorize, name="authorize"),
    path("account/apps", apps.apps, name="apps"),
    path("account/apps/connect", apps.connect, name="connect_client"),
    path("account/apps/<str:grant_id>/disconnect", apps.disconnect, name="disconnect_app"),
    path("components", components.components, name="components"),
    path(
        "account/organizations/new",
        organizations.create_organization,
        name="create_organization",
    ),
    path("account/organization", organizations.switch_organization, name="switch_organization"),
    # An organization's keys, members, Git provider, storage and audit log.
    path("keys", keys.keys, name="keys"),
    path("keys/<str:key_id>/revoke", keys.revoke, name="revoke_key"),
    path("members", members.members, name="members"),
    path("members/<str:membership_id>/role", members.change_role, name="change_role"),
    path("members/<str:membership_id>/remove", members.remove, name="remove_member"),
    path("members/tokens/<str:user_id>", members.seen_tokens, name="seen_tokens"),
    path(
        "members/<str:membership_id>/password-link",
        members.make_password_link,
        name="make_password_link",
    ),
    path(
        "members/invitations/<str:invitation_id>/revoke",
        members.revoke_invitation,
        name="revoke_invitation",
    ),
    path("source-host", source_host.source_host, name="source_host"),
    path("source-host/credentials", source_host.change_credentials, name="change_host_credentials"),
    path("source-host/check", source_host.check, name="check_host"),
    path("source-host/webhook-secret", source_host.renew_secret, name="renew_webhook_secret"),
    path("source-host/disconnect", source_host.disconnect, name="disconnect_host"),
    path("storage", storage.storage, name="storage"),
    path("storage/measure", storage.measure, name="measure_storage"),
    path("storage/retention", storage.retention, name="organization_retention"),
    path("audit", audit.audit, name="audit"),
    # Repositories, their builds, baselines and recordings.
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
    path(f"{_REPOSITORY}/regions", regions.regions, name="regions"),
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
    path("builds/<str:build_id>/regions", regions.set_regions, name="set_regions"),
    path("builds/<str:build_id>/undo", decisions.undo_decision, name="undo_decision"),
    path("builds/<str:build_id>/sheets", sheets.contact_sheets, name="contact_sheets"),
    path("builds/<str:build_id>/sheets/<int:number>", sheets.contact_sheet, name="contact_sheet"),
    path("screenshots/<str:screenshot_id>/composite", builds.composite, name="composite"),
    # Images, thumbnails, events and the client, and of the next build to review.
    path(
        "repositories/<str:repository_id>/images/<str:sha256>.png",
        images.repository_image,
        name="repository_image",
    ),
    path(
        "repositories/<str:repository_id>/diffs/<str:key>.png",
        images.repository_diff,
        name="repository_diff",
    ),
    path("builds/<str:build_id>/thumbnails", images.thumbnails, name="build_thumbnails"),
    path("builds/<str:build_id>/events", events.build_events, name="build_events"),
    path("client/", client.client, name="client"),
    path("client/simple/visual-review/", client.simple_index, name="client_simple"),
    path("client/<str:name>", client.client_file, name="client_file"),
    path("next-build", next_build.next_build, name="next_build"),
]
