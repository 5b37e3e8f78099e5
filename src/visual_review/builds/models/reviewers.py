"""Members who were asked to review the builds of a branch."""

from django.db import models

from visual_review.accounts.models import User
from visual_review.builds.models.builds import Build
from visual_review.kernel.clock import now
from visual_review.repositories.models import Product
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH


class RequestedReviewer(models.Model):
    """One member, for all builds of the branch: after a push, the member is asked again."""

    product = models.ForeignKey(Product, models.CASCADE, related_name="+", db_index=False)
    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    branch = models.CharField(max_length=BRANCH_LENGTH)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    requested_by_name = models.CharField(max_length=300, blank=True)
    requested_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("product", "head_repository", "branch", "user"),
                name="one_request_a_reviewer",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} for {self.branch}"


class StorySources(models.Model):
    """The source file of each story of a build, for finding the owners of a change."""

    build = models.OneToOneField(Build, models.CASCADE, primary_key=True, related_name="+")
    paths = models.JSONField()

    def __str__(self) -> str:
        return f"sources of {self.build}"
