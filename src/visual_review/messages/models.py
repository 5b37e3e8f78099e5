"""Events, the channels that they are sent to, and each delivery. Rows contain no rules."""

from functools import partial

from django.db import models

from visual_review.accounts.models import Organization, User
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id


class Channel(models.Model):
    """Where events of an organization go: a webhook, Slack, Teams, or the mailbox of a member.

    ``url`` and the secrets are encrypted; ``host`` is what lists show of the URL. ``repository_id``
    and ``branch`` limit it to one repository and branch; empty: all. ``types`` are those of events.
    ``former_secret`` also signs until ``former_until``. While requests fail, ``failing_since`` is
    set, and ``retry_at`` is when the next one is sent. A paused channel sends nothing. ``user`` is the
    member of a mailbox, who gets what concerns them, at once or as a digest each day.
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "channel")
    )
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="channels")
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    is_digest = models.BooleanField(default=False)
    kind = models.CharField(max_length=10)
    url = models.TextField()
    host = models.CharField(max_length=300)
    secret = models.TextField(blank=True)
    former_secret = models.TextField(blank=True)
    former_until = models.DateTimeField(null=True)
    repository_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    branch = models.CharField(max_length=300, blank=True)
    types = models.JSONField(default=list)
    created_at = models.DateTimeField(default=now)
    failing_since = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    retry_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "user"), name="one_mailbox_a_member"),
        )

    def __str__(self) -> str:
        return f"{self.kind} at {self.host}"


class Event(models.Model):
    """Something that happened, as it was then. ``stream`` is the build that it is about.

    Its number orders the events of a build, and ``key`` is its public id.
    """

    id = models.BigAutoField(primary_key=True)
    key = models.CharField(max_length=MAX_LENGTH, unique=True, default=partial(new_id, "event"))
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    type = models.CharField(max_length=30)
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
