"""URLs of an organization's keys, members, Git provider, storage and audit log."""

from django.urls import path

from visual_review.web.views import audit, keys, members, source_host, storage

urlpatterns = [
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
]
