"""Keys, members, invitations, audit and setup through the pages, with real templates."""

import pytest
from django.test import Client, RequestFactory
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.case import Case
from tests.support.pages import path_of, shown_secret, signed_in, text_of
from tests.support.personas import PASSWORD, Persona, Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.accounts.models import ApiKey, Invitation, Membership, User
from visual_review.accounts.setup import make_setup_link
from visual_review.audit.models import AuditEntry
from visual_review.jobs.accounts.mail_password_link import mail_password_link
from visual_review.web.errors import server_error
from visual_review.web.membership import SESSION_KEY

NEW_PASSWORD = "another long enough phrase"
PAGES = ["/account", "/account/password", "/keys", "/members", "/repositories"]


def member_id(persona: Persona) -> str:
    return Membership.objects.get(user=persona.user).id


def test_every_member_sees_the_common_pages(case: Case, personas: Personas) -> None:
    for name in ("alice", "bob", "carol"):
        client = signed_in(getattr(personas, name))
        for url in PAGES:
            with case(f"{url} as {name}"):
                assert "<h1>" in text_of(client, url)


@pytest.mark.django_db
def test_an_anonymous_visitor_sees_none_of_them(case: Case, client: Client) -> None:
    for url in (*PAGES, "/audit", "/"):
        with case(url):
            response = client.get(url)
            assert (response.status_code, response["Location"][:8]) == (302, "/sign-in")


def test_a_key_is_shown_once_and_works(personas: Personas) -> None:
    client = signed_in(personas.bob)
    response = client.post("/keys", {"name": "laptop", "expires_days": "30"})
    assert "no-store" in response["Cache-Control"]
    key = shown_secret(response.content)
    assert caller_of_key(key, "rest").id == personas.bob.user.id
    page = text_of(client, "/keys")
    assert "laptop" in page
    assert key not in page


def test_a_rejected_key_shows_the_error_next_to_the_field(personas: Personas) -> None:
    client = signed_in(personas.alice)
    response = client.post("/keys", {"name": "ci", "scope": "organization", "expires_days": ""})
    assert response.status_code == 400
    assert "Choose at least one permission." in response.content.decode()
    assert not ApiKey.objects.exists()


def test_a_viewer_is_offered_neither_organization_keys_nor_permissions_it_lacks(
    personas: Personas,
) -> None:
    client = signed_in(personas.carol)
    page = text_of(client, "/keys")
    assert 'value="organization"' not in page
    assert "builds:review" not in page
    fields = {"name": "x", "scope": "organization", "permissions": ["builds:review"]}
    assert client.post("/keys", fields).status_code == 400


def test_revoking_asks_first_and_needs_a_post(personas: Personas) -> None:
    client = signed_in(personas.bob)
    client.post("/keys", {"name": "laptop", "expires_days": ""})
    url = f"/keys/{ApiKey.objects.get().id}/revoke"
    assert "laptop" in text_of(client, url)
    assert ApiKey.objects.get().revoked_at is None
    client.post(url)
    assert ApiKey.objects.get().revoked_at is not None
    assert "1 inactive key" in text_of(client, "/keys")


def test_another_organizations_key_is_not_found(personas: Personas) -> None:
    signed_in(personas.bob).post("/keys", {"name": "laptop", "expires_days": ""})
    client = signed_in(personas.mallory)
    foreign = client.post(f"/keys/{ApiKey.objects.get().id}/revoke")
    nothing = client.post("/keys/key_00000000000000000000000000/revoke")
    assert foreign.status_code == nothing.status_code == 404
    assert ApiKey.objects.get().revoked_at is None
    assert client.post("/keys/%00/revoke").status_code == 404


def test_a_new_person_joins_through_an_invitation(personas: Personas) -> None:
    response = signed_in(personas.alice).post(
        "/members", {"email": "dana@example.com", "role": "reviewer"}
    )
    link = path_of(shown_secret(response.content))
    client = Client()
    page = client.get(link)
    assert page["Referrer-Policy"] == "strict-origin"
    assert "no-store" in page["Cache-Control"]
    joined = client.post(link, {"name": "Dana", "password": NEW_PASSWORD})
    assert joined["Location"] == "/"
    assert "Dana" in text_of(client, "/members")
    assert Client().get(link).status_code == 404


def test_an_invited_person_with_an_account_must_sign_in(personas: Personas) -> None:
    mallory = personas.mallory
    response = signed_in(personas.alice).post(
        "/members", {"email": mallory.user.email, "role": "viewer"}
    )
    link = path_of(shown_secret(response.content))
    assert Client().post(link, {"name": "M", "password": NEW_PASSWORD}).status_code == 400
    assert signed_in(personas.bob).post(link).status_code == 409
    client = signed_in(mallory)
    client.post(link)
    assert client.session[SESSION_KEY] == personas.alice.organization.id
    assert "Acme" in text_of(client, "/members")


def test_the_invitation_is_sent_by_e_mail_if_configured(
    personas: Personas, settings: object, mailoutbox: list[object]
) -> None:
    settings.EMAIL_CONFIGURED = True  # type: ignore[attr-defined]
    client = signed_in(personas.alice)
    response = client.post("/members", {"email": "dana@example.com", "role": "viewer"})
    assert "/invitations/vr_invite_" in mailoutbox[0].body  # type: ignore[attr-defined]
    page = response.content.decode()
    assert "An invitation was sent to" in page
    # The owner does not see the link: using the link proves the address.
    assert "vr_invite_" not in page


def test_only_owners_see_invitations_and_the_forms_for_members(personas: Personas) -> None:
    signed_in(personas.alice).post("/members", {"email": "dana@example.com", "role": "viewer"})
    page = text_of(signed_in(personas.bob), "/members")
    assert "dana@example.com" not in page
    assert "Remove" not in page


def test_roles_are_changed_and_members_removed_on_the_page(personas: Personas) -> None:
    client = signed_in(personas.alice)
    client.post(f"/members/{member_id(personas.carol)}/role", {"role": "reviewer"})
    assert Membership.objects.get(user=personas.carol.user).role == "reviewer"
    client.post(f"/members/{member_id(personas.bob)}/remove")
    assert not Membership.objects.filter(user=personas.bob.user).exists()


def test_a_removed_member_is_asked_to_get_an_invitation(personas: Personas) -> None:
    client = signed_in(personas.bob)
    Membership.objects.filter(user=personas.bob.user).delete()
    response = client.get("/repositories")
    assert response.status_code == 403
    assert "invitation" in response.content.decode()


def test_the_last_owner_cannot_be_removed_and_sees_why(personas: Personas) -> None:
    client = signed_in(personas.alice)
    response = client.post(f"/members/{member_id(personas.alice)}/remove", follow=True)
    assert "This is the only owner." in response.content.decode()


def test_a_password_link_from_an_owner_works_once(personas: Personas) -> None:
    response = signed_in(personas.alice).post(f"/members/{member_id(personas.bob)}/password-link")
    link = path_of(shown_secret(response.content))
    client = Client()
    form = client.get(link, follow=True)
    assert link not in form.request["PATH_INFO"]
    client.post(form.request["PATH_INFO"], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    assert User.objects.get(pk=personas.bob.user.pk).check_password(NEW_PASSWORD)
    assert "no longer works" in text_of(Client(), link)
    assert "password.reset" in AuditEntry.objects.values_list("verb", flat=True)


def test_without_mail_the_forgotten_password_page_says_whom_to_ask(
    client: Client, db: None
) -> None:
    assert db is None
    assert "Ask an owner" in text_of(client, "/password/forgotten")
    assert client.post("/password/forgotten", {"email": "a@example.com"}).status_code == 405


def test_a_forgotten_password_gets_the_same_response_for_known_and_unknown_emails(
    client: Client, personas: Personas, settings: object, mailoutbox: list[object]
) -> None:
    settings.EMAIL_CONFIGURED = True  # type: ignore[attr-defined]
    responses = [
        client.post("/password/forgotten", {"email": email})
        for email in (personas.bob.user.email, "nobody@example.com")
    ]
    assert {response["Location"] for response in responses} == {"/password/sent"}
    job = ProcrastinateJob.objects.get()
    assert job.args == {"user_id": personas.bob.user.id}
    mail_password_link(**job.args)
    assert mailoutbox[0].to == [personas.bob.user.email]  # type: ignore[attr-defined]
    link = next(
        word
        for word in mailoutbox[0].body.split()  # type: ignore[attr-defined]
        if word.startswith("http")
    )
    assert "Choose a new password" in client.get(path_of(link), follow=True).content.decode()


def test_changing_the_password_ends_other_sessions_and_keeps_this_one(personas: Personas) -> None:
    current, elsewhere = signed_in(personas.bob), signed_in(personas.bob)
    values = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    assert current.post("/account/password", values)["Location"] == "/account"
    assert current.get("/account").status_code == 200
    assert elsewhere.get("/account").status_code == 302


def test_the_audit_log_is_for_admins_and_owners_and_can_be_filtered(personas: Personas) -> None:
    client = signed_in(personas.alice)
    client.post(f"/members/{member_id(personas.carol)}/role", {"role": "admin"})
    page = text_of(client, "/audit?verb=member.")
    assert 'title="member.role_changed"' in page
    assert "<td>viewer</td><td>admin</td>" in page
    assert 'title="session.signed_in"' not in page
    assert signed_in(personas.bob).get("/audit").status_code == 403


def test_an_organization_cannot_read_anothers_audit_log(personas: Personas) -> None:
    signed_in(personas.alice).post("/account", {"name": "Alice Liddell"})
    assert "Alice Liddell" in text_of(signed_in(personas.alice), "/audit")
    assert "Alice" not in text_of(signed_in(personas.mallory), "/audit")


def test_older_audit_entries_are_on_the_next_page(personas: Personas) -> None:
    client = signed_in(personas.alice)
    for number in range(60):
        client.post("/account", {"name": f"Alice {number}"})
    page = text_of(client, "/audit?verb=user.")
    assert "Alice 59" in page
    older = page.split('href="?')[1].split('"')[0].replace("&amp;", "&")
    assert "Alice 0<" in text_of(client, f"/audit?{older}")


FILTERS = ("before=0", "before=x", f"before={2**70}", "channel=phone", "actor=%25")


def test_invalid_filters_still_show_the_page(case: Case, personas: Personas) -> None:
    client = signed_in(personas.alice)
    for query in FILTERS:
        with case(query[:40]):
            text_of(client, f"/audit?{query}")


def test_a_member_of_two_organizations_switches_between_them(personas: Personas) -> None:
    Membership.objects.create(
        organization=personas.mallory.organization, user=personas.bob.user, role="viewer"
    )
    client = signed_in(personas.bob)
    assert "Carol" in text_of(client, "/members")
    client.post("/account/organization", {"organization": personas.mallory.organization.id})
    assert "Mallory" in text_of(client, "/members")
    foreign = signed_in(personas.carol).post(
        "/account/organization", {"organization": personas.mallory.organization.id}
    )
    assert foreign.status_code == 404


@pytest.mark.usefixtures("without_personas")
def test_the_setup_page_creates_the_owner_and_signs_them_in(client: Client) -> None:
    link = path_of(make_setup_link())
    values = {
        "organization_name": "Acme",
        "name": "Dana",
        "email": "dana@example.com",
        "password": "short",
    }
    refused = client.post(link, values)
    assert refused.status_code == 400
    assert "too short" in refused.content.decode()
    client.post(link, {**values, "password": NEW_PASSWORD})
    assert "Acme" in text_of(client, "/account")
    assert Client().get(link).status_code == 404


@pytest.mark.django_db
def test_signing_up_requires_a_link(client: Client) -> None:
    for url in ("/signup", "/signup/", "/accounts/signup/", "/setup/x", "/invitations/x"):
        assert client.get(url).status_code == 404


def test_forms_without_a_csrf_token_get_an_error_page(personas: Personas) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(personas.alice.user)
    response = client.post("/members", {"email": "dana@example.com", "role": "viewer"})
    assert response.status_code == 403
    assert "The form is outdated" in response.content.decode()
    assert not Invitation.objects.exists()


def test_signing_out_needs_a_post(personas: Personas) -> None:
    client = signed_in(personas.bob)
    assert client.get("/sign-out").status_code == 405
    client.post("/sign-out")
    assert client.get("/account").status_code == 302


def test_pages_forbid_foreign_and_inline_content(client: Client, db: None) -> None:
    assert db is None
    policy = client.get("/sign-in")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy


def test_the_server_error_page_needs_neither_session_nor_database() -> None:
    response = server_error(RequestFactory().get("/keys"))
    assert response.status_code == 500
    assert "Something went wrong" in response.content.decode()
