"""What every page does first and last: know the caller, run actions, and show errors in words."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from visual_review.accounts.callers import Caller, caller_of_user
from visual_review.accounts.models import User
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
from visual_review.web.membership import current_membership

View = Callable[..., HttpResponse]
NUL = "\0"
NO_MEMBER = (
    "Your account belongs to no organization. Ask an owner for an invitation, then open its link."
)


def user_of(request: HttpRequest) -> User:
    """The signed-in person; only for views behind ``signed_in``."""
    if not isinstance(request.user, User):
        raise ForbiddenError("Sign in first.")
    return request.user


def caller_of(request: HttpRequest) -> Caller:
    """The signed-in person in the chosen organization; raises ForbiddenError for no member."""
    membership = current_membership(request)
    if membership is None:
        raise ForbiddenError(NO_MEMBER)
    return caller_of_user(user_of(request), membership.organization_id, "web")


def public(view: View) -> View:
    """A page for anybody; errors of the service become error pages."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            _refuse_nul(request)
            return view(request, *args, **kwargs)
        except VisualReviewError as error:
            return error_page(request, error)

    return wrapped


def _refuse_nul(request: HttpRequest) -> None:
    # No id or name holds it, and PostgreSQL takes no text that does. Forms look for themselves.
    if any(NUL in text for text in (request.path, *request.GET.values())):
        raise NotFoundError("There is nothing at this address.")


def signed_in(view: View) -> View:
    """A page for a signed-in person, member of an organization or not."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **kwargs)

    # Without it the browser's back button would show pages after signing out.
    return never_cache(public(wrapped))


def member(view: View) -> View:
    """A page for members; ``request`` then has a caller (see ``caller_of``)."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if current_membership(request) is None:
            raise ForbiddenError(NO_MEMBER)
        return view(request, *args, **kwargs)

    return signed_in(wrapped)


def run(request: HttpRequest, action: str, payload: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Each action has its own result.
    """Run an action for the signed-in person and return its result.

    What it raises (ForbiddenError, NotFoundError, ConflictError, InvalidInputError) becomes an
    error page when the view does not catch it.
    """
    return dispatch(any_action(action), caller_of(request), payload)


def attempt(request: HttpRequest, action: str, payload: Mapping[str, Any]) -> Any:  # noqa: ANN401 - As above.
    """As ``run``, but what can be mended or waited for becomes a message; the result is then None.

    For buttons: the view then goes back to the page that showed the button.
    """
    try:
        return run(request, action, payload)
    # These are about what was chosen, or a host that is down; a missing permission or id deserves the error page.
    except (ConflictError, InvalidInputError, UnavailableError) as error:
        messages.error(request, str(error))
        return None
