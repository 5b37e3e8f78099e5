"""What the database and the storage must hold in the end: nothing lost, nothing doubled."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import namedtuple_row

from tests.support.crash.lanes import Lane, PublishedBuild
from visual_review.config.standalone.data_folder import database_password
from visual_review.config.standalone.postgres import EmbeddedPostgres

BUILDS = """
    SELECT b.id, b.nonce, b.status, b.review_state, b.failure,
        (SELECT count(*) FROM builds_baselinemove m WHERE m.build_id = b.id) AS versions,
        (SELECT count(*) FROM audit_auditentry a
         WHERE a.target_id = b.id AND a.verb = 'build.published') AS publications
    FROM builds_build b WHERE b.repository_id = %s ORDER BY b.number
"""
SHOTS = "SELECT story_id, diff_state, image_id, sha256 FROM builds_screenshot WHERE build_id = %s"
VERSIONS = """
    SELECT m.sequence FROM builds_baselinemove m
    JOIN builds_baseline l ON l.id = m.baseline_id
    JOIN repositories_product p ON p.id = l.product_id
    WHERE p.repository_id = %s ORDER BY m.sequence
"""
ENTRIES = """
    SELECT e.story_id, i.sha256 FROM builds_baselineentry e
    JOIN builds_image i ON i.id = e.image_id
    JOIN builds_baseline l ON l.id = e.baseline_id
    JOIN repositories_product p ON p.id = l.product_id
    WHERE p.repository_id = %s AND e.to_move IS NULL
"""
LEFT = (
    "SELECT count(*) FROM procrastinate_jobs WHERE queue_name = 'builds' AND status <> 'succeeded'"
)


def open_database(data: Path) -> "psycopg.Connection[Any]":
    """The service's own database, next to the running service."""
    server = EmbeddedPostgres(data / "postgres", database_password(data))
    noted = data / "postgres-socket-folder"
    if noted.exists():
        server.socket = Path(noted.read_text())
    return psycopg.connect(server.url, autocommit=True, row_factory=namedtuple_row)


def unfinished_jobs(database: "psycopg.Connection[Any]") -> int:
    row = database.execute(LEFT).fetchone()
    return int(row[0]) if row else 0


def check_lane(database: "psycopg.Connection[Any]", lane: Lane) -> None:
    """Every build once, ended, judged rightly; each approval moved the baseline once."""
    rows = database.execute(BUILDS, [lane.repository]).fetchall()
    assert [row.nonce for row in rows] == [build.nonce for build in lane.published]
    for row, build in zip(rows, lane.published, strict=True):
        _check_build(database, row, build)
    approvals = sum(build.approved for build in lane.published)
    numbers = [row.sequence for row in database.execute(VERSIONS, [lane.repository])]
    assert numbers == list(range(1, approvals + 1))
    entries = {row.story_id: row.sha256 for row in database.execute(ENTRIES, [lane.repository])}
    expected = {story: hashlib.sha256(png).hexdigest() for story, png in lane.baseline.items()}
    assert entries == expected


def _check_build(database: "psycopg.Connection[Any]", row: Any, build: PublishedBuild) -> None:  # noqa: ANN401 - A row.
    assert (row.status, row.publications) == ("completed", 1), (row, build)
    shots = database.execute(SHOTS, [row.id]).fetchall()
    # A list, so that a story that stands there twice is seen.
    assert sorted((shot.story_id, shot.diff_state) for shot in shots) == sorted(
        build.states.items()
    ), row
    assert all(shot.image_id for shot in shots if shot.diff_state != "removed"), row
    differs = set(build.states.values()) != {"unchanged"}
    expected = "approved" if build.approved else "unreviewed" if differs else "not_required"
    assert (row.review_state, row.versions) == (expected, int(build.approved)), row


def check_images(database: "psycopg.Connection[Any]", data: Path) -> int:
    """Every image's bytes are there and have its hash; answers how many."""
    rows = database.execute("SELECT organization_id, sha256, size FROM builds_image").fetchall()
    for row in rows:
        file = (
            data / "blobs" / "images" / row.organization_id / row.sha256[:2] / f"{row.sha256}.png"
        )
        content = file.read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (row.sha256, row.size)
    return len(rows)


def check_all(database: "psycopg.Connection[Any]", lanes: Sequence[Lane], data: Path) -> None:
    for lane in lanes:
        check_lane(database, lane)
    shown = {png for lane in lanes for png in lane.baseline.values()}
    assert check_images(database, data) >= len(shown)
