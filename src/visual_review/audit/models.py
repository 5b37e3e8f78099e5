"""The audit log. The log stores plain ids, because entries outlive the described rows."""

from django.db import models

from visual_review.kernel.clock import now


class AuditEntry(models.Model):
    """One change: who made the change, the channel and client, the target, before and after."""

    at = models.DateTimeField(default=now)
    organization_id = models.CharField(max_length=40, null=True)  # noqa: DJ001 - None: no organization.
    actor_kind = models.CharField(max_length=20)
    actor_id = models.CharField(max_length=40)
    actor_name = models.CharField(max_length=300)
    channel = models.CharField(max_length=10)
    # The client's own name for itself.
    client = models.CharField(max_length=300, blank=True)
    # The client's OAuth identity; empty without one.
    client_id = models.CharField(max_length=300, blank=True)
    # The caller's API key, or the grant of the connected app.
    credential_id = models.CharField(max_length=40, blank=True)
    verb = models.CharField(max_length=80)
    target_kind = models.CharField(max_length=40)
    target_id = models.CharField(max_length=300)
    target_name = models.CharField(max_length=500, blank=True)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        # Entries are ordered by id: the clocks of several machines disagree.
        ordering = ("-id",)
        indexes = (models.Index(fields=("organization_id", "-id"), name="audit_by_organization"),)

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.target_kind} {self.target_id}"
