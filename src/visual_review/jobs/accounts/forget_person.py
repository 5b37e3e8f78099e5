"""Replaces the name of a person with a deleted account in all copies."""

from typing import Any, Final

from django.db.models import Manager
from procrastinate.contrib.django import app

from visual_review.accounts.account_deletion import DELETED, FORGET_PERSON
from visual_review.audit.models import AuditEntry
from visual_review.billing.models import ChargePeriod
from visual_review.builds.models import BaselineVersion, Build, Comment, ReviewEntry, Screenshot

# The column with the id, and the column with the name. Rows keep the id, now without a person.
COPIES: Final[tuple[tuple[Manager[Any], str, str], ...]] = (
    (Build.objects, "decided_by_id", "decided_by_name"),
    (Screenshot.objects, "decided_by_id", "decided_by_name"),
    (ReviewEntry.objects, "decided_by_id", "decided_by_name"),
    (BaselineVersion.objects, "created_by_id", "created_by_name"),
    (Comment.objects, "author_id", "author_name"),
    (ChargePeriod.objects, "started_by_id", "started_by_name"),
    (ChargePeriod.objects, "ended_by_id", "ended_by_name"),
    (AuditEntry.objects, "actor_id", "actor_name"),
)


@app.task(name=FORGET_PERSON, queue="upkeep")
def forget_person(user_id: str, email: str) -> None:
    for manager, id_column, name_column in COPIES:
        rows = manager.filter(**{id_column: user_id})
        rows.exclude(**{name_column: DELETED}).update(**{name_column: DELETED})
    about = AuditEntry.objects.filter(target_kind="user", target_id=user_id)
    about.update(target_name=DELETED)
    about.filter(verb="user.renamed").update(before=None, after=None)
    # Invitations, and tries to sign in before the account existed.
    AuditEntry.objects.filter(target_name=email).update(target_name=DELETED)
