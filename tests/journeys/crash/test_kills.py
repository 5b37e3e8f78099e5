"""kill -9 at random moments: every build ends, nothing is doubled, nothing lost.

``--crash-rounds=500`` makes a longer run, ``--crash-seed=N`` the same choices again.
"""

import hashlib
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import namedtuple_row

from tests.support.crash.killed_service import KilledService
from tests.support.crash.lanes import Lane, PublishedBuild
from tests.support.depth import rounds, seed
from tests.support.servers.service import open_folder, wait_until
from tests.support.servers.template import copy_data_folder
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
    # A list, so that a story listed twice is noticed.
    assert sorted((shot.story_id, shot.diff_state) for shot in shots) == sorted(
        build.states.items()
    ), row
    assert all(shot.image_id for shot in shots if shot.diff_state != "removed"), row
    differs = set(build.states.values()) != {"unchanged"}
    expected = "approved" if build.approved else "unreviewed" if differs else "not_required"
    assert (row.review_state, row.versions) == (expected, int(build.approved)), row


def check_images(database: "psycopg.Connection[Any]", data: Path) -> int:
    """Check every image's bytes against the hash; return the number of images."""
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


LANES = 3
LONGEST_PAUSE = 0.6
MOST_IDLE = 10.0
LOG_SHOWN = 8000
# Each is killed at least once.
ROUNDS = rounds(8, 50)
# How often each is killed, in a hundred rounds.
VICTIMS = {"client": 62, "worker": 17, "web": 15, "backend": 4, "all": 2}


@pytest.fixture
def service() -> Iterator[KilledService]:
    with open_folder() as folder:
        started = KilledService(copy_data_folder(folder / "data"))
        started.begin()
        yield started
        started.end()
        print(started.written()[-LOG_SHOWN:])  # noqa: T201 - pytest shows it after a failure.


@pytest.mark.search
@pytest.mark.timeout(0)
def test_whatever_is_killed_every_build_ends_once_and_right(
    service: KilledService, pytestconfig: pytest.Config
) -> None:
    kills: int = pytestconfig.getoption("crash_rounds") or ROUNDS
    chosen: int = pytestconfig.getoption("crash_seed") or seed()
    print(f"crash seed {chosen}")  # noqa: T201 - It makes the same choices again.
    dice = random.Random(chosen)
    lanes = [
        Lane(
            service,
            service.data.parent / "shown",
            f"lane-{number}",
            random.Random(f"{chosen} {number}"),
        )
        for number in range(LANES)
    ]
    for lane in lanes:
        lane.connect()
    stop = threading.Event()
    with ThreadPoolExecutor(LANES) as pool:
        working = [pool.submit(lane.work, stop) for lane in lanes]
        try:
            kill(service, lanes, dice, kills, lambda: any(each.done() for each in working))
        except BaseException:
            service.lost.set()
            raise
        finally:
            stop.set()
        for each in working:
            each.result()
    with open_database(service.data) as database:
        wait_until("all jobs have ended", lambda: unfinished_jobs(database) == 0)
        check_all(database, lanes, service.data)
    print_summary(lanes)


def kill(
    service: KilledService,
    lanes: list[Lane],
    dice: random.Random,
    kills: int,
    lane_failed: Callable[[], bool],
) -> None:
    """Kill the given number of times, unless a lane ended too early, which is an error."""
    for victim in choose_victims(dice, kills):
        if lane_failed():
            return
        lane = wait_for_busy_lane(lanes, dice, to_kill=victim == "client")
        time.sleep(dice.uniform(0, LONGEST_PAUSE))
        if victim == "client":
            lane.kill_client()
        elif victim == "backend":
            service.kill_backend(dice)
        elif victim == "all":
            service.kill_all()
        else:
            service.kill_child(victim)


def wait_for_busy_lane(lanes: list[Lane], dice: random.Random, *, to_kill: bool) -> Lane:
    """Return a lane whose client is publishing: kills between builds or at a start hit nothing."""
    deadline = time.monotonic() + MOST_IDLE
    while time.monotonic() < deadline:
        busy = [lane for lane in lanes if (lane.may_be_killed if to_kill else lane.is_publishing)]
        if busy:
            return dice.choice(busy)
        time.sleep(0.02)
    return dice.choice(lanes)


def choose_victims(dice: random.Random, kills: int) -> list[str]:
    """Return each kind in its share, at least once, in random order."""
    whole = [name for name, share in VICTIMS.items() for _ in range(max(1, kills * share // 100))]
    victims = (whole + ["client"] * kills)[:kills]
    dice.shuffle(victims)
    return victims


def print_summary(lanes: list[Lane]) -> None:
    """Print the published builds, for people who watch a long run."""
    codes = Counter(text.split()[2] for lane in lanes for text in lane.outputs)
    builds = sum(len(lane.published) for lane in lanes)
    print(f"{builds} builds; the client's exit codes: {dict(codes)}")  # noqa: T201 - As above.
