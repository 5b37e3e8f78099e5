"""Members and invitations."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from visual_review.accounts.invitations import open_invitations
from visual_review.accounts.links import invitation_link, password_link
from visual_review.accounts.members import member_of, members_of
from visual_review.accounts.models import ROLE_CHOICES
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.web.forms.people import InvitationForm
from visual_review.web.forms.problems import add_form_errors
from visual_review.web.mail import send_invitation
from visual_review.web.requests import caller_of, member_required, run_action, try_action
from visual_review.web.security import secret_page


@require_http_methods(["GET", "POST"])
@member_required
def members(request: HttpRequest) -> HttpResponse:
    form = InvitationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            invited = run_action(request, "invite_member", form.cleaned_data)
        except (ConflictError, InvalidInputError) as error:
            add_form_errors(form, error)
        else:
            return _render_invitation(request, invited.email, invited.secret)
    return _render_list(request, form)


def _render_list(request: HttpRequest, form: InvitationForm) -> HttpResponse:
    caller = caller_of(request)
    context = {
        "form": form,
        "members": members_of(caller.organization_id),
        "roles": ROLE_CHOICES,
        # Only people who can invite may see who is invited.
        "invitations": open_invitations(caller.organization_id)
        if caller.may(MEMBERS_MANAGE)
        else [],
    }
    return render(request, "web/members.html", context, status=400 if form.errors else 200)


@secret_page
def _render_invitation(request: HttpRequest, email: str, secret: str) -> HttpResponse:
    caller = caller_of(request)
    link = invitation_link(secret)
    organization = members_of(caller.organization_id).select_related("organization")[0].organization
    # After the action's transaction: none may wait for the network.
    mailed = send_invitation(email, organization.name, caller.name, link)
    return render(
        request, "web/member_invited.html", {"email": email, "link": link, "mailed": mailed}
    )


@require_POST
@member_required
def change_role(request: HttpRequest, membership_id: str) -> HttpResponse:
    payload = {"membershipId": membership_id, "role": request.POST.get("role", "")}
    changed = try_action(request, "change_member_role", payload)
    if changed:
        messages.success(request, f"{changed.name} is now {changed.role}.")
    return redirect("members")


@require_http_methods(["GET", "POST"])
@member_required
def remove(request: HttpRequest, membership_id: str) -> HttpResponse:
    if request.method == "POST":
        removed = try_action(request, "remove_member", {"membershipId": membership_id})
        if removed:
            messages.success(request, f"{removed.name} was removed.")
        return redirect("members")
    row = member_of(caller_of(request).organization_id, membership_id)
    return render(request, "web/member_remove.html", {"person": row})


@require_POST
@member_required
@secret_page
def make_password_link(request: HttpRequest, membership_id: str) -> HttpResponse:
    made = try_action(request, "create_password_link", {"membershipId": membership_id})
    if not made:
        return redirect("members")
    context = {"name": made.name, "link": password_link(made.user_id, made.token)}
    return render(request, "web/member_password_link.html", context)


@require_POST
@member_required
def revoke_invitation(request: HttpRequest, invitation_id: str) -> HttpResponse:
    revoked = try_action(request, "revoke_invitation", {"invitationId": invitation_id})
    if revoked:
        messages.success(request, f"The invitation for {revoked.email} was revoked.")
    return redirect("members")
