"""Owners of stories: the names of CODEOWNERS, the members behind them, and rules for titles."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from visual_review.accounts.models import User
from visual_review.repositories.code_owners import (
    active_members,
    names_in,
    parse_code_owners,
    suggest_member,
)
from visual_review.repositories.models import CodeOwners, OwnerMember
from visual_review.repositories.queries import repository_of
from visual_review.web.requests import member_required, require_manager, try_action

MOST_NAMES: Final = 200
MEMBERS_OF: Final = "members of "


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
def owners(request: HttpRequest, repository_id: str) -> HttpResponse:
    caller = require_manager(request)
    repository = repository_of(caller.organization_id, repository_id)
    rules = CodeOwners.objects.filter(repository=repository).first() or CodeOwners()
    if request.method == "POST" and _save(request, repository.pk):
        return redirect("owners", repository.pk)
    found = {
        name
        for text in (rules.text, rules.title_rules)
        for name in names_in(parse_code_owners(text))
    }
    # An email address names a member by itself.
    names = sorted(each for each in found if each.startswith("@"))
    members = list(active_members(caller.organization_id).order_by("name", "email"))
    context = {
        "repository": repository,
        "rules": rules,
        "lines": len(rules.text.splitlines()),
        "rows": [_row(caller.organization_id, each, members) for each in names[:MOST_NAMES]],
        "more": max(0, len(names) - MOST_NAMES),
        "members": members,
    }
    return render(request, "web/owners.html", context)


def _row(organization_id: str, name: str, members: list[User]) -> dict[str, object]:
    rows = OwnerMember.objects.filter(organization=organization_id, name=name)
    chosen = list(rows.order_by("pk").values_list("user__email", flat=True))
    suggested = None if chosen else suggest_member(name, members)
    shown = [suggested.email] if suggested else chosen
    return {
        "name": name,
        "field": f"{MEMBERS_OF}{name}",
        "members": shown,
        "suggested": suggested is not None,
    }


def _save(request: HttpRequest, repository_id: str) -> bool:
    members = {
        name.removeprefix(MEMBERS_OF): [
            each.strip() for each in str(emails).split(",") if each.strip()
        ]
        for name, emails in request.POST.items()
        if name.startswith(MEMBERS_OF)
    }
    rules = request.POST.get("titleRules", "").replace("\r\n", "\n")
    payload = {"repoId": repository_id, "titleRules": rules, "members": members}
    if try_action(request, "set_owners", payload) is None:
        return False
    messages.success(request, "The owners were saved.")
    return True
