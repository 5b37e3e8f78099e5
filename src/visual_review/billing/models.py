"""Charges as periods in our own tables, independent of the payment provider."""

from functools import partial

from django.db import models

from visual_review.accounts.models import Organization
from visual_review.kernel.clock import now
from visual_review.kernel.ids import MAX_LENGTH, new_id


class ChargePeriod(models.Model):
    """A charge for one product of one repository, from its start until its end."""

    id = models.CharField(
        primary_key=True, max_length=MAX_LENGTH, default=partial(new_id, "charge")
    )
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="charges")
    product = models.CharField(max_length=40)
    # A plain id: the period outlives the charged repository.
    subject_id = models.CharField(max_length=MAX_LENGTH)
    subject_name = models.CharField(max_length=300)
    # The price of a month at the start, in the smallest unit of ``currency``.
    price = models.PositiveIntegerField()
    currency = models.CharField(max_length=3)
    started_at = models.DateTimeField(default=now)
    started_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    started_by_name = models.CharField(max_length=300, blank=True)
    # Null while the period is running.
    ended_at = models.DateTimeField(null=True)
    ended_by_id = models.CharField(max_length=MAX_LENGTH, blank=True)
    ended_by_name = models.CharField(max_length=300, blank=True)
    # The payment provider's id of the period; empty until the provider is notified.
    provider_item = models.CharField(max_length=200, blank=True)
    provider_ended_at = models.DateTimeField(null=True)
    provider_problem = models.TextField(blank=True)
    # The provider's own time of the last applied event.
    provider_noted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("product", "subject_id"),
                condition=models.Q(ended_at=None),
                name="one_open_charge",
            ),
        )
        indexes = (models.Index(fields=("organization", "started_at"), name="charges_by_start"),)

    def __str__(self) -> str:
        return f"{self.product} for {self.subject_name}"
