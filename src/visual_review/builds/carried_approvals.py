"""Whose approvals were carried over, and from which builds."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from visual_review.builds.deciders import SERVICE, name_person
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import CARRIED_OVER

# More names would fill a status, and the column in which a build keeps them.
MAX_PEOPLE: Final = 3
MAX_NAME: Final = 60


class ApprovalOrigin(NamedTuple):
    """The screenshot whose approval was carried over, and the build in which that was made."""

    screenshot_id: str
    build_id: str
    build_number: int
    pull_request: int | None

    def __str__(self) -> str:
        if self.pull_request is None:
            return f"build #{self.build_number}"
        return f"#{self.pull_request} (build #{self.build_number})"


class CarriedApproval(NamedTuple):
    """A person's approvals of a build's screenshots that were carried over from one other build.

    ``screenshot_id`` is the newest of them there. ``origin`` is null once that build is deleted.
    """

    name: str
    client: str
    screenshot_id: str
    origin: ApprovalOrigin | None
    count: int

    def __str__(self) -> str:
        where = f"in {self.origin}" if self.origin else "in a deleted build"
        through = f" through {self.client}" if self.client else ""
        return f"{self.name}{through} {where}: {self.count}"


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


def name_people(approvals: Sequence[CarriedApproval]) -> str:
    """Return the names of who approved, who approved most first: ``Bob, Alice and 2 others``."""
    counts: Counter[str] = Counter()
    for approval in approvals:
        counts[approval.name] += approval.count
    names = [name for name, _ in counts.most_common()]
    # One name is kept as it is; several must fit together.
    if not names:
        return SERVICE
    if len(names) == 1:
        return names[0]
    shown = [_shorten(name) for name in names[:MAX_PEOPLE]]
    more = len(names) - len(shown)
    if more:
        shown.append("1 other" if more == 1 else f"{more} others")
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def _shorten(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


def _origins(rows: QuerySet[Screenshot]) -> dict[str, ApprovalOrigin]:
    columns = rows.values_list("pk", "build_id", "build__number", "build__pull_request")
    return {row[0]: ApprovalOrigin(*row) for row in columns}
