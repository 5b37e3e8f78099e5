"""The audit log: in words, by date, exported, and kept for a time set by the owner."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import Membership
from visual_review.audit.log import SYSTEM, Change, Target, record
from visual_review.audit.models import AuditEntry
from visual_review.audit.queries import COLUMNS, MOST_EXPORTED
from visual_review.jobs.upkeep import sweep_retention as sweep_module
from visual_review.jobs.upkeep.sweep_retention import sweep_retention
from visual_review.kernel.clock import now
from visual_review.web.audit_texts import describe_verb
from visual_review.web.views.audit import VERBS


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    build = world.publish({"a": "red"}, message="=1+1")
    world.approve(build)
    return world


def key_of(persona: Persona, *permissions: str, scope: str = "organization") -> str:
    _, secret = create_key(persona.caller, NewKey(scope, "log", list(permissions)))  # type: ignore[arg-type]
    return secret.text


def export(key: str, after: object = 0) -> list[dict[str, object]]:
    response = Client().get(
        "/api/audit.jsonl", {"after": after}, HTTP_AUTHORIZATION=f"Bearer {key}"
    )
    assert (response.status_code, response["Content-Type"]) == (200, "application/jsonl")
    return [json.loads(line) for line in response.content.decode().splitlines()]


def test_each_event_is_a_sentence(case: Case) -> None:
    for verb in VERBS:
        with case(verb):
            assert "." not in describe_verb(verb)
            assert "_" not in describe_verb(verb)
    assert describe_verb("build.approved") == "approved a build"
    assert describe_verb("repository.token_rotated") == "rotated token of a repository"
    assert describe_verb("recordings.enabled") == "enabled recordings"
    assert describe_verb("organization.created") == "created an organization"


def test_entries_link_to_what_they_are_about(owner: Client, world: World) -> None:
    page = text_of(owner, "/audit")
    build = world.repository.builds.get()
    assert f'<a href="/builds/{build.pk}">' in page
    assert ">approved a build</span>" in page


@pytest.mark.usefixtures("world")
def test_days_limit_the_log(owner: Client) -> None:
    AuditEntry.objects.filter(verb="build.approved").update(at=datetime(2026, 3, 4, 23, tzinfo=UTC))
    found = {
        "since=2026-03-04&until=2026-03-04": True,
        "until=2026-03-03": False,
        "since=2026-03-05&until=2026-03-09": False,
        "verb=build.&until=2026-12-01": True,
        "verb=repository.&until=2026-03-05": False,
    }
    for query, is_shown in found.items():
        assert (">approved a build</span>" in text_of(owner, f"/audit?{query}")) == is_shown


def test_the_filtered_log_is_downloaded(owner: Client, world: World) -> None:
    response = owner.get("/audit.jsonl?verb=build.approved")
    assert 'filename="audit-log.jsonl"' in response["Content-Disposition"]
    (entry,) = [json.loads(line) for line in response.content.decode().splitlines()]
    assert list(entry) == list(COLUMNS)
    assert (entry["verb"], entry["actorName"]) == ("build.approved", "Alice")
    rows = list(csv.DictReader(io.StringIO(owner.get("/audit.csv").content.decode())))
    assert [int(row["id"]) for row in rows] == sorted(
        AuditEntry.objects.filter(organization_id=world.repository.organization_id).values_list(
            "pk", flat=True
        )
    )


def test_a_download_with_an_invalid_filter_is_refused(owner: Client) -> None:
    response = owner.get("/audit.csv?since=2026-13-01&verb=build.approved")
    assert response.status_code == 400
    assert "These filters are not valid: From." in response.content.decode()


def test_a_cell_is_no_formula(owner: Client, personas: Personas) -> None:
    target = Target("repository", "repo_x", "=cmd()")
    record(personas.alice.organization.id, SYSTEM, Change("repository.linked", target))
    rows = list(csv.DictReader(io.StringIO(owner.get("/audit.csv").content.decode())))
    assert rows[-1]["targetName"] == "'=cmd()"


def test_too_many_entries_are_not_cut_off_in_silence(owner: Client, personas: Personas) -> None:
    organization_id = personas.alice.organization.id
    change = Change("repository.linked", Target("repository", "repo_x", "x"))
    record(organization_id, SYSTEM, *[change] * (MOST_EXPORTED + 1))
    response = owner.get("/audit.csv?verb=repository.linked")
    assert response.status_code == 413
    assert "/api/audit.jsonl" in response.content.decode()
    key = key_of(personas.alice, "audit:view")
    first = export(key)
    assert len(first) == MOST_EXPORTED
    second = export(key, first[-1]["id"])
    assert [each["id"] for each in (*first, *second)] == sorted(
        AuditEntry.objects.filter(organization_id=organization_id).values_list("pk", flat=True)
    )


@pytest.mark.usefixtures("world")
def test_only_a_key_with_the_permission_reads_it(personas: Personas) -> None:
    keys = (
        key_of(personas.alice, "repos:view"),
        key_of(personas.alice, scope="user"),
        key_of(personas.carol, "builds:view", scope="user"),
    )
    for key in keys:
        response = Client().get("/api/audit.jsonl", HTTP_AUTHORIZATION=f"Bearer {key}")
        assert response.status_code == 403
        assert "audit:view" in response.json()["detail"]
    assert Client().get("/api/audit.jsonl").status_code == 401
    own = key_of(personas.alice, "audit:view", scope="user")
    assert "build.approved" in {each["verb"] for each in export(own)}
    theirs = export(key_of(personas.mallory, "audit:view"))
    assert "build.approved" not in {each["verb"] for each in theirs}
    for after in ("-1", "x", "9" * 30, ""):
        response = Client().get(
            "/api/audit.jsonl", {"after": after}, HTTP_AUTHORIZATION=f"Bearer {own}"
        )
        assert response.status_code == 400


@pytest.mark.usefixtures("world")
def test_the_owner_sets_how_long_it_is_kept(owner: Client, personas: Personas) -> None:
    organization_id = personas.alice.organization.id
    old = AuditEntry.objects.filter(verb="build.approved")
    old.update(at=now() - timedelta(days=50))
    sweep_retention(0)
    assert old.exists()
    for days in ("29", "x", "99999"):
        assert (
            "was saved"
            not in owner.post("/audit/retention", {"days": days}, follow=True).content.decode()
        )
    assert (
        "was saved" in owner.post("/audit/retention", {"days": "40"}, follow=True).content.decode()
    )
    sweep_retention(0)
    assert not old.exists()
    entry = AuditEntry.objects.get(organization_id=organization_id, verb="audit.expired")
    assert entry.after is not None
    assert entry.after["entries"] == 1
    assert AuditEntry.objects.filter(verb="organization.audit_retention_changed").exists()


def test_old_entries_are_deleted_in_parts(
    personas: Personas, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    organization = personas.alice.organization
    monkeypatch.setattr(sweep_module, "AUDIT_ENTRIES_AT_ONCE", 2)
    change = Change("build.approved", Target("build", "build_1"))
    for _ in range(3):
        record(organization.id, SYSTEM, change)
    old = AuditEntry.objects.filter(verb="build.approved")
    old.update(at=now() - timedelta(days=50))
    owner.post("/audit/retention", {"days": "40"})
    sweep_retention(0)
    assert not old.exists()
    found = AuditEntry.objects.filter(organization_id=organization.id, verb="audit.expired")
    assert [entry.after["entries"] for entry in found.order_by("id") if entry.after] == [2, 1]


def test_an_admin_cannot_shorten_it(personas: Personas, owner: Client) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role="admin")
    admin = signed_in(personas.bob)
    admin.post("/audit/retention", {"days": "30"})
    assert "kept forever" in text_of(owner, "/audit")
    assert "An owner decides that." in text_of(admin, "/audit")
