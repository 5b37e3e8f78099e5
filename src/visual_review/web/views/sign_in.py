"""Signing in and out by allauth's views, with what this service decides for itself."""

from allauth.account.views import LogoutView, PasswordChangeView, PasswordResetView
from allauth.account.views import login as by_password
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from visual_review.web.security import opened_by_apps

sign_out = require_POST(LogoutView.as_view())
password_change = login_required(PasswordChangeView.as_view())
_by_mail = PasswordResetView.as_view()
# Not to be posted either: no link that nobody receives should be made.
_without_mail = PasswordResetView.as_view(
    template_name="web/password_forgotten_without_mail.html", http_method_names=["get", "head"]
)


def sign_in(request: HttpRequest) -> HttpResponse:
    """The page for the password; on the way to the consent page an app may have opened it."""
    after = request.POST.get("next") or request.GET.get("next", "")
    view = opened_by_apps(by_password) if after.startswith(reverse("authorize")) else by_password
    response: HttpResponse = view(request)
    return response


def password_forgotten(request: HttpRequest) -> HttpResponse:
    """By mail where the service can send some; else a page that says whom to ask."""
    view = _by_mail if settings.EMAIL_CONFIGURED else _without_mail
    response: HttpResponse = view(request)
    return response
