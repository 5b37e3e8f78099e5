"""Run the jobs that send messages, without waiting for their pauses."""

from django.db.models import QuerySet
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.jobs.messages import deliver_messages as job
from visual_review.messages.models import Channel, Delivery


def delivery_jobs() -> QuerySet[ProcrastinateJob]:
    rows = ProcrastinateJob.objects.filter(task_name__startswith="deliver_messages")
    return rows.filter(status="todo")


def run_jobs() -> None:
    """Run the jobs that wait, as if every pause were over; once each."""
    Channel.objects.update(retry_at=None)
    Delivery.objects.filter(state="waiting").update(next_try_at=None)
    rows = delivery_jobs()
    calls = {each.args["channel_id"]: each.args["organization_id"] for each in rows}
    rows._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    for channel_id, organization_id in calls.items():
        job.deliver(organization_id, channel_id)
