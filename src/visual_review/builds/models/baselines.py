"""A branch's baseline: the row locked by approvals."""

from functools import partial

from django.db import models

from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.models import Product
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH


class Baseline(models.Model):
    """The baseline of one (product, head repository, branch).

    ``head_repository`` is empty for the connected repository itself, and names a fork
    otherwise. ``last_version`` is the number of the newest version; 0 means none yet.
    """

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "baseline")
    )
    product = models.ForeignKey(Product, models.CASCADE, related_name="baselines")
    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    branch = models.CharField(max_length=BRANCH_LENGTH)
    last_version = models.PositiveIntegerField(default=0, db_column="last_move")
    created_at = models.DateTimeField(default=now)
    # As the Git provider reported; null again once a build of the branch is published.
    branch_deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("product", "head_repository", "branch"), name="one_baseline_a_branch"
            ),
        )

    def __str__(self) -> str:
        return f"{self.head_repository}:{self.branch}".lstrip(":")
