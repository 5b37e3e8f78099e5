"""Each form on an organization's page names that organization."""

import re
from pathlib import Path

import visual_review.web

TEMPLATES = Path(visual_review.web.__file__).parent / "templates" / "web"
TOKEN = "{% csrf_token %}"
FIELD = "{{ organization_field }}"
# Forms of the person or of no one: they act on named objects, or in no organization.
PERSONAL = {
    *("account.html", "authorize.html", "elsewhere.html", "organization_new.html"),
    *("own_access.html", "setup.html", "mail_unsubscribe.html"),
    *("sessions.html", "account_delete.html"),
    *("invitation_accept.html", "invitation_confirm.html", "invitation_join.html"),
    *("parts/organization_menu.html", "parts/person_menu.html"),
}


def templates() -> dict[str, str]:
    return {
        str(path.relative_to(TEMPLATES)): path.read_text(encoding="utf-8")
        for path in TEMPLATES.rglob("*.html")
    }


def test_each_form_of_an_organization_names_it() -> None:
    for name, text in templates().items():
        if name not in PERSONAL:
            assert text.count(TOKEN) == text.count(TOKEN + FIELD), name


def test_every_form_that_changes_something_has_a_token() -> None:
    for name, text in templates().items():
        forms = re.findall(r'<form[^>]*method="post".*?</form>', text, re.DOTALL)
        for form in forms:
            # Our token must not reach the provider behind the form of a GitHub App.
            leads_elsewhere = name == "github_app.html"
            assert (TOKEN in form or "form_place.html" in form) is not leads_elsewhere, name


def test_the_exceptions_exist_and_have_forms() -> None:
    found = templates()
    assert all(TOKEN in found[name] for name in PERSONAL)
