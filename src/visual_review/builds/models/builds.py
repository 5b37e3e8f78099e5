"""Builds and their shards.

The machine's progress (``status``), its findings (``diff_state``) and the person's decision
(``review_*``) are separate columns.
"""

from functools import partial
from typing import Any, Final

from django.db import models

from visual_review.builds.models.baselines import Baseline
from visual_review.builds.models.pull_requests import COMMIT_LENGTH
from visual_review.builds.states import COMPLETED, PROCESSING, UNREVIEWED, UPLOADING
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

AUTHOR_LENGTH: Final = 500


class _Lookup(models.ForeignObject):  # type: ignore[type-arg]  # Only its stubs are generic.
    """A relation by existing columns: no column, constraint or migration of its own."""

    def contribute_to_class(
        self,
        cls: type[models.Model],
        name: str,
        private_only: bool = True,  # noqa: FBT001, FBT002 - Django's signature.
        **options: Any,  # noqa: ANN401 - As above.
    ) -> None:
        # Private fields are in no migration.
        super().contribute_to_class(cls, name, private_only=private_only, **options)


class Build(models.Model):
    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "build"))
    # Indexes below begin with both; an index of a foreign key's own would serve no query.
    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="builds", db_index=False
    )
    product = models.ForeignKey(Product, models.CASCADE, related_name="builds", db_index=False)
    number = models.PositiveIntegerField()
    nonce = models.CharField(max_length=200)
    shards_total = models.PositiveIntegerField(default=1)

    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    branch = models.CharField(max_length=BRANCH_LENGTH)
    commit = models.CharField(max_length=COMMIT_LENGTH)
    base_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    merge_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    merge_base_commit = models.CharField(max_length=COMMIT_LENGTH, blank=True)
    pull_request = models.PositiveIntegerField(null=True)
    base_branch = models.CharField(max_length=BRANCH_LENGTH, blank=True)
    message = models.TextField(blank=True)
    # The author of the commit, or who opened the pull request: a name from CI.
    author = models.CharField(max_length=AUTHOR_LENGTH, blank=True, db_default="")
    renderer = models.JSONField(default=dict)
    # How the theme was switched; null if the publisher sent nothing.
    theme_evidence = models.JSONField(null=True)

    is_partial = models.BooleanField(default=False)
    # One JSON document, because it is only read and compared as a whole.
    story_ids = models.JSONField(null=True)
    # Whether the sources of all stories equal the baseline's sources: nothing had to be captured.
    sources_equal = models.BooleanField(default=False, db_default=False)
    matrix = models.JSONField(default=list)
    detection_variants = models.JSONField(default=list)

    # The baseline of the build's own branch, changed by an approval. The row exists once the build
    # is compared.
    own_baseline = _Lookup(
        Baseline,
        models.DO_NOTHING,
        from_fields=("product", "head_repository", "branch"),
        to_fields=("product", "head_repository", "branch"),
        related_name="+",
    )
    # The rule that chose the baseline for the comparison, and the baseline.
    baseline_rule = models.CharField(max_length=20)
    baseline = models.ForeignKey(Baseline, models.SET_NULL, null=True, related_name="compared")
    baseline_version = models.PositiveIntegerField(default=0, db_column="baseline_move")

    status = models.CharField(max_length=12, default=UPLOADING)
    failure = models.TextField(blank=True)
    created_at = models.DateTimeField(default=now)
    last_upload_at = models.DateTimeField(default=now)
    published_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    changed_count = models.PositiveIntegerField(default=0)
    new_count = models.PositiveIntegerField(default=0)
    removed_count = models.PositiveIntegerField(default=0)
    failed_count = models.PositiveIntegerField(default=0)
    unchanged_count = models.PositiveIntegerField(default=0)
    # Of the unchanged ones: not captured, taken over from the baseline.
    inherited_count = models.PositiveIntegerField(default=0, db_default=0)

    review_state = models.CharField(max_length=12, default=UNREVIEWED)
    decided_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    decided_by_name = models.CharField(max_length=300, blank=True)
    decided_client = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(null=True)
    decision_source = models.CharField(max_length=12, blank=True)
    # The newest carried-over approval, if such approvals approved the build: the id of its
    # screenshot. A plain id, because that screenshot's build may be deleted earlier.
    carried_from_id = models.CharField(max_length=MAX_LENGTH, blank=True, default="", db_default="")
    superseded_by = models.ForeignKey("self", models.SET_NULL, null=True, related_name="supersedes")
    # Grows whenever screenshots change otherwise than by decisions, for open pages.
    revision = models.PositiveIntegerField(default=0)
    # The largest numbers given to its screenshots and groups; no number is given twice.
    last_number = models.PositiveIntegerField(default=0, db_default=0)
    last_group_number = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("repository", "number"), name="one_build_a_number"),
            models.UniqueConstraint(fields=("product", "nonce"), name="one_build_a_nonce"),
        )
        indexes = (
            # Lists read their first page from this index, and from the unique numbers of a
            # repository, without sorting all builds.
            models.Index(fields=("product", "-number"), name="builds_of_product"),
            models.Index(fields=("product", "head_repository", "branch"), name="builds_of_branch"),
            # Also found by the beginning of a commit, in any collation.
            models.Index(
                fields=("repository", "commit"),
                opclasses=("varchar_ops", "varchar_pattern_ops"),
                name="builds_by_commit",
            ),
            models.Index(fields=("repository", "branch", "-number"), name="builds_by_branch"),
            models.Index(
                fields=("repository", "pull_request"),
                name="builds_of_pull_request",
                condition=models.Q(pull_request__isnull=False),
            ),
            # The newest capture's findings are searched in builds that captured a Storybook.
            models.Index(
                fields=("product", "-number"),
                name="builds_with_theme_evidence",
                condition=models.Q(theme_evidence__isnull=False),
            ),
            # Few builds wait for a review, however many an organization has.
            models.Index(
                fields=("repository", "created_at"),
                name="builds_to_review",
                condition=models.Q(status=COMPLETED, review_state=UNREVIEWED, superseded_by=None),
            ),
            models.Index(
                fields=("status", "last_upload_at"),
                name="builds_unfinished",
                condition=models.Q(status__in=(UPLOADING, PROCESSING)),
            ),
        )

    def __str__(self) -> str:
        return f"#{self.number}"


class BuildShard(models.Model):
    """The part of a build captured by one CI machine; the last to finish completes the build."""

    build = models.ForeignKey(Build, models.CASCADE, related_name="shards")
    index = models.PositiveIntegerField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("build", "index"), name="one_shard_row"),)

    def __str__(self) -> str:
        return f"shard {self.index}"
