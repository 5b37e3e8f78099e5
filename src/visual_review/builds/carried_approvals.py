"""Load the origins of carried-over approvals: people and builds."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from visual_review.builds.deciders import ApprovalOrigin, CarriedApproval, name_person
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import CARRIED_OVER


def find_origins(screenshot_ids: Collection[str]) -> dict[str, ApprovalOrigin]:
    """Return the builds of the screenshots, by their ids; deleted ones are left out."""
    wanted = set(screenshot_ids) - {""}
    if not wanted:
        return {}
    return _origins(Screenshot.objects.filter(pk__in=wanted))


def find_origins_in(build_id: str) -> dict[str, ApprovalOrigin]:
    """Return where approvals of the build's screenshots were carried over from, by their ids."""
    carried = Screenshot.objects.filter(build=build_id).exclude(carried_from_id="")
    return _origins(Screenshot.objects.filter(pk__in=carried.values("carried_from_id")))


def approvals_of(build: Build) -> list[CarriedApproval]:
    """Return the carried-over approvals of the build, most first."""
    return approvals_in([build])[build.pk]


def approvals_in(builds: Iterable[Build]) -> defaultdict[str, list[CarriedApproval]]:
    """Return the carried-over approvals of each build by its id, most first."""
    origin = Screenshot.objects.filter(pk=OuterRef("carried_from_id")).values("build_id")
    shots = Screenshot.objects.filter(
        build__in=[build.pk for build in builds],
        detection_only=False,
        decision_source=CARRIED_OVER,
    )
    groups = list(
        shots.annotate(origin=Subquery(origin[:1]))
        .values_list("build_id", "decided_by_name", "decided_client", "origin")
        .annotate(count=Count("pk"), newest=Max("carried_from_id"))
        .order_by("-count", "decided_by_name", "newest")
    )
    origins = find_origins({newest for *_, newest in groups})
    found: defaultdict[str, list[CarriedApproval]] = defaultdict(list)
    for build_id, name, client, _origin, count, newest in groups:
        person = name_person(name)
        approval = CarriedApproval(person, client, newest, origins.get(newest), count)
        found[build_id].append(approval)
    return found


def _origins(rows: QuerySet[Screenshot]) -> dict[str, ApprovalOrigin]:
    columns = rows.values_list("pk", "build_id", "build__number", "build__pull_request")
    return {row[0]: ApprovalOrigin(*row) for row in columns}
