"""Events, the channels receiving them, and each delivery. Rows contain no rules."""

from functools import partial

from django.db import models

from visual_review.accounts.models import Organization, User
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id


class Channel(models.Model):
    """Where events of an organization go: a webhook, Slack, Teams, or the mailbox of a member."""

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "channel")
    )
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="channels")
    # The member of a mailbox, who gets only events concerning the member.
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    # Whether a mailbox gets one mail each day instead of a mail for each event.
    is_digest = models.BooleanField(default=False)
    kind = models.CharField(max_length=10)
    # Encrypted, as are the secrets.
    url = models.TextField()
    # The part of the URL shown in lists.
    host = models.CharField(max_length=300)
    secret = models.TextField(blank=True)
    # Also signs until ``former_until``.
    former_secret = models.TextField(blank=True)
    former_until = models.DateTimeField(null=True)
    # The channel gets events of only one repository and branch; empty: all.
    repository_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    branch = models.CharField(max_length=300, blank=True)
    # Types of events.
    types = models.JSONField(default=list)
    created_at = models.DateTimeField(default=now)
    # Null unless requests fail.
    failing_since = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    # When the next request is sent while requests fail.
    retry_at = models.DateTimeField(null=True)
    # A paused channel sends nothing.
    paused_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "user"), name="one_mailbox_a_member"),
        )

    def __str__(self) -> str:
        return f"{self.kind} at {self.host}"


class Event(models.Model):
    """A past event with the data of its moment. The ids order the events of a build."""

    id = models.BigAutoField(primary_key=True)
    # The public id.
    key = models.CharField(max_length=MAX_LENGTH, unique=True, default=partial(new_id, "event"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    type = models.CharField(max_length=30)
    # The build of the event.
    stream = models.CharField(max_length=MAX_LENGTH)
    data = models.JSONField()
    created_at = models.DateTimeField(default=now, db_index=True)

    def __str__(self) -> str:
        return f"{self.type} {self.key}"


class Delivery(models.Model):
    """An event to one channel: ``waiting``, ``sent``, or ``failed`` for good.

    ``status`` and ``response`` are of the last response, ``failure`` says why there was none.
    """

    id = models.BigAutoField(primary_key=True)
    event = models.ForeignKey(Event, models.CASCADE, related_name="deliveries")
    channel = models.ForeignKey(Channel, models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=10, default="waiting")
    attempts = models.PositiveIntegerField(default=0)
    first_try_at = models.DateTimeField(null=True)
    next_try_at = models.DateTimeField(null=True)
    status = models.PositiveIntegerField(null=True)
    response = models.TextField(blank=True)
    failure = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("event", "channel"), name="one_delivery_an_event"),
        )
        indexes = (
            models.Index(
                fields=("channel", "event"),
                name="deliveries_waiting",
                condition=models.Q(state="waiting"),
            ),
        )

    def __str__(self) -> str:
        return f"{self.event_id} to {self.channel_id}"
