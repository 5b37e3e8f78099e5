"""Decision batches: each request of a reviewer that decided screenshots of a build."""

from functools import partial

from django.db import models

from visual_review.builds.models.builds import Build
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id


class DecisionBatch(models.Model):
    """A request that decided screenshots, or undid such a request (``undoes``)."""

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "decision")
    )
    build = models.ForeignKey(Build, models.CASCADE, related_name="decision_batches")
    decided_by_id = models.CharField(max_length=MAX_LENGTH)
    # The caller's id: a repeated request has the same id and digest.
    request_id = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    undoes = models.OneToOneField("self", models.CASCADE, null=True, related_name="undone_by")
    # The ids of the first and last entry in the review log: all of the build's entries in between
    # belong to the request.
    first_entry = models.BigIntegerField(null=True)
    last_entry = models.BigIntegerField(null=True)
    # The replaced decisions, null if the request cannot be undone. One JSON document, because it is
    # only written and read as a whole.
    before = models.JSONField(null=True)
    # The response.
    result = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("build", "decided_by_id", "request_id"), name="one_batch_a_request"
            ),
        )

    def __str__(self) -> str:
        return self.id
