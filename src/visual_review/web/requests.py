"""Shared by all views: finding the caller, running actions and showing errors."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache

from visual_review.accounts.callers import Caller, caller_of_member
from visual_review.accounts.further_organizations import creation_allowed
from visual_review.accounts.models import Membership, User
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.web.errors import error_page
from visual_review.web.membership import closed_memberships, current_membership
from visual_review.web.organization_switching import (
    explain_lost_membership,
    find_elsewhere,
    follow_form,
    remember_organization,
    respond_elsewhere,
)
from visual_review.web.second_factor import lacks_second_factor

View = Callable[..., HttpResponse]
PROVIDER_NEEDED = "Your organization requires single sign-on. Sign in with it to continue."
FACTOR_NEEDED = "Your organization demands a second factor. Set one up to continue."
NUL = "\0"
NOT_A_MEMBER = (
    "You do not belong to an organization. Ask an owner for an invitation, then open its link."
)
MANAGERS_ONLY = (
    "You need permission to manage repositories to open this page. "
    "Ask an owner of the organization."
)
OR_CREATE = " Or create one: choose New organization in the account menu."


def user_of(request: HttpRequest) -> User:
    """Return the signed-in person; only for views behind ``sign_in_required``."""
    if not isinstance(request.user, User):
        raise ForbiddenError("Sign in first.")
    return request.user


def require_membership(request: HttpRequest) -> Membership:
    """Return the membership in the current organization.

    Raises ForbiddenError without a membership, and until the session meets the organization's
    demands.
    """
    membership = current_membership(request)
    if membership is None and closed_memberships(request):
        raise ForbiddenError(PROVIDER_NEEDED)
    if membership is None:
        raise ForbiddenError(f"{NOT_A_MEMBER}{OR_CREATE if creation_allowed() else ''}")
    if lacks_second_factor(request, membership):
        raise ForbiddenError(FACTOR_NEEDED)
    return membership


def caller_of(request: HttpRequest) -> Caller:
    """Return the caller in the current organization; raise ForbiddenError without one."""
    return caller_of_member(user_of(request), require_membership(request), "web")


def public_page(view: View) -> View:
    """Decorate a page for anyone: errors of the service become error pages."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            reject_nul(request)
            return view(request, *args, **kwargs)
        except VisualReviewError as error:
            return error_page(request, error)

    return wrapped


def reject_nul(request: HttpRequest) -> None:
    """Raise NotFoundError for a URL with a NUL character."""
    # No id or name contains NUL, and PostgreSQL rejects strings with NUL. Forms check their own
    # fields.
    if any(NUL in text for text in (request.path, *request.GET.values())):
        raise NotFoundError("There is no page at this URL.")


def sign_in_required(view: View) -> View:
    """Decorate a page for signed-in people, with or without an organization."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        explain_lost_membership(request)
        return view(request, *args, **kwargs)

    # Otherwise the browser's back button would show pages after signing out.
    return never_cache(public_page(wrapped))


def member_required(view: View) -> View:
    """Decorate a page for members; ``request`` then has a caller (see ``caller_of``)."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        follow_form(request)
        if (detour := detour_of(request)) is not None:
            return detour
        require_membership(request)
        try:
            response = view(request, *args, **kwargs)
        except NotFoundError:
            elsewhere = find_elsewhere(request, kwargs)
            if elsewhere is None:
                raise
            return respond_elsewhere(request, elsewhere)
        remember_organization(request)
        return response

    return sign_in_required(wrapped)


def detour_of(request: HttpRequest) -> HttpResponse | None:
    """Return the way to the organization's demands: a provider, or a second factor."""
    membership = current_membership(request)
    if membership is None and closed_memberships(request):
        return redirect_to_login(request.get_full_path(), reverse("single_sign_on"))
    if membership is not None and lacks_second_factor(request, membership):
        messages.warning(request, FACTOR_NEEDED)
        return redirect("mfa_index")
    return None


def require_manager(request: HttpRequest) -> Caller:
    """Return the caller; raises ForbiddenError unless they may manage repositories."""
    caller = caller_of(request)
    if not caller.may(REPOS_MANAGE):
        raise ForbiddenError(MANAGERS_ONLY)
    return caller


def run_action(request: HttpRequest, action: str, payload: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Each action has its own result.
    """Run an action for the signed-in person and return its result.

    Errors of the action (ForbiddenError, NotFoundError, ConflictError, InvalidInputError) become
    error pages unless the view catches them.
    """
    return dispatch(any_action(action), caller_of(request), payload)


def try_action(request: HttpRequest, action: str, payload: Mapping[str, Any]) -> Any:  # noqa: ANN401 - As above.
    """Run an action; turn errors that the user can fix into a message and return None.

    For buttons: the view then redirects to the page with the button.
    """
    try:
        return run_action(request, action, payload)
    # The input or another server is the cause; a missing permission or id gets an error page.
    except (ConflictError, InvalidInputError, UnavailableError) as error:
        messages.error(request, str(error))
        return None
