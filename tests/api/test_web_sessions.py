"""Sessions: the rows in the database cannot be used to sign in."""

from django.test import Client

from tests.support.pages import sign_in
from tests.support.personas import Personas
from visual_review.accounts.models import Session

COOKIE = "sessionid"


def signed_in(personas: Personas) -> Client:
    client = Client()
    sign_in(client, personas.alice.user.email)
    assert client.get("/account").status_code == 200
    return client


def test_the_cookie_is_not_in_the_table(personas: Personas) -> None:
    cookie = signed_in(personas).cookies[COOKIE].value
    assert Session.objects.count() == 1
    assert cookie not in str(list(Session.objects.values()))


def test_a_value_from_the_table_is_not_a_valid_session(personas: Personas) -> None:
    signed_in(personas)
    thief = Client()
    thief.cookies[COOKIE] = Session.objects.get().session_key
    assert thief.get("/account").status_code == 302


def test_signing_in_creates_a_new_session_and_signing_out_ends_it(personas: Personas) -> None:
    client = signed_in(personas)
    first = client.cookies[COOKIE].value
    client.post("/sign-out")
    old = Client()
    old.cookies[COOKIE] = first
    assert old.get("/account").status_code == 302
    sign_in(client, personas.alice.user.email)
    assert client.cookies[COOKIE].value != first


def test_an_invented_cookie_never_becomes_a_session(client: Client, personas: Personas) -> None:
    made_up = "a" * 32
    client.cookies[COOKIE] = made_up
    sign_in(client, personas.alice.user.email)
    assert client.get("/account").status_code == 200
    assert client.cookies[COOKIE].value != made_up
