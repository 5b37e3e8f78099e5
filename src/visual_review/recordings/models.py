"""Recordings: the add-on's enrollment, videos of test runs, and the linked tests."""

from functools import partial

from django.db import models
from django.db.models.functions import MD5

from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id
from visual_review.recordings.states import PROCESSING, UPLOADING
from visual_review.repositories.models import Product, Repository
from visual_review.repositories.names import BRANCH_LENGTH, NAME_LENGTH

TITLE_LENGTH = 1000
PATH_LENGTH = 1000


class Enrollment(models.Model):
    """Whether recordings are enabled for a repository; the row remains after disabling."""

    repository = models.OneToOneField(
        Repository, models.CASCADE, primary_key=True, related_name="recordings_enrollment"
    )
    enabled = models.BooleanField(default=False)
    enabled_at = models.DateTimeField(null=True)
    enabled_by_name = models.CharField(max_length=300, blank=True)
    disabled_at = models.DateTimeField(null=True)
    # The running charge's plain id: charges outlive the repository.
    charge_id = models.CharField(max_length=MAX_LENGTH, blank=True)

    def __str__(self) -> str:
        return f"recordings of {self.repository_id}"


class LinkedTest(models.Model):
    """A test, the same across runs, identified by product, file, suite and title."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "test"))
    product = models.ForeignKey(Product, models.CASCADE, related_name="linked_tests")
    file = models.CharField(max_length=PATH_LENGTH, blank=True)
    suite = models.CharField(max_length=TITLE_LENGTH, blank=True)
    title = models.CharField(max_length=TITLE_LENGTH)
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = (
            # An index allows at most 2.7 kB per row, and the names may be longer together.
            models.UniqueConstraint(
                "product", MD5("file"), MD5("suite"), MD5("title"), name="one_test_of_its_names"
            ),
        )

    def __str__(self) -> str:
        return self.title


class Recording(models.Model):
    """A video of one attempt of a test."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "rec"))
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="recordings")
    product = models.ForeignKey(Product, models.CASCADE, related_name="recordings")
    # None for a video from a folder, without a test report.
    test = models.ForeignKey(LinkedTest, models.CASCADE, null=True, related_name="recordings")
    # Chosen by CI; announcing the same key twice is harmless.
    key = models.CharField(max_length=200)
    title = models.CharField(max_length=TITLE_LENGTH)
    branch = models.CharField(max_length=BRANCH_LENGTH, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    head_repository = models.CharField(max_length=NAME_LENGTH, blank=True)
    pull_request = models.PositiveIntegerField(null=True)

    project = models.CharField(max_length=200, blank=True)
    # The result of the test.
    outcome = models.CharField(max_length=12, blank=True)
    retry = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    # Times in ``steps`` are milliseconds from the start of the video.
    steps = models.JSONField(default=list)
    test_duration_ms = models.PositiveBigIntegerField(null=True)
    ran_at = models.DateTimeField(null=True)

    # The state of the video.
    status = models.CharField(max_length=12, default=UPLOADING)
    failure = models.TextField(blank=True)
    created_at = models.DateTimeField(default=now)
    last_upload_at = models.DateTimeField(default=now)
    finished_at = models.DateTimeField(null=True)
    # Hides the recording immediately; a job then deletes its files and the row.
    deleted_at = models.DateTimeField(null=True)

    # The original file, from CI's announcement.
    file_name = models.CharField(max_length=300)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    part_size = models.PositiveBigIntegerField()
    # Empty until the upload is verified; kept for videos not playable in browsers.
    original_name = models.CharField(max_length=100, blank=True)
    duration_ms = models.PositiveBigIntegerField(null=True)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("product", "key"), name="one_recording_a_key"),
        )
        indexes = (
            models.Index(fields=("repository", "-created_at", "-id"), name="recordings_newest"),
            models.Index(fields=("product", "-created_at", "-id"), name="recordings_of_product"),
            models.Index(fields=("repository", "commit"), name="recordings_of_commit"),
            models.Index(
                fields=("status", "last_upload_at"),
                name="recordings_unfinished",
                condition=models.Q(status__in=(UPLOADING, PROCESSING)),
            ),
            models.Index(
                fields=("deleted_at",),
                name="recordings_deleted",
                condition=models.Q(deleted_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return self.title


class Attachment(models.Model):
    """A file uploaded with a recording: a trace, a screenshot, a log."""

    id = models.CharField(primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "att"))
    recording = models.ForeignKey(Recording, models.CASCADE, related_name="attachments")
    name = models.CharField(max_length=300)
    content_type = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    stored_at = models.DateTimeField(null=True)
    failure = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("recording", "name"), name="one_attachment_of_a_name"),
        )

    def __str__(self) -> str:
        return self.name
