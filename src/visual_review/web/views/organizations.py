"""The person's organizations: switching between them, and creating one where allowed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from visual_review.accounts.further_organizations import (
    check_creation_allowed,
    create_own_organization,
)
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.web.forms.people import OrganizationForm
from visual_review.web.forms.problems import add_form_errors
from visual_review.web.limits import rate_limited
from visual_review.web.membership import choose_organization, usable_organizations
from visual_review.web.requests import sign_in_required, user_of


@require_POST
@sign_in_required
def switch_organization(request: HttpRequest) -> HttpResponse:
    chosen = request.POST.get("organization", "")
    if chosen not in usable_organizations(request):
        # Respond to another organization's id as to a missing one.
        raise NotFoundError("You are not a member of an organization with this id.")
    choose_organization(request, chosen)
    following = request.POST.get("next", "")
    # Only a page of this service: the link comes with the request.
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return redirect(following)
    return redirect("home")


@require_http_methods(["GET", "POST"])
@sign_in_required
@rate_limited("create_organization")
def create_organization(request: HttpRequest) -> HttpResponse:
    check_creation_allowed()
    form = OrganizationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            created, is_new = create_own_organization(user_of(request), **form.cleaned_data)
        except InvalidInputError as error:
            add_form_errors(form, error)
        else:
            choose_organization(request, created.id)
            done = "was created" if is_new else "exists already"
            messages.success(request, f"{created} {done}. You are its owner.")
            return redirect("home")
    return render(
        request, "web/organization_new.html", {"form": form}, status=400 if form.errors else 200
    )
