"""Which organization a page, a form or a link belongs to, for people in several organizations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from visual_review.accounts.callers import Caller, caller_of_member
from visual_review.accounts.keys import key_visible_to
from visual_review.accounts.members import member_of
from visual_review.accounts.models import Membership, Organization, User
from visual_review.builds.queries import baseline_of, build_of, screenshot_of
from visual_review.kernel.errors import ForbiddenError, NotFoundError
from visual_review.recordings.read_models import recording_of
from visual_review.repositories.queries import repository_of
from visual_review.web.membership import (
    SESSION_KEY,
    choose_organization,
    current_membership,
    memberships_of,
)

# The hidden field of forms: the organization of the form's page.
FORM_FIELD: Final = "organization_id"
FORM_OF_FORMER_ORGANIZATION: Final = (
    "Your membership in the organization of this form has ended. Nothing was changed."
)
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})


@dataclass(frozen=True)
class OtherOrganizationTarget:
    """The target of a URL, for example a build, in another organization of the person."""

    kind: str
    membership: Membership

    @property
    def message(self) -> str:
        return f"This {self.kind} belongs to {self.membership.organization}."


# By the parameter of the URL. Pages with other parameters are reached only from pages listed here.
_FINDERS: Final[Mapping[str, tuple[str, Callable[[Caller, str], object]]]] = {
    "build_id": ("build", lambda caller, found: build_of(caller.organization_id, found)),
    "screenshot_id": (
        "screenshot",
        lambda caller, found: screenshot_of(caller.organization_id, found),
    ),
    "baseline_id": ("baseline", lambda caller, found: baseline_of(caller.organization_id, found)),
    "recording_id": (
        "recording",
        lambda caller, found: recording_of(caller.organization_id, found),
    ),
    "repository_id": (
        "repository",
        lambda caller, found: repository_of(caller.organization_id, found),
    ),
    "membership_id": ("member", lambda caller, found: member_of(caller.organization_id, found)),
    "key_id": ("API key", key_visible_to),
}


def follow_form(request: HttpRequest) -> None:
    """Choose the organization of the sent form's page, and say so in case of a switch.

    Otherwise a page open during a switch would change the wrong organization. Raises ForbiddenError
    if the person has left the organization.
    """
    if request.method in SAFE_METHODS:
        return
    wanted = request.POST.get(FORM_FIELD, "")
    current = current_membership(request)
    if not wanted or current is None or current.organization_id == wanted:
        return
    membership = _membership_in(request, wanted)
    if membership is None:
        raise ForbiddenError(FORM_OF_FORMER_ORGANIZATION)
    choose_organization(request, wanted)
    messages.info(
        request,
        f"The form belongs to {membership.organization}, so you are in {membership.organization} "
        "again.",
    )


def explain_lost_membership(request: HttpRequest) -> None:
    """Say so where the chosen organization is no longer one of the person's."""
    chosen = request.session.get(SESSION_KEY)
    if chosen is None or _membership_in(request, chosen) is not None:
        return
    current = current_membership(request)
    if current is None:
        # The page explains the way out without an organization.
        return
    choose_organization(request, current.organization_id)
    former = Organization.objects.filter(pk=chosen).first()
    messages.warning(
        request,
        f"Your membership in {former or 'the organization'} has ended. You are in "
        f"{current.organization} now.",
    )


def remember_organization(request: HttpRequest) -> None:
    """Store the organization of a page as chosen, so that its loss can be explained."""
    current = current_membership(request)
    # With only one there is nothing to confuse, and no session to write.
    if current is None or len(memberships_of(request)) == 1:
        return
    if request.session.get(SESSION_KEY) != current.organization_id:
        choose_organization(request, current.organization_id)


def find_elsewhere(
    request: HttpRequest, parameters: Mapping[str, object]
) -> OtherOrganizationTarget | None:
    """Find the targets of a URL's parameters in another organization of the person."""
    current = current_membership(request)
    named = [name for name in _FINDERS if name in parameters]
    if current is None or not named:
        return None
    kind, find = _FINDERS[named[0]]
    for membership in memberships_of(request):
        if membership != current and _has(request, membership, find, str(parameters[named[0]])):
            return OtherOrganizationTarget(kind, membership)
    return None


def _has(
    request: HttpRequest,
    membership: Membership,
    find: Callable[[Caller, str], object],
    wanted: str,
) -> bool:
    user = request.user
    assert isinstance(user, User)  # noqa: S101 - The person has memberships.
    try:
        find(caller_of_member(user, membership, "web"), wanted)
    except NotFoundError:
        return False
    return True


def respond_elsewhere(request: HttpRequest, elsewhere: OtherOrganizationTarget) -> HttpResponse:
    """Offer to switch; the first link after signing in switches by itself."""
    shown = request.method in SAFE_METHODS
    if shown and SESSION_KEY not in request.session:
        choose_organization(request, elsewhere.membership.organization_id)
        return redirect(request.get_full_path())
    context = {
        "elsewhere": elsewhere,
        "sent": not shown,
        # A button's URL shows nothing, so the home page follows.
        "next": request.get_full_path() if shown else "",
    }
    return render(request, "web/elsewhere.html", context, status=HTTPStatus.NOT_FOUND)


def _membership_in(request: HttpRequest, organization_id: str) -> Membership | None:
    found = (each for each in memberships_of(request) if each.organization_id == organization_id)
    return next(found, None)
