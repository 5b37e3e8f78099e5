"""Sign-in, sign-out and passwords: allauth's views, adapted."""

from http import HTTPStatus

from allauth.account.views import LogoutView, PasswordChangeView, PasswordResetView, login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from visual_review.accounts.models import Identity, SignInProvider, User
from visual_review.accounts.sessions import record_sign_out
from visual_review.accounts.setup import first_owner_needed
from visual_review.kernel.metrics import SIGN_INS_REFUSED
from visual_review.web.allauth_adapter import TOO_MANY_ATTEMPTS
from visual_review.web.errors import RETRY_SECONDS
from visual_review.web.security import keep_opener
from visual_review.web.session_store import SIGN_IN
from visual_review.web.views.home import render_not_set_up

_sign_out = LogoutView.as_view()
_password_change = login_required(PasswordChangeView.as_view())
_reset_by_email = PasswordResetView.as_view()
# No POST either: a POST would create a link without a recipient.
_reset_without_email = PasswordResetView.as_view(
    template_name="web/password_forgotten_without_email.html",
    http_method_names=["get", "head"],
)


def sign_in(request: HttpRequest) -> HttpResponse:
    """Render the sign-in page; before the consent page, keep the opener of the app's window."""
    if request.method != "POST" and first_owner_needed():
        return render_not_set_up(request)
    next_url = request.POST.get("next") or request.GET.get("next", "")
    view = keep_opener(_login) if next_url.startswith(reverse("authorize")) else _login
    response = view(request)
    if _says_too_many(response):
        SIGN_INS_REFUSED.labels("attempts").inc()
        response.status_code = HTTPStatus.TOO_MANY_REQUESTS
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session; the next page offers a sign-out at the session's provider, too."""
    identity_id = request.session.get(SIGN_IN, {}).get("identity")
    identity = Identity.objects.filter(pk=identity_id).first() if identity_id else None
    if isinstance(request.user, User):
        record_sign_out(request.user)
    response: HttpResponse = _sign_out(request)
    if identity is not None:
        return redirect(f"{reverse('account_login')}?signed_out={identity.provider_id}")
    return response


def password_change(request: HttpRequest) -> HttpResponse:
    """Change the password of a person who has one."""
    if isinstance(request.user, User) and not request.user.has_usable_password():
        messages.info(request, "You sign in through a provider, and have no password.")
        return redirect("account")
    response: HttpResponse = _password_change(request)
    return response


def password_forgotten(request: HttpRequest) -> HttpResponse:
    """Send a link by e-mail if the service can; otherwise say whom to ask."""
    view = _reset_by_email if settings.EMAIL_CONFIGURED else _reset_without_email
    response: HttpResponse = view(request)
    return response


def _login(request: HttpRequest) -> HttpResponse:
    provider = SignInProvider.objects.filter(pk=request.GET.get("signed_out", "")).first()
    response: HttpResponse = login(request)
    if provider is not None and isinstance(response, TemplateResponse):
        response.context_data = {**(response.context_data or {}), "signed_out": provider}
    return response


def _says_too_many(response: HttpResponse) -> bool:
    """Return whether the sign-in form reports too many attempts."""
    form = (getattr(response, "context_data", None) or {}).get("form")
    errors = form.errors.as_data().get(NON_FIELD_ERRORS, []) if form is not None else []
    return any(error.code == TOO_MANY_ATTEMPTS for error in errors)
